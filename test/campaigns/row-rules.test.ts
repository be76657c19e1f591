import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { mostlyInProcess } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { World, type Document, type Item, type Value } from '../support/oracle-model.ts';
import { filterOf } from '../support/oracle-paths.ts';
import { groupOf } from '../support/oracle.ts';
import type { Query } from '../support/oracle-query.ts';
import { seed } from '../support/seed.ts';
import { randomConditions, randomGroup } from '../oracle/conditions.ts';
import { itemOf, recordsOf } from '../oracle/records.ts';
import { specification } from '../oracle/specification.ts';
import { bodyOf, patience } from '../oracle/world.ts';
import { writeQuery } from '../oracle/writing.ts';
import { type Draw, drawOf } from '../oracle/draw.ts';

/**
 * Random rules for writes, and random writes under them, against an oracle that knows the rows as they were before each:
 * it asks the rule of the row that would result, which is not among them. `SERVICES=40 REQUESTS=2000 SEED=random` looks
 * longer, and elsewhere.
 */
const services = Number(process.env['SERVICES'] ?? 6);
const requests = Number(process.env['REQUESTS'] ?? 250);

/** How many rules each resource has, one a role. */
const roles = 8;

type Rule = Pick<Query, 'resource' | 'conditions' | 'groups'>;
type Data = Record<string, Item[]>;

const admin = caller({ sub: 'admin', roles: ['admin'] });

function randomRule(draw: Draw, world: World, resource: string): Rule {
  for (;;) {
    const witness = draw.pick(world.rowsOf(resource));
    const conditions = randomConditions(draw, world, witness, [], false);
    const group = draw.chance(25) ? randomGroup(draw, world, witness, 1) : undefined;
    const groups = group === undefined ? [] : [group];
    if (conditions.length + groups.length > 0) return { resource, conditions, groups };
  }
}

function whereOf(draw: Draw, world: World, rule: Rule): string {
  const query: Query = {
    ...rule,
    // So nothing of pages is written.
    id: '1',
    search: [],
    ids: [],
    sort: [],
    nulls: undefined,
    paging: { mode: 'page', start: 1, limit: undefined },
    expand: [],
    maxDepth: undefined,
    fields: undefined,
    exclude: undefined,
    isCounted: false,
  };
  return writeQuery(draw, world, query).target.replace(/^[^?]*\?/u, '');
}

/** A service with rules, what the oracle knows of it, and who asks. */
class Trial {
  readonly world = new World(specification);
  readonly data: Data;
  readonly counts = { allowed: 0, forbidden: 0, other: 0 };
  both!: Both;
  private readonly draw: Draw;
  /** By role and resource. */
  private readonly rules = new Map<string, Rule & { readonly where: string }>();

  constructor(draw: Draw) {
    this.draw = draw;
    this.data = Object.fromEntries(
      Object.entries(recordsOf(draw, this.world)).map(([name, items]) => [name, [...items]]),
    );
    this.world.fill(this.data);
  }

  async start(): Promise<void> {
    const { draw, world } = this;
    const document = parse(specification) as Document & {
      resources: Record<string, { access?: object }>;
    };
    for (const [name, resource] of Object.entries(document.resources)) {
      const write: (object | string)[] = ['admin'];
      for (let role = 0; role < roles; role += 1) {
        const rule = randomRule(draw, world, name);
        const where = whereOf(draw, world, rule);
        this.rules.set(`${role} ${name}`, { ...rule, where });
        write.push({ role: `r${role}`, where });
      }
      resource.access = { read: 'authenticated', write };
    }
    this.both = mostlyInProcess(await serveBoth(`${withTokens}\n${stringify(document)}`));
    for (const [resource, items] of Object.entries(this.data)) {
      const { status, text } = await this.both.send(
        'POST',
        `/v1/${resource}`,
        items.map(bodyOf),
        admin,
      );
      expect(status, text).toBe(201);
    }
  }

  /** One write by one of the roles, whose outcome is held against what the oracle says. */
  async step(): Promise<void> {
    const { draw } = this;
    const name = draw.pick([...Object.keys(this.data), 'people', 'things', 'things']);
    const role = draw.below(roles);
    if (draw.chance(45)) await this.create(name, role);
    else await this.update(name, role);
  }

