import { isSame } from './values.ts';

/** How many records are kept in mind. */
const most = 2_000;

/**
 * The entity tags under which records were read. A library hands records on as copies, so a record is known by what is
 * in it: what was read as just this has this tag.
 */
export class EntityTags {
  readonly #tagged = new Map<string, { readonly record: unknown; readonly tag: string }>();
  /** Records that came in lists or with expansions. */
  readonly #untagged = new Map<string, unknown>();

  /** Keeps a record that was read or written, with its tag if it came plainly. */
  remember(resource: string, id: string | number, record: unknown, tag: string | null): void {
    const key = `${resource}/${id}`;
    if (tag === null) keep(this.#untagged, key, record);
    else keep(this.#tagged, key, { record, tag });
  }

  /** The record is gone. */
  forget(resource: string, id: string | number): void {
    const key = `${resource}/${id}`;
    this.#tagged.delete(key);
    this.#untagged.delete(key);
  }

  /** The tag of a record, null if it was read without one; undefined if this was not read. */
  of(resource: string, id: string | number, record: unknown): string | null | undefined {
    const key = `${resource}/${id}`;
    const tagged = this.#tagged.get(key);
    if (tagged !== undefined && isSame(tagged.record, record)) return tagged.tag;
    return this.#untagged.has(key) && isSame(this.#untagged.get(key), record) ? null : undefined;
  }
}

function keep<Value>(kept: Map<string, Value>, key: string, value: Value): void {
  kept.delete(key);
  kept.set(key, value);
  for (const oldest of kept.keys()) {
    if (kept.size <= most) break;
    kept.delete(oldest);
  }
}
