import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGenerated, type Row } from '../generate/generate.ts';
import { expectErrors, expectReadings, expectTexts } from '../model/model.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
resources:
  files:
    fields:
      name: { type: string }
      data: { type: string, format: base64 }
      digest: { type: string, format: base64, unique: true, minLength: 4, maxLength: 8 }
      mark: { type: string, format: base64, nullable: false, default: AP8= }
      kind: { type: string, format: base64, enum: [AAAA, AQID] }
      parts: { type: array, items: { type: string, format: base64 } }
      more: { type: object, properties: { raw: { type: string, format: base64 } } }
      owner: { type: relation, relation: belongsTo, resource: files }
`;

describe('what is taken', () => {
  const refused = 'value: must be standard base64 with padding, such as aGVsbG8=';
  expectReadings('type: string, format: base64', [
    ['""', '""'],
    ['"AA=="', '"AA=="'],
    ['"AAA="', '"AAA="'],
    ['"+/+/"', '"+/+/"'],
    [`"${'AAAA'.repeat(1000)}"`, `"${'AAAA'.repeat(1000)}"`],
    ['"AA"', refused],
    ['"AAA"', refused],
    ['"AB=="', refused],
    ['"A==="', refused],
    ['"AA==AA=="', refused],
    ['"-_-_"', refused],
    ['" AAAA"', refused],
    ['"AA\\nAA"', refused],
    ['"ä"', refused],
    ['1', 'type: must be a string'],
    ['[0]', 'type: must be a string'],
  ]);
  expectReadings('type: string, format: base64, maxLength: 4', [
    ['"AAAA"', '"AAAA"'],
    ['"AAAAAAA="', 'value: must have at most 4 characters'],
  ]);
  expectTexts('type: string, format: base64', { 'AA==': 'AA==', '': '' }, ['AA', 'A A', 'AB==']);
  expectErrors([
    [
      'a key',
      `resources:
  a: { fields: { x: { type: string, format: base64, unique: true } } }
  b: { fields: { y: { type: string, format: base64, reference: ¦a.x } } }`,
      'resources.b.fields.y.reference: b.y holds bytes, which cannot be a key',
    ],
    [
      'a relation to a resource with such a key',
      `database: { managed: false }
