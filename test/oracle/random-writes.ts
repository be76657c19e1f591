import { expect } from 'vitest';
import type { Answer } from '../support/api.ts';
import type { Both } from '../support/both.ts';
import {
  fieldsOf,
  type Definition,
  type Item,
  type Relation,
  type Value,
} from '../support/oracle-model.ts';
import { defaultOf, mustBeSent } from './random-fields.ts';
import type { Data, Recorder } from './random-records.ts';
import type { Draw } from './draw.ts';

/** Random writes that a specification takes, and what they leave; the data is what a test believes to be stored. */
export class Writer {
  private readonly draw: Draw;
  private readonly both: Both;
  private readonly recorder: Recorder;
  readonly data: Data;
  /** The last integer id that each resource has given out. */
  private readonly counts = new Map<string, number>();

  constructor(draw: Draw, both: Both, recorder: Recorder, data: Data) {
    this.draw = draw;
    this.both = both;
    this.recorder = recorder;
    this.data = data;
    for (const [name, items] of Object.entries(data)) this.counts.set(name, items.length);
  }

  /** Writes once, in one of the ways there are, and checks what is answered. */
  async write(): Promise<void> {
    const filled = Object.keys(this.data).filter((name) => (this.data[name] ?? []).length > 0);
    if (filled.length === 0) return;
    const name = this.draw.pick(filled);
    const item = this.draw.pick(this.data[name] ?? []);
    switch (this.draw.pick(['patch', 'patch', 'put', 'put', 'post', 'delete', 'links'] as const)) {
      case 'patch':
        return this.patch(name, item);
      case 'put':
        return this.put(name, item);
      case 'post':
        return this.post(name);
      case 'delete':
        return this.remove(name, item);
      case 'links':
        return this.link(name, item);
    }
  }

  /** What a create of a record could send, and the id of one that was there; undefined if nothing is found. */
  draft(): { readonly name: string; readonly id: string; readonly body: Item } | undefined {
    const names = Object.keys(this.data);
    const name = this.draw.pick(names);
    const items = this.data[name] ?? [];
    const item = this.recorder.candidate(name, this.data, items.length, false);
    const id = items.length === 0 ? '1' : String(this.draw.pick(items)['id']);
    return item && { name, id, body: this.recorder.body(name, item) };
  }

  private async send(method: string, path: string, body?: unknown): Promise<Answer> {
    const answer = await this.both.send(method, path, body).catch((cause: unknown) => {
      throw new Error(`${method} ${path} ${JSON.stringify(body)}\n${String(cause)}`, { cause });
    });
    return answer;
  }

  private pathOf(name: string, item: Item): string {
    return `/v1/${name}/${encodeURIComponent(String(item['id']))}`;
  }

  private replace(name: string, item: Item, next: Item): void {
    this.data[name] = (this.data[name] ?? []).map((one) => (one === item ? next : one));
  }

  private others(name: string, item: Item): readonly Item[] {
    return (this.data[name] ?? []).filter((one) => one !== item);
  }

  /** Every value that a client may send of a record, drawn anew; undefined where a field can have none. */
  private drawn(name: string): Record<string, Value> | undefined {
    const values = this.recorder.candidate(name, this.data, 0, false);
    if (values === undefined) return undefined;
    delete values['id'];
    for (const [field, { readOnly }] of fieldsOf(this.recorder.document, name))
      if (readOnly === true) delete values[field];
    return values;
  }

  private async expectShown(
    method: string,
    name: string,
    item: Item,
    body: object,
    next: Item,
  ): Promise<void> {
    const answer = await this.send(method, this.pathOf(name, item), body);
    const what = `${method} ${this.pathOf(name, item)} ${JSON.stringify(body)}`;
    expect(answer.status, `${what}\n${answer.text}`).toBe(200);
    expect(answer.body, what).toEqual(this.recorder.shown(name, next));
    this.replace(name, item, next);
  }

