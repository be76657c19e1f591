import type { FieldProblem } from '../../../errors.ts';
import { breaks, type BrokenRule } from '../../../problem-rules.ts';
import type { Claims } from '../../../model/access.ts';
import type { Field, MorphTo, Resource } from '../../../model/api.ts';
import { idIn, isComposite, keyFields, partsOf } from '../../../model/field-types/composite-id.ts';
import type { SqlValue } from '../../../model/values.ts';
import type { FieldValues } from '../../../query/plan.ts';
import { uniqueKeys } from '../../../query/write/upsert.ts';
import { defaultClaim } from '../../../query/write/defaults.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { WriteStatements } from '../../../sql/compile/write.ts';
import { decodeValue, encodeValue, type Dialect } from '../../../sql/dialect.ts';
import type { ConstraintError, Transaction } from '../../../databases/database.ts';
import type { AuditTrail } from '../audit/trail.ts';
import type { FormerRows } from './former-rows.ts';
import type { RowRights } from './row-rights.ts';

/** What a write needs to look up rows in its transaction. */
export interface DataAccess {
  readonly transaction: Transaction;
  readonly dialect: Dialect;
  readonly statements: WriteStatements;
  readonly names: Names;
  /** Undefined for the owner of the data, who may access every row. */
  readonly rights?: RowRights;
  /** Undefined if no changes are recorded. */
  readonly trail?: AuditTrail | undefined;
  /** Undefined if the request writes one row alone. */
  readonly former?: FormerRows | undefined;
}

/** The names in the caller's version; undefined for what does not exist for the caller. */
export interface Names {
  readonly field: (field: Field) => string | undefined;
  readonly resource: (resource: Resource) => string | undefined;
}

/** The names of the specification, for the owner of the data. */
export const storageNames: Names = {
  field: ({ name }) => name,
  resource: ({ name }) => name,
};

/** A field whose value the database rejects, and why. */
export interface Conflict extends BrokenRule {
  readonly field: Field;
  readonly message: string;
}

/** Conflicts under the caller's names; conflicts of hidden fields are omitted. */
export function namedProblems(
  names: Names,
  conflicts: readonly Conflict[],
  prefix: string,
): readonly FieldProblem[] {
  return conflicts.flatMap(({ field, ...problem }) => {
    const name = names.field(field);
    return name === undefined ? [] : { field: `${prefix}${name}`, ...problem };
  });
}

/**
 * Finds why the database has rejected values: every field that references a missing record, is taken, is referenced by
 * others or is too long for its index. `id` is that of an existing record. Keys with an `unseen` field are not checked:
 * that field references a record that does not exist for the caller, or its value is not known.
 */
export async function findConflicts(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  id: JsonValue | undefined,
  kind: ConstraintError['kind'],
  unseen: ReadonlySet<Field> = new Set(),
): Promise<readonly Conflict[]> {
  const own = id === undefined ? undefined : await currentRecord(access, resource, id);
  const conflicts = [
    ...(await danglingKeys(access, resource, values, own, unseen)),
    ...(await takenValues(access, resource, values, own, unseen)),
    ...(own === undefined ? [] : await referencedValues(access, resource, values, own)),
  ];
  if (kind !== 'size') return conflicts;
  const told = new Set(conflicts.map(({ field }) => field));
  const long = oversized(access, resource, values, own);
  return [...conflicts, ...long.filter(({ field }) => !told.has(field))];
}

/** The most bytes of values in an index entry. PostgreSQL allows 2,704 including its own overhead. */
const indexedBytes = 2_600;

/**
 * The longest value of each index whose entry is too long. The database compresses values, so if none seems too long, the
 * longest value of all is blamed.
 */
function oversized(
  { dialect }: DataAccess,
  resource: Resource,
  values: FieldValues,
  own: OwnRecord | undefined,
): readonly Conflict[] {
  const indexes = [...uniqueKeys(resource), ...resource.indexes];
  const storedIn = storedAfter(values, own, dialect);
  const sizeOf = (field: Field): number => Buffer.byteLength(String(storedIn(field) ?? ''));
  const longest = (fields: readonly Field[]): readonly Field[] =>
    fields
      .filter((field) => values.has(field))
      .sort((a, b) => sizeOf(b) - sizeOf(a))
      .slice(0, 1);
  const full = indexes.filter(
    (fields) => fields.reduce((sum, field) => sum + sizeOf(field), 0) > indexedBytes,
  );
  const blamed = full.length > 0 ? full.flatMap(longest) : longest(indexes.flat());
  return [...new Set(blamed)].map((field) => ({
    field,
    message: `is too long: this database takes about ${indexedBytes} bytes in a field that is indexed`,
    ...breaks('maxBytes', { max: indexedBytes }),
  }));
}

