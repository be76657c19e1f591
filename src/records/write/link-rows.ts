import { fail, ok, type FieldProblem, type Result } from '../../errors.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { BelongsToMany, Field } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import { isFixed } from '../../query/write/links.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../query/write/morphs.ts';
import type { FieldValues, Link, LinkChange } from '../../query/plan.ts';
import { immutableMessage } from '../../query/write/write.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decodeValue, encodeValue } from '../../sql/dialect.ts';
import { hiddenKeys, keptIn, missingOwners, type Access, type Conflict } from './conflicts.ts';
import { ConstraintError, requireOneRow } from '../../databases/database.ts';
import { blaming } from './database-rules.ts';
import { changeMorphs, dependentsOf, goingWith } from './delete.ts';
import { currentValues, encodedIn, noValues, valueIn } from './field-values.ts';
import { notReached } from './written.ts';

/** Makes a link; gives the id of its row. */
export async function createLink(
  relation: BelongsToMany,
  link: Link,
  owner: SqlValue,
  key: SqlValue,
  access: Access,
): Promise<Result<SqlValue, readonly FieldProblem[]>> {
  const { through, ownerKey, targetKey } = relation;
  const { transaction, statements, dialect } = access;
  const values = new Map<Field, SqlValue>();
  for (const field of through.fields.values()) {
    const value = link.row.get(field);
    if (field === ownerKey) values.set(field, owner);
    else if (field === targetKey) values.set(field, key);
    else if (value !== undefined) values.set(field, encodeValue(dialect, value, field));
  }
  const statement = statements.insert(through, [...values.keys()]);
  let made: SqlValue = values.get(through.id) ?? null;
  const whole = new Map([
    ...link.row,
    [ownerKey, decodeValue(dialect, owner, ownerKey)],
    [targetKey, decodeValue(dialect, key, targetKey)],
  ]);
  const change = { relation, link, values: whole, current: noValues, id: undefined };
  const problems = await refusing(change, access, async () => {
    const { insertedId } = requireOneRow(
      await transaction.run(statement, { bound: [...values.values()] }),
    );
    if (isGenerated(through.id)) made = insertedId;
  });
  return problems.length === 0 ? ok(made) : fail(problems);
}

/** A link that is there already and gets another pivot. */
export interface KeptLink {
  readonly link: Link;
  /** The id of its row in the junction. */
  readonly row: SqlValue;
  /** What the row has where that decides whether it may be changed. */
  readonly current: FieldValues;
}

/** Looks up what decides whether a link that is there may be changed. */
export async function keptLink(
  { through }: BelongsToMany,
  link: Link,
  row: SqlValue,
  access: Access,
): Promise<KeptLink> {
  const fixed = [...link.pivot.keys()].filter(isFixed);
  const halves = touchedMorphs(through, link.change).flatMap(({ typeField, idField }) => [
    typeField,
    idField,
  ]);
  const fields = [...new Set([...fixed, ...halves])];
  const current =
    fields.length === 0
      ? undefined
      : await currentValues(access, through, fields, row, halves.length > 0);
  return { link, row, current: current ?? noValues };
}

/** What a link that is there cannot take: another value in an immutable field, half of a morph pair. */
export function misfits(
  { through }: BelongsToMany,
  { link: { path, pivot, change }, current }: KeptLink,
  { names, rights }: Access,
): readonly ValueIssue[] {
  const issue = ({ field, message }: { field: Field; message: string }): ValueIssue => {
    const name = names.field(field);
    return { kind: 'type', path: name === undefined ? path : `${path}.pivot.${name}`, message };
  };
  const isStill = keptIn(current, rights);
  const morphs = touchedMorphs(through, change);
  return [
    ...[...pivot]
      .filter(([field, value]) => isFixed(field) && !isStill(field, value))
      .map(([field]) => issue({ field, message: immutableMessage })),
    ...emptyHalves(morphs, valueIn(change, current)).map((half) =>
      issue(halfIssue(half, names.field)),
    ),
  ];
}

