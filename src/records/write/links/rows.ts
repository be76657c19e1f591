import { breaks } from '../../../problem-rules.ts';
import type { FieldProblem } from '../../../errors.ts';
import type { BelongsToMany, Field } from '../../../model/api.ts';
import {
  idIn,
  isComposite,
  keyFields,
  partsOf,
  partValues,
} from '../../../model/field-types/composite-id.ts';
import type { SqlValue, ValueIssue } from '../../../model/values.ts';
import { isFixed } from '../../../query/write/links.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../../query/write/morphs.ts';
import type { FieldValues, Link, LinkChange } from '../../../query/plan.ts';
import { immutableProblem } from '../../../query/write/write.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import {
  decodeValue,
  encodeValue,
  type StoredForms,
  type StoredValues,
} from '../../../sql/dialect.ts';
import {
  hiddenKeys,
  keptIn,
  missingOwners,
  type DataAccess,
  type Conflict,
} from '../checks/conflicts.ts';
import { ConstraintError, refusedByPolicy, requireOneRow } from '../../../databases/database.ts';
import { ApiFailure } from '../../api-failure.ts';
import type { ValuesBefore } from '../audit/trail.ts';
import { explainConflicts } from '../checks/database-rules.ts';
import { requireShown } from '../checks/shown.ts';
import {
  affectedRows,
  changeMorphs,
  dependentsOf,
  recordDelete,
  recordReleased,
} from '../delete.ts';
import { currentValues, encodedIn, noValues, valueIn } from '../field-values.ts';
import { unchangedError } from '../result.ts';

/** A link to create. */
export interface NewLink {
  readonly link: Link;
  /** The values of its row, as they are stored. */
  readonly stored: StoredValues;
}

/** The columns of a stored key: the key itself, or each part of a composite one. */
export function storedParts(
  key: Field,
  stored: SqlValue,
  dialect: StoredForms,
): readonly (readonly [Field, SqlValue])[] {
  if (!isComposite(key)) return [[key, stored]];
  const values = partValues(String(decodeValue(dialect, stored, key)), key) ?? [];
  return partsOf(key).map((part, index) => [
    part,
    encodeValue(dialect, values[index] ?? null, part),
  ]);
}

/** The row of a new link between two records, whose keys are `owner` and `key`. */
export function newLink(
  { through, ownerKey, targetKey }: BelongsToMany,
  link: Link,
  owner: SqlValue,
  key: SqlValue,
  { dialect }: DataAccess,
): NewLink {
  const keys = new Map([
    ...storedParts(ownerKey, owner, dialect),
    ...storedParts(targetKey, key, dialect),
  ]);
  const stored = new Map<Field, SqlValue>();
  for (const field of through.fields.values()) {
    const value = link.newRow.get(field);
    const part = keys.get(field);
    if (part !== undefined) stored.set(field, part);
    else if (value !== undefined) stored.set(field, encodeValue(dialect, value, field));
  }
  return { link, stored };
}

/** Creates a link. */
export async function createLink(
  relation: BelongsToMany,
  { link, stored }: NewLink,
  access: DataAccess,
): Promise<readonly FieldProblem[]> {
  const { through, ownerKey, targetKey } = relation;
  const { transaction, statements, dialect, trail, former } = access;
  const statement = statements.insert(through, [...stored.keys()]);
  const keys = [ownerKey, targetKey]
    .flatMap(keyFields)
    .map((field) => [field, decodeValue(dialect, stored.get(field) ?? null, field)] as const);
  const values = new Map([...link.newRow, ...keys]);
  const change = { relation, link, values, current: noValues, id: undefined };
  const insert = async (): Promise<void> => {
    const inserted = await transaction.run(statement, { bound: [...stored.values()] });
    const { insertedId } = requireOneRow(inserted);
    const given = idIn(through.id, (field) => values.get(field));
    const id = given ?? decodeValue(dialect, insertedId, through.id);
    await requireShown(through, [id], access);
    const created = [stored.get(through.id) ?? insertedId];
    former?.created(through, created, access);
    await trail?.created(through, created);
  };
  // What a view does not show is taken back before the fields to blame are looked for.
  return linkProblems(change, access, through.isView ? () => transaction.attempt(insert) : insert);
}

