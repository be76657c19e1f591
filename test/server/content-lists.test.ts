import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { serveSides, sideNames, type Content, type Sides } from './content.ts';

const specification = `
groups: { short: [name, price] }
limits: { exportItems: 2000, maxLimit: 5, defaultLimit: 3 }
api: { pagination: cursor }
resources:
  things:
    fields:
      name: { type: string }
      price: { type: decimal, precision: 18, scale: 4 }
      ratio: { type: number }
      size: { type: integer }
      isNew: { type: boolean }
      words: { type: array, items: { type: string } }
      box: { type: object, properties: { width: { type: integer }, label: { type: string } } }
      extra: { type: json }
      at: { type: datetime }
      pin: { type: string, writeOnly: true }
      ownerId: { type: string, reference: owners.id, nullable: true }
      owner: { type: relation, relation: belongsTo, resource: owners }
  owners:
    fields:
      id: { type: id, format: string }
      name: { type: string }
  tokens:
    fields:
      id: { type: id, format: uuid }
      rank: { type: integer }
  many:
    fields:
      rank: { type: integer }
`;

const things = [
  {
    name: 'plain',
    price: '12345678901234.5678',
    ratio: 0.1,
    size: 9007199254740991,
    isNew: true,
    words: ['a', 'b,c'],
    box: { width: 1, label: 'x "y"' },
    extra: { deep: [1, null, { a: 'ü' }] },
    at: '2026-03-01T10:00:00.000Z',
    pin: 'secret',
    ownerId: 'ä,"1',
  },
  { name: '' },
  { name: 'quote "this", please' },
  { name: 'two\r\nlines' },
  { name: 'line\nfeed', extra: 'text' },
  { name: ' blanks ', extra: [] },
  { name: '=1+1', ratio: -1e-7, extra: 5 },
  { name: 'smile 😀', extra: false },
];

let sides: Sides;
beforeAll(async () => {
  sides = await serveSides(specification);
  for (const name of sideNames) {
    const side = sides[name];
    const post = async (resource: string, body: unknown): Promise<void> => {
      const { status, text } = await side.ask(`/v1/${resource}`, { method: 'POST', body });
      if (status !== 201) throw new Error(text);
    };
    for (const id of ['ä,"1', 'b', '\u{1F600}', 'ｆ', '7']) await post('owners', { id, name: id });
    await post('things', things);
    const tokens = Array.from({ length: 600 }, (_, index) => ({
      id: `01990000-0000-7000-8000-${String((index * 7919) % 600).padStart(12, '0')}`,
      rank: index % 7,
    }));
    for (let start = 0; start < 600; start += 200)
      await post('tokens', tokens.slice(start, start + 200));
    for (let start = 0; start < 1_200; start += 400)
      await post(
        'many',
        Array.from({ length: 400 }, (_, index) => ({ rank: (start + index) % 10 })),
      );
  }
});
afterAll(() => sides.stop());

const pageHeaders = ['x-page', 'x-limit', 'x-total-count', 'x-total-pages', 'link'] as const;

function pageOf({ headers }: Content): unknown {
  return Object.fromEntries(pageHeaders.map((header) => [header, headers[header]]));
}

