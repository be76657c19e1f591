import { rowsFrom, DatabaseFailure, type Database } from '../databases/database.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import { foreignKeysOf, keyFields } from '../model/field-types/composite-id.ts';
import { readValue } from '../model/validation/read-value.ts';
import { counted } from '../model/values.ts';
import type { UnprovenRules } from '../migrations/rules.ts';
import { readStored } from '../records/read/export.ts';
import type { RecordValue } from '../records/serialize/record.ts';
import type { JsonValue } from '../specification/specification.ts';
import { decodeValue, quote, quoteTable } from '../sql/dialect.ts';
import { keyColumns, sameKey } from '../sql/key.ts';

/** A field whose stored values break its rules. */
export interface StoredProblem {
  readonly field: Field;
  readonly message: string;
  /** Whether the table took too long, so that nothing is known of its values. */
  readonly isUnknown?: true;
}

interface CountOptions {
  /** Counts what breaks these rules alone; absent: all rules. */
  readonly only?: UnprovenRules;
  /** How long one unmanaged table may take, in milliseconds; absent: any time. */
  readonly longest?: number;
}

/** How many records are named by their ids. */
const mostNamed = 3;

/** The values of one field that break its rules. */
interface Broken {
  count: number;
  readonly ids: JsonValue[];
  /** What is wrong with the first of them. */
  readonly reason: string;
}

/**
 * Counts the stored values that requests would refuse, and the keys that refer to no record, with the first ids. With
 * `only`, null does not count in managed tables: the steps of a migration tell of it. Skips tables that do not exist yet. See
 * docs/contract/6-operation.md#check.
 */
export async function storedProblems(
  api: Api,
  database: Database,
  { only, longest }: CountOptions = {},
): Promise<readonly StoredProblem[]> {
  const problems: StoredProblem[] = [];
  for (const resource of api.resources.values()) {
    if (!resource.hasKey) continue;
    const fields = [...resource.fields.values()].filter(
      (field) =>
        field !== resource.id && field.parts === undefined && (only?.fields.has(field) ?? true),
    );
    const keys = foreignKeysOf(resource).filter((key) => only?.keys.has(key) ?? true);
    const [first] = [...fields, ...keys.flatMap(keyFields)];
    if (first === undefined) continue;
    const limit = resource.isManaged ? undefined : longest;
    const { signal, end } = deadline(limit);
    try {
      const countsNull = only === undefined || !resource.isManaged;
      if (fields.length > 0)
        problems.push(...(await brokenValues(resource, fields, database, signal, countsNull)));
      for (const key of keys) {
        signal.throwIfAborted();
        problems.push(...(await danglingKeys(resource, key, database)));
      }
    } catch (error) {
      const { kind } = error instanceof DatabaseFailure ? error : {};
      // The database is behind the file, which `migrate` tells.
      if (kind === 'changed') continue;
      const isLate = signal.aborted || kind === 'timeout' || kind === 'busy';
      if (limit === undefined || !isLate) throw error;
      problems.push({ field: first, isUnknown: true, message: 'the table took too long to read' });
    } finally {
      end();
    }
  }
  return problems;
}

/** A signal that is aborted after a time; `end` keeps the timer from holding the process. */
function deadline(longest: number | undefined): { signal: AbortSignal; end: () => void } {
  const controller = new AbortController();
  const timer = longest === undefined ? undefined : setTimeout(() => controller.abort(), longest);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

async function brokenValues(
  resource: Resource,
  fields: readonly Field[],
  database: Database,
  signal: AbortSignal,
  countsNull: boolean,
): Promise<readonly StoredProblem[]> {
  const broken = new Map<Field, Broken>();
  const { portions } = await readStored(resource, database, signal, [resource.id, ...fields]);
  for await (const records of portions) {
    signal.throwIfAborted();
    for (const record of records)
      for (const field of fields) {
        if (!countsNull && record[field.name] === null) continue;
        const reason = reasonOf(record, field);
        if (reason === undefined) continue;
        const known = broken.get(field) ?? { count: 0, ids: [], reason };
        known.count += 1;
        if (known.ids.length < mostNamed) known.ids.push(record['id'] as JsonValue);
        broken.set(field, known);
      }
  }
  return [...broken].map(([field, { count, ids, reason }]) => ({
    field,
    message: `${counted(count, 'stored value')} ${count === 1 ? 'breaks' : 'break'} its rules (${namedIds(count, ids)}): ${reason}`,
  }));
}

/** What a request would say of a stored value; undefined if it would take it. */
function reasonOf(record: RecordValue, field: Field): string | undefined {
  const value = record[field.name];
  if (value === null || value === undefined)
    return field.nullable || field.readOnly ? undefined : 'must not be null';
  const parsed = readValue(value, field);
  return parsed.ok ? undefined : parsed.issues[0]?.message;
}

/** The keys that lead nowhere, which a database without constraints may hold. */
export async function danglingKeys(
  { table, id }: Resource,
  key: Field,
  database: Database,
): Promise<readonly StoredProblem[]> {
  const { dialect } = database;
  const { reference } = key;
  const [field] = keyFields(key);
  if (reference === undefined || field === undefined) return [];
  const own = `t.${quote(key.column)}`;
  const present = keyColumns(own, key).map((column) => `${column} IS NOT NULL`);
  const target = `target.${quote(reference.field.column)}`;
  const from =
    `FROM ${quoteTable(table)} AS t WHERE ${present.join(' AND ')} AND NOT EXISTS` +
    ` (SELECT 1 FROM ${quoteTable(reference.resource.table)} AS target` +
    ` WHERE ${sameKey(target, reference.field, own, key, dialect)})`;
  const [[count = 0] = []] = await rowsFrom(database, `SELECT count(*) ${from}`);
  if (Number(count) === 0) return [];
  const idColumn = `t.${quote(id.column)}`;
  const order = keyColumns(idColumn, id).join(', ');
  const rows = await rowsFrom(
    database,
    `SELECT ${dialect.select(idColumn, id)} ${from} ORDER BY ${order} LIMIT ${mostNamed}`,
  );
  const ids = rows.map(([stored = null]) => decodeValue(dialect, stored, id));
  const what = counted(Number(count), 'stored key');
  return [
    {
      field,
      message: `${what} ${Number(count) === 1 ? 'refers' : 'refer'} to no record of ${reference.resource.name} (${namedIds(Number(count), ids)})`,
    },
  ];
}

function namedIds(count: number, ids: readonly JsonValue[]): string {
  const shown = ids.map((id) => JSON.stringify(id)).join(', ');
  return `id ${shown}${count > ids.length ? ', …' : ''}`;
}
