import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { Keyed } from '../support/keyed.ts';

// Tables and views without a key, and what is read-only. See docs/contract/8-existing-databases.md#keys, rule 10.
const specification = `
access: public
api: { pagination: cursor }
database: { managed: false }
resources:
  people:
    fields:
      name: { type: string }
  visits:
    key: none
    fields:
      number: { type: integer, column: id }
      personId: { type: integer, column: person_id, reference: people.id }
      page: { type: string }
      person: { type: relation, relation: belongsTo, resource: people }
  totals:
    key: page
    readOnly: true
    fields:
      page: { type: string }
      visits: { type: integer }
`;

const sql = (id: string, text: string): string => `
CREATE TABLE people (id ${id} PRIMARY KEY NOT NULL, name ${text});
CREATE TABLE visits (id integer, person_id integer REFERENCES people, page ${text});
INSERT INTO people VALUES (1, 'ann'), (2, 'bob');
INSERT INTO visits VALUES (2, 1, 'a'), (1, 2, 'b'), (2, NULL, 'c'), (NULL, 1, 'a'), (2, 1, 'a');
CREATE VIEW totals AS SELECT page, count(*) AS visits FROM visits GROUP BY page;
`;

let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.of(specification, sql('integer', 'TEXT'), sql('serial', 'text COLLATE "C"'));
});
afterAll(() => keyed?.stop());

const pages = async (path: string): Promise<readonly unknown[]> =>
  ((await keyed.get(path)).body as { number: number; page: string }[]).map(
    ({ number, page }) => `${number}${page}`,
  );

describe('lists', () => {
  test.each([
    ['/visits', ['nulla', '1b', '2c', '2a', '2a']],
    ['/visits?page_eq=a', ['nulla', '2a', '2a']],
    ['/visits?sort=-page', ['2c', '1b', '2a', '2a', 'nulla']],
    ['/visits?page=2&limit=2', ['2c', '2a']],
    ['/visits?number_null=true', ['nulla']],
    ['/visits?person.name=bob', ['1b']],
    ['/visits?person_null=true', ['2c']],
  ])('%s', async (path, found) => {
    expect(await pages(path)).toEqual(found);
  });

  test('a record has no id', async () => {
    const { body } = await keyed.get('/visits?limit=2&offset=1&expand=person');
    expect(body).toEqual([
      { number: 1, personId: 2, page: 'b', person: { id: 2, name: 'bob' } },
      { number: 2, personId: null, page: 'c', person: null },
    ]);
  });

  test.each([
    ['/visits?cursor=', 400],
    ['/visits?id=1', 400],
    ['/visits?sort=id', 400],
    ['/visits/1', 404],
    ['/visits/1,1,a', 404],
    ['/totals/a', 200],
    ['/totals?sort=-visits&limit=1', 200],
  ])('%s is %i', async (path, status) => {
    expect((await keyed.get(path)).status).toBe(status);
  });

  test('streams need a key', async () => {
    const csv = { Accept: 'text/csv' };
    expect((await keyed.send('GET', '/visits', undefined, csv)).status).toBe(406);
    expect((await keyed.send('GET', '/totals', undefined, csv)).status).toBe(200);
  });
});

test.each([
  ['POST', '/visits'],
  ['POST', '/totals'],
  ['PATCH', '/totals/a'],
  ['PUT', '/totals/a'],
  ['DELETE', '/totals/a'],
  ['DELETE', '/visits/1'],
])('%s %s is not allowed', async (method, path) => {
  const body = method === 'DELETE' ? undefined : { page: 'x' };
  expect((await keyed.send(method, path, body)).status).toBe(403);
});

test('documents', async () => {
  const { body } = await keyed.get('/v1/_openapi.json');
  const paths = body.paths as Record<string, Record<string, unknown>>;
  const methods = Object.entries(paths)
    .filter(([path]) => !path.includes('people') && !path.includes('/_'))
    .map(([path, item]) => [path, Object.keys(item).filter((key) => key !== 'parameters')]);
  expect(methods).toEqual([
    ['/v1/visits', ['get']],
    ['/v1/totals', ['get']],
    ['/v1/totals/{id}', ['get']],
  ]);
});

describe('what the file may say', () => {
  const problemsOf = (log: string, more = ''): readonly string[] =>
    build(`
database: { managed: false }
resources:
  log: { ${log} }
${more}`).problems.map(({ message }) => message);
  const fields = 'fields: { text: { type: string }, at: { type: datetime } }';

  test.each([
    [`key: none, ${fields}`, '', []],
    [
      `key: none, managed: true, ${fields}`,
      '',
      ['only an existing table has a key of its own; add managed: false, or leave out key'],
    ],
    [
      `key: none, pagination: cursor, ${fields}`,
      '',
      ['a cursor needs a key; leave out pagination, or name the key of the records'],
    ],
    [
      `key: none, fields: { id: { type: id } }`,
      '',
      ['id is made of the fields of key; give this field another name, and its column: id'],
    ],
    [
      `key: none, ${fields}`,
      '  notes: { fields: { log: { type: relation, relation: belongsTo, resource: log } } }',
      ['log has no key, so that no relation leads to it'],
    ],
    [
      `key: none, fields: { noteId: { type: integer } }`,
      '  notes: { fields: { logs: { type: relation, relation: hasMany, resource: log, foreignKey: noteId } } }',
      ['log has no key, so that no relation leads to it'],
    ],
    [`readOnly: true, ${fields}`, '', []],
    [`readOnly: maybe, ${fields}`, '', ['`readOnly` must be true or false, not `maybe`']],
  ])('%s %s', (log, more, problems) => {
    expect(problemsOf(log, more)).toEqual(problems);
  });
});

test('a server over rows that cannot be sorted by anything is ready', async () => {
  const bytes = (type: string): string =>
    `CREATE TABLE blobs (k ${type} NOT NULL UNIQUE, v ${type} NOT NULL);`;
  const blobs = await Keyed.of(
    `
access: public
database: { managed: false }
resources:
  blobs:
    key: none
    fields:
      k: { type: string, format: base64 }
      v: { type: string, format: base64 }
`,
    bytes('BLOB'),
    bytes('bytea'),
  );
  try {
    expect((await blobs.get('/_ready')).status).toBe(200);
    for (const { ask } of blobs.databases) await ask('ALTER TABLE blobs DROP COLUMN v');
    for (const { api } of blobs.databases)
      await expect.poll(async () => (await api.get('/_ready')).status).toBe(503);
  } finally {
    await blobs.stop();
  }
});