/** The value of a field after the write: the new value, or else the current one. */
function storedAfter(
  values: FieldValues,
  own: OwnRecord | undefined,
  dialect: Dialect,
): (field: Field) => SqlValue {
  return (field) => {
    const value = values.get(field);
    return value === undefined
      ? (own?.values.get(field) ?? null)
      : encodeValue(dialect, value, field);
  };
}

/** A problem without the field. */
type Problem = Omit<Conflict, 'field'>;

const noSuchRecord: Problem = {
  message: 'there is no such record',
  ...breaks('reference', { resource: undefined }),
};

/**
 * The problem of a value of `key` that references no record. It omits the value if the caller may not read the field: it
 * may be the stored value, and that of a `writeOnly` field would get into the log.
 */
function missingTarget(
  { names, rights }: DataAccess,
  key: Field,
  target: Field,
  value: JsonValue,
): Problem {
  const [resource, field] = [names.resource(target.resource), names.field(target)];
  return keyFields(key).some((field) => rights?.canRead(field) === false) ||
    resource === undefined ||
    field === undefined
    ? noSuchRecord
    : {
        message: `there is no record in ${resource} with ${field} ${JSON.stringify(value)}`,
        ...breaks('reference', { resource }),
      };
}

/** A foreign key that a write sets. */
interface WrittenKey {
  readonly key: Field;
  readonly target: Field;
  readonly value: JsonValue;
  /** The fields of the key that are among the values. */
  readonly fields: readonly Field[];
}

/**
 * The foreign keys among the values of a write. A key of several fields is one if any of them is written; `valueOf` gives
 * the others. A key with a null refers to nothing.
 */
function writtenKeys(
  { compositeKeys }: Resource,
  values: FieldValues,
  valueOf: (field: Field) => JsonValue | undefined,
): readonly WrittenKey[] {
  const keys: WrittenKey[] = [];
  for (const [key, value] of values)
    if (key.reference !== undefined && value !== null)
      keys.push({ key, target: key.reference.field, value, fields: [key] });
  for (const key of compositeKeys) {
    const fields = partsOf(key).filter((part) => values.has(part));
    const value = fields.length === 0 ? undefined : idIn(key, valueOf);
    if (key.reference !== undefined && value !== undefined)
      keys.push({ key, target: key.reference.field, value, fields });
  }
  return keys;
}

async function danglingKeys(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  own: OwnRecord | undefined,
  unseen: ReadonlySet<Field>,
): Promise<readonly Conflict[]> {
  const { transaction, dialect, statements } = access;
  const conflicts: Conflict[] = [];
  const valueOf = (field: Field): JsonValue | undefined =>
    values.get(field) ?? decodeValue(dialect, own?.values.get(field) ?? null, field);
  for (const { key, target, value, fields } of writtenKeys(resource, values, valueOf)) {
    if (keyFields(key).some((part) => unseen.has(part))) continue;
    const bound = [encodeValue(dialect, value, target)];
    const [row] = await transaction.all(statements.exists(target), { bound });
    if (row !== undefined) continue;
    const problem = missingTarget(access, key, target, value);
    for (const field of fields) conflicts.push({ field, ...problem });
  }
  return conflicts;
}

export const takenValue: Problem = {
  message: 'is taken: it must be unique',
  ...breaks('unique', { fields: undefined }),
};

async function takenValues(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  own: OwnRecord | undefined,
  unseen: ReadonlySet<Field>,
): Promise<readonly Conflict[]> {
  const { transaction, dialect, statements, names } = access;
  const storedIn = storedAfter(values, own, dialect);
  const keys = uniqueKeys(resource).filter(
    (key) => key.some((field) => values.has(field)) && !key.some((field) => unseen.has(field)),
  );
  const conflicts: Conflict[] = [];
  for (const key of keys) {
    const bound = key.map(storedIn);
    if (bound.includes(null)) continue;
    const [row] = await transaction.all(statements.same(key), { bound });
    if (row === undefined || row[0] === own?.id) continue;
    const known = key.flatMap((field) => names.field(field) ?? []);
    const problem: Problem =
      known.length < 2
        ? takenValue
        : {
            message: `is taken: ${known.join(', ')} must be unique together`,
            ...breaks('unique', { fields: known }),
          };
    for (const field of key) if (values.has(field)) conflicts.push({ field, ...problem });
  }
  return conflicts;
}

/** Values that other records reference. They cannot change, since no rule covers the references to them. */
async function referencedValues(
  { transaction, dialect, statements }: DataAccess,
  resource: Resource,
  values: FieldValues,
  own: OwnRecord,
): Promise<readonly Conflict[]> {
  const held = new Set<Field>();
  for (const key of resource.incoming) {
    const field = key.reference?.field;
    const value = field && values.get(field);
    if (field === undefined || value === undefined || held.has(field)) continue;
    const current = own.values.get(field) ?? null;
    if (current === null || String(current) === String(encodeValue(dialect, value, field)))
      continue;
    const [row] = await transaction.all(statements.exists(key), { bound: [current] });
    if (row !== undefined) held.add(field);
  }
  return [...held].map((field) => ({
    field,
    message: 'cannot change: other records point to the value that it has',
    ...breaks('referenced'),
  }));
}

