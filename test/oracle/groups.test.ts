import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Both } from '../support/both.ts';
import {
  columnName,
  groupPathOf,
  groupsOf,
  keyName,
  type GroupColumn,
  type GroupFunction,
  type GroupPath,
  type GroupQuery,
} from '../support/oracle-groups.ts';
import type { Row, Value, World } from '../support/oracle-model.ts';
import { filterOf, shapeAt } from '../support/oracle-paths.ts';
import { nameOf, type Path, type Query, type Step } from '../support/oracle-query.ts';
import { seed } from '../support/seed.ts';
import { endOf, randomConditions, randomNames } from './conditions.ts';
import { assertOften, patience, read, requests, serveWorld } from './world.ts';
import { writeQuery } from './writing.ts';
import type { Draw } from './draw.ts';

let world: World;
let both: Both;
beforeAll(async () => {
  ({ both, world } = await serveWorld());
});
afterAll(() => both?.stop());

function randomPath(draw: Draw, resource: string): GroupPath | undefined {
  const steps: Step[] = [];
  let at = resource;
  for (let more = draw.pick([0, 0, 0, 1, 1, 2]); more > 0; more -= 1) {
    const toOne = [...world.resource(at).relations.values()].filter(
      ({ isMany, kind }) => !isMany && kind !== 'morphTo',
    );
    if (toOne.length === 0) break;
    const { name, targets } = draw.pick(toOne);
    steps.push({ relation: name });
    at = targets[0] ?? '';
  }
  const names = randomNames(draw, world.resource(at).fields);
  return groupPathOf(world, resource, { steps, isPivot: false, names });
}

function randomKey(draw: Draw, resource: string): GroupPath | undefined {
  const key = randomPath(draw, resource);
  if (key === undefined || !['date', 'datetime'].includes(key.shape.type) || draw.chance(30))
    return key;
  const parts = ['year', 'quarter', 'month', 'week', 'day', 'weekday'];
  return { ...key, part: draw.pick(key.shape.type === 'date' ? parts : [...parts, 'hour']) };
}

const extremes = new Set([
  'string',
  'text',
  'email',
  'url',
  'enum',
  'integer',
  'number',
  'decimal',
]);
const dates = new Set(['date', 'time', 'datetime']);

function randomFunction(draw: Draw, resource: string): GroupFunction | undefined {
  const of = randomPath(draw, resource);
  if (of === undefined || draw.chance(20)) return { name: 'count', of: undefined };
  const { type, definition } = of.shape;
  const isKey = definition.reference !== undefined;
  const names = ['countDistinct'];
  if (!isKey && (extremes.has(type) || dates.has(type))) names.push('min', 'max');
  if (!isKey && (type === 'integer' || type === 'decimal')) names.push('sum', 'avg', 'sum', 'avg');
  return { name: draw.pick(names), of };
}

/** Different things of a list, by their names. */
function some<Thing>(
  most: number,
  draw: Draw,
  one: () => Thing | undefined,
  name: (thing: Thing) => string,
): readonly Thing[] {
  const found = new Map<string, Thing>();
  for (let more = draw.below(most + 1); more > 0; more -= 1) {
    const thing = one();
    if (thing !== undefined) found.set(name(thing), thing);
  }
  return [...found.values()];
}

const functionName = ({ name, of }: GroupFunction): string =>
  of === undefined ? name : `${name}:${nameOf(of.path)}`;

/** Whether a path and an operator are another field: the operator is part of its name. */
function isField(resource: string, { steps, names }: Path, operator: string): boolean {
  const { fields } = endOf(world, resource, steps);
  return shapeAt(fields, [...names.slice(0, -1), `${names.at(-1) ?? ''}${operator}`]) !== undefined;
}