/** An existing link whose pivot changes. */
export interface ExistingLink {
  readonly link: Link;
  /** The id of its row in the junction. */
  readonly row: SqlValue;
  /** The current values that decide whether the row may change. */
  readonly current: FieldValues;
  /** The values that the change replaces, if changes are recorded. */
  readonly before: ValuesBefore | undefined;
}

/** Looks up the values that decide whether an existing link may change. */
export async function existingLink(
  { through }: BelongsToMany,
  link: Link,
  row: SqlValue,
  access: DataAccess,
): Promise<ExistingLink> {
  const fixed = [...link.pivot.keys()].filter(isFixed);
  const halves = touchedMorphs(through, link.update).flatMap(({ typeField, idField }) => [
    typeField,
    idField,
  ]);
  const fields = [...new Set([...fixed, ...halves])];
  const current =
    fields.length === 0
      ? undefined
      : await currentValues(access, through, fields, row, halves.length > 0);
  await access.former?.changing(through, [row], access);
  const before = await access.trail?.before(through, [row], [...link.update.keys()]);
  return { link, row, current: current ?? noValues, before };
}

/** The problems of an existing link's new pivot: a changed immutable field, half of a morph pair. */
export function pivotIssues(
  { through }: BelongsToMany,
  { link: { path, pivot, update: change }, current }: ExistingLink,
  { names, rights }: DataAccess,
): readonly ValueIssue[] {
  const issue = ({ field, ...problem }: Conflict): ValueIssue => {
    const name = names.field(field);
    return { kind: 'type', path: name === undefined ? path : `${path}.pivot.${name}`, ...problem };
  };
  const isStill = keptIn(current, rights);
  const morphs = touchedMorphs(through, change);
  return [
    ...[...pivot]
      .filter(([field, value]) => isFixed(field) && !isStill(field, value))
      .map(([field]) => issue({ field, ...immutableProblem })),
    ...emptyHalves(morphs, valueIn(change, current)).map((half) =>
      issue(halfIssue(half, names.field)),
    ),
  ];
}

/** Below every position that an application is likely to store. */
const placeholderNumber = -(2 ** 40);

/**
 * A temporary value for a unique field while links swap values: null, or if the field is not nullable, a value that no
 * other link has, made from a distinct `number`. Undefined if there is no such value.
 */
function placeholderFor({ nullable, type, values }: Field, number: number): JsonValue | undefined {
  if (nullable) return null;
  if (values !== undefined) return undefined;
  if (type.number === 'whole') return placeholderNumber - number;
  return type.text !== undefined ? `~ ${number}` : undefined;
}

/**
 * Replaces the unique values that these links are about to change by temporary ones, so that links can swap values. Keeps
 * a value if that is not possible.
 */
export async function clearUniqueValues(
  { through }: BelongsToMany,
  links: readonly ExistingLink[],
  { transaction, statements, dialect }: DataAccess,
): Promise<void> {
  if (links.length < 2) return;
  const keys = new Set(through.unique.flat());
  for (const [number, { link, row }] of links.entries()) {
    const values = [...through.fields.values()].flatMap((field) => {
      const isDistinct = field.unique || keys.has(field);
      const value =
        isDistinct && link.update.has(field) ? placeholderFor(field, number) : undefined;
      return value === undefined ? [] : [[field, encodeValue(dialect, value, field)] as const];
    });
    if (values.length === 0) continue;
    const statement = statements.update(
      through,
      values.map(([field]) => field),
    );
    try {
      await transaction.run(statement, { bound: values.map(([, value]) => value), id: row });
    } catch (error) {
      // The database has a rule that the specification does not have. The final values may satisfy it.
      if (!(error instanceof ConstraintError)) throw error;
    }
  }
}

