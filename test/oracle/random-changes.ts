import {
  fields,
  joints,
  Reference,
  type Body,
  type Given,
  type Id,
  type Joint,
  type Nested,
  type State,
} from './write-state.ts';
import type { Draw } from './draw.ts';

/** Something that is wrong with a body: the answer names the place. */
export interface Fault {
  readonly status: 400 | 422;
  readonly field: string;
}

/** A random body; what is wrong with it, if something is. */
export interface Drawn {
  readonly body: Body;
  readonly fault: Fault | undefined;
}

interface Writing {
  readonly kind: 'create' | 'update' | 'replace';
  readonly resource: string;
  /** The record that is changed. */
  readonly id?: Id;
  /** Members that follow from where it is nested, or that it must not have. */
  readonly without?: readonly string[];
  readonly path?: string;
  readonly depth?: number;
}

/** Draws bodies that fit a state. Each value that has to be unique is drawn once. */
export class Drawer {
  private readonly draw: Draw;
  private readonly next: () => number;
  /** At most one fault is drawn of a request. */
  private fault: Fault | undefined;
  private mayFail = false;
  /** Ids that the request has named already, which it names once. */
  private named = new Set<string>();

  /** `next` gives ever greater numbers. */
  constructor(draw: Draw, next: () => number) {
    this.draw = draw;
    this.next = next;
  }

  /** Draws a body; `references` are texts for ids that an earlier answer of the batch has. */
  body(state: State, writing: Writing, references: ReadonlyMap<Id, string> = new Map()): Drawn {
    this.fault = undefined;
    this.mayFail = this.draw.chance(25);
    this.named = new Set(writing.id === undefined ? [] : [`${writing.resource} ${writing.id}`]);
    const body = this.draftOf(state, writing, references);
    return { body, fault: this.fault };
  }

  fresh(): string {
    return `u${this.next().toString(36)}`;
  }

  /** A record of a resource that the request has not named; undefined if there is none. */
  unnamed(resource: string, ids: readonly Id[]): Id | undefined {
    const free = ids.filter((id) => !this.named.has(`${resource} ${id}`));
    if (free.length === 0) return undefined;
    const id = this.draw.pick(free);
    this.named.add(`${resource} ${id}`);
    return id;
  }

  private fails(percent: number): boolean {
    return this.mayFail && this.fault === undefined && this.draw.chance(percent);
  }

  private draftOf(state: State, writing: Writing, references: ReadonlyMap<Id, string>): Body {
    const { draw } = this;
    const { kind, resource, without = [], path = '', depth = 0 } = writing;
    const values: Record<string, Given> = {};
    if (resource === 'teams' && kind === 'create') values['id'] = this.fresh();
    const nested: Record<string, Nested> = {};
    for (const [name, joint] of Object.entries(joints[resource] ?? {})) {
      if (without.includes(name) || depth >= 2 || draw.chance(depth === 0 ? 55 : 75)) continue;
      const drawn = this.nestedOf(state, writing, name, joint);
      if (Object.keys(drawn).length > 0) nested[name] = drawn;
    }
    for (const [field, standard] of Object.entries(fields[resource] ?? {})) {
      const isAbove = Object.entries(joints[resource] ?? {}).some(
        ([name, joint]) => joint.kind === 'above' && joint.key === field && name in nested,
      );
      if (without.includes(field) || isAbove) continue;
      const isNeeded = standard === undefined && kind !== 'update';
      if (!isNeeded && draw.chance(50)) continue;
      const value = this.value(state, resource, field, references);
      if (value === undefined) continue;
      values[field] = value;
      const at = `${path}${field}`;
      if (this.fails(12)) this.spoil(values, field, at, isNeeded, state, writing);
    }
    if (resource === 'notes') this.ownNote(values, state, kind);
    return { values, nested };
  }

  /** Makes a value wrong, if it can be in the way that is drawn. */
  private spoil(
    values: Record<string, Given>,
    field: string,
    at: string,
    isNeeded: boolean,
    state: State,
    { kind, resource, depth = 0 }: Writing,
  ): void {
    const isText = ['name', 'title', 'text', 'label', 'code', 'slug'].includes(field);
    switch (this.draw.pick(['long', 'missing', 'type', 'unknown', 'taken'] as const)) {
      case 'long':
        if (!isText || field === 'code' || field === 'slug') return;
        values[field] = 'much too long';
        this.fault = { status: 422, field: at };
        return;
      case 'missing':
        if (!isNeeded) return;
        delete values[field];
        this.fault = { status: 400, field: at };
        return;
      case 'type':
        if (!isText && !['age', 'points', 'weight'].includes(field)) return;
        values[field] = isText ? 1 : 'x';
        this.fault = { status: 400, field: at };
        return;
      case 'unknown':
        values['nme'] = 'x';
        this.fault = { status: 400, field: `${at.slice(0, at.length - field.length)}nme` };
        return;
      case 'taken': {
        const isUnique = field === 'code' || field === 'slug' || resource === 'tags';
        if (!isUnique || !isText || kind !== 'create' || depth > 0) return;
        const taken = [...state.of(resource).values()].flatMap((one) => one[field] ?? []);
        if (taken.length === 0) return;
        values[field] = this.draw.pick(taken);
        this.fault = { status: 422, field: at };
      }
    }
  }

