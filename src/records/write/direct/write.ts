import type { Resource } from '../../../model/api.ts';
import { compareNumbers } from '../../../model/validation/constraints.ts';
import { idIn } from '../../../model/field-types/composite-id.ts';
import { isGenerated } from '../../../model/field-types/id.ts';
import type { SqlValue } from '../../../model/values.ts';
import { noNested } from '../../../query/write/nested.ts';
import { touchedMorphs } from '../../../query/write/morphs.ts';
import type { FieldValues, WritePlan } from '../../../query/plan.ts';
import { matchesTag } from '../../../query/request/headers.ts';
import { entityTag } from '../../serialize/record.ts';
import { serializerOf } from '../../serialize/record.ts';
import type { CompiledRead } from '../../../sql/compile/read.ts';
import type { WriteStatements } from '../../../sql/compile/write.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import type { Statement, Values } from '../../../sql/statement.ts';
import {
  requireOneRow,
  skippedByTrigger,
  type Database,
  type Row,
} from '../../../databases/database.ts';
import { encodedIn } from '../field-values.ts';
import { haveSameFields, recordsPerStatement } from '../inserts.ts';
import { portionsOf } from '../portions.ts';
import { idReader, isReturned, type WrittenRecord } from '../result.ts';

interface WriteTools {
  readonly read: CompiledRead;
  readonly database: Database;
  readonly statements: WriteStatements;
}

type Create = Extract<WritePlan, { kind: 'create' }>;
type Update = Extract<WritePlan, { kind: 'update' }>;

/**
 * Runs a write without any look-up: its statements return the rows for the response, and only database constraints can
 * reject it. A single statement runs without an explicit transaction. Undefined for writes that need a look-up, and if the
 * row was missing or changed meanwhile. Throws a ConstraintError, after which nothing is written and the caller finds the
 * fields to blame.
 */
export function writeDirectly(
  plan: WritePlan,
  read: CompiledRead,
  database: Database,
  statements: WriteStatements,
): Promise<readonly WrittenRecord[] | undefined> | undefined {
  if (!isReturned(read, plan.resource)) return undefined;
  const means = { read, database, statements };
  if (plan.kind === 'create' && plan.upsert !== undefined) return undefined;
  if (
    plan.kind === 'create' &&
    // Whether it shows the record is seen after the insert.
    !plan.resource.isView &&
    plan.records.every(isPlainRecord) &&
    allHaveSameFields(plan.records)
  )
    return create(plan, means);
  if (plan.kind !== 'update' || !isPlainUpdate(plan)) return undefined;
  const { ifMatch, ifNoneMatch } = plan.preconditions;
  if (ifNoneMatch !== undefined) return undefined;
  // `If-Match: *` only needs the record to exist, which the update itself shows.
  if (ifMatch === undefined || ifMatch.trim() === '*') return update(plan, means);
  return database.dialect.rowVersion && updateMatched(plan, ifMatch, means);
}

/** Whether values touch a morph pair, whose owner has to be looked up, since no constraint checks it. */
function hasMorphs(resource: Resource, values: FieldValues): boolean {
  return touchedMorphs(resource, values).length > 0;
}

function isPlainRecord({ values, links, nested }: Create['records'][number]): boolean {
  const [field] = values.keys();
  const isAlone = links.length === 0 && nested === noNested;
  return isAlone && (field === undefined || !hasMorphs(field.resource, values));
}

function allHaveSameFields([first, ...others]: Create['records']): boolean {
  return first === undefined || others.every((one) => haveSameFields(first.values, one.values));
}

function isPlainUpdate({ resource, values, unchanged, revised, links, nested }: Update): boolean {
  return (
    values.size > 0 &&
    unchanged.size === 0 &&
    revised.size === 0 &&
    links.length === 0 &&
    nested === noNested &&
    !hasMorphs(resource, values)
  );
}

async function update(
  { resource, id, values }: Update,
  { read, database, statements }: WriteTools,
): Promise<readonly WrittenRecord[] | undefined> {
  const { dialect } = database;
  const fields = [...values.keys()];
  const [row] = await database.writeOne(statements.change(read, fields), {
    bound: encodedIn(fields, values, dialect),
    id: encodeValue(dialect, id, resource.id),
  });
  // The transaction finds out whether the record is missing or a trigger prevented the update.
  if (row === undefined) return undefined;
  return [{ id, record: serializerOf(read.selection.columns)(row), plain: undefined }];
}