resources:
  a: { key: ¦x, fields: { x: { type: string, format: base64 } } }
  b: { fields: { ¦y: { type: relation, relation: belongsTo, resource: a } } }`,
      'resources.a.key: x cannot be in a key: it is of type string',
      'resources.b.fields.y: b.yId holds bytes, which cannot be a key',
    ],
    [
      'a default that is none',
      'resources: { a: { fields: { x: { type: string, format: base64, default: ¦a } } } }',
      'resources.a.fields.x.default: "a" must be standard base64 with padding, such as aGVsbG8=',
    ],
  ]);
});

let api: Both;
const source = (): Both => api;
beforeAll(async () => {
  api = await serveBoth(specification, {
    files: [
      { name: 'a', data: 'AP8QgA==', digest: 'AAAA', kind: 'AQID', parts: ['AA==', 'AQ=='] },
      { name: 'b', data: 'aGVsbG8=', digest: 'AAAB', mark: '', more: { raw: 'AP8=' } },
      { name: 'c', data: '', ownerId: 1 },
      { name: 'd' },
    ],
  });
});
afterAll(() => api.stop());

expectBodies(source, [
  [
    'bytes are read as base64',
    '/v1/files/1',
    {
      id: 1,
      name: 'a',
      data: 'AP8QgA==',
      digest: 'AAAA',
      mark: 'AP8=',
      kind: 'AQID',
      parts: ['AA==', 'AQ=='],
      more: null,
      ownerId: null,
    },
  ],
  [
    'no bytes are not null',
    '/v1/files?fields=data,mark&id_gt=1',
    [
      { id: 2, data: 'aGVsbG8=', mark: '' },
      { id: 3, data: '', mark: 'AP8=' },
      { id: 4, data: null, mark: 'AP8=' },
    ],
  ],
  [
    'through a relation',
    '/v1/files/3?expand=owner&fields=owner.data',
    { id: 3, owner: { id: 1, data: 'AP8QgA==' } },
  ],
]);

describe('filters', () => {
  expectRows(source, '/v1/files', [
    ['equality', 'data=AP8QgA==', [1]],
    ['of none', 'data_eq=', [3]],
    ['neq keeps null', 'data_neq=AP8QgA==', [2, 3, 4]],
    ['in', 'data_in=AP8QgA==,""', [1, 3]],
    ['nin', 'data_nin=AP8QgA==,aGVsbG8=', [3, 4]],
    ['null', 'data_null=true', [4]],
    ['an enum', 'kind=AQID', [1]],
    ['items', 'parts_contains=AQ==', [1]],
    ['a member', 'more.raw=AP8=', [2]],
    ['through a relation', 'owner.data=AP8QgA==', [3]],
  ]);
  expectRefusals(source, '/v1/files', [
    [
      'no base64',
      'data=AA',
      'INVALID_FILTER',
      'data: "AA" does not fit: it takes standard base64 with padding, such as aGVsbG8=',
    ],
    [
      'an order',
      'data_gt=AAAA',
      'INVALID_FILTER',
      'data_gt: data is of type string, which takes _eq, _neq, _in, _nin, _exists, _null, not _gt',
    ],
    [
      'a sort',
      'sort=data',
      'INVALID_SORT',
      'sort: data cannot be sorted by: it is of type string with format: base64, which has no order',
    ],
    [
      'a sort by items',
      'sort=parts',
      'INVALID_SORT',
      'sort: parts cannot be sorted by: its items are of type string with format: base64, which has no order',
    ],
  ]);
});

describe('writes', () => {
  test('create, patch, merge, replace and delete', async () => {
    const made = await api.send('POST', '/v1/files', [
      { name: 'w', data: 'AQIDBA==', digest: 'AQID' },
      { name: 'v', data: null },
    ]);
    expect(made.status, made.text).toBe(201);
    const [{ id }] = made.body;
    const path = `/v1/files/${id}`;
    expect((await api.get(path)).body).toEqual(made.body[0]);
    expect((await api.send('PATCH', path, { data: 'AA==' })).body.data).toBe('AA==');
    const merge = { 'content-type': 'application/merge-patch+json' };
    const merged = await api.send('PATCH', path, '{"data":null,"more":{"raw":"AA=="}}', merge);
    expect(merged.body).toMatchObject({ data: null, more: { raw: 'AA==' } });
    const put = await api.send('PUT', path, { name: 'x', data: 'AAAA' });
    expect(put.body).toMatchObject({ data: 'AAAA', mark: 'AP8=', digest: null });
    expect((await api.send('DELETE', path)).status).toBe(204);
  });

  test.each([
    [{ data: 'AA' }, 422, 'data: must be standard base64 with padding, such as aGVsbG8='],
    [{ digest: 'AAAA' }, 422, 'digest: is taken: it must be unique'],
    [{ digest: 'AA==' }, 201, undefined],
    [{ kind: 'AA==' }, 422, 'kind: must be one of AAAA, AQID'],
  ])('%j', async (body, status, problem) => {
    const answer = await api.send('POST', '/v1/files', body);
    expect(answer.status, answer.text).toBe(status);
    if (problem === undefined) return;
    const [{ field, message }] = answer.body.errors;
    expect(`${field}: ${message}`).toBe(problem);
  });
});

test.each(['text/csv', 'application/x-ndjson'])('%s has base64', async (accept) => {
  const { text } = await api.raw('/v1/files?fields=data&id=1', { headers: { accept } });
  expect(text).toContain('AP8QgA==');
});

test('columns hold the bytes', async () => {
  const stored = api.sqlite.schemaConnection
    .prepare('SELECT data FROM files WHERE id = 1')
    .pluck()
    .get();
  expect(stored).toEqual(Buffer.from('00ff1080', 'hex'));
  const [row] = await api.postgres.all(
    { sql: `SELECT encode(data, 'hex') FROM files WHERE id = 1`, parameters: [] },
    { bound: [] },
  );
  expect(row).toEqual(['00ff1080']);
});

test('generated bytes fit their field', async () => {
  const both = await serveGenerated(specification);
  try {
    const { body } = await both.get('/v1/files?limit=100');
    const rows = body as Row[];
    expect(rows.length).toBeGreaterThan(0);
    for (const { digest } of rows)
      if (digest !== null) expect(String(digest)).toMatch(/^[\w+/]{4,8}$/u);
    expect(new Set(rows.map(({ data }) => data)).size).toBeGreaterThan(rows.length / 2);
  } finally {
    await both.stop();
  }
});