  private allows(role: number, resource: string, item: Item): boolean {
    const rule = this.rules.get(`${role} ${resource}`);
    if (rule === undefined) throw new Error(`There is no rule of ${resource}`);
    const row = { resource, item, pivot: undefined };
    return (
      filterOf(this.world, [resource], rule.conditions)(row) &&
      rule.groups.every((group) => groupOf(this.world, resource, group)(row))
    );
  }

  private async create(name: string, role: number): Promise<void> {
    const { draw, data } = this;
    const count = draw.chance(35) ? 2 + draw.below(2) : 1;
    const items: Item[] = [];
    for (let index = 0; index < count; index += 1) items.push(this.newItem(name, role, items));
    const links =
      name === 'things' && count === 1 && draw.chance(40) ? this.randomLinks() : undefined;
    let isAllowed = items.every((item) => this.allows(role, name, item));
    if (links !== undefined) {
      const id = this.nextId(name);
      // The record that the same request creates exists for its links.
      const things = [...(data[name] ?? []), { ...items[0], id }];
      this.world.fill(Object.assign({}, data, { [name]: things }));
      isAllowed &&= links.every((link) => this.allows(role, 'thing-labels', newLink(id, link)));
      this.world.fill(data);
    }
    const bodies = items.map((item): Item => ({
      ...item,
      ...(links && { labels: links.map(sent) }),
    }));
    const body = count === 1 ? bodies[0] : bodies;
    const answer = await this.send('POST', name, role, body, isAllowed);
    if (answer === undefined) return;
    data[name]?.push(...(count === 1 ? [answer as Item] : (answer as Item[])));
    if (links !== undefined) await this.readLinks((answer as Item)['id'] ?? null);
    this.world.fill(data);
  }

  private async update(name: string, role: number): Promise<void> {
    const { draw, data } = this;
    const items = data[name] ?? [];
    const own = items.filter((item) => this.allows(role, name, item));
    const item = draw.pick(own.length > 0 && draw.chance(75) ? own : items);
    const { id: _, ...others } = this.newItem(name, role, []);
    const change = Object.fromEntries(Object.entries(others).filter(() => draw.chance(25)));
    const links = name === 'things' && draw.chance(50) ? this.randomLinks() : undefined;
    const isChanged = Object.keys(change).length > 0;
    const isAllowed =
      this.allows(role, name, item) &&
      (!isChanged || this.allows(role, name, { ...item, ...change })) &&
      (links === undefined || this.allowsLinks(role, item['id'] ?? null, links));
    const body = { ...change, ...(links && { labels: links.map(sent) }) };
    const path = `${name}/${encodeURIComponent(String(item['id']))}`;
    const answer = await this.send('PATCH', path, role, body, isAllowed);
    if (answer === undefined) return;
    data[name] = items.map((one) => (one === item ? (answer as Item) : one));
    if (links !== undefined) await this.readLinks(item['id'] ?? null);
    this.world.fill(data);
  }

  /** Whether the links of a thing may become these. */
  private allowsLinks(role: number, id: Value, links: readonly Link[]): boolean {
    const all = (this.data['thing-labels'] ?? []).filter((link) => link['thingId'] === id);
    const allows = (link: Item): boolean => this.allows(role, 'thing-labels', link);
    const isWanted = (link: Item): boolean => links.some((one) => one.id === link['labelId']);
    return (
      all.filter((link) => !isWanted(link)).every(allows) &&
      links.every((wanted) => {
        const link = all.find((one) => one['labelId'] === wanted.id);
        if (link === undefined) return allows(newLink(id, wanted));
        return wanted.pivot === undefined || (allows(link) && allows({ ...link, ...wanted.pivot }));
      })
    );
  }

  private randomLinks(): readonly Link[] {
    const { draw, data } = this;
    const labels = data['labels'] ?? [];
    const ids = new Set(
      Array.from({ length: draw.below(4) }, () => draw.pick(labels)['id'] ?? null),
    );
    const some = data['thing-labels'] ?? [];
    return [...ids].map((id) => {
      const { position = null, remark = null } = draw.pick(some);
      return draw.chance(50) ? { id } : { id, pivot: { position, remark } };
    });
  }

