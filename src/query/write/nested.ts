import { breaks, onlyOf, type BrokenRule } from '../../problem-rules.ts';
import { momentText } from '../../model/field-types/moments/datetime.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import { readValue } from '../../model/validation/read-value.ts';
import { isJsonObject, type ValueIssue } from '../../model/values.ts';
import { fieldNameIn, type RelationView, type ResourceView } from '../../model/view.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type {
  ChildUpdate,
  ChildWrites,
  FieldValues,
  Link,
  MovedRecord,
  NamedRecord,
  NestedWrites,
  NewParent,
  NewRecord,
  PlannedChange,
  WriteKind,
} from '../plan.ts';
import { isUpdateStamp, lacksClaim, type ClockAndIds } from './defaults.ts';
import { readNewLink } from './links.ts';
import {
  keyObstacle,
  keysOfChild,
  mayNest,
  nestedOperations,
  nestedRelation,
  operationsOf,
  targetOf,
  type NestedOperation,
} from './nested-rights.ts';

/** The state of reading one body with all that is nested in it. */
export interface Reading {
  readonly moment: ClockAndIds;
  readonly limits: Limits;
  /** The body is a merge patch. */
  readonly merges: boolean;
  readonly issues: ValueIssue[];
  /** Whether own code may yet fill the new records of a resource, so that what they lack is no problem. */
  readonly isFilled: (resource: Resource) => boolean;
  /** How many nested records the body names. */
  records: number;
  /** The caller lacks a right that nothing in the body can be done without. */
  isRefused: boolean;
  readonly readNew: (
    body: object,
    resourceView: ResourceView,
    path: string,
    given: ReadonlySet<Field>,
    depth: number,
    reading: Reading,
  ) => NewRecord;
  readonly readChange: (
    body: object,
    id: JsonValue | undefined,
    resourceView: ResourceView,
    path: string,
    depth: number,
    reading: Reading,
  ) => PlannedChange;
}

const noValues: FieldValues = new Map();

export const noNested: NestedWrites = { parents: [], children: [] };

/** Whether a body's member is the write of related records. */
export function isNested(name: string, value: unknown, resourceView: ResourceView): boolean {
  return isJsonObject(value) && nestedRelation(name, resourceView) !== undefined;
}

/** Reads the writes of related records in a body. See docs/contract/3-writing.md#nested-writes. */
export function readNested(
  body: object,
  kind: WriteKind,
  resourceView: ResourceView,
  path: string,
  depth: number,
  reading: Reading,
): NestedWrites {
  let nested: { parents: NewParent[]; children: ChildWrites[] } | undefined;
  for (const name of Object.keys(body)) {
    const value = (body as Readonly<Record<string, unknown>>)[name];
    if (typeof value !== 'object' || !isJsonObject(value)) continue;
    const view = nestedRelation(name, resourceView);
    if (view === undefined) continue;
    nested ??= { parents: [], children: [] };
    new RelationReader(view, kind, resourceView, `${path}${name}`, depth, reading).read(
      value,
      nested,
    );
  }
  if (nested === undefined) return noNested;
  return nested.parents.length + nested.children.length === 0 ? noNested : nested;
}

/** Reads the writes of the records of one relation. */
class RelationReader {
  private readonly view: RelationView;
  private readonly kind: WriteKind;
  private readonly owner: ResourceView;
  private readonly path: string;
  private readonly depth: number;
  private readonly reading: Reading;
  /** The records that are named, with where. */
  private readonly named = new Map<JsonValue, string>();

  constructor(
    view: RelationView,
    kind: WriteKind,
    owner: ResourceView,
    path: string,
    depth: number,
    reading: Reading,
  ) {
    this.view = view;
    this.kind = kind;
    this.owner = owner;
    this.path = path;
    this.depth = depth;
    this.reading = reading;
  }

