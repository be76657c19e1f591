import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/databases/database.ts';
import {
  changedResources,
  renewRecords,
  type FieldsOf,
  type Renewed,
} from '../../src/generate/fill/renew.ts';
import type { Generator } from '../../src/generate/generator.ts';
import type { Resource } from '../../src/model/api.ts';
import { quote } from '../../src/sql/dialect.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { makeFolder } from '../support/command.ts';
import { fillAll, generated, generatorOf, serveGenerated, type Row } from './generate.ts';

/**
 * Fields that are new in the file, in records that are there: they get what a database that is made anew has in them.
 * Adding a field leaves the other values as they were. See
 * docs/contract/7-data-debug-dashboard.md#generated-data, rule 2.
 */
const world = `generate: { count: 30 }
resources:
  users:
    fields:
      id: { type: id, format: uuid }
      email: { type: email, required: true }
      name: { type: string, required: true }
      born: { type: date }
      score: { type: decimal, precision: 8, scale: 2 }
      tags: { type: array, items: { type: string } }
      address: { type: object, properties: { city: { type: string }, zip: { type: string } } }
  folders:
    unique: [[parentId, label]]
    fields:
      label: { type: string, required: true }
      code: { type: string, unique: true, pattern: '^[A-Z]{3}[0-9]{3}$' }
      parentId: { type: integer, reference: folders.id }
      ownerId: { type: uuid, reference: users.id }
  votes:
    generate: { per: folder, min: 1, max: 3 }
    fields:
      folderId: { type: integer, required: true, reference: folders.id }
      folder: { type: relation, relation: belongsTo, resource: folders }
      kind: { type: enum, values: [up, down], required: true }
      castAt: { type: datetime }
      ownerType: { type: string }
      ownerId: { type: string }
      owner: { type: relation, relation: morphTo, resources: [users, folders] }
`;
const lacking = {
  users: ['born', 'score', 'tags', 'address'],
  folders: ['code', 'parentId', 'ownerId'],
  votes: ['castAt', 'ownerType', 'ownerId'],
};

/** Nobody stops it. */
const { signal: never } = new AbortController();

let both: Both;

beforeAll(async () => {
  both = await serveGenerated(world);
});
afterAll(() => both.stop());

async function rowsOf(name: string): Promise<Row[]> {
  return (await both.get(`/v1/${name}?limit=100&sort=id`)).body as Row[];
}

async function run(sql: string): Promise<void> {
  for (const { servedApi } of both.sides)
    await servedApi.database.write(({ run: change }) =>
      change({ sql, parameters: [] }, { bound: [] }),
    );
}

/** Gives records the values of `generator`, where all were made by `former`. */
function renewAll(
  generator: Generator,
  former: Generator | undefined,
  database: Database,
  resources: FieldsOf,
): Promise<ReadonlyMap<Resource, Renewed>> {
  const renewing = {
    generator,
    formerOf: () => former,
    dialect: database.dialect,
    resources,
    signal: never,
  };
  return database.write((transaction) => renewRecords(renewing, transaction));
}

async function empty(name: keyof typeof lacking): Promise<void> {
  const sets = lacking[name].map((field) => `${quote(field)} = NULL`);
  await run(`UPDATE ${quote(name)} SET ${sets.join(', ')}`);
}

/** Fills fields on both sides, as `text` has them. */
async function fill(name: keyof typeof lacking, text = world): Promise<Renewed | undefined> {
  const found = [];
  for (const { servedApi } of both.sides) {
    const { api, generator } = await generatorOf(text);
    const resource = api.resources.get(name);
    if (resource === undefined) throw new Error(name);
    const fields = lacking[name].flatMap((field) => resource.fields.get(field) ?? []);
    const filled = await renewAll(
      generator,
      undefined,
      servedApi.database,
      new Map([[resource, fields]]),
    );
    found.push(filled.get(resource));
  }
  expect(found[1]).toEqual(found[0]);
  return found[0];
}

const withRequired = world.replace('scale: 2 }', 'scale: 2, required: true }');

