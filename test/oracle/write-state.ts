/** What writes leave behind, said in a few lines for one specification: nested ones, upserts, changes of many. */

export const specification = `
access: public
limits: { maxLimit: 2000, bulkItems: 400, batchItems: 400 }
resources:
  teams:
    fields:
      id: { type: id, format: string }
      name: { type: string, required: true, maxLength: 8 }
      slug: { type: string, nullable: true, unique: true }
      members: { type: relation, relation: hasMany, resource: people }
      badge: { type: relation, relation: hasOne, resource: badges }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  people:
    fields:
      name: { type: string, required: true, maxLength: 8 }
      age: { type: integer, nullable: true, minimum: 0, maximum: 99 }
      code: { type: string, nullable: true, unique: true }
      teamId: { type: string, nullable: true, reference: teams.id }
      team: { type: relation, relation: belongsTo, resource: teams }
      tasks: { type: relation, relation: hasMany, resource: tasks }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: people-tags, withPivot: [place] }
  badges:
    fields:
      label: { type: string, required: true, maxLength: 8 }
      teamId: { type: string, required: true, unique: true, reference: teams.id }
  tasks:
    fields:
      title: { type: string, required: true, maxLength: 8 }
      points: { type: integer, default: 1, maximum: 999 }
      personId: { type: integer, required: true, reference: people.id, onDelete: cascade }
      person: { type: relation, relation: belongsTo, resource: people }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  tags:
    fields:
      name: { type: string, required: true, maxLength: 8, unique: true }
      weight: { type: integer, nullable: true }
  people-tags:
    fields:
      personId: { type: integer, required: true, reference: people.id, onDelete: cascade }
      tagId: { type: integer, required: true, reference: tags.id, onDelete: cascade }
      place: { type: integer, nullable: true }
  notes:
    fields:
      text: { type: string, required: true, maxLength: 8 }
      subjectType: { type: string, nullable: true }
      subjectId: { type: string, nullable: true }
      subject: { type: relation, relation: morphTo, typeField: subjectType, idField: subjectId }
`;

export type Id = string | number;
export type Value = string | number | null;
export type Item = Readonly<Record<string, Value>>;

export const resources = ['teams', 'people', 'badges', 'tasks', 'tags', 'people-tags', 'notes'];

/** The own fields of each resource that a body may have, with their defaults; undefined: it is required. */
export const fields: Readonly<Record<string, Readonly<Record<string, Value | undefined>>>> = {
  teams: { name: undefined, slug: null },
  people: { name: undefined, age: null, code: null, teamId: null },
  badges: { label: undefined, teamId: undefined },
  tasks: { title: undefined, points: 1, personId: undefined },
  tags: { name: undefined, weight: null },
  notes: { text: undefined, subjectType: null, subjectId: null },
};

/** Where a body can nest records, and what joins them to their owner. */
export interface Joint {
  readonly kind: 'many' | 'one' | 'morph' | 'linked' | 'above';
  readonly target: string;
  /** The key: of the target, or of an `above` of the owner. */
  readonly key: string;
  /** Whether the target can be without an owner. */
  readonly isLoose: boolean;
}

const many = (target: string, key: string, isLoose: boolean): Joint => ({
  kind: 'many',
  target,
  key,
  isLoose,
});

/** The relations in the order of the file. */
export const joints: Readonly<Record<string, Readonly<Record<string, Joint>>>> = {
  teams: {
    members: many('people', 'teamId', true),
    badge: { kind: 'one', target: 'badges', key: 'teamId', isLoose: false },
    notes: { kind: 'morph', target: 'notes', key: 'subjectId', isLoose: true },
  },
  people: {
    team: { kind: 'above', target: 'teams', key: 'teamId', isLoose: true },
    tasks: many('tasks', 'personId', false),
    tags: { kind: 'linked', target: 'tags', key: '', isLoose: true },
  },
  tasks: {
    person: { kind: 'above', target: 'people', key: 'personId', isLoose: false },
    notes: { kind: 'morph', target: 'notes', key: 'subjectId', isLoose: true },
  },
  badges: {},
  tags: {},
  notes: {},
};