describe.each(sideNames)('%s', (name) => {
  const csv = (path: string, prefer = ''): Promise<Content> =>
    sides[name].ask(path, { headers: { accept: 'text/csv', ...(prefer && { prefer }) } });
  const ndjson = (path: string): Promise<Content> =>
    sides[name].ask(path, { headers: { accept: 'application/x-ndjson' } });

  test('CSV quotes what has to be quoted, and tells null from an empty text', async () => {
    const { text } = await csv('/v1/things?limit=100&exclude=at');
    expect(text.split('\r\n').slice(0, 2)).toEqual([
      'id,name,price,ratio,size,isNew,words,box,extra,ownerId',
      `1,plain,12345678901234.5678,0.1,9007199254740991,true,"[""a"",""b,c""]",` +
        `"{""width"":1,""label"":""x \\""y\\""""}","{""deep"":[1,null,{""a"":""ü""}]}","ä,""1"`,
    ]);
    const names = await csv('/v1/things?limit=100&id_gt=1&fields=name,extra,ratio');
    expect(names.text).toBe(
      [
        'id,name,ratio,extra',
        '2,"",,',
        '3,"quote ""this"", please",,',
        '4,"two\r\nlines",,',
        '5,"line\nfeed",,"""text"""',
        '6, blanks ,,[]',
        '7,=1+1,-1e-7,5',
        '8,smile 😀,,false',
        '',
      ].join('\r\n'),
    );
  });

  test('CSV quotes a line break of any kind', async () => {
    const owner = { id: 'break', name: 'carriage\rreturn' };
    expect((await sides[name].ask('/v1/owners', { method: 'POST', body: owner })).status).toBe(201);
    expect((await csv('/v1/owners?id=break')).text).toBe('id,name\r\nbreak,"carriage\rreturn"\r\n');
    await sides[name].ask('/v1/owners/break', { method: 'DELETE' });
  });

  test('CSV of nothing is its header, NDJSON of nothing is empty', async () => {
    expect((await csv('/v1/owners?name=nobody')).text).toBe('id,name\r\n');
    expect((await ndjson('/v1/owners?name=nobody')).text).toBe('');
  });

  test.each([
    '/v1/things',
    '/v1/things?limit=5',
    '/v1/things?limit=2&page=2&sort=-name',
    '/v1/things?limit=2&offset=3',
    '/v1/things?limit=3&page=9',
    '/v1/things?limit=3&offset=8',
    '/v1/things?name=nobody',
    '/v1/things?limit=5&sort=price,-ratio&nulls=first',
    '/v1/things?fields=@short,box.width&limit=5',
    '/v1/things?exclude=box.label,w*&limit=5',
    '/v1/things?name_like=in&_or=size_gt:5,name:x&limit=5',
    '/v1/things?id=7&id=1&id=3&sort=-id&limit=5',
    '/v1/things?owner.name_exists=true&limit=5',
    '/v1/things?limit=5&sort=-owner.name,words&nulls=first',
    '/v1/things?limit=5&sort=box.width&box.width_null=true',
    '/v1/owners?limit=5&sort=-id',
    '/v1/owners?id=b&id=%C3%A4,%221&limit=5',
    '/v1/tokens?limit=5&sort=rank&rank_gt=2',
    '/v1/tokens?limit=5&page=3',
    '/v1/many?limit=4&offset=7&sort=-rank',
  ])('NDJSON has the records and the page of JSON: %s', async (path) => {
    const paged = path.includes('offset') ? path : `${path}${path.includes('?') ? '&' : '?'}page=1`;
    const asked = path.includes('page=') ? path : paged;
    const list = await sides[name].ask(asked);
    const lines = await ndjson(asked);
    expect(list.status, list.text).toBe(200);
    const records = JSON.parse(list.text) as readonly unknown[];
    expect(lines.text).toBe(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect(pageOf(lines)).toEqual(pageOf(list));
    expect(pageOf(await csv(asked))).toEqual(pageOf(list));
    expect(lines.headers.etag).toBeUndefined();
    expect(lines.headers['x-next-cursor']).toBeUndefined();
  });

  test('a resource with cursors is paged by numbers, whatever is asked for', async () => {
    const first = await ndjson('/v1/many');
    expect(first.text).toBe('{"id":1,"rank":0}\n{"id":2,"rank":1}\n{"id":3,"rank":2}\n');
    expect(pageOf(first)).toEqual({
      'x-page': '1',
      'x-limit': '3',
      'x-total-count': '1200',
      'x-total-pages': '400',
      link: '</v1/many?page=1>; rel="first", </v1/many?page=2>; rel="next", </v1/many?page=400>; rel="last"',
    });
  });

  test('more records than a portion come in their order', async () => {
    const { text, headers } = await csv('/v1/many?limit=1100&sort=-rank&offset=50&rank_gt=0');
    const expected = Array.from({ length: 1_200 }, (_, index) => ({
      id: index + 1,
      rank: index % 10,
    }))
      .filter(({ rank }) => rank > 0)
      .sort((a, b) => b.rank - a.rank || b.id - a.id)
      .slice(50, 1_150);
    expect(text).toBe(`id,rank\r\n${expected.map(({ id, rank }) => `${id},${rank}\r\n`).join('')}`);
    expect(headers).toMatchObject({ 'x-total-count': '1080', 'x-limit': '1100' });
  });

  test('ids of uuids', async () => {
    const { text } = await csv('/v1/tokens?limit=2000&sort=-id&fields=rank');
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.slice(0, 36));
    expect(ids).toHaveLength(600);
    expect(ids).toEqual([...ids].sort().reverse());
  });

  test('the total may be left out', async () => {
    const { headers } = await csv('/v1/many?limit=3', 'count=none');
    expect(headers).toMatchObject({ 'preference-applied': 'count=none', 'x-page': '1' });
    expect(headers['x-total-count']).toBeUndefined();
    expect(headers.link).toBe(
      '</v1/many?limit=3&page=1>; rel="first", </v1/many?limit=3&page=2>; rel="next"',
    );
    const last = await csv('/v1/many?limit=3&page=400', 'count=none');
    expect(last.headers.link).not.toContain('next');
  });

  test('a tag of a list says nothing of what is streamed', async () => {
    const headers = { accept: 'text/csv', 'if-none-match': '*' };
    expect((await sides[name].ask('/v1/owners', { headers })).status).toBe(200);
  });

  const streamed = 'cannot be combined with CSV and NDJSON, which are sent as they are read';
  test.each([
    ['cursor=', 'INVALID_PARAMETER', [`cursor: ${streamed}`]],
    ['cursor=damaged', 'INVALID_PARAMETER', [`cursor: ${streamed}`]],
    ['cursor=&page=2', 'INVALID_PARAMETER', [`cursor: ${streamed}`]],
    ['expand=owner', 'INVALID_PARAMETER', [`expand: ${streamed}`]],
    [
      'expand=owner&cursor=&fields=owner.name',
      'INVALID_PARAMETER',
      [`expand: ${streamed}`, `cursor: ${streamed}`],
    ],
    ['limit=2001', 'LIMIT_EXCEEDED', ['limit: must be at most 2000']],
    ['limit=-1', 'INVALID_PARAMETER', [expect.stringMatching(/^limit: must be a whole number/u)]],
    ['page=1&offset=2', 'PAGINATION_CONFLICT', [expect.stringMatching(/^offset: /u)]],
    [
      'limit=2001&nope=1&sort=extra',
      'LIMIT_EXCEEDED',
      [
        'limit: must be at most 2000',
        expect.stringMatching(/^nope: /u),
        expect.stringMatching(/^sort: /u),
      ],
    ],
  ])('%s is refused', async (query, code, problems) => {
    for (const ask of [csv, ndjson]) {
      const { status, text } = await ask(`/v1/things?${query}`);
      const body = JSON.parse(text) as {
        code: string;
        validationErrors: { field: string; error: string }[];
      };
      expect([status, body.code]).toEqual([400, code]);
      expect(body.validationErrors.map(({ field, error }) => `${field}: ${error}`)).toEqual(
        problems,
      );
    }
  });

  test('a list of JSON keeps its own maximum', async () => {
    const { status, text } = await sides[name].ask('/v1/things?limit=6&page=1');
    expect([status, text]).toEqual([400, expect.stringContaining('at most 5')]);
  });

  test('nothing unforeseen happened', () => {
    expect(sides[name].failures).toEqual([]);
  });
});