test.each(['users', 'folders', 'votes'] as const)(
  'records of %s get what they would have from the beginning, once',
  async (name) => {
    const before = await rowsOf(name);
    expect(before.some((row) => lacking[name].some((field) => row[field] !== null))).toBe(true);
    await empty(name);
    expect(await rowsOf(name)).not.toEqual(before);
    expect(await fill(name)).toMatchObject({ written: 0 });
    expect(await rowsOf(name)).toEqual(before);
    // What is null by chance stays so.
    expect(await fill(name)).toMatchObject({ generated: 0, written: 0 });
  },
);

test('what somebody has written stays null where it may, and is filled where it may not be', async () => {
  const before = await rowsOf('users');
  const [first, second] = before;
  const written = { email: 'ada@example.com', name: 'Ada' };
  const made = (await both.send('POST', '/v1/users', written)).body as Row;
  expect((await both.send('PATCH', `/v1/users/${String(first?.['id'])}`, written)).status).toBe(
    200,
  );
  await both.send('PATCH', `/v1/users/${String(second?.['id'])}`, { name: 'Ada' });
  await empty('users');
  // Half of what the second one had is another: that is not most of it.
  expect(await fill('users')).toMatchObject({ generated: 28, written: 0 });
  const rows = await rowsOf('users');
  for (const id of [first?.['id'], second?.['id'], made['id']])
    expect(rows.find((row) => row['id'] === id)).toMatchObject({
      name: 'Ada',
      born: null,
      score: null,
    });
  expect(rows.filter(({ name }) => name !== 'Ada')).toEqual(before.slice(2));
  expect(await fill('users', withRequired)).toMatchObject({ generated: 0, written: 3 });
  for (const row of await rowsOf('users')) expect(row['score']).toMatch(/^-?\d+\.\d\d$/u);
  expect((await rowsOf('users')).filter(({ born }) => born === null)).toHaveLength(3);
  await both.send('DELETE', `/v1/users/${String(made['id'])}`);
});

test('keys lead to records that are there, and what is unique stays so', async () => {
  const before = await rowsOf('folders');
  const [codes, parents] = ['code', 'parentId'].map((name) => before.map((row) => row[name]));
  await empty('folders');
  const gone = Number(parents?.find((parent) => Number(parent) > 3 && parent !== 20));
  await run(`DELETE FROM "votes" WHERE "folderId" = ${gone}`);
  await run(`DELETE FROM "folders" WHERE "id" = ${gone}`);
  // Somebody has the code of another record already.
  await run(`UPDATE "folders" SET "code" = '${String(codes?.[2])}' WHERE "id" = 20`);
  await fill('folders');
  const rows = await rowsOf('folders');
  expect(rows).toHaveLength(29);
  for (const row of rows) {
    const made = before.find(({ id }) => id === row['id']);
    expect(row['ownerId'] ?? null).toEqual(row['id'] === 3 ? null : (made?.['ownerId'] ?? null));
    if (made?.['parentId'] === gone) expect(row['parentId']).toBe(null);
  }
  expect(rows.find(({ id }) => id === 20)).toMatchObject({ code: codes?.[2] });
  // The database refuses the whole of what it would get.
  expect(rows.find(({ id }) => id === 3)).toMatchObject({ code: null, parentId: null });
});

test('a key that may not be null leads to a record that is there where its own is gone', async () => {
  const text = world
    .replace('ownerId: { type: uuid,', 'ownerId: { type: uuid, required: true,')
    .replace(
      'type: integer, reference: folders.id',
      'type: integer, required: true, reference: folders.id',
    );
  await empty('folders');
  await run(`UPDATE "votes" SET "ownerType" = NULL, "ownerId" = NULL`);
  await run(`DELETE FROM "users" WHERE "name" <> 'Ada'`);
  await run(`INSERT INTO "users" ("id", "email", "name")
    VALUES ('018f0000-0000-7000-8000-000000000001', 'eve@example.com', 'Eve')`);
  await fill('folders', text);
  const users = (await rowsOf('users')).map(({ id }) => id);
  const folders = await rowsOf('folders');
  const ids = folders.map(({ id }) => id);
  for (const row of folders) {
    expect(users).toContain(row['ownerId']);
    expect(ids).toContain(row['parentId']);
    expect(Number(row['parentId'])).toBeLessThanOrEqual(Number(row['id']));
  }
});