/** A value that is written as a reference to an earlier answer of a batch. */
export class Reference {
  readonly value: Id;
  readonly text: string;

  constructor(value: Id, text: string) {
    this.value = value;
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

export type Given = Value | Reference;

export function plain(value: Given): Value {
  return value instanceof Reference ? value.value : value;
}

/** A body: its own values, and what it nests. */
export interface Body {
  readonly values: Readonly<Record<string, Given>>;
  readonly nested: Readonly<Record<string, Nested>>;
}

/** What a body nests under the name of a relation. */
export interface Nested {
  readonly create?: readonly (Body & { readonly pivot?: { readonly place: number } })[];
  readonly update?: readonly (Body & { readonly id: Id })[];
  readonly delete?: readonly Id[];
  readonly add?: readonly (Id | { readonly id: Id; readonly pivot: { readonly place: number } })[];
  readonly remove?: readonly Id[];
}

/** A record is written that the same request has deleted with another one. */
export class Missing extends Error {}

/** The records of every resource. */
export class State {
  readonly records: Map<string, Map<Id, Item>>;
  /** The last integer id of each resource. */
  private readonly last: Map<string, number>;

  constructor(other?: State) {
    this.records = new Map(resources.map((name) => [name, new Map(other?.of(name) ?? [])]));
    this.last = new Map(other?.last ?? []);
  }

  of(resource: string): Map<Id, Item> {
    const records = this.records.get(resource);
    if (records === undefined) throw new Error(`There are no ${resource}`);
    return records;
  }

  get(resource: string, id: Id): Item {
    const item = this.of(resource).get(id);
    if (item === undefined) throw new Missing(`There is no ${id} in ${resource}`);
    return item;
  }

  /** The records that belong to one, by a relation. */
  below(resource: string, id: Id, name: string): Id[] {
    const joint = joints[resource]?.[name];
    if (joint === undefined) throw new Error(`There is no ${resource}.${name}`);
    const { kind, target, key } = joint;
    if (kind === 'linked') return this.links(id).map(({ tagId }) => Number(tagId));
    return [...this.of(target)]
      .filter(
        ([, item]) =>
          String(item[key]) === String(id) &&
          (kind !== 'morph' || item['subjectType'] === resource),
      )
      .map(([one]) => one);
  }

  private links(personId: Id): Item[] {
    return [...this.of('people-tags').values()].filter((link) => link['personId'] === personId);
  }

  private set(resource: string, id: Id, changes: Item): void {
    this.of(resource).set(id, { ...this.get(resource, id), ...changes });
  }

  /** Creates a record with what its body nests, and gives its id. */
  create(resource: string, body: Body, key: Item = {}): Id {
    const above = this.createAbove(resource, body);
    const given = valuesOf(body);
    const id = given['id'] ?? this.next(resource);
    const values: Record<string, Value> = { id };
    for (const [field, standard = null] of Object.entries(fields[resource] ?? {}))
      values[field] = given[field] ?? standard;
    this.of(resource).set(id, { ...values, ...above, ...key });
    this.writeBelow(resource, id, body);
    return id;
  }

  private next(resource: string): number {
    const id = (this.last.get(resource) ?? 0) + 1;
    this.last.set(resource, id);
    return id;
  }

  update(resource: string, id: Id, body: Body): void {
    this.set(resource, id, { ...valuesOf(body), ...this.createAbove(resource, body) });
    this.writeBelow(resource, id, body);
  }

  replace(resource: string, id: Id, body: Body): void {
    const standards = Object.entries(fields[resource] ?? {}).map(
      ([field, standard = null]) => [field, standard] as const,
    );
    this.set(resource, id, {
      ...Object.fromEntries(standards),
      ...valuesOf(body),
      ...this.createAbove(resource, body),
    });
    this.writeBelow(resource, id, body);
  }

  private createAbove(resource: string, { nested }: Body): Item {
    const keys: Record<string, Value> = {};
    for (const [name, { create = [] }] of Object.entries(nested)) {
      const joint = joints[resource]?.[name];
      const [one] = create;
      if (joint?.kind === 'above' && one !== undefined)
        keys[joint.key] = this.create(joint.target, one);
    }
    return keys;
  }

  private writeBelow(resource: string, id: Id, { nested }: Body): void {
    for (const [name, joint] of Object.entries(joints[resource] ?? {})) {
      const written = nested[name];
      if (written === undefined || joint.kind === 'above') continue;
      const { target, kind } = joint;
      for (const one of written.delete ?? [])
        if (this.of(target).has(one)) this.remove(target, one);
      for (const one of written.remove ?? [])
        if (kind === 'linked') this.unlink(id, one);
        else this.set(target, one, ownerOf(resource, joint, null));
      for (const one of written.update ?? []) this.update(target, one.id, one);
      for (const one of written.add ?? []) {
        const added = typeof one === 'object' ? one.id : one;
        if (kind !== 'linked') this.set(target, added, ownerOf(resource, joint, id));
        else this.link(id, added, typeof one === 'object' ? one.pivot.place : undefined);
      }
      for (const one of written.create ?? [])
        if (kind === 'linked') this.link(id, this.create(target, one), one.pivot?.place);
        else this.create(target, one, ownerOf(resource, joint, id));
    }
  }

  private link(personId: Id, tagId: Id, place: number | undefined): void {
    const known = this.links(personId).find((link) => link['tagId'] === tagId);
    const key = `${personId}-${tagId}`;
    this.of('people-tags').set(key, {
      personId,
      tagId,
      place: place ?? known?.['place'] ?? null,
    });
  }

  private unlink(personId: Id, tagId: Id): void {
    this.of('people-tags').delete(`${personId}-${tagId}`);
  }

  /** Whether something keeps a record from being deleted. */
  isNeeded(resource: string, id: Id): boolean {
    return resource === 'teams' && this.below('teams', id, 'badge').length > 0;
  }

  /** Deletes a record, with what its relations lead to or with their keys to it. */
  remove(resource: string, id: Id): void {
    this.of(resource).delete(id);
    for (const [name, joint] of Object.entries(joints[resource] ?? {}))
      if (joint.kind === 'many' || joint.kind === 'morph')
        for (const one of this.below(resource, id, name))
          if (name === 'members') this.set('people', one, { teamId: null });
          else this.remove(joint.target, one);
    const field = resource === 'people' ? 'personId' : resource === 'tags' ? 'tagId' : undefined;
    if (field === undefined) return;
    for (const [key, link] of this.of('people-tags'))
      if (link[field] === id) this.of('people-tags').delete(key);
  }
}

function valuesOf({ values }: Body): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).map(([field, value]) => [field, plain(value)] as const),
  );
}

/** The fields that say whose a record is. */
function ownerOf(resource: string, { kind, key }: Joint, id: Id | null): Item {
  if (kind !== 'morph') return { [key]: id };
  return { subjectType: id === null ? null : resource, subjectId: id === null ? null : String(id) };
}

/** A body as it is sent. */
export function sent(resource: string, { values, nested }: Body): object {
  const below = Object.entries(nested).map(([name, written]) => {
    const joint = joints[resource]?.[name];
    const target = joint?.target ?? '';
    const isOne = joint?.kind === 'one' || joint?.kind === 'above';
    const { create, update, delete: deleted, ...others } = written;
    const created = create?.map(({ pivot, ...body }) => ({
      ...sent(target, body),
      ...(pivot === undefined ? {} : { pivot }),
    }));
    const updated = update?.map(({ id, ...body }) => ({
      ...(isOne ? {} : { id }),
      ...sent(target, body),
    }));
    const all = {
      create: isOne ? created?.[0] : created,
      update: isOne ? updated?.[0] : updated,
      delete: isOne ? (deleted === undefined ? undefined : true) : deleted,
      ...others,
    };
    return [name, all] as const;
  });
  return { ...values, ...Object.fromEntries(below) };
}