  private async patch(name: string, item: Item): Promise<void> {
    const values = this.drawn(name);
    if (values === undefined) return;
    const pairs = this.recorder.pairsOf(name);
    const sent: Record<string, Value> = {};
    for (const [field, definition] of this.definitions(name)) {
      const value = values[field];
      if (value === undefined || definition.immutable === true || this.draw.chance(60)) continue;
      sent[field] = value;
      for (const { keys } of pairs.filter((pair) => isPartOf(pair, field)))
        for (const key of [keys.typeField, keys.idField]) sent[key] = values[key] ?? null;
    }
    const next = { ...item, ...sent };
    if (!this.recorder.isDistinct(name, next, this.others(name, item))) return;
    await this.expectShown('PATCH', name, item, sent, next);
  }

  private async put(name: string, item: Item): Promise<void> {
    const values = this.drawn(name);
    if (values === undefined) return;
    const sent: Record<string, Value> = {};
    const next: Record<string, Value> = { ...item };
    const pairs = this.recorder.pairsOf(name);
    for (const [field, definition] of this.definitions(name)) {
      const value = values[field];
      if (value === undefined) continue;
      const isPair = pairs.some((pair) => isPartOf(pair, field));
      const isSent = isPair || mustBeSent(definition) || this.draw.chance(60);
      const { immutable = false, writeOnly = false } = definition;
      if (immutable && isSent && !writeOnly) sent[field] = item[field] ?? null;
      else if (!immutable && isSent) next[field] = sent[field] = value;
      else if (!immutable && !writeOnly) next[field] = defaultOf(definition);
    }
    if (!this.recorder.isDistinct(name, next, this.others(name, item))) return;
    await this.expectShown('PUT', name, item, sent, next);
  }

  /** What an update may change; a value that others point to has to stay. */
  private definitions(name: string): [string, Definition][] {
    const { document } = this.recorder;
    const referred = new Set(
      Object.keys(document.resources).flatMap((resource) =>
        fieldsOf(document, resource).map(([, { reference }]) => reference),
      ),
    );
    return fieldsOf(document, name)
      .filter(
        ([field, { type, readOnly }]) => type !== 'relation' && field !== 'id' && readOnly !== true,
      )
      .map(([field, one]) => [
        field,
        referred.has(`${name}.${field}`) ? { ...one, required: true, immutable: true } : one,
      ]);
  }

  private async post(name: string): Promise<void> {
    const count = (this.counts.get(name) ?? 0) + 1;
    const item = this.recorder.candidate(name, this.data, count - 1, false);
    const items = this.data[name] ?? [];
    if (item === undefined || items.some(({ id }) => id === item['id'])) return;
    if (!this.recorder.isDistinct(name, item, items)) return;
    const body = this.recorder.body(name, item);
    const answer = await this.send('POST', `/v1/${name}`, body);
    const what = `POST ${name} ${JSON.stringify(body)}\n${answer.text}`;
    expect(answer.status, what).toBe(201);
    expect(answer.body, what).toEqual(this.recorder.shown(name, item));
    expect(answer.headers.get('location')).toBe(this.pathOf(name, item));
    this.counts.set(name, count);
    items.push(item);
  }

  private async remove(name: string, item: Item): Promise<void> {
    const left = this.afterDelete(name, [item]);
    const answer = await this.send('DELETE', this.pathOf(name, item));
    const what = `DELETE ${this.pathOf(name, item)}\n${answer.text}`;
    if (left === 'unclear' ? answer.status === 409 : left === undefined) {
      expect(answer.status, what).toBe(409);
      return;
    }
    expect(answer.status, what).toBe(204);
    const missing = await this.send('GET', this.pathOf(name, item));
    expect(missing.status, what).toBe(404);
    if (left === undefined) return;
    Object.assign(this.data, left === 'unclear' ? await this.stored() : left);
  }

