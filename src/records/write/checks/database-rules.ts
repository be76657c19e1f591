import { breaks } from '../../../problem-rules.ts';
import { fail, ok, type Result } from '../../../errors.ts';
import type { Field, Resource } from '../../../model/api.ts';
import { isGenerated } from '../../../model/field-types/id.ts';
import { isLeftToDatabase } from '../../../query/write/defaults.ts';
import type { FieldValues } from '../../../query/plan.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { buildStatement } from '../../../sql/statement.ts';
import { findConflicts, takenValue, type DataAccess, type Conflict } from './conflicts.ts';
import { ConstraintError, DatabaseFailure } from '../../../databases/database.ts';
import { advanceSequence } from '../../../databases/tables.ts';
import { checksIn } from '../../../databases/existing/expressions.ts';

/** The values of a write: all of a new record, or the changes to the record with `id`. */
export interface ValueChange {
  readonly resource: Resource;
  readonly values: FieldValues;
  readonly id: JsonValue | undefined;
}

/**
 * Runs a change of values. If the database rejects them, returns every field that is to blame. If no field is, it retries
 * after advancing sequences that lag behind, or throws a DatabaseFailure for the operator.
 */
export async function explainConflicts<Value>(
  access: DataAccess,
  { resource, values, id }: ValueChange,
  change: () => Promise<Value>,
): Promise<Result<Value, readonly Conflict[]>> {
  try {
    return ok(await change());
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    const found = await findConflicts(access, resource, values, id, error.kind);
    const blamed = found.length > 0 ? found : await fieldsOfRule(access, resource, values, error);
    if (blamed.length > 0) return fail(blamed);
    if (id !== undefined || !(await advanceSequences(resource, error, access)))
      throw unexpectedConstraint(error);
    // It may be rejected again, for another reason or because other writes took ids meanwhile.
    return explainConflicts(access, { resource, values, id }, change);
  }
}

/**
 * The fields to blame for a violated rule that only the database knows, such as a CHECK, a unique index or a trigger of an
 * existing table: the fields that the rule names, or if it names none, all that were sent. Empty if the rule is about
 * columns that no client sends.
 */
async function fieldsOfRule(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  error: ConstraintError,
): Promise<readonly Conflict[]> {
  const names = namesIn(await textOf(error.rule, resource, access));
  const all = [...resource.fields.values()];
  const ruled = all.filter(({ column }) => names.has(column.toLowerCase()));
  const problem =
    error.kind === 'unique'
      ? takenValue
      : { message: 'is not allowed by a rule of the database', ...breaks('database') };
  const isUnsaid = ruled.length === 0 && error.kind !== 'notNull';
  const changed = (isUnsaid ? all.filter((field) => isWritable(field, resource)) : ruled).filter(
    (field) => values.has(field),
  );
  const given = changed.filter((field) => (values.get(field) ?? null) !== null);
  // If no value but null was sent, the rule may be about the null.
  const blamed = isUnsaid && given.length > 0 ? given : changed;
  return blamed.map((field) => ({ field, ...problem }));
}

function isWritable(field: Field, { id }: Resource): boolean {
  return !field.readOnly && field !== id;
}

/**
 * After a unique violation of a value that no client sent: advances the sequences of generated ids and counters beyond the
 * stored values, which imports by other programs may have passed. Returns whether that may have helped.
 */
async function advanceSequences(
  { id, fields }: Resource,
  { kind }: ConstraintError,
  { transaction, dialect }: DataAccess,
): Promise<boolean> {
  if (kind !== 'unique') return false;
  let hasHelped = false;
  for (const field of fields.values()) {
    const isCounted =
      field === id ? isGenerated(id) : field.type.number === 'whole' && isLeftToDatabase(field);
    if (isCounted && (await advanceSequence(field, dialect, transaction.service))) hasHelped = true;
  }
  return hasHelped;
}

/**
 * The failure for a violation that no client can cause, such as a NOT NULL column that the specification does not have:
 * the table was changed while the service runs.
 */
function unexpectedConstraint(error: ConstraintError): DatabaseFailure {
  const { message = error.message } = (error.cause ?? {}) as { readonly message?: string };
  return new DatabaseFailure(`The database refuses records for what no client sends: ${message}.`, {
    cause: error.cause,
  });
}

/** The SQL text of a rule, given its name or its text. */
async function textOf(
  rule: string,
  { table }: Resource,
  { transaction, dialect }: DataAccess,
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
  // The text is a whole table: find the CHECK with this name.
  for (const named of text.matchAll(new RegExp(`\\bCONSTRAINT\\s+(?:${name.source})`, 'giu')))
    if (nameOf(named) === rule.toLowerCase()) return checksIn(text.slice(named.index))[0] ?? rule;
  return rule;
}

const name = /"((?:[^"]|"")+)"|`([^`]+)`|\[([^\]]+)\]|([\p{L}_][\p{L}\p{N}_$]*)/gu;

function nameOf([, double, back, square, bare]: RegExpMatchArray): string {
  return (double?.replaceAll('""', '"') ?? back ?? square ?? bare ?? '').toLowerCase();
}

/** The names in an SQL expression, in lower case. */
function namesIn(text: string): ReadonlySet<string> {
  const plain = text.replaceAll(/'(?:[^']|'')*'/gu, ' ');
  return new Set([...plain.matchAll(name)].map(nameOf));
}