/** Below every number that anyone gives to things in an order. */
const outOfTheWay = -(2 ** 40);

/**
 * What a field holds while links change places: nothing, or where it may not be empty, what none of the others has, the
 * `number` being another one for each. Undefined where there is no such value.
 */
function meanwhile({ nullable, type, values }: Field, number: number): JsonValue | undefined {
  if (nullable) return null;
  if (values !== undefined) return undefined;
  if (type.number === 'whole') return outOfTheWay - number;
  return type.text !== undefined ? `~ ${number}` : undefined;
}

/**
 * Takes out of the way what no two links may have alike and these are going to change, so that they can change places.
 * Where that cannot be it stays.
 */
export async function makeRoom(
  { through }: BelongsToMany,
  links: readonly KeptLink[],
  { transaction, statements, dialect }: Access,
): Promise<void> {
  if (links.length < 2) return;
  const keys = new Set(through.unique.flat());
  for (const [number, { link, row }] of links.entries()) {
    const values = [...through.fields.values()].flatMap((field) => {
      const isDistinct = field.unique || keys.has(field);
      const value = isDistinct && link.change.has(field) ? meanwhile(field, number) : undefined;
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
      // A rule of the database that the specification does not know: the change itself may keep it.
      if (!(error instanceof ConstraintError)) throw error;
    }
  }
}

/** Changes the row of a link that is there. */
export async function changePivot(
  relation: BelongsToMany,
  { link, row, current }: KeptLink,
  access: Access,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements, dialect } = access;
  const { change } = link;
  if (change.size === 0) return [];
  const fields = [...relation.through.fields.values()].filter((field) => change.has(field));
  const statement = statements.update(relation.through, fields);
  const bound = encodedIn(fields, change, dialect);
  const id = row as JsonValue;
  return refusing({ relation, link, values: change, current, id }, access, async () =>
    requireOneRow(await transaction.run(statement, { bound, id: row })),
  );
}

/** Takes a link away. */
export async function deleteLink(
  { relation: { through }, path }: LinkChange,
  id: SqlValue,
  access: Access,
): Promise<readonly FieldProblem[]> {
  const { transaction, statements } = access;
  const needed = [{ field: path, message: 'has a link that other records need' }];
  const going = await goingWith(access, through, id);
  if ((await dependentsOf(access, through, id, going)) !== undefined) return needed;
  try {
    const { rows } = await transaction.run(statements.delete(through), { bound: [], id });
    const why = rows > 0 ? undefined : await notReached(access, through, id as JsonValue);
    if (why instanceof ConstraintError) throw why;
    await changeMorphs(access, through, going);
    return [];
  } catch (error) {
    if (!(error instanceof ConstraintError)) throw error;
    return needed;
  }
}

/** What a link's row is to have: all of a new one, or what changes in the one named by `id`. */
interface RowChange {
  readonly relation: BelongsToMany;
  readonly link: Link;
  readonly values: FieldValues;
  readonly current: FieldValues;
  readonly id: JsonValue | undefined;
}

/** Runs a change of a link; what the database refuses is named by the pivot's fields, and by the link where it is none. */
async function refusing(
  { relation, link: { path, pivot }, values, current, id }: RowChange,
  access: Access,
  change: () => Promise<unknown>,
): Promise<readonly FieldProblem[]> {
  const { names, rights } = access;
  const keys = new Set([relation.ownerKey, relation.targetKey]);
  const named = (conflicts: readonly Conflict[]): readonly FieldProblem[] => {
    const problems = conflicts.map(({ field, message }) => {
      const isPivot = relation.pivot.includes(field) && !keys.has(field);
      const name = isPivot ? names.field(field) : undefined;
      return { field: name === undefined ? path : `${path}.pivot.${name}`, message };
    });
    // What is taken together is told of the link itself only where no pivot field has a part in it.
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
    ...(await hiddenKeys(access, pivot, () => false)),
  ];
  if (unseen.length > 0) return named(unseen);
  const done = await blaming(access, { resource: relation.through, values, id }, change);
  return done.ok ? [] : named(done.error);
}
