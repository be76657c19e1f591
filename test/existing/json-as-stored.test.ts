import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

// JSON of unmanaged tables comes as others have written it: see docs/contract/8-existing-databases.md#types, rule 10.
const specification = `
access: public
database: { managed: false }
resources:
  things:
    fields:
      any: { type: json }
      binary: { type: json }
      open: { type: object }
      part: { type: object, properties: { a: { type: number } } }
`;

/** The text in `any` (json), and what is shown of it; jsonb keeps its own order and no exponents. */
const texts: readonly (readonly [stored: string, shown: string, inJsonb: string])[] = [
  ['{"b":1.0,"a":12345678901234567890}', '{"b":1.0,"a":12345678901234567890}', ''],
  ['{ "n" : [ 1.50, -0.0, 1e3 ] }', '{"n":[1.50,-0.0,1e3]}', '{"n":[1.50,0.0,1000]}'],
  ['1.0', '1.0', '1.0'],
  ['0.00000010', '0.00000010', '0.00000010'],
  ['"1.0"', '"1.0"', '"1.0"'],
  [
    '{"u":"0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f9","n":1}',
    '',
    '{"n":1,"u":"0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f9"}',
  ],
];

const rows = (hasJsonb: boolean): string =>
  texts
    .map(([stored], index) => {
      const open = stored.startsWith('{') ? `'${stored}'` : 'NULL';
      return `(${index + 1}, '${stored}', ${hasJsonb ? `'${stored}'` : 'NULL'}, ${open}, '{"b":1.0,"a":1.0}')`;
    })
    .join(', ');

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  const isPostgres = kind === 'postgres';
  let existing: Existing;
  beforeAll(async () => {
    const [json, jsonb] = isPostgres ? ['json', 'jsonb'] : ['TEXT', 'TEXT'];
    const sql = `CREATE TABLE things (id integer PRIMARY KEY, "any" ${json}, "binary" ${jsonb}, open ${json}, part ${json});
      INSERT INTO things VALUES ${rows(isPostgres)}`;
    existing = await (isPostgres ? existingPostgres : existingSqlite)(specification, sql);
  });
  afterAll(() => existing.stop());

  test.each(texts.map((row, index) => [index + 1, ...row] as const))(
    'record %i: %s',
    async (id, stored, shown, inJsonb) => {
      const expected = shown === '' ? stored : shown;
      const { text } = await existing.api.get(`/v1/things/${id}?fields=any,open`);
      const open = stored.startsWith('{') ? expected : 'null';
      expect(text).toBe(`{"id":${id},"any":${expected},"open":${open}}`);
      const { text: list } = await existing.api.get(`/v1/things?id=${id}&fields=any`);
      expect(list).toBe(`[{"id":${id},"any":${expected}}]`);
      if (!isPostgres) return;
      const { text: binary } = await existing.api.get(`/v1/things/${id}?fields=binary`);
      const ordered = inJsonb === '' ? '{"a":12345678901234567890,"b":1.0}' : inJsonb;
      expect(binary).toBe(`{"id":${id},"binary":${ordered}}`);
    },
  );

  test('declared members come first, with their numbers as those of fields', async () => {
    const { text } = await existing.api.get('/v1/things/1?fields=part');
    expect(text).toBe('{"id":1,"part":{"a":1,"b":1}}');
  });

  test('is found whatever way its numbers are written', async () => {
    for (const filter of ['any.b=1', 'any.b=1.0', 'any.a=12345678901234567890'])
      expect((await existing.api.get(`/v1/things?${filter}`)).body, filter).toHaveLength(1);
  });

  test('keeps the numbers that a merge does not name', async () => {
    const merge = { 'content-type': 'application/merge-patch+json' };
    const send = (body: string) => existing.api.send('PATCH', '/v1/things/2', body, merge);
    const { text, status } = await send('{"any":{"m":2}}');
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('"any":{"m":2,"n":[1.50,-0.0,1000]}'),
    ]);
  });
});
