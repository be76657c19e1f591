import { noLinks, type LinksDraft } from './links.ts';
import type { ApiRecord, Draft } from './draft.ts';

/** A record as it was when somebody began to write, and what was written since. */
export interface Kept {
  readonly record: ApiRecord | undefined;
  readonly etag: string | null;
  readonly drafts: ReadonlyMap<string, Draft>;
  readonly links: ReadonlyMap<string, LinksDraft>;
}

/** Where what is written of a record is kept in this tab, so that no reload and no failure loses it. */
export function keptAt(path: string): string {
  return `plinth-draft ${path}`;
}

export function keep(key: string, kept: Kept | undefined): void {
  if (kept === undefined) sessionStorage.removeItem(key);
  else
    try {
      sessionStorage.setItem(key, JSON.stringify(kept, packed));
    } catch {
      // There is no more room: then it is kept in the page alone.
    }
}

export function keptOf(key: string): Kept | undefined {
  const text = sessionStorage.getItem(key);
  if (text === null) return undefined;
  try {
    const known = JSON.parse(text, unpacked) as Kept;
    const isWhole = known.drafts instanceof Map && known.links instanceof Map;
    return isWhole ? known : undefined;
  } catch {
    return undefined;
  }
}

const mapMember = '\u0000map';

function packed(_name: string, value: unknown): unknown {
  return value instanceof Map ? { [mapMember]: [...value] } : value;
}

function unpacked(_name: string, value: unknown): unknown {
  const isMap = typeof value === 'object' && value !== null && mapMember in value;
  return isMap ? new Map(value[mapMember] as readonly [string, unknown][]) : value;
}

export function linksIn(links: ReadonlyMap<string, LinksDraft>, name: string): LinksDraft {
  return links.get(name) ?? noLinks;
}
