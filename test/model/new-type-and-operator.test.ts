import { breaks } from '../../src/problem-rules.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Driver from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exampleRows } from '../../src/generate/examples.ts';
import { makeGenerator } from '../../src/generate/generator.ts';
import { draftOf } from '../../src/introspection/resources.ts';
import { readPostgres } from '../../src/introspection/postgres/introspect.ts';
import { readSqlite } from '../../src/introspection/sqlite/introspect.ts';
import { typeOfValues } from '../../src/introspection/value-types.ts';
import type { Api, FieldType } from '../../src/model/api.ts';
import { plain } from '../../src/model/field-types/plain.ts';
import { fieldTypes } from '../../src/model/field-types/registry.ts';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { addOperator, operatorsOf } from '../../src/model/operators.ts';
import { foldingPattern, globPattern } from '../../src/model/text-patterns.ts';
import { accept, wrongType, wrongValue } from '../../src/model/values.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { build, buildValid } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { fullView } from '../support/openapi.ts';

const isColour = (text: string): boolean => /^#[0-9a-f]{6}$/iu.test(text);
const pattern = '^#[0-9A-Fa-f]{6}$';

/** A type that the service does not have: `#rrggbb`, kept in lower case. */
const colour: FieldType = {
  name: 'colour',
  otherNames: ['color'],
  attributes: ['described', 'column', 'scalar', 'drawnValues', 'template'],
  json: 'string',
  kind: 'string',
  comparison: 'text',
  sortable: true,
  read: (value) => {
    if (typeof value !== 'string')
      return wrongType('must be a colour in a string', breaks('type', { expected: 'colour' }));
    return isColour(value)
      ? accept(value.toLowerCase())
      : wrongValue('must be a colour such as #00ff7f', breaks('format', { format: 'colour' }));
  },
  parse: (text) => (isColour(text) ? text.toLowerCase() : undefined),
  expects: () => 'a colour such as #00ff7f',
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text COLLATE "C"', form: 'plain' },
  forms: { plain },
  longest: () => 7,
  schema: () => ({ type: 'string', pattern }),
  wireName: () => 'colour',
  examples: () => ['#00ff7f'],
  generated: (random) => `#${random.below(0x1_00_00_00).toString(16).padStart(6, '0')}`,
  recognition: {
    text: (text) => isColour(text) && text === text.toLowerCase(),
    sqlite: { condition: `c GLOB '#${'[0-9a-f]'.repeat(6)}'`, isOfTexts: true },
  },
  fromDefault: (text) => (isColour(text) ? text.toLowerCase() : undefined),
};

/** A type whose JSON does not compare as its column does, and that gives items of arrays no order. */
const gloss: FieldType = {
  ...colour,
  name: 'gloss',
  otherNames: [],
  member: { ...colour, name: 'gloss', comparison: 'equality', sortable: false },
};

const types = { ...fieldTypes, colour, gloss };

const specification = `
resources:
  paints:
    fields:
      name: { type: string, required: true }
      shade: { type: colour, unique: true, index: true }
      base: { type: colour, default: "#FFFFFF" }
      mix: { type: array, items: { type: colour } }
      look: { type: object, properties: { front: { type: colour } } }
      range: { type: array, items: { type: gloss } }
      more: { type: json }
`;

const records = {
  paints: [
    {
      name: 'Sea',
      shade: '#0000FF',
      mix: ['#0000FF', '#00aa00'],
      look: { front: '#111111' },
      more: { tint: '#abcdef' },
    },
    {
      name: 'Sand',
      shade: '#c2b280',
      base: '#000000',
      mix: ['#c2b280'],
      look: { front: '#222222' },
      more: { tint: 'none' },
    },
    { name: 'Grass', shade: '#00ff00', mix: [], look: null, more: { tint: 7 } },
    { name: 'Nothing' },
  ],
};

/** An operator that the service does not have. */
const removeOperator = addOperator('iendsWith', {
  suffix: '_iendsWith',
  operand: 'value',
  meaning: 'ends with, case-insensitive',
  takes: ['text'],
  comparesWith: 'part',
  longest: 100,
  undeclared: 'text',
  sql: {
    sqlite: {
      condition: (column, operand) => `${column} GLOB ${operand}`,
      operand: (text) => `*${globPattern(text)}`,
    },
    postgres: {
      condition: (column, operand) => `${column} ~ ${operand}`,
      operand: (text) => `${foldingPattern(text)}$`,
    },
  },
});
afterAll(removeOperator);

