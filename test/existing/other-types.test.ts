import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCursor } from '../../src/query/read/cursor.ts';
import { existingPostgres, inForms, type Existing } from '../support/existing.ts';
import { fillAll } from '../generate/generate.ts';
import { build, buildValid } from '../support/api.ts';

// Types of which the service knows the name alone. See docs/contract/8-existing-databases.md#types, rule 6.
const sql = `
CREATE EXTENSION ltree;
CREATE TYPE pair AS (a integer, b text);
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TYPE url AS (host text);
CREATE TABLE slots (id serial PRIMARY KEY, during int4range, path ltree, pair pair, mood mood, address inet, target url);
INSERT INTO slots (during, path, pair, mood, address, target) VALUES
  ('[10,11)', 'b.a', '(10,x)', 'happy', '10.0.0.1', '(a)'), ('[9,10)', 'b', '(9,x)', 'sad', '9.0.0.1', '(b)'),
  ('[9,10)', 'a.c', '(9,y)', 'happy', '8.0.0.1', '(c)');`;
const specification = (during = 'int4range'): string => `
access: public
database: { managed: false }
resources:
  slots:
    fields:
      during: { type: string, format: ${during} }
      path: { type: string, format: ltree }
      pair: { type: string, format: pair }
      mood: { type: enum, values: [sad, happy] }
      address: { type: string, format: inet }
      target: { type: string, format: '"url"' }
`;

let existing: Existing;
beforeAll(async () => {
  existing = await existingPostgres(specification(), sql);
});
afterAll(() => existing?.stop());

const ids = async (query: string): Promise<unknown> =>
  ((await existing.api.get(`/slots?${query}`)).body as { id: number }[]).map(({ id }) => id);

test('values are sorted in the order of their type, not of their texts', async () => {
  expect(await ids('sort=during')).toEqual([2, 3, 1]);
  expect(await ids('sort=-during,-path')).toEqual([1, 2, 3]);
  expect(await ids('sort=path')).toEqual([3, 2, 1]);
});

test('a cursor goes on behind a value that it does not carry', async () => {
  const { body } = await existing.api.get('/slots?sort=during&limit=2&cursor=');
  const cursor = body.next_cursor as string;
  expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('[9,10)');
  const next = await existing.api.get(`/slots?sort=during&limit=2&cursor=${cursor}`);
  expect(next.body.data.map(({ id }: { id: number }) => id)).toEqual([1]);
});

test.each(['during', 'path', 'address', 'mood'])(
  'a forged cursor of %s is refused before it reaches the database',
  async (sort) => {
    const cursor = encodeCursor({
      version: 1,
      resource: 'slots',
      sort,
      nulls: '',
      values: ['no value', 1],
    });
    const { status, body } = await existing.api.get(`/slots?sort=${sort}&cursor=${cursor}`);
    expect([status, body.code]).toEqual([400, 'INVALID_CURSOR']);
  },
);

test('values group records', async () => {
  const { status, body } = await existing.api.get('/slots?group=during');
  expect([status, body]).toEqual([
    200,
    [
      { group: { during: '[9,10)' }, count: 2 },
      { group: { during: '[10,11)' }, count: 1 },
    ],
  ]);
});

test('a type without an order cannot be sorted by, and the answer says why', async () => {
  const { status, body } = await existing.api.get('/slots?sort=pair');
  expect([status, body.message]).toEqual([
    400,
    'sort: pair cannot be sorted by: it is of type string with format: pair, which has no order',
  ]);
});

test('filters are for equality and null', async () => {
  expect(await ids('pair=(9,x)')).toEqual([2]);
  expect(await ids('target="(b)"')).toEqual([]);
  expect(await ids('target=(b)')).toEqual([2]);
  expect(await ids('pair_null=true')).toEqual([]);
  for (const filter of ['pair_gt=(9,x)', 'pair_like=9', 'during_lt=[9,10)'])
    expect((await existing.api.get(`/slots?${filter}`)).status).toBe(400);
});

test('OpenAPI names the type', async () => {
  const { body } = await existing.api.get('/_openapi.json');
  const { properties } = body.components.schemas.Slot;
  expect([properties.pair, properties.target]).toMatchObject([
    { format: 'pair' },
    { format: '"url"' },
  ]);
});

test('migrate tells of a format that is not the type of the column', async () => {
  const steps = await existing.next(specification('int4rang'));
  expect(steps).toMatchObject([
    {
      summary: 'serve slots.during',
      obstacle:
        'its column during is of type int4range, from which no field of type string with format: int4rang is served',
    },
  ]);
});

const listed = '`format` must be email, url, slug, hostname, ipv4, ipv6, uuid or base64';

test.each([
  ['pair', false, []],
  ['sales.url', false, []],
  ['urls', false, [`${listed}, not \`urls\`; did you mean \`url\`?`]],
  ['pair', true, [`${listed}, not \`pair\`; a column of another type needs managed: false`]],
] as const)('format: %s in a file, managed: %s', (format, isManaged, problems) => {
  const { problems: found } = build(
    `{ resources: { slots: { managed: ${isManaged}, fields: { a: { type: string, format: ${format} } } } } }`,
  );
  expect(found.map(({ message }) => message)).toEqual(problems);
});

/** Types of which values are generated, each with a column of its own. */
const generated = (
  'inet, cidr, macaddr, macaddr8, interval, timetz, bit(5), bit varying(4), int4range, int8range, numrange, daterange, tsrange, tstzrange, int4multirange, int8multirange, nummultirange, datemultirange, tsmultirange, tstzmultirange, ' +
  'point, box, circle, line, lseg, path, polygon, xml, tsvector, tsquery, ltree, lquery, pg_lsn, jsonpath, cube, oid'
).split(', ');
const formatOf = (type: string): string =>
  type.replace(/\(.*/u, '').replace('bit varying', 'varbit');

test('generated records have values of each type, and null where nobody knows any', async () => {
  const file = (isRequired: boolean): string => `
access: public
database: { managed: false }
generate: { count: 30 }
resources:
  things:
    fields:
${generated.map((type, at) => `      c${at}: { type: string, format: ${formatOf(type)}, required: true }`).join('\n')}
      list: { type: array, items: { type: string, format: inet } }
      pair: { type: string, format: pair, required: ${isRequired} }
`;
  const one = await existingPostgres(
    file(false),
    `CREATE EXTENSION ltree; CREATE EXTENSION cube; CREATE TYPE pair AS (a integer, b text);
     CREATE TABLE things (id serial PRIMARY KEY, ${generated.map((type, at) => `c${at} ${type} NOT NULL`).join(', ')}, list inet[], pair pair);`,
  );
  try {
    const { servedApi } = one.api;
    expect(await fillAll(servedApi.api, servedApi.database)).toMatchObject({ ok: true });
    expect((await one.api.get('/things?limit=100&pair_null=true')).body).toHaveLength(30);
    const needed = inForms(buildValid(file(true)), one.forms);
    const refused = await fillAll(needed, servedApi.database);
    expect('problems' in refused ? refused.problems : []).toMatchObject([
      {
        path: ['resources', 'things', 'fields', 'pair'],
        message: expect.stringMatching(
          /must not be null; give it values, a template or a generator/u,
        ),
      },
    ]);
  } finally {
    await one.stop();
  }
});
