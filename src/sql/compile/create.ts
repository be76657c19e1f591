import { isComposite } from '../../model/field-types/composite-id.ts';
import type { BelongsToMany, Field, Resource } from '../../model/api.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import type { Add } from '../statement.ts';

/**
 * A condition that fails the statement if `isWhole` is false. A trigger may silently skip rows, and since the statement
 * commits itself, the other rows could not be rolled back afterwards.
 */
export function failUnless(isWhole: string): string {
  return `CAST(CASE WHEN ${isWhole} THEN '1' ELSE 'a trigger has left out a row' END AS integer) = 1`;
}

/** A statement that creates a record, its links and its Idempotency-Key row. */
export interface CreateWithLinks {
  readonly fields: readonly Field[];
  /** All links of one relation have the same values in the junction's `shared` fields. */
  readonly links: readonly {
    readonly relation: BelongsToMany;
    readonly shared: readonly Field[];
  }[];
  /** The quoted table that keeps an Idempotency-Key row, if any; the statement returns no row if the key is known. */
  readonly keptIn: string | undefined;
  /** The database generates the id; the bound location is then the prefix before it. */
  readonly isDrawn: boolean;
}

/**
 * The text of that statement. Its bound values, in order: the fields; for each relation the list of keys and the shared
 * values; for a key its scope, the request's digest, the time, the lock timeout in ms, the status, the ids and the
 * location.
 */
export function createWithLinksSql(
  { table, id }: Resource,
  shown: readonly string[],
  { fields, links, keptIn, isDrawn }: CreateWithLinks,
  dialect: Dialect,
  add: Add,
): string {
  let bound = 0;
  const next = (count: number): string[] => Array.from({ length: count }, () => add(bound++));
  const kept = fields.length + links.reduce((sum, { shared }) => sum + 1 + shared.length, 0);
  const columns = (some: readonly Field[]): string[] => some.map(({ column }) => quote(column));
  const names = [...shown.map((_, index) => `c${index}`), 'id'].join(', ');
  const values = fields.map((field) => dialect.assigned(add(bound++), field)).join(', ');
  const patience = keptIn === undefined ? undefined : dialect.lockTimeout?.(add(kept + 3));
  const waiting = patience === undefined ? '' : ` FROM ${patience}`;
  // Check the key before the record is inserted, so that a repeated request does not use up an id.
  const source =
    keptIn === undefined
      ? `VALUES (${values})`
      : `SELECT ${values}${waiting} WHERE NOT EXISTS (SELECT 1 FROM ${keptIn} WHERE scope = ${add(kept)})`;
  const key = quote(id.column);
  const returned = [...shown, isComposite(id) ? dialect.select(key, id) : key].join(', ');
  const steps = [
    `created(${names}) AS (INSERT INTO ${quoteTable(table)} (${columns(fields).join(', ')}) ${source} RETURNING ${returned})`,
  ];
  const conditions: string[] = [];
  for (const [index, { relation, shared }] of links.entries()) {
    const { through, ownerKey, targetKey, target } = relation;
    const [keys = '', ...rest] = next(1 + shared.length);
    const into = columns([ownerKey, targetKey, ...shared]).join(', ');
    const from = ['created.id', 'item.value', ...rest].join(', ');
    const wanted = `FROM created, ${dialect.listTable(keys, target.id)} AS item`;
    steps.push(
      `linked${index} AS (INSERT INTO ${quoteTable(through.table)} (${into}) SELECT ${from} ${wanted} RETURNING 1)`,
    );
    conditions.push(
      failUnless(`(SELECT count(*) FROM linked${index}) = (SELECT count(*) ${wanted})`),
    );
  }
  if (keptIn !== undefined) {
    const asked = [0, 1, 2, 4].map((place) => add(kept + place));
    // A numeric id needs no encoding in a URL, and in JSON quotes at most.
    const mark = id.type.json === 'string' ? '"' : '';
    const answer = isDrawn
      ? [`'[${mark}' || created.id || '${mark}]'`, `${add(kept + 6)}::text || created.id`]
      : [add(kept + 5), add(kept + 6)];
    steps.push(
      `kept AS (INSERT INTO ${keptIn} (scope, request, at, status, ids, location)` +
        ` SELECT ${[...asked, ...answer].join(', ')} FROM created)`,
    );
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `WITH ${steps.join(', ')} SELECT * FROM created${where}`;
}