  read(
    value: Readonly<Record<string, unknown>>,
    nested: { parents: NewParent[]; children: ChildWrites[] },
  ): void {
    const { relation } = this.view;
    const known = operationsOf(relation);
    const isLinked = relation.kind === 'belongsToMany';
    const asked = nestedOperations.filter(
      (one) => Object.hasOwn(value, one) && !(isLinked && (one === 'add' || one === 'remove')),
    );
    // The links of a belongsToMany say for themselves what else cannot stand here.
    if (!isLinked)
      for (const key of Object.keys(value))
        if (!known.includes(key as NestedOperation))
          this.note(`${this.path}.${key}`, `only ${listed(known)} can stand here`, onlyOf(known));
    const operations = asked.filter((one) => known.includes(one));
    if (operations.length === 0) return;
    const target = targetOf(this.view);
    if (target === undefined) {
      this.note(this.path, 'cannot be written here', breaks('readOnly'));
      return;
    }
    const { maxDepth } = this.reading.limits;
    if (this.depth >= maxDepth) {
      this.note(
        this.path,
        `is nested deeper than ${maxDepth} levels (limits.maxDepth)`,
        breaks('depth', { max: maxDepth }),
      );
      return;
    }
    for (const operation of operations) this.checkOperation(operation);
    const one = (operation: NestedOperation): unknown =>
      operations.includes(operation) ? value[operation] : undefined;
    if (relation.kind === 'belongsTo') {
      const record = this.readNew(one('create'), target, `${this.path}.create`, emptySet);
      if (record !== undefined) nested.parents.push({ relation, record });
      return;
    }
    if (relation.kind === 'morphTo') return;
    const isOne = relation.kind === 'hasOne';
    const list = (operation: NestedOperation): readonly (readonly [unknown, string])[] =>
      this.itemsOf(one(operation), `${this.path}.${operation}`, isOne);
    const links: Omit<Link, 'id'>[] = [];
    const creates = list('create').flatMap(([item, path]) => {
      const record = this.readChild(item, target, path, links);
      return record ?? [];
    });
    const updates = list('update').flatMap(([item, path]) =>
      this.readUpdate(item, target, path, isOne),
    );
    const deletes = isOne ? this.readDeleteOfOne(one('delete')) : this.readIds(list('delete'));
    const added = this.readMoved(list('add'), target);
    const removed = this.readMoved(list('remove'), target);
    nested.children.push({
      relation,
      path: this.path,
      creates,
      links,
      updates,
      deletes,
      added,
      removed,
    });
  }

  private note(path: string, message: string, broken: BrokenRule): void {
    this.reading.issues.push({ kind: 'type', path, message, ...broken });
  }

  /** Checks the rights of an operation, and that the key that joins the records can be written. */
  private checkOperation(operation: NestedOperation): void {
    if (!mayNest(this.view, this.owner, operation, this.kind)) this.reading.isRefused = true;
    const obstacle = keyObstacle(this.view, this.owner, operation, this.kind);
    if (obstacle !== undefined)
      this.note(`${this.path}.${operation}`, `cannot be done: ${obstacle}`, breaks('readOnly'));
  }

  /** The items of a list with their paths; for a to-one relation, the one value. */
  private itemsOf(
    value: unknown,
    path: string,
    isOne: boolean,
  ): readonly (readonly [unknown, string])[] {
    if (value === undefined) return [];
    if (isOne) return [[value, path]];
    if (Array.isArray(value))
      return value.map((item, index) => [item as unknown, `${path}[${index}]`]);
    this.note(path, 'must be an array', breaks('type', { expected: 'array' }));
    return [];
  }

  private readNew(
    item: unknown,
    target: ResourceView,
    path: string,
    given: ReadonlySet<Field>,
  ): NewRecord | undefined {
    if (item === undefined) return undefined;
    const { reading } = this;
    reading.records += 1;
    if (!isJsonObject(item)) {
      this.note(path, 'must be an object', breaks('type', { expected: 'object' }));
      return undefined;
    }
    const { inputs, resource } = target;
    const isGiven = (field: Field): boolean =>
      given.has(field) ||
      (!field.readOnly && Object.hasOwn(item, fieldNameIn(inputs.values(), field) ?? ''));
    if (lacksClaim(resource, reading.moment, isGiven)) reading.isRefused = true;
    return reading.readNew(item, target, `${path}.`, given, this.depth + 1, reading);
  }

