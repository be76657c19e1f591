import { fail, ok, type Result } from '../../errors.ts';
import type { Field, Resource } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { isLeftToDatabase } from '../../query/write/defaults.ts';
import type { FieldValues } from '../../query/plan.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { buildStatement } from '../../sql/statement.ts';
import { findConflicts, type Access, type Conflict } from './conflicts.ts';
import { ConstraintError, DatabaseFailure } from '../../databases/database.ts';
import { advanceSequence } from '../../databases/tables.ts';
import { checksIn } from '../../databases/existing/expressions.ts';

/** The values that a record is to have: those of a new one, or what changes in the one named by `id`. */
export interface TableChange {
  readonly resource: Resource;
  readonly values: FieldValues;
  readonly id: JsonValue | undefined;
}

/**
 * Runs a change of values; when the database refuses them, finds every field that is to blame. Throws a failure of the
 * database where none is: the operator is told of it, unless it can be mended.
 */
export async function blaming<Value>(
  access: Access,
  { resource, values, id }: TableChange,
  change: () => Promise<Value>,
): Promise<Result<Value, readonly Conflict[]>> {
  try {
    return ok(await change());
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    const found = await findConflicts(access, resource, values, id, error.kind);
    const blamed = found.length > 0 ? found : await ruledFields(access, resource, values, error);
    if (blamed.length > 0) return fail(blamed);
    if (id !== undefined || !(await passTakenNumbers(resource, error, access)))
      throw unforeseen(error);
    // It may be refused again: for another reason, or since others have drawn ids meanwhile.
    return blaming(access, { resource, values, id }, change);
  }
}

/**
 * The fields that are to blame where a rule has refused values that stands in the database alone, as it may in tables of
 * others: a CHECK, a unique index, a trigger. Those of which the rule speaks, or where it does not say, all that were
 * given. None where the rule is about what no client sends.
 */
async function ruledFields(
  access: Access,
  resource: Resource,
  values: FieldValues,
  error: ConstraintError,
): Promise<readonly Conflict[]> {
  const names = namesIn(await textOf(error.rule, resource, access));
  const all = [...resource.fields.values()];
  const ruled = all.filter(({ column }) => names.has(column.toLowerCase()));
  const message =
    error.kind === 'unique'
      ? 'is taken: it must be unique'
      : 'is not allowed by a rule of the database';
  const isUnsaid = ruled.length === 0 && error.kind !== 'notNull';
  const changed = (isUnsaid ? all.filter((field) => isWritable(field, resource)) : ruled).filter(
    (field) => values.has(field),
  );
  const given = changed.filter((field) => (values.get(field) ?? null) !== null);
  // That a value is taken away may be what a rule refuses.
  const blamed = isUnsaid && given.length > 0 ? given : changed;
  return blamed.map((field) => ({ field, message }));
}

function isWritable(field: Field, { id }: Resource): boolean {
  return !field.readOnly && field !== id;
}

/**
 * After a unique value was taken that no client has sent: lets the database draw ids, and what else it counts, behind
 * those that records of others came with. Tells whether that may have helped.
 */
async function passTakenNumbers(
  { id, fields }: Resource,
  { kind }: ConstraintError,
  { transaction, dialect }: Access,
): Promise<boolean> {
  if (kind !== 'unique') return false;
  let hasHelped = false;
  for (const field of fields.values()) {
    const isCounted =
      field === id ? isGenerated(id) : field.type.number === 'whole' && isLeftToDatabase(field);
    if (isCounted && (await advanceSequence(field, dialect, transaction))) hasHelped = true;
  }
  return hasHelped;
}

/**
 * What a refusal means for which no client is to blame, as of a column that may not be null and that the specification
 * does not know: somebody has changed the table under the service.
 */
function unforeseen(error: ConstraintError): DatabaseFailure {
  const { message = error.message } = (error.cause ?? {}) as { readonly message?: string };
  return new DatabaseFailure(`The database refuses records for what no client sends: ${message}.`, {
    cause: error.cause,
  });
}

/** The words of a rule of which the database has said the name, or the words. */
async function textOf(
  rule: string,
  { table }: Resource,
  { transaction, dialect }: Access,
): Promise<string> {
  const statement = buildStatement(dialect, (add) =>
    dialect.ruleText(
      () => add(0),
      () => add(1),
    ),
  );
  const [row] = await transaction.all(statement, { bound: [rule, table] });
  const text = String(row?.[0] ?? '');
  if (!/^CREATE TABLE\b/iu.test(text)) {
    const [check = text.replace(/^CREATE .* USING /u, '')] = checksIn(text);
    return check === '' ? rule : check;
  }
  // Of a whole table, the CHECK that has this name.
  for (const named of text.matchAll(new RegExp(`\\bCONSTRAINT\\s+(?:${name.source})`, 'giu')))
    if (nameOf(named) === rule.toLowerCase()) return checksIn(text.slice(named.index))[0] ?? rule;
  return rule;
}

const name = /"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([\p{L}_][\p{L}\p{N}_$]*)/gu;

function nameOf([, double, back, square, bare]: RegExpMatchArray): string {
  return (double?.replaceAll('""', '"') ?? back ?? square ?? bare ?? '').toLowerCase();
}

/** The names that stand in an expression of SQL, in lower case. */
function namesIn(text: string): ReadonlySet<string> {
  const plain = text.replaceAll(/'(?:[^']|'')*'/gu, ' ');
  return new Set([...plain.matchAll(name)].map(nameOf));
}