  private async readLinks(id: Value): Promise<void> {
    const { body } = await this.both.get(`/v1/thing-labels?thingId=${String(id)}&limit=40`, admin);
    const others = (this.data['thing-labels'] ?? []).filter((link) => link['thingId'] !== id);
    this.data['thing-labels'] = [...others, ...(body as Item[])];
  }

  /** The id that the database draws next, as a client may guess. */
  private nextId(name: string): number {
    return Math.max(0, ...(this.data[name] ?? []).map(({ id }) => Number(id))) + 1;
  }

  /** A record to create, often one like those that the rule allows; `before` are those before it in its array. */
  private newItem(name: string, role: number, before: readonly Item[]): Item {
    const { draw, data, world } = this;
    const fresh = itemOf(draw, world, name, data);
    const like = (data[name] ?? []).filter((item) => this.allows(role, name, item));
    const base = like.length > 0 && draw.chance(75) ? draw.pick(like) : fresh;
    const mixed = Object.entries(base).map(([field, value]): [string, Value] => [
      field,
      draw.chance(15) ? (fresh[field] ?? null) : value,
    ]);
    const { id: _, ...item } = Object.fromEntries(mixed);
    const own = this.newId(name);
    if (name === 'profiles') item['personId'] = draw.pick(data['people'] ?? [])['id'] ?? null;
    // Keys to itself and to those before it: what they would justify was not there before.
    if (name === 'things' && draw.chance(15))
      item['parentId'] = this.nextId(name) + draw.below(before.length + 1);
    if (name === 'people' && draw.chance(25))
      item['bossId'] = draw.pick([...before.map(({ id = null }) => id), own ?? null]);
    return own === undefined ? item : { id: own, ...item };
  }

  private newId(name: string): Value | undefined {
    const kind = this.world.resource(name).fields.get('id')?.kind;
    if (kind === 'number') return undefined;
    const drawn = this.draw
      .below(2 ** 31)
      .toString(16)
      .padStart(12, '0');
    return kind === 'uuid' ? `0198c0df-0000-7000-8000-${drawn}` : `new ${drawn}`;
  }

  /** What a write answers that was done; undefined where it was not. */
  private async send(
    method: string,
    path: string,
    role: number,
    body: unknown,
    isAllowed: boolean,
  ): Promise<unknown> {
    const who = caller({ sub: 'me', roles: [`r${role}`] });
    const answer = await this.both.send(method, `/v1/${path}`, body, who);
    const rules = [path.split('/')[0] ?? '', 'thing-labels'].map(
      (name) => `${name}: ${this.rules.get(`${role} ${name}`)?.where}`,
    );
    const told = `${method} ${path} ${JSON.stringify(body)}\n${rules.join('\n')}\n${answer.text}`;
    const { status } = answer;
    const isDone = status === 200 || status === 201;
    if (isDone || status === 403)
      expect(isDone ? 'allowed' : 'forbidden', told).toBe(isAllowed ? 'allowed' : 'forbidden');
    else expect([400, 422], told).toContain(status);
    this.counts[isDone ? 'allowed' : status === 403 ? 'forbidden' : 'other'] += 1;
    return isDone ? (answer.body as unknown) : undefined;
  }
}

interface Link {
  readonly id: Value;
  readonly pivot?: Item;
}

function sent(link: Link): Value {
  return link.pivot === undefined ? link.id : { id: link.id, pivot: { ...link.pivot } };
}

function newLink(thingId: Value, { id, pivot }: Link): Item {
  return { thingId, labelId: id, position: null, remark: null, since: null, ...pivot };
}

test.each(Array.from({ length: services }, (_, index) => seed + 1000 * index))(
  `a write is allowed by what was there before it (seed %i, ${requests} writes)`,
  async (own) => {
    const trial = new Trial(drawOf(own));
    await trial.start();
    try {
      for (let turn = 0; turn < requests; turn += 1) await trial.step();
      expect(trial.both.failures).toEqual([]);
      const { allowed, forbidden, other } = trial.counts;
      expect(allowed).toBeGreaterThan(requests / 20);
      expect(forbidden).toBeGreaterThan(requests / 10);
      expect(other).toBeLessThan(requests / 3);
    } finally {
      await trial.both.stop();
    }
  },
  patience,
);