  /** Reads a record to create; for a belongsToMany, its link besides. */
  private readChild(
    item: unknown,
    target: ResourceView,
    path: string,
    links: Omit<Link, 'id'>[],
  ): NewRecord | undefined {
    const { relation } = this.view;
    if (relation.kind !== 'belongsToMany' || !isJsonObject(item))
      return this.readNew(item, target, path, new Set(keysOfChild(relation)));
    const { pivot, ...record } = item;
    const { moment: clockAndIds, issues } = this.reading;
    const context = { view: this.view, relation, kind: 'create', clockAndIds, issues } as const;
    const link = readNewLink(pivot, path, context);
    if (link !== undefined) links.push(link);
    return this.readNew(record, target, path, emptySet);
  }

  private readUpdate(
    item: unknown,
    target: ResourceView,
    path: string,
    isOne: boolean,
  ): readonly ChildUpdate[] {
    const { reading, depth } = this;
    reading.records += 1;
    if (!isJsonObject(item)) {
      this.note(path, 'must be an object', breaks('type', { expected: 'object' }));
      return [];
    }
    const needsId = !isOne || Object.hasOwn(item, 'id');
    if (needsId && !Object.hasOwn(item, 'id')) {
      this.note(`${path}.id`, 'is required', breaks('required'));
      return [];
    }
    const id = needsId ? this.readId(item['id'], `${path}.id`, path) : undefined;
    if (needsId && id === undefined) return [];
    const change = reading.readChange(item, id, target, `${path}.`, depth + 1, reading);
    return [{ id, path, change }];
  }

  private readDeleteOfOne(value: unknown): readonly NamedRecord[] {
    if (value === undefined || value === false) return [];
    this.reading.records += 1;
    const path = `${this.path}.delete`;
    if (value !== true) this.note(path, 'must be true', breaks('enum', { values: [true] }));
    return value === true ? [{ id: undefined, path }] : [];
  }

  private readMoved(
    items: readonly (readonly [unknown, string])[],
    { resource }: ResourceView,
  ): readonly MovedRecord[] {
    if (items.length === 0) return [];
    const values = stampsOf(resource, this.reading.moment);
    return this.readIds(items).map(({ id, path }) => ({
      id,
      path,
      change: {
        kind: 'update',
        resource,
        path: `${path}.`,
        values,
        unchanged: noValues,
        revised: new Map(),
        links: [],
        nested: noNested,
      },
    }));
  }

  private readIds(
    items: readonly (readonly [unknown, string])[],
  ): readonly { readonly id: JsonValue; readonly path: string }[] {
    return items.flatMap(([item, path]) => {
      this.reading.records += 1;
      const value = this.idOf(item, path);
      const id = value === undefined ? undefined : this.readId(value, path);
      return id === undefined ? [] : [{ id, path }];
    });
  }

  /** The id of an item that is an id, or an object with nothing but an id. */
  private idOf(item: unknown, path: string): unknown {
    if (!isJsonObject(item)) return item;
    for (const key of Object.keys(item))
      if (key !== 'id') this.note(`${path}.${key}`, 'only id can stand here', onlyOf(['id']));
    if (Object.hasOwn(item, 'id')) return item['id'];
    this.note(`${path}.id`, 'is required', breaks('required'));
    return undefined;
  }

  private readId(value: unknown, path: string, name = path): JsonValue | undefined {
    const { relation } = this.view;
    if (relation.kind === 'morphTo') return undefined;
    const parsed = readValue(value, relation.target.id);
    if (!parsed.ok) {
      for (const issue of parsed.issues)
        this.reading.issues.push({ ...issue, path: `${path}${issue.path}` });
      return undefined;
    }
    const before = this.named.get(parsed.value);
    if (before !== undefined)
      this.note(
        name,
        `${JSON.stringify(parsed.value)} is named twice; ${before} names it too`,
        breaks('conflict'),
      );
    else this.named.set(parsed.value, name);
    return parsed.value;
  }
}

const emptySet: ReadonlySet<Field> = new Set();

/** `create, update and delete`. */
function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What every update of a record of this resource sets. */
export function stampsOf({ fields }: Resource, { now }: ClockAndIds): FieldValues {
  const stamps = new Map<Field, JsonValue>();
  for (const field of fields.values())
    if (isUpdateStamp(field)) stamps.set(field, momentText(now().toISOString(), field.precision));
  return stamps;
}
