import type { Resource } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { SqlValue } from '../../model/values.ts';
import { touchedMorphs } from '../../query/write/morphs.ts';
import type { FieldValues, WritePlan } from '../../query/plan.ts';
import { matchesTag } from '../../query/request/headers.ts';
import { entityTag } from '../serialize/digest.ts';
import { serializerOf } from '../serialize/record.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { encodeValue } from '../../sql/dialect.ts';
import type { Statement, Values } from '../../sql/statement.ts';
import {
  skippedByTrigger,
  requireOneRow,
  type Database,
  type Row,
} from '../../databases/database.ts';
import { encodedIn } from './field-values.ts';
import { idReader, type Written } from './written.ts';

/** The most records that one statement creates: at some point more of them make it no faster. */
const mostRecords = 128;
/** SQLite takes 32,766 parameters, PostgreSQL 65,534. */
const mostParameters = 30_000;

/** What a write is run with. */
interface Means {
  readonly read: CompiledRead;
  readonly database: Database;
  readonly statements: WriteStatements;
}

type Create = Extract<WritePlan, { kind: 'create' }>;
type Update = Extract<WritePlan, { kind: 'update' }>;

/**
 * Runs a write whose statements say all there is to know: they give the rows that are answered, and only constraints of
 * the database can refuse them. One statement commits itself. Undefined for any other write, and where it met another one;
 * throws a ConstraintError, after which nothing has happened, and who is to blame is to be found out.
 */
export function writePlainly(
  plan: WritePlan,
  read: CompiledRead,
  database: Database,
  statements: WriteStatements,
): Promise<readonly Written[] | undefined> | undefined {
  if (read.selection.expand.length > 0) return undefined;
  const means = { read, database, statements };
  if (plan.kind === 'create' && plan.records.every(isPlainRecord)) return create(plan, means);
  if (plan.kind !== 'update' || !isPlainUpdate(plan)) return undefined;
  const { ifMatch, ifNoneMatch } = plan.demands;
  if (ifNoneMatch !== undefined) return undefined;
  // Any record will do, and that there is one the update itself tells.
  if (ifMatch === undefined || ifMatch.trim() === '*') return update(plan, means);
  return database.dialect.rowVersion && updateMatched(plan, ifMatch, means);
}

/** The owner of a morph pair has to be looked for: no constraint of the database does. */
function hasMorphs(resource: Resource, values: FieldValues): boolean {
  return touchedMorphs(resource, values).length > 0;
}

function isPlainRecord({ values, links }: Create['records'][number]): boolean {
  const [field] = values.keys();
  return links.length === 0 && (field === undefined || !hasMorphs(field.resource, values));
}

function isPlainUpdate({ resource, values, unchanged, merged, links }: Update): boolean {
  return (
    values.size > 0 &&
    unchanged.size === 0 &&
    merged.size === 0 &&
    links.length === 0 &&
    !hasMorphs(resource, values)
  );
}

async function update(
  { resource, id, values }: Update,
  { read, database, statements }: Means,
): Promise<readonly Written[] | undefined> {
  const { dialect } = database;
  const fields = [...values.keys()];
  const [row] = await database.writeOne(statements.change(read, fields), {
    bound: encodedIn(fields, values, dialect),
    id: encodeValue(dialect, id, resource.id),
  });
  // Whether it is not there or a trigger has left it as it is, the transaction tells.
  if (row === undefined) return undefined;
  return [{ id, record: serializerOf(read.selection.columns)(row), plain: undefined }];
}

/**
 * Updates the record whose tag is among those of `ifMatch`, without holding it in between: a row that is as it was when
 * its tag was looked at has the same version. Undefined where it has not, or does not match.
 */
async function updateMatched(
  { resource, id, values }: Update,
  ifMatch: string,
  { read, database, statements }: Means,
): Promise<readonly Written[] | undefined> {
  const { dialect } = database;
  const key = encodeValue(dialect, id, resource.id);
  const [current] = await database.all(statements.versioned(read), { bound: [], id: key });
  // What was read may come from a replica that is behind: whether it is refused, the transaction tells.
  if (current === undefined) return undefined;
  const serialize = serializerOf(read.selection.columns);
  if (!matchesTag(ifMatch, entityTag(JSON.stringify(serialize(current))))) return undefined;
  const fields = [...values.keys()];
  const bound = [...encodedIn(fields, values, dialect), current.at(-1) ?? null];
  const [row] = await database.writeOne(statements.changeVersion(read, fields), { bound, id: key });
  return row && [{ id, record: serialize(row), plain: undefined }];
}

async function create({ resource, records }: Create, means: Means): Promise<readonly Written[]> {
  const { read, database } = means;
  const rows =
    records.length > 1 && !database.asksAtOnce
      ? await insertEach(resource, records, means)
      : await insertTogether(resource, records, means);
  const serialize = serializerOf(read.selection.columns);
  const idOf = idReader(resource.id, database.dialect);
  const written = rows.map((row) => ({ id: idOf(row), record: serialize(row), plain: undefined }));
  return inOrder(written, resource, records);
}

/** Where a statement takes a way to a server: as many records as it can carry. */
async function insertTogether(
  resource: Resource,
  records: Create['records'],
  means: Means,
): Promise<readonly Row[]> {
  const { database } = means;
  const inserts = [...insertsOf(resource, records, means)];
  const [first] = inserts;
  if (inserts.length === 1 && first !== undefined)
    return whole(await database.writeOne(first.statement, first.values));
  return database.write(async ({ all }) => {
    const inserted: Row[] = [];
    for (const { statement, values } of inserts)
      inserted.push(...whole(await all(statement, values)));
    return inserted;
  });
}

/** The rows of a create, which gives all or none. */
function whole(rows: readonly Row[]): readonly Row[] {
  if (rows.length === 0) throw skippedByTrigger();
  return rows;
}

/** Where it does not, one by one, and then read together, is twice as fast. */
async function insertEach(
  { id }: Resource,
  records: Create['records'],
  { read, database, statements }: Means,
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

/** The statements that create these records, with their values; all have the same fields. */
function* insertsOf(
  resource: Resource,
  records: Create['records'],
  { read, database: { dialect }, statements }: Means,
): Generator<{ readonly statement: Statement; readonly values: Values }> {
  const fields = [...(records[0]?.values.keys() ?? [])];
  const most = mostTogether(resource, fields.length);
  for (let from = 0; from < records.length;) {
    // Halved until it fits, so that arrays of all lengths share a few statements.
    let count = most;
    while (from + count > records.length) count /= 2;
    const bound = records
      .slice(from, from + count)
      .flatMap(({ values }) => encodedIn(fields, values, dialect));
    yield { statement: statements.create(read, fields, count), values: { bound } };
    from += count;
  }
}

/** How many records one statement may create: a power of two. */
function mostTogether({ fields }: Resource, count: number): number {
  // Within one statement, a key to the own table could point to a record that stands behind it.
  const looksBack = [...fields.values()].some(
    (field) => field.reference?.resource === field.resource,
  );
  if (looksBack || count === 0) return 1;
  return Math.min(mostRecords, 2 ** Math.floor(Math.log2(mostParameters / count)));
}

/** No database promises to return rows in the order in which they were given. */
function inOrder(
  written: readonly Written[],
  { id }: Resource,
  records: Create['records'],
): readonly Written[] {
  if (written.length === 1) return written;
  if (isGenerated(id)) return written.toSorted((a, b) => Number(a.id) - Number(b.id));
  const places = new Map(records.map(({ values }, index) => [values.get(id), index]));
  return written.toSorted((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}