  /** What is left when records go: undefined where another needs one, unclear where that one goes as well. */
  private afterDelete(name: string, items: readonly Item[]): Data | 'unclear' | undefined {
    const gone = new Set(items);
    const nulled: (readonly [string, Item, readonly string[]])[] = [];
    const restricting: Item[] = [];
    const queue = items.map((item): readonly [string, Item] => [name, item]);
    for (const [owner, one] of queue)
      for (const { resource, fields, action, holds } of this.pointing(owner, one))
        for (const other of (this.data[resource] ?? []).filter(holds)) {
          if (action === 'restrict') restricting.push(other);
          else if (action === 'setNull') nulled.push([resource, other, fields]);
          else if (!gone.has(other)) {
            gone.add(other);
            queue.push([resource, other]);
          }
        }
    if (restricting.some((one) => !gone.has(one))) return undefined;
    if (restricting.length > 0) return 'unclear';
    const next: Data = {};
    for (const [resource, items] of Object.entries(this.data))
      next[resource] = items.flatMap((one) => {
        if (gone.has(one)) return [];
        const fields = nulled.flatMap(([, other, keys]) => (other === one ? keys : []));
        return fields.length === 0
          ? [one]
          : [{ ...one, ...Object.fromEntries(fields.map((field) => [field, null])) }];
      });
    return next;
  }

  /** What points to a record, and what becomes of it. */
  private pointing(name: string, item: Item): readonly Pointing[] {
    const { document, world } = this.recorder;
    const found: Pointing[] = [];
    const junction = new Set(
      [...world.resources.values()].flatMap(({ relations }) =>
        [...relations.values()].flatMap(({ keys: { through, ownKey, otherKey }, kind }) =>
          kind === 'belongsToMany' ? [`${through}.${ownKey}`, `${through}.${otherKey}`] : [],
        ),
      ),
    );
    for (const resource of Object.keys(document.resources)) {
      for (const [field, definition] of fieldsOf(document, resource)) {
        const { reference = '', required = false, nullable = !required, onDelete } = definition;
        const [target, key = ''] = reference.split('.');
        if (target !== name) continue;
        const usual = junction.has(`${resource}.${field}`)
          ? 'cascade'
          : nullable
            ? 'setNull'
            : 'restrict';
        found.push({
          resource,
          fields: [field],
          action: onDelete ?? usual,
          holds: (one) => (one[field] ?? null) !== null && one[field] === item[key],
        });
      }
      for (const { keys } of this.recorder.pairsOf(resource))
        for (const [type, owner] of keys.owners)
          if (owner === name)
            found.push({
              resource,
              fields: [keys.typeField, keys.idField],
              action: this.morphAction(name, resource, keys.typeField),
              holds: (one) =>
                one[keys.typeField] === type && String(one[keys.idField]) === String(item['id']),
            });
    }
    return found;
  }

  private morphAction(owner: string, resource: string, typeField: string): string {
    const many = fieldsOf(this.recorder.document, owner).find(
      ([, one]) =>
        one.relation === 'morphMany' && one.resource === resource && one.typeField === typeField,
    );
    return many?.[1].onDelete ?? 'restrict';
  }