test('a pair leads to a record that is there, or to none where it may', async () => {
  const owned = async (): Promise<Record<string, number>> => {
    const found: Record<string, number> = {};
    const users = (await rowsOf('users')).map(({ id }) => id);
    const folders = (await rowsOf('folders')).map(({ id }) => String(id));
    for (const { ownerType, ownerId } of await rowsOf('votes')) {
      const there = ownerType === 'users' ? users : folders;
      const kind = ownerType === null && ownerId === null ? 'none' : there.includes(ownerId ?? '');
      found[String(kind)] = (found[String(kind)] ?? 0) + 1;
    }
    return found;
  };
  await empty('votes');
  await fill('votes');
  const { true: led = 0, none = 0, ...others } = await owned();
  expect([led > 0, none > 0, others]).toEqual([true, true, {}]);
  const text = world
    .replace('ownerType: { type: string', 'ownerType: { required: true, type: string')
    .replace('ownerId: { type: string', 'ownerId: { required: true, type: string');
  await fill('votes', text);
  expect(await owned()).toEqual({ true: led + none });
});

test('of a resource whose records are written nothing is filled', async () => {
  await run(`UPDATE "users" SET "name" = 'x', "email" = 'x@example.com'`);
  await empty('users');
  expect(await fill('users', withRequired)).toMatchObject({ generated: 0, written: 0 });
});