test('without a limit an export has no more records than it may', async () => {
  const both = await serveBoth(
    'limits: { exportItems: 2 }\nresources: { a: { fields: { n: { type: integer } } } }',
    { a: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  );
  const { text, headers } = await both.get('/v1/a', { accept: 'text/csv' });
  expect([text, headers.get('x-limit'), headers.get('x-total-pages')]).toEqual([
    'id,n\r\n1,1\r\n2,2\r\n',
    '2',
    '2',
  ]);
  expect((await both.get('/v1/a')).body).toHaveLength(3);
  await both.stop();
});

test('a text in a json field is told from a number, a boolean and null', async () => {
  const both = await serveBoth('resources: { a: { fields: { any: { type: json } } } }', {
    a: [5, '5', true, 'true', null, 'null', '', 'a "word", and more', [1, 'x']].map((any) => ({
      any,
    })),
  });
  const { text } = await both.get('/v1/a', { accept: 'text/csv' });
  expect(text.split('\r\n')).toEqual([
    'id,any',
    '1,5',
    '2,"""5"""',
    '3,true',
    '4,"""true"""',
    '5,',
    '6,"""null"""',
    '7,""""""',
    String.raw`8,"""a \""word\"", and more"""`,
    '9,"[1,""x""]"',
    '',
  ]);
  await both.stop();
});
