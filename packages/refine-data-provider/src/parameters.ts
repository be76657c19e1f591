import type { CrudSort, MetaQuery } from '@refinedev/core';
import type { PlinthMeta } from '../../common/meta.ts';
import type { Reading, Writing } from '../../common/records.ts';

/** What `meta` says to this provider. refine puts much else into it, which is passed over. */
function metaOf(meta: MetaQuery | undefined): PlinthMeta | undefined {
  return meta as PlinthMeta | undefined;
}

/** Ends a request whose answer nobody waits for any more. refine's types say `queryContext`; what it sends is `signal`. */
export function signalOf(meta: MetaQuery | undefined): AbortSignal | undefined {
  const signal: unknown = meta?.['signal'] ?? meta?.queryContext?.signal;
  return signal instanceof AbortSignal ? signal : undefined;
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