let api: Api;
let both: Both;
beforeAll(async () => {
  api = buildValid(specification, types);
  both = await serveBoth(api, records);
});
afterAll(() => both.stop());

const namesAt = async (query: string): Promise<unknown> => {
  const { status, body, text } = await both.get(`/v1/paints?${query}`);
  if (status !== 200) return text;
  return (body as { name: string }[]).map(({ name }) => name).join(' ');
};

describe('a new type', () => {
  test('is read, kept and answered', async () => {
    const { body } = await both.get('/v1/paints/1');
    expect(body).toMatchObject({
      shade: '#0000ff',
      base: '#ffffff',
      mix: ['#0000ff', '#00aa00'],
      look: { front: '#111111' },
    });
  });

  test.each([
    [{ name: 'x', shade: 1 }, 400, 'must be a colour in a string'],
    [{ name: 'x', shade: 'blue' }, 422, 'must be a colour such as #00ff7f'],
    [{ name: 'x', mix: ['#000'] }, 422, 'must be a colour such as #00ff7f'],
    [{ name: 'x', look: { front: '' } }, 422, 'must be a colour such as #00ff7f'],
    [{ name: 'x', shade: '#0000FF' }, 422, 'shade'],
  ])('%j is refused', async (record, status, message) => {
    const answer = await both.send('POST', '/v1/paints', record);
    expect(answer.status).toBe(status);
    expect(answer.text).toContain(message);
  });

  test('takes the operators of what it compares as', () => {
    expect(operatorsOf(colour.comparison)).toEqual(operatorsOf('text'));
    expect(operatorsOf(colour.comparison)).toContain('iendsWith');
  });

  test.each([
    ['shade=%230000FF', 'Sea'],
    ['shade_neq=%230000FF&sort=id', 'Sand Grass Nothing'],
    ['shade_in=%230000FF,%2300ff00&sort=id', 'Sea Grass'],
    ['shade_nin=%230000FF,%2300ff00&sort=id', 'Sand Nothing'],
    ['shade_gt=%2300ff00', 'Sand'],
    ['shade_gte=%2300FF00&sort=id', 'Sand Grass'],
    ['shade_lt=%2300ff00', 'Sea'],
    ['shade_lte=%2300ff00&sort=id', 'Sea Grass'],
    ['shade_like=c2', 'Sand'],
    ['shade_ilike=C2', 'Sand'],
    ['shade_iendsWith=00', 'Grass'],
    ['shade_null=true', 'Nothing'],
    ['shade_exists=true&sort=id', 'Sea Sand Grass'],
    ['base_default=1', expect.stringContaining('INVALID_PARAMETER')],
    ['shade=blue', expect.stringContaining('it takes a colour such as #00ff7f')],
    ['shade_gt=blue', expect.stringContaining('it takes a colour such as #00ff7f')],
    ['mix_contains=%2300AA00', 'Sea'],
    ['mix_containsAny=%2300aa00,%23c2b280&sort=id', 'Sea Sand'],
    ['mix_containsAll=%2300aa00,%230000ff', 'Sea'],
    ['look.front=%23222222', 'Sand'],
    ['look.front_gte=%23111111&sort=id', 'Sea Sand'],
    ['look.front_iendsWith=11', 'Sea'],
    ['more.tint=%23abcdef', 'Sea'],
    ['more.tint_iendsWith=NE', 'Sand'],
    ['more.tint_iendsWith=7', ''],
    ['sort=shade', 'Nothing Sea Grass Sand'],
    ['sort=-shade&nulls=last', 'Sand Grass Sea Nothing'],
    ['sort=look.front,id', 'Grass Nothing Sea Sand'],
    ['sort=mix,id', 'Grass Nothing Sea Sand'],
    ['sort=range', expect.stringContaining('its items are of type gloss')],
  ])('%s', async (query, expected) => {
    expect(await namesAt(query)).toEqual(expected);
  });

  test('is walked by cursor', async () => {
    const names: string[] = [];
    let cursor = '';
    do {
      const { body } = await both.get(`/v1/paints?sort=-base,shade&limit=1&cursor=${cursor}`);
      const { data, next_cursor: next } = body as {
        data: { name: string }[];
        next_cursor: string | null;
      };
      names.push(...data.map(({ name }) => name));
      cursor = encodeURIComponent(next ?? '');
    } while (cursor !== '');
    expect(names).toEqual(['Nothing', 'Sea', 'Grass', 'Sand']);
  });

  test('has its place in documents, types and the schema of the file', () => {
    const version = api.versions.get(1);
    if (version === undefined) throw new Error('There is no version 1');
    const view = fullView(api, version);
    const document = JSON.stringify(openApiDocument(view));
    expect(document).toContain(`"shade":{"type":["string","null"],"pattern":"${pattern}"}`);
    expect(document).toContain('iendsWith` ends with, case-insensitive.');
    expect(document).toContain('"shade_iendsWith":');
    const client = clientSource(view);
    expect(client).toContain('shade: string | null;');
    expect(client).toMatch(/Extract<T\[N\]\[1\], 'like' [^>]*'iendsWith'>/u);
    expect(JSON.stringify(specificationJsonSchema(types))).toContain('"colour"');
    expect(JSON.stringify(specificationJsonSchema())).not.toContain('"colour"');
  });

  test('is checked in the file', () => {
    const problemsOf = (field: string): readonly string[] =>
      build(
        `resources: { a: { fields: { b: ${field}, c_iendsWith: { type: json } } } }`,
        types,
      ).problems.map(({ message }) => message);
    expect(problemsOf('{ type: color }')[0]).toContain('did you mean `colour`');
    expect(problemsOf('{ type: colour, maxLength: 3 }')[0]).toContain(
      '`maxLength` does not fit type colour',
    );
    expect(problemsOf('{ type: colour, default: blue }').join('\n')).toContain(
      'must be a colour such as #00ff7f',
    );
    expect(problemsOf('{ type: colour }').join('\n')).toContain('ends like the operator');
  });

  test('is generated', async () => {
    const made = await makeGenerator(api, undefined);
    if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join('\n'));
    const paints = api.resources.get('paints');
    const shade = paints?.fields.get('shade');
    if (shade === undefined) throw new Error('There is no shade');
    const rows = exampleRows(made.generator);
    const values = [1, 2, 3].map((number) => String(rows.valueOf(shade, number)));
    expect(values.filter(isColour)).toEqual(values);
    expect(new Set(values).size).toBe(3);
  });

  test('is recognised', async () => {
    expect(typeOfValues(['#abcdef', '#000000'], types)).toEqual({ type: 'colour' });
    expect(typeOfValues(['#abcdef', '#000000'])).toEqual({ type: 'string' });
    const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
    const file = join(folder, 'old.db');
    const driver = new Driver(file);
    driver.exec(
      `CREATE TABLE walls (id INTEGER PRIMARY KEY, shade TEXT NOT NULL DEFAULT '#FFFFFF'); INSERT INTO walls VALUES (1, '#abcdef')`,
    );
    driver.close();
    const draft = draftOf(readSqlite(file, true, types));
    expect(draft.resources[0]?.fields.find(({ name }) => name === 'shade')?.attributes).toEqual({
      type: 'colour',
      nullable: false,
      default: '#ffffff',
    });
    rmSync(folder, { recursive: true });
    const { resources } = draftOf(
      await both.postgres.inspect((ask) => readPostgres(ask, true, types)),
    );
    // What a migration has made as text is text.
    expect(resources[0]?.fields.find(({ name }) => name === 'shade')?.attributes.type).toBe(
      'string',
    );
  });
});

describe('a new operator', () => {
  test.each([
    ['name_iendsWith=and', 'Sand'],
    ['name_iendsWith=.', ''],
    ['name_iendsWith=*', ''],
    [`name_iendsWith=${'x'.repeat(101)}`, expect.stringContaining('takes at most 100 characters')],
    ['id_iendsWith=1', expect.stringContaining('not _iendsWith')],
  ])('%s', async (query, expected) => {
    expect(await namesAt(query)).toEqual(expected);
  });
});
