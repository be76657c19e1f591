import type { Field } from '../../model/api.ts';
import { repeatsDefault } from '../../model/build/check-field.ts';
import { compareNumbers, isMultiple } from '../../model/validation/constraints.ts';
import { isOfDoubles, isOfWholeSeconds } from '../../model/field-types/stored-as.ts';
import { isFlag, splitSuffix, takes, type Operator } from '../../model/operators.ts';
import {
  fieldNameIn,
  type FieldView,
  type InputView,
  type ResourceView,
} from '../../model/view.ts';
import type { FieldSpecification } from '../../specification/specification.ts';
import { compareFieldAccess } from './access.ts';
import type { Note } from './change.ts';
import { requiredInputs } from '../document/inputs.ts';

/** What differs in the fields of a resource: what is read of them, and what may be written. */
export function compareFields(old: ResourceView, now: ResourceView, note: Note): void {
  for (const before of old.fields.values()) {
    const after = now.fields.get(before.name);
    if (after === undefined) note(true, before.name, goneMessage(before, old, now));
    else {
      compareReading(before.field, after.field, before.name, note);
      compareFieldAccess([old, before.field], [now, after.field], 'read', before.name, note);
    }
  }
  const tookFilter: Takes = (name, operator) => {
    const before = old.fields.get(name)?.field;
    return before === undefined
      ? old.relations.has(name) && isFlag(operator)
      : takes(before.type, operator);
  };
  for (const { name } of now.fields.values()) {
    if (!old.fields.has(name) && !old.inputs.has(name)) note(false, name, 'is new');
    if (!old.fields.has(name)) compareFilters(name, tookFilter, name, note);
  }
  compareInputs(old, now, note);
}

/** A field in the same column is the same field under another name. */
function goneMessage({ field }: FieldView, old: ResourceView, now: ResourceView): string {
  const renamed = [...now.fields.values()].find(
    (other) => other.field.column === field.column && !old.fields.has(other.name),
  );
  return renamed === undefined ? 'can no longer be read' : `is now called ${renamed.name}`;
}

function compareReading(before: Field, after: Field, path: string, note: Note): void {
  const [old, now] = [before.type.wireName(before), after.type.wireName(after)];
  if (old !== now) {
    note(true, path, `was ${old} and is ${now}`);
    return;
  }
  if (!before.nullable && after.nullable) note(true, path, 'may now be null');
  const added = missing(after.values, before.values);
  if (before.values !== undefined && after.values === undefined)
    note(true, path, 'may now have values that are not listed');
  else if (before.values !== undefined && added.length > 0)
    note(true, path, `may now have the values ${added.join(', ')}`);
  if (before.items !== undefined && after.items !== undefined)
    compareReading(before.items, after.items, `${path}[]`, note);
  if (isClosed(before, after)) note(true, path, 'is filtered by its declared members alone now');
  for (const [name, member] of before.properties ?? []) {
    const other = after.properties?.get(name);
    if (other === undefined) note(true, `${path}.${name}`, 'is no longer declared');
    else compareReading(member, other, `${path}.${name}`, note);
  }
  const tookFilter: Takes = (name, operator) => {
    const property = before.properties?.get(name);
    return property !== undefined && takes(property.type, operator);
  };
  for (const name of after.properties?.keys() ?? [])
    if (before.properties?.has(name) === false)
      compareFilters(name, tookFilter, `${path}.${name}`, note);
}

/** Whether an object that took any members takes only those that it declares now. */
function isClosed(before: Field, after: Field): boolean {
  return after.type.json === 'object' && before.isOpen && !after.isOpen;
}

/** Whether what was there under a name could be filtered by an operator. */
type Takes = (name: string, operator: Operator) => boolean;

/** A new name may be what a filter of another one looks like: `price_gte` beside `price`. */
function compareFilters(name: string, tookFilter: Takes, path: string, note: Note): void {
  const filter = splitSuffix(name).find(({ base, operator }) => tookFilter(base, operator));
  if (filter !== undefined)
    note(true, path, `takes the place of ${filter.base} filtered by _${filter.operator}`);
}

/** The values of `from` that `of` lacks. */
function missing(from: Field['values'], of: Field['values']): readonly unknown[] {
  return (from ?? []).filter((value) => of?.includes(value) !== true);
}

function compareInputs(old: ResourceView, now: ResourceView, note: Note): void {
  for (const kind of ['create', 'update'] as const) {
    if (!old.offered.has(kind) || !now.offered.has(kind)) continue;
    for (const before of old.inputs.values()) {
      const after = now.inputs.get(before.name);
      if (!may(before, kind)) continue;
      if (after === undefined || !may(after, kind))
        note(true, before.name, `can no longer be sent to ${kind} a record`);
      else compareFieldAccess([old, before.field], [now, after.field], kind, before.name, note);
    }
    compareNeeds(old, now, kind === 'create' ? 'create' : 'replace', note);
  }
  for (const { name, field, creatable } of now.inputs.values()) {
    const before = old.inputs.get(name);
    if (creatable && repeatsDefault(field) && !(before && repeatsDefault(before.field)))
      note(true, name, 'is unique and the same in all records that are created without it');
  }
  for (const before of old.inputs.values()) {
    const after = now.inputs.get(before.name);
    if (after === undefined) continue;
    compareDeletes(before.field, after.field, before.name, note);
    if (!((before.creatable && after.creatable) || (before.updatable && after.updatable))) continue;
    const isRead = old.fields.has(before.name) && now.fields.has(before.name);
    compareWriting([before.field, after.field], isRead, before.name, note);
    if (!before.field.immutable && after.field.immutable)
      note(true, before.name, 'can no longer be changed');
    if (!before.field.unique && after.field.unique) note(true, before.name, 'must now be unique');
    compareReferences(targetOf(before.field, old), targetOf(after.field, now), before.name, note);
    const [first, last] = [before.field, after.field].map(({ default: value }) =>
      JSON.stringify(value),
    );
    if (first !== last)
      note(false, before.name, `has ${last === undefined ? 'no' : 'another'} default`);
  }
}