/**
 * Updates a record under `ifMatch` without locking it: the update requires the row version that was read with the tag.
 * Undefined if the tag does not match or the version has changed.
 */
async function updateMatched(
  { resource, id, values }: Update,
  ifMatch: string,
  { read, database, statements }: WriteTools,
): Promise<readonly WrittenRecord[] | undefined> {
  const { dialect } = database;
  const key = encodeValue(dialect, id, resource.id);
  const [current] = await database.all(statements.versioned(read), { bound: [], id: key });
  // A replica may lag behind, so the transaction decides whether the record is missing.
  if (current === undefined) return undefined;
  const serialize = serializerOf(read.selection.columns);
  if (!matchesTag(ifMatch, entityTag(JSON.stringify(serialize(current))))) return undefined;
  const fields = [...values.keys()];
  const bound = [...encodedIn(fields, values, dialect), current.at(-1) ?? null];
  const [row] = await database.writeOne(statements.changeVersion(read, fields), { bound, id: key });
  return row && [{ id, record: serialize(row), plain: undefined }];
}

async function create(
  { resource, records }: Create,
  means: WriteTools,
): Promise<readonly WrittenRecord[]> {
  const { read, database } = means;
  const rows =
    records.length > 1 && !database.asksAtOnce
      ? await insertEach(resource, records, means)
      : await insertAndReturn(resource, records, means);
  const serialize = serializerOf(read.selection.columns);
  const idOf = idReader(resource.id, database.dialect);
  const written = rows.map((row) => ({ id: idOf(row), record: serialize(row), plain: undefined }));
  return inOrder(written, resource, records);
}

/** For a database server: as many records in a statement as possible, to save round trips. */
async function insertAndReturn(
  resource: Resource,
  records: Create['records'],
  means: WriteTools,
): Promise<readonly Row[]> {
  const { database } = means;
  const inserts = [...insertsOf(resource, records, means)];
  const [first] = inserts;
  if (inserts.length === 1 && first !== undefined)
    return allRows(await database.writeOne(first.statement, first.values));
  return database.write(async ({ all }) => {
    const inserted: Row[] = [];
    for (const { statement, values } of inserts)
      inserted.push(...allRows(await all(statement, values)));
    return inserted;
  });
}

/** The rows of a create, which returns all of them or none. */
function allRows(rows: readonly Row[]): readonly Row[] {
  if (rows.length === 0) throw skippedByTrigger();
  return rows;
}

/** For SQLite: inserting one by one and then reading together is twice as fast. */
async function insertEach(
  { id }: Resource,
  records: Create['records'],
  { read, database, statements }: WriteTools,
): Promise<readonly Row[]> {
  const { dialect } = database;
  const fields = [...(records[0]?.values.keys() ?? [])];
  const statement = statements.insert(id.resource, fields);
  const rows = records.map(({ values }) => ({ bound: encodedIn(fields, values, dialect) }));
  return database.write(async ({ run, all }) => {
    const keys: SqlValue[] = [];
    for (const [index, values] of rows.entries()) {
      const { insertedId } = requireOneRow(await run(statement, values));
      const given = records[index]?.values.get(id);
      keys.push(given === undefined ? insertedId : encodeValue(dialect, given, id));
    }
    return all(statements.created(read), { bound: [], keys: dialect.keys(keys) });
  });
}

/** The statements that create these records, which all have the same fields, with their values. */
function* insertsOf(
  resource: Resource,
  records: Create['records'],
  { read, database: { dialect }, statements }: WriteTools,
): Generator<{ readonly statement: Statement; readonly values: Values }> {
  const all = records.map(({ values }) => values);
  const fields = [...(all[0]?.keys() ?? [])];
  for (const { from, count } of portionsOf(all.length, recordsPerStatement(resource, all))) {
    const some = all.slice(from, from + count);
    const bound = some.flatMap((values) => encodedIn(fields, values, dialect));
    yield { statement: statements.create(read, fields, count), values: { bound } };
  }
}

/** Restores the order of the request, since no database promises it for returned rows. */
function inOrder(
  written: readonly WrittenRecord[],
  { id }: Resource,
  records: Create['records'],
): readonly WrittenRecord[] {
  if (written.length === 1) return written;
  if (isGenerated(id)) return written.toSorted((a, b) => compareNumbers(a.id, b.id));
  const places = new Map(
    records.map(({ values }, index) => [idIn(id, (field) => values.get(field)), index]),
  );
  return written.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}