  /** A note is of a task or a team, or of nothing. */
  private ownNote(values: Record<string, Given>, state: State, kind: Writing['kind']): void {
    if (!('subjectType' in values) && !('subjectId' in values)) return;
    delete values['subjectType'];
    delete values['subjectId'];
    if (kind !== 'create') return;
    const type = this.draw.pick(['teams', 'tasks']);
    const ids = [...state.of(type).keys()];
    if (ids.length === 0) return;
    values['subjectType'] = type;
    values['subjectId'] = String(this.draw.pick(ids));
  }

  private value(
    state: State,
    resource: string,
    field: string,
    references: ReadonlyMap<Id, string>,
  ): Given | undefined {
    const { draw } = this;
    switch (field) {
      case 'age':
        return draw.chance(20) ? null : draw.below(100);
      case 'points':
        return draw.below(900);
      case 'weight':
        return draw.below(5);
      case 'slug':
      case 'code':
        return draw.chance(20) ? null : this.fresh();
      case 'teamId':
        return this.key(state, 'teams', resource === 'badges', references);
      case 'personId':
        return this.key(state, 'people', true, references);
      default:
        return resource === 'tags' ? this.fresh() : `n${draw.below(6)}`;
    }
  }

  private key(
    state: State,
    target: string,
    isNeeded: boolean,
    references: ReadonlyMap<Id, string>,
  ): Given | undefined {
    const ids = [...state.of(target).keys()];
    const known = ids.filter((id) => references.has(id));
    if (known.length > 0 && this.draw.chance(60)) {
      const id = this.draw.pick(known);
      return new Reference(id, references.get(id) ?? '');
    }
    if (ids.length === 0) return isNeeded ? undefined : null;
    return !isNeeded && this.draw.chance(20) ? null : this.draw.pick(ids);
  }

  private nestedOf(state: State, writing: Writing, name: string, joint: Joint): Nested {
    const { draw } = this;
    const { kind, resource, id, path = '', depth = 0 } = writing;
    const { target } = joint;
    const place = `${path}${name}`;
    const child = (operation: string, more: Partial<Writing>): Body =>
      this.draftOf(
        state,
        {
          kind: 'create',
          resource: target,
          path: `${place}.${operation}.`,
          depth: depth + 1,
          without: keysOf(joint),
          ...more,
        },
        new Map(),
      );
    if (joint.kind === 'above')
      // Another record above would have the name of this one's own.
      return kind === 'create' || draw.chance(30)
        ? { create: [child('create', { without: backwards[`${resource}.${name}`] ?? [] })] }
        : {};
    const own = kind === 'create' || id === undefined ? [] : state.below(resource, id, name);
    if (joint.kind === 'one') return this.oneOf(target, own, child);
    const nested: { -readonly [K in keyof Nested]: Nested[K] } = {};
    const some = (ids: readonly Id[]): Id[] => {
      const one = this.unnamed(target, ids);
      return one === undefined ? [] : [one];
    };
    const isLinked = joint.kind === 'linked';
    if (draw.chance(30)) nested.delete = some(own);
    if (draw.chance(30) && (joint.isLoose || isLinked)) nested.remove = some(own);
    if (draw.chance(40))
      nested.update = some(own).map((one) => ({
        id: one,
        ...child('update[0]', { kind: 'update', id: one }),
      }));
    if (draw.chance(30))
      nested.add = some([...state.of(target).keys()]).map((one) =>
        isLinked && draw.chance(50) ? { id: one, pivot: { place: draw.below(9) } } : one,
      );
    if (draw.chance(50))
      nested.create = Array.from({ length: 1 + draw.below(2) }, (_, index) => ({
        ...child(`create[${index}]`, {}),
        ...(isLinked && draw.chance(50) ? { pivot: { place: draw.below(9) } } : {}),
      }));
    if (this.fails(25)) {
      const strangers = [...state.of(target).keys()].filter((one) => !own.includes(one));
      const stranger = this.unnamed(target, strangers);
      const operation = draw.pick(['delete', 'update'] as const);
      if (stranger !== undefined && nested[operation] === undefined) {
        if (operation === 'delete') nested.delete = [stranger];
        else nested.update = [{ id: stranger, values: {}, nested: {} }];
        this.fault = { status: 422, field: `${place}.${operation}[0]` };
      }
    }
    return Object.fromEntries(Object.entries(nested).filter(([, list]) => list.length > 0));
  }

  private oneOf(
    target: string,
    own: readonly Id[],
    child: (operation: string, more: Partial<Writing>) => Body,
  ): Nested {
    const [one] = own;
    if (one === undefined) return { create: [child('create', {})] };
    this.named.add(`${target} ${one}`);
    const kind = this.draw.pick(['update', 'delete', 'both'] as const);
    if (kind === 'delete') return { delete: [one] };
    if (kind === 'both') return { delete: [one], create: [child('create', {})] };
    return { update: [{ id: one, ...child('update', { kind: 'update', id: one }) }] };
  }
}

/** The way back to where a record is nested from, which it cannot take. */
const backwards: Readonly<Record<string, readonly string[]>> = {
  'people.team': ['members', 'badge'],
  'tasks.person': ['tasks'],
};

/** The members of a nested record that follow from where it is. */
function keysOf({ kind, key }: Joint): readonly string[] {
  if (kind === 'morph') return ['subjectType', 'subjectId', 'subject'];
  if (key === 'teamId') return ['teamId', 'team'];
  if (key === 'personId') return ['personId', 'person'];
  return [];
}