/** Whether a value is the record's current one and the caller can see that, so that the reference is not new. */
export type IsKept = (field: Field, value: JsonValue) => boolean;

/** An `IsKept` for a record with these `current` values. */
export function keptIn(current: FieldValues, rights: RowRights | undefined): IsKept {
  return (field, value) =>
    rights?.canRead(field) !== false &&
    current.has(field) &&
    JSON.stringify(current.get(field)) === JSON.stringify(value);
}

/** Whether a value is one that the server gives: whether the caller sees its record makes no difference. */
function isOwnDefault(field: Field, value: JsonValue, claims: Claims): boolean {
  if (field.default?.kind === 'value') return field.default.value === value;
  return (
    field.default?.kind === 'claim' && defaultClaim(field, field.default.claim, claims) === value
  );
}

/**
 * The keys that reference rows hidden from the caller, with the same message as for missing rows. A default is not checked,
 * since the caller has not chosen it. See docs/contract/3-writing.md#references-and-unique-values, rule 2.
 */
export async function hiddenKeys(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  valueOf: (field: Field) => JsonValue,
  isKept: IsKept,
): Promise<readonly Conflict[]> {
  const { transaction, dialect, rights } = access;
  const conflicts: Conflict[] = [];
  if (rights === undefined) return conflicts;
  const isOwn = (field: Field): boolean => {
    const value = valueOf(field);
    return isOwnDefault(field, value, rights.claims) || isKept(field, value);
  };
  for (const { key, target, value, fields } of writtenKeys(resource, values, valueOf)) {
    if (fields.every(isOwn)) continue;
    if (await rights.isAllowed(target, 'read', encodeValue(dialect, value, target), transaction))
      continue;
    const problem = missingTarget(access, key, target, value);
    for (const field of fields) conflicts.push({ field, ...problem });
  }
  return conflicts;
}

/**
 * The morph pairs whose owner does not exist for this caller, which no database constraint checks. `isGiven` is true for
 * fields in the request. See docs/contract/3-writing.md#morph-pairs, rule 2.
 */
export async function missingOwners(
  access: DataAccess,
  morphs: readonly MorphTo[],
  valueOf: (field: Field) => JsonValue,
  isKept: IsKept = () => false,
  isGiven: (field: Field) => boolean = () => true,
): Promise<readonly Conflict[]> {
  const { transaction, dialect, statements, names, rights } = access;
  const conflicts: Conflict[] = [];
  for (const { typeField, idField, targets } of morphs) {
    const [type, id] = [valueOf(typeField), valueOf(idField)];
    if (type === null || id === null) continue;
    const owner = targets.get(String(type));
    if (owner === undefined) {
      conflicts.push({
        field: typeField,
        message: 'is the type of no resource',
        ...breaks('reference', { resource: undefined }),
      });
      continue;
    }
    // The id may be stored as text. It must be in the owner's canonical form, or no read would find it.
    const ownId = owner.id.type.parse(String(id), owner.id);
    const isWritten = ownId !== undefined && String(ownId) === String(id);
    const key = isWritten ? encodeValue(dialect, ownId, owner.id) : null;
    const rows =
      key === null ? [] : await transaction.all(statements.hold(owner), { bound: [], id: key });
    const isSeen =
      rights === undefined ||
      (isKept(typeField, type) && isKept(idField, id)) ||
      (await rights.isAllowed(owner.id, 'read', key, transaction));
    if (rows.length > 0 && isSeen) continue;
    // Naming the resource reveals the type field, which the caller may not be allowed to read.
    const isTold = rights === undefined || isGiven(typeField) || rights.canRead(typeField);
    const problem = isTold ? missingTarget(access, idField, owner.id, id) : noSuchRecord;
    // Blame a half that exists for the caller.
    const field = names.field(idField) === undefined ? typeField : idField;
    conflicts.push({ field, ...problem });
  }
  return conflicts;
}

interface OwnRecord {
  readonly id: SqlValue;
  readonly values: ReadonlyMap<Field, SqlValue>;
}

async function currentRecord(
  { transaction, dialect, statements }: DataAccess,
  resource: Resource,
  id: JsonValue,
): Promise<OwnRecord> {
  const stored = encodeValue(dialect, id, resource.id);
  const fields = [...resource.fields.values()];
  const [row] = await transaction.all(statements.current(resource, fields), {
    bound: [],
    id: stored,
  });
  const values = new Map(fields.map((field, index) => [field, row?.[index + 1] ?? null]));
  // Of several columns the database may write the values otherwise than the request.
  return { id: isComposite(resource.id) ? (values.get(resource.id) ?? stored) : stored, values };
}
