import type { CrudSort, MetaQuery } from '@refinedev/core';
import type { PlinthMeta } from '../../shared/meta.ts';
import type { Reading, Writing } from '../../shared/records.ts';

/** What `meta` says to this provider. refine puts much else into it, which is passed over. */
function metaOf(meta: MetaQuery | undefined): PlinthMeta | undefined {
  return meta as PlinthMeta | undefined;
}

/** Ends a request whose answer nobody waits for any more. */
export function signalOf(meta: MetaQuery | undefined): AbortSignal | undefined {
  return meta?.queryContext?.signal;
}

export function readingOf(meta: MetaQuery | undefined): Reading {
  return { meta: metaOf(meta), signal: signalOf(meta) };
}

/** refine does not say what a record was before: `meta.previous` does. */
export function writingOf(meta: MetaQuery | undefined): Writing {
  return { meta: metaOf(meta), previous: meta?.['previous'] as unknown };
}

export function sortOf(sorters: readonly CrudSort[] = []): readonly string[] {
  return sorters.map(({ field, order }) => `${order === 'desc' ? '-' : ''}${field}`);
}