function randomGroups(draw: Draw, resource: string, rows: readonly Row[]): GroupQuery {
  const keys = some(3, draw, () => randomKey(draw, resource), keyName);
  const asked = some(4, draw, () => randomFunction(draw, resource), functionName);
  const functions =
    keys.length === 0 && asked.length === 0 ? [{ name: 'count', of: undefined }] : asked;
  const query: GroupQuery = { keys, functions, having: [], sort: [], nulls: undefined };
  const column = (): GroupColumn =>
    keys.length > 0 && draw.chance(40)
      ? draw.below(keys.length)
      : (randomFunction(draw, resource) ?? { name: 'count', of: undefined });
  const sorted = some(2, draw, column, (one) => columnName(query, one));
  const sort = sorted.map((one) => ({ column: one, descending: draw.chance(50) }));
  const having = some(2, draw, column, (one) => columnName(query, one)).flatMap((one) => {
    const isFunction = typeof one !== 'number';
    const witness = groupsOf(world, rows, {
      ...query,
      functions: isFunction ? [one] : [],
    });
    const group = witness.length === 0 ? undefined : draw.pick(witness);
    const member = isFunction ? group?.[one.name] : group?.['group'];
    const path = isFunction ? one.of && nameOf(one.of.path) : columnName(query, one);
    const value: Value | undefined =
      path === undefined ? member : (member as Record<string, Value> | undefined)?.[path];
    if (value === undefined || value === null)
      return [{ column: one, operator: '_null', operand: String(draw.chance(50)) }];
    const isOrdered = isFunction && one.name !== 'min' && one.name !== 'max';
    const operator = draw.pick(
      isOrdered ? ['', '_neq', '_gt', '_gte', '_lt', '_lte'] : ['', '_neq'],
    );
    const of = isFunction ? one.of : keys[one];
    if (operator !== '' && of !== undefined && isField(resource, of.path, operator)) return [];
    return [{ column: one, operator, operand: String(value) }];
  });
  return { ...query, sort, having, nulls: draw.pick([undefined, undefined, 'first', 'last']) };
}

function written(query: GroupQuery): URLSearchParams {
  const { keys, functions, having, sort, nulls } = query;
  const search = new URLSearchParams();
  if (keys.length > 0) search.set('group', keys.map(keyName).join(','));
  if (functions.length > 0) search.set('aggregate', functions.map(functionName).join(','));
  const pairs = having.map(
    ({ column, operator, operand }) =>
      `${columnName(query, column)}${operator}:"${operand.replaceAll(/["\\]/gu, String.raw`\$&`)}"`,
  );
  if (pairs.length > 0) search.set('having', pairs.join(','));
  const order = sort.map(
    ({ column, descending }) => `${descending ? '-' : ''}${columnName(query, column)}`,
  );
  if (order.length > 0) search.set('sort', order.join(','));
  if (nulls !== undefined) search.set('nulls', nulls);
  return search;
}

const times = Math.ceil(requests / 3);

test(
  `${times} random groups are what the oracle says, on both databases (seed ${seed})`,
  async () => {
    await assertOften(times, async (draw) => {
      const filled = [...world.resources.keys()].filter((name) => world.rowsOf(name).length > 0);
      const resource = draw.pick(filled);
      const all = world.rowsOf(resource);
      const conditions = draw.chance(50)
        ? randomConditions(draw, world, draw.pick(all), [], false)
        : [];
      const rows = all.filter(filterOf(world, [resource], conditions));
      const groups = randomGroups(draw, resource, rows);
      const limit = draw.pick([1, 3, 40]);
      const page = draw.pick([1, 1, 1, 2]);
      const list: Query = {
        resource,
        id: undefined,
        conditions,
        groups: [],
        search: [],
        ids: [],
        sort: [],
        nulls: undefined,
        paging: { mode: 'page', start: page, limit },
        expand: [],
        maxDepth: undefined,
        fields: undefined,
        exclude: undefined,
        isCounted: true,
      };
      const { target } = writeQuery(draw, world, list);
      const path = `${target}&${written(groups).toString()}`;
      const answer = await read(both, path);
      expect(answer.status, `${path}\n${answer.text}`).toBe(200);
      // `group` alone says how many records there are.
      const functions =
        groups.functions.length === 0 ? [{ name: 'count', of: undefined }] : groups.functions;
      const expected = groupsOf(world, rows, { ...groups, functions });
      expect(answer.body, path).toEqual(expected.slice((page - 1) * limit, page * limit));
      expect(answer.headers.get('x-total-count'), path).toBe(String(expected.length));
    });
    expect(both.failures).toEqual([]);
  },
  patience,
);
