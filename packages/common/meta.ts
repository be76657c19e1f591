/** What a call may ask for beside what its library knows; given as `meta`. */
export interface PlinthMeta {
  /** Relations to bring along: `['author', 'comments.author']`. */
  readonly expand?: string | readonly string[];
  readonly fields?: string | readonly string[];
  readonly exclude?: string | readonly string[];
  /** Where nulls are sorted. */
  readonly nulls?: 'first' | 'last';
  /** Whether all matching records are counted: exactly unless said otherwise. */
  readonly count?: 'exact' | 'estimated' | 'none';
  /** Any other parameters of reads: `{ 'comments.limit': 5, 'comments.sort': '-id' }`. */
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** The entity tag that a record must have to be changed; `false`: change whatever is there. */
  readonly ifMatch?: string | false;
  /** Makes a create safe to repeat. */
  readonly idempotencyKey?: string;
}

/** The names of a list in `meta`, which may be a comma list. */
export function namesOf(list: unknown, member: string): readonly string[] {
  const items: readonly unknown[] = typeof list === 'string' ? list.split(',') : asArray(list);
  return items.map((item) => {
    if (typeof item !== 'string')
      throw new TypeError(`meta.${member} is a list of names, without objects in it`);
    return item.trim();
  });
}

function asArray(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? (list as readonly unknown[]) : list === undefined ? [] : [list];
}

/** The parameters of a read. */
export function readQuery(meta: PlinthMeta = {}): URLSearchParams {
  const query = selectionQuery(meta);
  for (const [name, value] of Object.entries(meta.query ?? {})) query.set(name, String(value));
  return query;
}

/** The parameters of `meta` that say what of each record comes, on reads and in the answers of writes. */
export function selectionQuery(meta: PlinthMeta = {}): URLSearchParams {
  const query = new URLSearchParams();
  for (const member of ['expand', 'fields', 'exclude'] as const) {
    const names = namesOf(meta[member], member);
    if (names.length > 0) query.set(member, names.join(','));
  }
  return query;
}

/** Whether a record comes whole and alone, so that its entity tag is the one that a change may name. */
export function isPlain(meta: PlinthMeta = {}): boolean {
  return readQuery(meta).size === 0;
}