describe('an edit of the file', () => {
  const shop = `generate: { count: 30 }
resources:
  makers: { fields: { name: { type: string, required: true } } }
  products:
    fields:
      name: { type: string, required: true }
      slug: { type: string, template: '{{self.state}}-{{row}}', unique: true }
      state: { type: string, values: [new, old] }
      price: { type: decimal, precision: 10, scale: 2, minimum: 1, maximum: 9 }
      size: { type: object, properties: { width: { type: integer, minimum: 1, maximum: 5 } } }
      soldAt: { type: datetime }
      makerId: { type: integer, reference: makers.id }
`;
  const edits = {
    'of values': ['values: [new, old]', 'values: [used, broken]'],
    'of bounds': ['minimum: 1, maximum: 9', 'minimum: 20, maximum: 90'],
    'of a member': ['minimum: 1, maximum: 5', 'minimum: 6, maximum: 9'],
    'of a generator': [
      'soldAt: { type: datetime }',
      'soldAt: { type: datetime, generator: date.future }',
    ],
    'of the language': ['generate: { count: 30 }', 'generate: { count: 30, locale: de }'],
    'of unique values': ["'{{self.state}}-{{row}}'", '\'{{number.int({"min": 1, "max": 40})}}\''],
    'of nothing that is generated': [
      'name: { type: string, required: true }',
      'name: { type: string, description: a, required: true }',
    ],
  } as const;
  let shops: Both;

  beforeEach(async () => {
    shops = await serveGenerated(shop);
  });
  afterEach(() => shops.stop());

  async function renew(text: string, former: string): Promise<void> {
    for (const { servedApi } of shops.sides) {
      const [next, before] = [await generatorOf(text), await generatorOf(former)];
      const changed = changedResources(next.generator, () => before.generator);
      const resources = new Map(changed.map((resource) => [resource, []] as const));
      await renewAll(next.generator, before.generator, servedApi.database, resources);
    }
  }
  const products = async (): Promise<Row[]> =>
    (await shops.get('/v1/products?limit=100&sort=id')).body as Row[];

  test.each(Object.entries(edits))(
    '%s gives records the values of the new file',
    async (name, [from, to]) => {
      const text = shop.replace(from, () => to);
      const { products: wanted = [] } = await generated(text);
      const before = await products();
      await shops.send('PATCH', '/v1/products/3', { state: 'mine', size: { width: 3 } });
      await shops.send('POST', '/v1/products', { name: 'mine' });
      await renew(text, shop);
      const after = await products();
      const own = (row: Row): boolean => row['id'] !== 3 && Number(row['id']) < 31;
      // Keys stay as they are.
      expect(after.filter(own)).toEqual(
        wanted
          .filter(own)
          .map((row) => ({ ...row, makerId: before[Number(row['id']) - 1]?.['makerId'] })),
      );
      expect(after[2]).toMatchObject({
        state: 'mine',
        size: { width: 3 },
        price: wanted[2]?.['price'],
      });
      expect(after[30]).toMatchObject({ name: 'mine', price: null, state: null });
      const isSame = JSON.stringify(after.filter(own)) === JSON.stringify(before.filter(own));
      expect(isSame).toBe(name === 'of nothing that is generated');
      // And back again.
      await renew(shop, text);
      expect((await products()).filter(own)).toEqual(before.filter(own));
    },
  );

  test('a bound that only a late record shows is one of all', async () => {
    const former = shop.replace('{ count: 30 }', '{ count: 400 }');
    const many = await serveBoth(former);
    try {
      for (const { servedApi } of many.sides) {
        await fillAll(servedApi.api, servedApi.database);
        const before = await generatorOf(former);
        const names = (await generated(former))['makers']?.map(({ name }) => String(name)) ?? [];
        const longest = (all: readonly string[]): number =>
          Math.max(...all.map(({ length }) => length));
        const most = longest(names.slice(0, 25));
        expect(longest(names)).toBeGreaterThan(most);
        const next = await generatorOf(former.replace('name: {', `name: { maxLength: ${most},`));
        const changed = changedResources(next.generator, () => before.generator);
        expect(changed.map(({ name }) => name)).toEqual(['makers']);
      }
    } finally {
      await many.stop();
    }
  });

  test('a value that a later record has is given once that has its own', async () => {
    const former = `generate: { count: 700 }
resources: { things: { fields: { name: { type: string }, code: { type: string, unique: true, template: 'k{{row}}' } } } }
`;
    const text = former.replace("template: 'k{{row}}'", 'generator: ./after.ts#next');
    const many = await serveBoth(former);
    const folder = makeFolder({
      'after.ts': 'export const next = ({ row }) => `k${row + 600}`;\n',
    });
    try {
      for (const { servedApi } of many.sides) {
        await fillAll(servedApi.api, servedApi.database);
        const before = await generatorOf(former);
        const { api, generator } = await generatorOf(text, {}, folder.path);
        const things = api.resources.get('things');
        if (things === undefined) throw new Error('things');
        const renewed = await renewAll(
          generator,
          before.generator,
          servedApi.database,
          new Map([[things, []]]),
        );
        expect(renewed.get(things)?.generated).toBe(700);
      }
      const rows = (await many.get('/v1/things?limit=100&sort=id')).body as Row[];
      expect(rows.map(({ code }) => code)).toEqual(rows.map(({ id }) => `k${Number(id) + 600}`));
    } finally {
      await many.stop();
    }
  });

  test('a number that has become a decimal is still the one that was made', async () => {
    const former = shop.replace(
      'price: { type: decimal, precision: 10, scale: 2,',
      'price: { type: integer,',
    );
    const { products: wanted = [] } = await generated(shop);
    const whole =
      (await generated(former))['products']?.map(
        ({ id, price }) => `(${Number(id)}, ${Number(price)})`,
      ) ?? [];
    for (const { servedApi } of shops.sides) {
      const { database } = servedApi;
      const unit = database.dialect.name === 'sqlite' ? '* 100 ' : '';
      await database.write(({ run: change }) =>
        change(
          {
            sql: `UPDATE "products" SET "price" = v.p ${unit}FROM (WITH w(i, p) AS (VALUES ${whole.join(', ')}) SELECT i, p FROM w) v WHERE v.i = "products"."id"`,
            parameters: [],
          },
          { bound: [] },
        ),
      );
    }
    expect((await products()).map(({ price }) => price)).not.toEqual(
      wanted.map(({ price }) => price),
    );
    await renew(shop, former);
    expect((await products()).map(({ price }) => price)).toEqual(wanted.map(({ price }) => price));
  });

  test('another seed leaves all as it is', async () => {
    const before = await products();
    await renew(shop.replace('{ count: 30 }', '{ count: 30, seed: 2 }'), shop);
    expect(await products()).toEqual(before);
  });
});
