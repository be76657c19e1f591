import { isObject } from './error.ts';
import { isSame } from './values.ts';

/** How many records are kept in mind. */
const most = 500;

/**
 * The entity tags under which records were read. A library hands records on as copies, so a record is known by what is
 * in it: what was read as just this has this tag.
 */
export class EntityTags {
  readonly #read = new Map<string, { readonly record: unknown; readonly tag: string }>();

  /** Keeps the tag of a record that was read or written plainly. */
  remember(resource: string, id: string | number, record: unknown, tag: string | null): void {
    const key = `${resource}/${id}`;
    this.#read.delete(key);
    if (tag === null || !isObject(record)) return;
    this.#read.set(key, { record, tag });
    for (const oldest of this.#read.keys()) {
      if (this.#read.size <= most) break;
      this.#read.delete(oldest);
    }
  }

  /** The tag of a record that was read; undefined where it was read otherwise, or not at all. */
  of(resource: string, id: string | number, record: unknown): string | undefined {
    const known = this.#read.get(`${resource}/${id}`);
    return known !== undefined && isSame(known.record, record) ? known.tag : undefined;
  }
}
