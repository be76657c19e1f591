import type { BelongsToMany, Field, Resource } from '../../model/api.ts';
import { quote, type Dialect } from '../dialect.ts';
import { keyTable } from './idempotency.ts';
import type { Add } from '../statement.ts';

/**
 * A condition that ends the statement with an error where `isWhole` does not hold, since triggers of others may leave out
 * rows without a word: the statement commits itself, so nobody could take back the others.
 */
export function demanding(isWhole: string): string {
  return `CAST(CASE WHEN ${isWhole} THEN '1' ELSE 'a trigger has left out a row' END AS integer) = 1`;
}

/** A record that one statement creates with its links, and with what is kept of it under an Idempotency-Key. */
export interface WholeCreate {
  readonly fields: readonly Field[];
  /** All links of one relation have the same values in the fields of the junction that are `shared`. */
  readonly links: readonly {
    readonly relation: BelongsToMany;
    readonly shared: readonly Field[];
  }[];
  /** Whether it happens once under a key: no row is given where the key is known. */
  readonly isKept: boolean;
  /** Whether the database draws the id: then what is bound as the location is what stands before it. */
  readonly isDrawn: boolean;
}

/**
 * The text of that statement. Bound are, in this order: the values of the fields; of each relation the list of keys,
 * and the shared values; of a key its scope, the digest of the request, the time, how long others are waited for in ms,
 * the status, the ids and the location.
 */
export function createWholeSql(
  { table, id }: Resource,
  shown: readonly string[],
  { fields, links, isKept, isDrawn }: WholeCreate,
  dialect: Dialect,
  add: Add,
): string {
  let bound = 0;
  const next = (count: number): string[] => Array.from({ length: count }, () => add(bound++));
  const kept = fields.length + links.reduce((sum, { shared }) => sum + 1 + shared.length, 0);
  const columns = (some: readonly Field[]): string[] => some.map(({ column }) => quote(column));
  const names = [...shown.map((_, index) => `c${index}`), 'id'].join(', ');
  const values = next(fields.length).join(', ');
  const patience = isKept ? dialect.lockTimeout?.(add(kept + 3)) : undefined;
  const waiting = patience === undefined ? '' : ` FROM ${patience}`;
  // What is known under the key must not draw an id: this is looked at before the record is made.
  const source = isKept
    ? `SELECT ${values}${waiting} WHERE NOT EXISTS (SELECT 1 FROM ${keyTable} WHERE scope = ${add(kept)})`
    : `VALUES (${values})`;
  const returned = [...shown, quote(id.column)].join(', ');
  const steps = [
    `created(${names}) AS (INSERT INTO ${quote(table)} (${columns(fields).join(', ')}) ${source} RETURNING ${returned})`,
  ];
  const conditions: string[] = [];
  for (const [index, { relation, shared }] of links.entries()) {
    const { through, ownerKey, targetKey, target } = relation;
    const [keys = '', ...rest] = next(1 + shared.length);
    const into = columns([ownerKey, targetKey, ...shared]).join(', ');
    const from = ['created.id', 'item.value', ...rest].join(', ');
    const wanted = `FROM created, ${dialect.listTable(keys, target.id)} AS item`;
    steps.push(
      `linked${index} AS (INSERT INTO ${quote(through.table)} (${into}) SELECT ${from} ${wanted} RETURNING 1)`,
    );
    conditions.push(
      demanding(`(SELECT count(*) FROM linked${index}) = (SELECT count(*) ${wanted})`),
    );
  }
  if (isKept) {
    const asked = [0, 1, 2, 4].map((place) => add(kept + place));
    // An id of digits alone is written as it is, in JSON as in a URL.
    const answer = isDrawn
      ? [`'[' || created.id || ']'`, `${add(kept + 6)}::text || created.id`]
      : [add(kept + 5), add(kept + 6)];
    steps.push(
      `kept AS (INSERT INTO ${keyTable} (scope, request, at, status, ids, location)` +
        ` SELECT ${[...asked, ...answer].join(', ')} FROM created)`,
    );
  }
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  return `WITH ${steps.join(', ')} SELECT * FROM created${where}`;
}