/** Updates the row of an existing link. */
export async function updatePivot(
  relation: BelongsToMany,
  { link, row, current, before }: ExistingLink,
  access: DataAccess,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect, trail } = access;
  const { update: change } = link;
  if (change.size === 0) return [];
  const fields = [...relation.through.fields.values()].filter((field) => change.has(field));
  const statement = statements.update(relation.through, fields);
  const bound = encodedIn(fields, change, dialect);
  const id = decodeValue(dialect, row, relation.through.id);
  return linkProblems({ relation, link, values: change, current, id }, access, async () => {
    const changed = await transaction.run(statement, { bound, id: row });
    if (changed.rows === 0 && transaction.isOfCaller === true) throw refusedByPolicy();
    requireOneRow(changed);
    await trail?.changed(before);
  });
}

/** Deletes a link. */
export async function deleteLink(
  { relation: { through }, path }: LinkChange,
  id: SqlValue,
  access: DataAccess,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect } = access;
  const needed = [
    { field: path, message: 'has a link that other records need', ...breaks('referenced') },
  ];
  const affected = await affectedRows(access, through, id);
  if ((await dependentsOf(access, through, id, affected.going)) !== undefined) return needed;
  const before = await recordDelete(access, through, id, affected);
  try {
    const { rows } = await transaction.run(statements.delete(through), { bound: [], id });
    const own = decodeValue(dialect, id, through.id);
    const why = rows > 0 ? undefined : await unchangedError(access, through, own);
    if (why !== undefined && !(why instanceof ApiFailure)) throw why;
    await changeMorphs(access, through, affected.going);
    await recordReleased(access, before);
    return [];
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return needed;
  }
}

/** The values of a link's row: all of a new one, or the changes to the row with `id`. */
interface RowChange {
  readonly relation: BelongsToMany;
  readonly link: Link;
  readonly values: FieldValues;
  readonly current: FieldValues;
  readonly id: JsonValue | undefined;
}

/** Runs a change of a link; returns its problems at the pivot's fields, or at the link for other fields. */
async function linkProblems(
  { relation, link: { path, pivot }, values, current, id }: RowChange,
  access: DataAccess,
  change: () => Promise<unknown>,
): Promise<readonly FieldProblem[]> {
  const { names, rights } = access;
  const keys = new Set([relation.ownerKey, relation.targetKey].flatMap(keyFields));
  const named = (conflicts: readonly Conflict[]): readonly FieldProblem[] => {
    const problems = conflicts.map(({ field, ...problem }) => {
      const isPivot = relation.pivot.includes(field) && !keys.has(field);
      const name = isPivot ? names.field(field) : undefined;
      return { field: name === undefined ? path : `${path}.pivot.${name}`, ...problem };
    });
    // A violated unique key is reported at the link itself only if no pivot field is part of it.
    const told = new Set(problems.flatMap(({ field, message }) => (field === path ? [] : message)));
    const others = new Map(
      problems.flatMap((one) => (one.field === path ? [[one.message, one] as const] : [])),
    );
    return [
      ...problems.filter(({ field }) => field !== path),
      ...[...others.values()].filter(({ message }) => !told.has(message)),
    ];
  };
  const morphs = touchedMorphs(relation.through, values);
  const unseen = [
    ...(await missingOwners(
      access,
      morphs,
      valueIn(values, current),
      keptIn(current, rights),
      (field) => pivot.has(field),
    )),
    ...(await hiddenKeys(access, relation.through, pivot, valueIn(values, current), () => false)),
  ];
  if (unseen.length > 0) return named(unseen);
  const done = await explainConflicts(access, { resource: relation.through, values, id }, change);
  return done.ok ? [] : named(done.error);
}