function may({ creatable, updatable }: InputView, kind: 'create' | 'update'): boolean {
  return kind === 'create' ? creatable : updatable;
}

function compareNeeds(
  old: ResourceView,
  now: ResourceView,
  kind: 'create' | 'replace',
  note: Note,
): void {
  const before = new Set(requiredInputs(old, kind).map(({ name }) => name));
  for (const { name } of requiredInputs(now, kind))
    if (!before.has(name)) note(true, name, `is now needed to ${kind} a record`);
}

/** What a key points to; the field by its name in this version, undefined where that hides it. */
interface Target {
  readonly resource: string;
  readonly field: string | undefined;
}

function targetOf({ reference }: Field, { view }: ResourceView): Target | undefined {
  if (reference === undefined) return undefined;
  const resource = reference.resource.name;
  const fields = view.resource(resource)?.fields.values() ?? [];
  return { resource, field: fieldNameIn(fields, reference.field) };
}

function compareReferences(
  old: Target | undefined,
  now: Target | undefined,
  path: string,
  note: Note,
): void {
  if (now === undefined) return;
  // What is hidden on one side may be the same.
  const isSame = (old?.field ?? now.field) === (now.field ?? old?.field);
  if (old?.resource === now.resource && isSame) return;
  const target = now.field === undefined ? now.resource : `${now.resource}.${now.field}`;
  note(true, path, `has to be a ${target} that exists`);
}

/** What becomes of a record when the one that its key points to goes; that happens to keys that nobody writes, too. */
function compareDeletes(before: Field, after: Field, path: string, note: Note): void {
  const [old, now] = [before.reference, after.reference];
  if (
    old?.resource.name === now?.resource.name &&
    now !== undefined &&
    old !== undefined &&
    old.onDelete !== now.onDelete
  )
    note(true, path, `when that record is deleted: ${now.onDelete}, not ${old.onDelete}`);
}

type Attribute = keyof FieldSpecification;

/** Attributes of which a higher value lets less through, and those of which a lower one does. */
const floors: readonly Attribute[] = ['minLength', 'minimum', 'exclusiveMinimum', 'minItems'];
const ceilings: readonly Attribute[] = ['maxLength', 'maximum', 'exclusiveMaximum', 'maxItems'];
const others: readonly Attribute[] = ['pattern', 'multipleOf', 'format', 'uniqueItems'];

/** What is no longer taken of a field; `isRead` where what differs in reading it was told. */
function compareWriting(
  [before, after]: readonly [Field, Field],
  isRead: boolean,
  path: string,
  note: Note,
): void {
  const [old, now] = [before.type.wireName(before), after.type.wireName(after)];
  if (old !== now) {
    if (!isRead) note(true, path, `was ${old} and is ${now}`);
    return;
  }
  if (before.nullable && !after.nullable) note(true, path, 'no longer takes null');
  const taken = missing(before.values, after.values);
  if (after.values !== undefined && before.values === undefined)
    note(true, path, `takes only ${after.values.join(', ')} now`);
  else if (after.values !== undefined && taken.length > 0)
    note(true, path, `no longer takes ${taken.join(', ')}`);
  for (const name of [...floors, ...ceilings, ...others])
    compareRule(name, before, after, path, note);
  if (before.precision > after.precision)
    note(true, path, `takes ${after.precision} digits, not ${before.precision}`);
  if (isOfWholeSeconds(after) && !isOfWholeSeconds(before))
    note(true, path, 'takes whole seconds alone now');
  if (isOfDoubles(after) && !isOfDoubles(before))
    note(true, path, 'takes only what a double holds exactly now');
  if (before.items !== undefined && after.items !== undefined)
    compareWriting([before.items, after.items], isRead, `${path}[]`, note);
  if (!isRead && before.properties === undefined && after.properties !== undefined)
    note(true, path, 'takes in its declared members only what they may be now');
  if (isClosed(before, after)) note(true, path, 'no longer takes members that it does not declare');
  for (const [name, member] of after.properties ?? []) {
    const other = before.properties?.get(name);
    const isNeeded = member.required && member.default === undefined;
    if (isNeeded && !(other?.required === true && other.default === undefined))
      note(true, `${path}.${name}`, 'is now needed');
    if (other !== undefined) compareWriting([other, member], isRead, `${path}.${name}`, note);
  }
}

function compareRule(name: Attribute, before: Field, after: Field, path: string, note: Note): void {
  const [old, now] = [ruleOf(before, name), ruleOf(after, name)];
  if (old === now) return;
  const isTighter =
    now !== undefined &&
    now !== false &&
    (old === undefined ||
      (floors.includes(name) && compareNumbers(String(now), String(old)) > 0) ||
      (ceilings.includes(name) && compareNumbers(String(now), String(old)) < 0) ||
      (others.includes(name) && !isWider(name, old, now)));
  const said =
    now === undefined
      ? `no longer has ${name}`
      : `has ${name} ${String(now)}${old === undefined ? '' : `, not ${String(old)}`}`;
  note(isTighter, path, said);
}

/** Whether all that was a multiple of one number is one of the other. */
function isWider(name: Attribute, old: unknown, now: unknown): boolean {
  return name === 'multipleOf' && isMultiple(String(old), String(now));
}

/** The types email and url are formats of strings. */
function ruleOf({ attributes, type }: Field, name: Attribute): unknown {
  return name === 'format' ? (type.format ?? attributes.format) : attributes[name];
}
