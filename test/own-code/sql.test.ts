import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Code, Sql } from '../../src/extensions/code.ts';
import { PlinthError } from '../../src/client/runtime.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `
resources:
  makers:
    fields: { name: { type: string } }
  things:
    table: all-things
    searchIndex: true
    search: [name]
    fields:
      name: { type: string, required: true, unique: true, column: label }
      number: { type: integer }
      big: { type: integer, format: bigint }
      price: { type: decimal, precision: 8, scale: 2 }
      done: { type: boolean, default: false }
      ratio: { type: number }
      due: { type: datetime }
      day: { type: date }
      at: { type: time }
      data: { type: object, properties: { b: { type: integer }, a: { type: array, items: { type: string } } } }
      any: { type: json }
      bytes: { type: string, format: base64 }
      secret: { type: string, writeOnly: true }
      maker: { type: relation, relation: belongsTo, resource: makers }
`;

const full = {
  name: 'full',
  number: 7,
  big: '9007199254740993',
  price: '12.50',
  done: true,
  ratio: 0.1,
  due: '2026-03-01T14:05:00.120Z',
  day: '2026-03-01',
  at: '14:05:00',
  data: { b: 1, a: ['x'] },
  any: [1, { z: null }],
  bytes: 'AAH/',
  secret: 's',
};

type Case = (sql: Sql) => Promise<unknown>;

/** What SQL gives. */
const given: Readonly<Record<string, readonly [Case, unknown]>> = {
  'rows are objects': [
    (sql) => sql`select label, number from "all-things" order by label`,
    [
      { label: 'full', number: 7 },
      { label: 'plain', number: null },
    ],
  ],
  'columns of fields are as the API shows them': [
    (sql) =>
      sql`select big, price, done, ratio, due, day, at, data, "any", bytes, secret from "all-things" where label = ${'full'}`,
    [
      Object.fromEntries(
        Object.entries(full).filter(([name]) => !['name', 'number'].includes(name)),
      ),
    ],
  ],
  'a field under another name': [
    (sql) => sql`select t.done as finished, t.due as d from "all-things" t where done = ${true}`,
    [{ finished: true, d: full.due }],
  ],
  'no rows': [(sql) => sql`select label from "all-things" where label = ${"x' or '1'='1"}`, []],
  'what is computed': [
    (sql) =>
      sql`select count(*) as n, max(label) as l, min(number) + 1 as more, cast(min(number) as double precision) / 2 as half from "all-things"`,
    [{ n: 2, l: 'plain', more: 8, half: 3.5 }],
  ],
  'an integer that no double holds': [
    (sql) =>
      sql`select cast(${9007199254740993n} as bigint) as n, cast(${9007199254740991n} as bigint) as m`,
    [{ n: '9007199254740993', m: 9007199254740991 }],
  ],
  'a query in WITH': [
    (sql) => sql`
    -- a comment
    /* another */ with a_few as (select label from "all-things") select count(*) as n from a_few`,
    [{ n: 2 }],
  ],
  'rows without a table': [
    (sql) => sql`values (1, 'a'), (2, 'b')`,
    [
      { column1: 1, column2: 'a' },
      { column1: 2, column2: 'b' },
    ],
  ],
  'a name': [
    (sql) =>
      sql`select ${sql.name('label')} from ${sql.name('all-things')} where ${sql.name('label')} = ${'full'}`,
    [{ label: 'full' }],
  ],
  bytes: [
    (sql) =>
      sql`select label from "all-things" where bytes = ${new Uint8Array([0, 1, 255])} and bytes = ${Buffer.from('AAH/', 'base64')}`,
    [{ label: 'full' }],
  ],
  'a date': [
    (sql) => sql`select label from "all-things" where due = ${new Date(full.due)}`,
    [{ label: 'full' }],
  ],
  null: [
    (sql) => sql`select label from "all-things" where number is not distinct from ${null}`,
    [{ label: 'plain' }],
  ],
  'a limit': [
    (sql) => sql`select label from "all-things" order by label limit ${1} offset ${1}`,
    [{ label: 'plain' }],
  ],
};

/** SQL that is not taken, and what is said of it. */
const refused: Readonly<Record<string, readonly [Case, RegExp]>> = {
  'two statements': [
    (sql) => sql`select 1; delete from "all-things"`,
    /more than one statement|multiple commands/u,
  ],
  'a syntax error': [
    (sql) => sql`select label\nform "all-things"`,
    /"?(?:form|"all-things")"?.*\(line 2, column [16]\)/u,
  ],
  'an unknown column': [(sql) => sql`select labl from "all-things"`, /labl.*\(line 1, column 8\)/u],
  'an unknown table': [(sql) => sql`select 1 from nothing`, /nothing.*\(line 1, column 15\)/u],
  'the schema': [
    (sql) => sql`drop table "all-things"`,
    /^DROP is not taken here\. Begin with one of SELECT/u,
  ],
  'a pragma': [(sql) => sql` pragma user_version`, /^PRAGMA is not taken/u],
  'a transaction': [(sql) => sql`/* x */ commit`, /^COMMIT is not taken/u],
  'an attached file': [(sql) => sql`attach 'x.db' as x`, /^ATTACH is not taken/u],
  nothing: [(sql) => sql``, /^The statement is not taken/u],
  'two columns of one name': [
    (sql) => sql`select label, number as label from "all-things"`,
    /^Two columns are named label\. Rename/u,
  ],
  'a constraint': [
    (sql) => sql`insert into "all-things" (label, done) values (${'full'}, ${false})`,
    /unique/iu,
  ],
  undefined: [
    (sql) => sql`select ${1}, ${undefined as never}`,
    /^value 2 of the SQL is undefined\. For NULL, write null$/u,
  ],
  'an object': [(sql) => sql`select ${{ a: 1 } as never}`, /is an object\. For JSON/u],
  'an object in a list': [
    (sql) => sql`select ${[1, {}] as never}`,
    /^item 2 of value 1 of the SQL is an object/u,
  ],
  'a part': [
    (sql) => sql`select 1 ${sql`where 1=1` as never}`,
    /is a promise\. SQL is not put together/u,
  ],
  'no number': [(sql) => sql`select ${Number.NaN}`, /is NaN, which/u],
  'a text': [
    (sql) => (sql as unknown as (text: string) => Promise<unknown>)('select 1'),
    /^sql is the tag of a template/u,
  ],
};

const cases = { ...given, ...refused };
let transaction: ((sql: Sql) => Promise<unknown>) | undefined;
let told: unknown[] = [];
let later: Promise<unknown> | undefined;

const outcome = async (work: Promise<unknown>): Promise<unknown> =>
  work.catch((error: unknown) => ({
    message: (error as Error).message,
    ...(error instanceof PlinthError ? { status: error.body.status, code: error.body.code } : {}),
  }));

const code: Code = {
  resources: {
    makers: {
      beforeCreate(_maker, { also }) {
        also(({ name }) => ({
          method: 'POST',
          path: '/things',
          body: { name: `of ${String(name)}` },
        }));
      },
      async afterCommit({ operation, after }, { db }) {
        if (operation !== 'create') return;
        told.push(
          await outcome(
            db.asOwner
              .sql`select label from "all-things" where label = ${`of ${String(after?.['name'])}`}`,
          ),
        );
      },
    },
    things: {
      async beforeCreate(thing, { db }) {
        if (transaction !== undefined) thing['number'] = await transaction(db.asOwner.sql);
      },
    },
  },
  endpoints: {
    'GET /cases/:name': ({ params, db }) =>
      outcome(
        cases[params['name'] as keyof typeof cases]?.[0](db.asOwner.sql) ??
          Promise.reject(new Error('no case')),
      ),
    'GET /uncaught': ({ db }) => db.asOwner.sql`select secret form "all-things"`,
    'GET /rows': ({ db, query }) =>
      outcome(
        db.asOwner
          .sql`with recursive n(i, t) as (select 1, cast(${'x'.repeat(1000)} as text) union all select i + 1, t from n where i < ${Number(query['count'])}) select i, t from n`.then(
          (rows) => rows.count,
        ),
      ),
    'GET /has': ({ db }) => [typeof db.asOwner.sql, 'sql' in db],
    'GET /late': ({ db }) => {
      const { sql } = db.asOwner;
      later = new Promise((resolve) => setTimeout(resolve, 20)).then(
        () => sql`select count(*) as n from makers`,
      );
      return 1;
    },
    'POST /write': async ({ db }) => {
      const { sql } = db.asOwner;
      const added =
        await sql`insert into "all-things" (label, done, price) values (${'a'}, ${false}, null), (${'b'}, ${true}, null) returning label, done`;
      const changed =
        await sql`update "all-things" set number = ${5} where label in (${'a'}, ${'b'})`;
      const seen = await sql`select number from "all-things" where label = 'a'`;
      const deleted = await sql`delete from "all-things" where label = ${'b'}`;
      return [added, added.count, changed, changed.count, seen, deleted.count];
    },
  },
};

let own: Own;
beforeAll(async () => {
  own = await serveOwn(
    specification,
    code,
    {
      things: [full, { name: 'plain' }],
    },
    { mode: 'dev', answerLength: 1_000_000 },
  );
});
afterAll(() => own.stop());
beforeEach(() => {
  transaction = undefined;
  told = [];
});

test.each(Object.entries(given))('%s', async (name, [, rows]) => {
  const { status, body } = await own.get(`/v1/cases/${encodeURIComponent(name)}`);
  expect([status, body]).toEqual([200, rows]);
});

test.each(Object.entries(refused))('refused: %s', async (name, [, message]) => {
  for (const side of own.sides) {
    const { body } = await side.get(`/v1/cases/${encodeURIComponent(name)}`);
    expect(body).toMatchObject({ message: expect.stringMatching(message) as unknown });
    if ('code' in body)
      expect(body).toMatchObject(
        name === 'a constraint'
          ? { status: 409, code: 'CONFLICT' }
          : { status: 400, code: 'INVALID_SQL' },
      );
  }
});

test('writes tell what they return and how many rows they change, and totals notice them', async () => {
  const total = async (): Promise<unknown> =>
    (await own.get('/v1/things?limit=0')).headers.get('x-total-count');
  const before = await total();
  expect((await own.send('POST', '/v1/write')).body).toEqual([
    [
      { label: 'a', done: false },
      { label: 'b', done: true },
    ],
    2,
    [],
    2,
    [{ number: 5 }],
    1,
  ]);
  for (const side of own.sides) {
    const { headers, body } = await side.get('/v1/things?limit=1&name=a');
    expect([headers.get('x-total-count'), body]).toMatchObject(['1', [{ name: 'a', number: 5 }]]);
    expect((await side.get('/v1/things?search=a&name=a')).body).toHaveLength(1);
  }
  expect(await total()).toBe(String(Number(before) + 1));
});

test('a failure that nobody catches is 500, and the client learns nothing of it', async () => {
  const { status, text } = await own.get('/v1/uncaught');
  expect(status).toBe(500);
  expect(text).not.toMatch(/secret|syntax/u);
  expect(own.taken().join()).toMatch(/line 1, column/u);
});

test('rows have the memory of a response', async () => {
  expect((await own.get('/v1/rows?count=500')).body).toBe(500);
  for (const side of own.sides)
    expect((await side.get('/v1/rows?count=2000')).body).toMatchObject({
      status: 400,
      code: 'LIMIT_EXCEEDED',
    });
});

test('the caller has no SQL, and no path leads to it', async () => {
  expect((await own.get('/v1/has')).body).toEqual(['function', false]);
  for (const path of ['/_sql', '/v1/_sql'])
    expect((await own.send('POST', path, { texts: ['select 1'], parts: [] })).status).toBe(404);
  const operations = [{ method: 'POST', path: '/_sql', body: { texts: ['select 1'], parts: [] } }];
  expect((await own.send('POST', '/v1/_batch', operations)).status).toBe(404);
});

test('SQL after the request has ended runs', async () => {
  for (const side of own.sides) {
    await side.get('/v1/late');
    expect(await later).toEqual([{ n: 0 }]);
  }
});

test('it is recorded as a step of the request with its statement, and counted', async () => {
  transaction = async (sql) => (await sql`select 7 as seven`)[0]?.['seven'];
  for (const side of own.sides) {
    const { body } = await side.send('POST', '/v1/things?_debug=true&_trace=true', { name: 'c' });
    expect(body.data.number).toBe(7);
    const { queries } = body._debug.database as { readonly queries: { readonly sql: string }[] };
    expect(queries.map(({ sql }) => sql)).toContain('select 7 as seven');
    await side.send('DELETE', `/v1/things/${String(body.data.id)}`);
    expect((await side.get('/_metrics')).text).toMatch(
      /plinth_own_code_calls_total\{[^}]*"sql"[^}]*\} [1-9]/u,
    );
  }
});

test.each<readonly [string, (sql: Sql) => Promise<unknown>, number, unknown]>([
  [
    'it sees what was written',
    async (sql) => (await sql`select count(*) as n from makers where name = 'm'`)[0]?.['n'],
    201,
    1,
  ],
  [
    'what it writes is committed with it',
    async (sql) => (await sql`update makers set name = 'n' where name = 'm'`).count,
    201,
    1,
  ],
  [
    'what it could not do undoes all, though it is caught',
    async (sql) => {
      await sql`insert into makers (name) values ('half')`;
      await sql`select nothing`.catch(() => undefined);
      return 1;
    },
    500,
    undefined,
  ],
])('in a transaction: %s', async (_name, work, status, number) => {
  transaction = work;
  for (const side of own.sides) {
    const list = async (path: string): Promise<unknown[]> =>
      (await side.get(path)).body as unknown[];
    told = [];
    const before = await list('/v1/makers');
    expect((await side.send('POST', '/v1/makers', { name: 'm' })).status).toBe(status);
    const made = await list('/v1/things?name=of%20m');
    if (status === 500) expect([made, await list('/v1/makers')]).toEqual([[], before]);
    else {
      expect(made).toMatchObject([{ number }]);
      await expect.poll(() => told).toEqual([[{ label: 'of m' }]]);
      for (const path of ['things?name=of%20m', 'makers?name_in=m,n'])
        await side.send('DELETE', `/v1/${path}`);
    }
  }
  own.taken();
});

test.each<readonly [string, string, (sql: Sql) => Promise<unknown>]>([
  ['what the database does not take', 'INTERNAL_ERROR', (sql) => sql`select nothing`],
  [
    'what breaks a constraint',
    'INTERNAL_ERROR',
    (sql) => sql`insert into "all-things" (label) values ('of early')`,
  ],
])(
  'in the transaction of a batch it sees earlier operations, and undoes all by %s',
  async (_name, code, fails) => {
    const operations = ['early', 'm'].map((name) => ({
      method: 'POST',
      path: '/makers',
      body: { name },
    }));
    for (const side of own.sides) {
      const state = async (): Promise<readonly unknown[]> => [
        (await side.get('/v1/makers')).body,
        (await side.get('/v1/things')).body,
      ];
      const before = await state();
      const count = async (sql: Sql): Promise<unknown> =>
        (await sql`select count(*) as n from makers where name in ('early', 'm')`)[0]?.['n'];
      for (const isCaught of [true, false]) {
        transaction = async (sql) => {
          const seen = await count(sql);
          if (seen !== 2) return seen;
          await sql`update makers set name = 'half' where name = 'early'`;
          await (isCaught ? fails(sql).catch(() => undefined) : fails(sql));
          return seen;
        };
        const refused = await side.send('POST', '/v1/_batch', operations);
        expect([refused.status, refused.body.code]).toEqual([500, code]);
        expect(await state()).toEqual(before);
      }
      transaction = count;
      expect((await side.send('POST', '/v1/_batch', operations)).status).toBe(200);
      const made = await side.get('/v1/things?name_in=of early,of m&sort=number');
      expect(made.body).toMatchObject([{ number: 1 }, { number: 2 }]);
      await side.send('DELETE', '/v1/things?name_in=of early,of m');
      await side.send('DELETE', '/v1/makers?name_in=early,m');
    }
    own.taken();
  },
);
