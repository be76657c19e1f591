import { ConstraintError, skippedByTrigger } from '../../databases/database.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Resource } from '../../model/api.ts';
import { compareNumbers } from '../../model/validation/constraints.ts';
import { foreignKeysOf, idIn, keyFields } from '../../model/field-types/composite-id.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { FieldValues } from '../../query/plan.ts';
import { touchedMorphs } from '../../query/write/morphs.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decoderOf, encodeValue } from '../../sql/dialect.ts';
import { never, unseenValues } from './checks/lookups.ts';
import { requireShown } from './checks/shown.ts';
import type { DataAccess } from './checks/conflicts.ts';
import { noValues } from './field-values.ts';
import { portionsOf, type Portion } from './portions.ts';

/** The most records that one statement creates. More do not make it faster. */
const maxRecords = 128;
/** SQLite allows 32,766 parameters, PostgreSQL 65,534. */
const maxParameters = 30_000;

/** Records differ in their fields if some leave to the database what others give. */
export function haveSameFields(one: FieldValues, other: FieldValues): boolean {
  if (one.size !== other.size) return false;
  for (const field of one.keys()) if (!other.has(field)) return false;
  return true;
}

/** The most records of the same fields that one statement may create, a power of two. */
export function recordsPerStatement(resource: Resource, records: readonly FieldValues[]): number {
  const count = records[0]?.size ?? 0;
  const isSet = (record: FieldValues, key: Parameters<typeof keyFields>[0]): boolean =>
    keyFields(key).every((part) => (record.get(part) ?? null) !== null);
  // Within one statement, a key to the same table could reference a later record.
  const looksBack = foreignKeysOf(resource).some(
    (key) => key.reference?.resource === resource && records.some((record) => isSet(record, key)),
  );
  if (looksBack || count === 0) return 1;
  return Math.min(maxRecords, 2 ** Math.floor(Math.log2(maxParameters / count)));
}

/** Splits records into portions that one statement can create. A record without values is a portion of its own. */
export function* insertPortions(
  resource: Resource,
  records: readonly (FieldValues | undefined)[],
): Generator<Portion> {
  for (let from = 0; from < records.length;) {
    const same = sameFrom(records, from);
    const [first] = same;
    const isAlone = first === undefined || !hasKnownId(resource, first);
    const most = isAlone ? 1 : recordsPerStatement(resource, same);
    const total = Math.max(same.length, 1);
    yield* portionsOf(total, most, from);
    from += total;
  }
}

/** The records from `from` on that have the same fields. */
function sameFrom(
  records: readonly (FieldValues | undefined)[],
  from: number,
): readonly FieldValues[] {
  const first = records[from];
  const same: FieldValues[] = [];
  for (let index = from; index < records.length; index += 1) {
    const record = records[index];
    if (first === undefined || record === undefined || !haveSameFields(first, record)) break;
    same.push(record);
  }
  return same;
}

/** Whether it is known which id each of several created records has: the database returns them in no certain order. */
function hasKnownId({ id }: Resource, record: FieldValues): boolean {
  return isGenerated(id) || idIn(id, (field) => record.get(field)) !== undefined;
}

/** How the ids of created records are used: `none` leaves out those that the database gives, which cost a quarter more. */
export type WantedIds = 'all' | 'none';

/**
 * Creates records of the same fields by one statement; returns their ids in order. Undefined, with nothing created, if one
 * of them cannot be created, or if that could depend on another: creating them one by one finds the problems of each.
 */
export async function insertTogether(
  resource: Resource,
  records: readonly FieldValues[],
  access: DataAccess,
  wanted: WantedIds,
): Promise<readonly (JsonValue | undefined)[] | undefined> {
  if (await mayBeUnseen(resource, records, access)) return undefined;
  try {
    return await access.transaction.attempt(async () => {
      const made = await insertRows(resource, records, access, wanted);
      await requireShown(resource, made, access);
      return made;
    });
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return undefined;
  }
}

async function insertRows(
  resource: Resource,
  records: readonly FieldValues[],
  { transaction, dialect, statements }: DataAccess,
  wanted: WantedIds,
): Promise<readonly (JsonValue | undefined)[]> {
  const { id } = resource;
  const given = records.map((values) => idIn(id, (field) => values.get(field)));
  const fields = [...(records[0]?.keys() ?? [])];
  const bound: SqlValue[] = [];
  for (const values of records)
    for (const field of fields) bound.push(encodeValue(dialect, values.get(field) ?? null, field));
  const isKnown = wanted === 'none' || given.every((one) => one !== undefined);
  const statement = isKnown
    ? statements.insertMany(resource, fields, records.length)
    : statements.insertTogether(resource, fields, records.length);
  const { rows, returned } = await transaction.run(statement, { bound });
  if (rows < records.length) throw skippedByTrigger();
  if (isKnown) return given;
  const idOf = decoderOf(dialect, id);
  const made = returned.map(([key = null]) => idOf(key));
  // A view does not say it.
  if (made.includes(null)) throw skippedByTrigger();
  return made.sort(compareNumbers);
}

/** Whether one of the records references what does not exist for the caller, or may depend on another of them for it. */
async function mayBeUnseen(
  resource: Resource,
  records: readonly FieldValues[],
  access: DataAccess,
): Promise<boolean> {
  const { rights } = access;
  const keys = foreignKeysOf(resource).filter(
    ({ reference }) => reference && rights?.allowedRows(reference.resource, 'read') !== 'all',
  );
  const morphs = touchedMorphs(resource, records[0] ?? noValues);
  if (keys.length === 0 && morphs.length === 0) return false;
  const targets = [
    ...keys.flatMap(({ reference }) => reference?.resource ?? []),
    ...morphs.flatMap((morph) => [...morph.targets.values()]),
  ];
  if (targets.some((one) => one === resource || rights?.readsThrough(one, resource) === true))
    return true;
  // Most children share their keys, so that one look-up serves all.
  const looked = [
    ...keys.flatMap(keyFields),
    ...morphs.flatMap(({ typeField, idField }) => [typeField, idField]),
  ];
  const distinct = new Map<string, FieldValues>();
  for (const values of records) {
    const key = JSON.stringify(looked.map((field) => values.get(field) ?? null));
    getOrInsert(distinct, key, () => values);
  }
  for (const values of distinct.values()) {
    const unseen = await unseenValues(access, resource, values, noValues, never);
    if (unseen.length > 0) return true;
  }
  return false;
}