  /** Writes the links of a belongsToMany as a whole or in part. */
  private async link(name: string, item: Item): Promise<void> {
    const { document, world } = this.recorder;
    const many = [...world.resource(name).relations.values()].filter(
      ({ kind, keys }) =>
        kind === 'belongsToMany' &&
        !fieldsOf(document, keys.through).some(
          ([field, one]) =>
            field !== keys.ownKey &&
            field !== keys.otherKey &&
            (mustBeSent(one) || one.unique === true),
        ) &&
        document.resources[keys.through]?.unique === undefined,
    );
    if (many.length === 0) return;
    const relation = this.draw.pick(many);
    const { keys, targets } = relation;
    const targetItems = this.data[targets[0] ?? ''] ?? [];
    if (targetItems.length === 0) return;
    const ids = Array.from({ length: this.draw.below(4) }, () =>
      String(this.draw.pick(targetItems)['id']),
    );
    const known = new Map(targetItems.map(({ id = null }) => [String(id), id]));
    const wanted = [...new Set(ids)];
    const before = new Set(
      (this.data[keys.through] ?? [])
        .filter((one) => one[keys.ownKey] === item['id'] && one[keys.otherKey] !== null)
        .map((one) => String(one[keys.otherKey])),
    );
    const asIds = (list: readonly string[]): Value[] => list.map((id) => known.get(id) ?? null);
    const kind = this.draw.pick(['all', 'pivot', 'part'] as const);
    const pivots = new Map<string, Item>();
    if (kind === 'pivot')
      for (const id of wanted) {
        const pivot = this.pivot(relation);
        if (pivot !== undefined) pivots.set(id, pivot);
      }
    const sent =
      kind === 'part'
        ? {
            add: asIds(ids),
            remove: asIds([...before].filter((id) => !ids.includes(id)).slice(0, 1)),
          }
        : kind === 'all'
          ? asIds(ids)
          : wanted.map((id) => {
              const pivot = pivots.get(id);
              return { id: known.get(id) ?? null, ...(pivot === undefined ? {} : { pivot }) };
            });
    const after =
      kind === 'part'
        ? new Set(
            [...before, ...wanted].filter(
              (id) => !(sent as { remove: Value[] }).remove.some((one) => String(one) === id),
            ),
          )
        : new Set(wanted);
    const body = { [relation.name]: sent };
    const path = this.pathOf(name, item);
    const left = this.afterDelete(
      keys.through,
      (this.data[keys.through] ?? []).filter(
        (one) =>
          one[keys.ownKey] === item['id'] &&
          one[keys.otherKey] !== null &&
          !after.has(String(one[keys.otherKey])),
      ),
    );
    const answer = await this.send('PATCH', path, body);
    const what = `PATCH ${path} ${JSON.stringify(body)}\n${answer.text}`;
    // Others need a link that goes.
    if (left === 'unclear' ? answer.status === 422 : left === undefined) {
      expect(answer.status, what).toBe(422);
      return;
    }
    expect(answer.status, what).toBe(200);
    expect(answer.body, what).toEqual(this.recorder.shown(name, item));
    const links = (await this.readAll(keys.through)).filter(
      (one) => one[keys.ownKey] === item['id'] && one[keys.otherKey] !== null,
    );
    expect(new Set(links.map((one) => String(one[keys.otherKey]))), what).toEqual(after);
    for (const one of links) {
      const pivot = pivots.get(String(one[keys.otherKey]));
      if (pivot !== undefined) expect(one, what).toMatchObject(pivot);
    }
    const last = links.map(({ id }) => Number(id)).filter((id) => !Number.isNaN(id));
    this.counts.set(keys.through, Math.max(this.counts.get(keys.through) ?? 0, ...last));
    // Links that go may take with them what points to them.
    Object.assign(this.data, await this.stored());
  }

  /** Values for a link. */
  private pivot({ pivot, keys }: Relation): Item | undefined {
    const values = this.drawn(keys.through);
    if (pivot.size === 0 || values === undefined) return undefined;
    return Object.fromEntries(
      [...pivot]
        .filter(
          ([, { definition }]) => definition.readOnly !== true && definition.immutable !== true,
        )
        .map(([name]) => [name, values[name] ?? null]),
    );
  }

  /** Everything that is stored, as it is read. */
  async stored(): Promise<Data> {
    const data: Data = {};
    for (const name of Object.keys(this.data)) data[name] = await this.readAll(name);
    return data;
  }

  private async readAll(name: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { status, body, text } = await this.send('GET', `/v1/${name}?cursor=${cursor}`);
      expect(status, text).toBe(200);
      items.push(...(body.data as Item[]));
      cursor = body.next_cursor as string | null;
    }
    return items;
  }

  /** Checks that what is stored is what the writes have left. */
  async check(): Promise<void> {
    const byId = (items: readonly Item[]): Readonly<Record<string, Item>> =>
      Object.fromEntries(items.map((item) => [`id ${String(item['id'])}`, item]));
    for (const [name, items] of Object.entries(await this.stored()))
      expect(byId(items), name).toEqual(
        byId((this.data[name] ?? []).map((item) => this.recorder.shown(name, item))),
      );
  }
}

interface Pointing {
  readonly resource: string;
  readonly fields: readonly string[];
  readonly action: string;
  readonly holds: (item: Item) => boolean;
}

function isPartOf({ keys }: Relation, field: string): boolean {
  return field === keys.typeField || field === keys.idField;
}
