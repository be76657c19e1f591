import { readFileSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/openapi/document/document.ts';
import { at, sentParameters, valueSchemaOf } from './documents.ts';
import { oddSpecifications } from './odd-specifications.ts';
import { serveSandboxes, type SandboxedApi } from '../sandboxes/sandboxes.ts';
import { everything } from './specifications.ts';

type Files = Readonly<Record<string, string>>;

const examples = new URL('../../examples/', import.meta.url);
function filesOf(name: string): Files {
  const folder = new URL(`${name}/`, examples);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const own = files.filter((file) => /^[^.].*\.(?:yaml|ndjson)$/u.test(file));
  return Object.fromEntries(own.map((file) => [file, readFileSync(new URL(file, folder), 'utf8')]));
}

/** Of each specification its files, and the collections that have no room for one more record. */
const specifications: readonly (readonly [string, Files, readonly string[]])[] = [
  ['blog', filesOf('blog'), ['/v1/profiles']],
  ['shop', filesOf('shop'), ['/v1/addresses']],
  ['media', filesOf('media'), []],
  ['chinook', filesOf('chinook'), []],
  ['every type and relation', { 'plinth.yaml': everything }, []],
  ...Object.entries(oddSpecifications).map(
    ([name, { text, full }]) => [name, { 'plinth.yaml': text }, full] as const,
  ),
];

interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly [Schema, ...Schema[]];
}

/** What the document says can be sent is sent; every answer is held against the document besides. */
describe.each(specifications)('%s', (_, files, full) => {
  let api: SandboxedApi;
  let document: OpenApiDocument;
  /** Each path with the id of its example. */
  let paths: readonly (readonly [path: string, real: string])[];
  beforeAll(async () => {
    const { 'plinth.yaml': text = '', ...rest } = files;
    api = await serveSandboxes(text, rest);
    document = (await api.get('/_openapi.json')).body as OpenApiDocument;
    // What a batch takes is what its operations take.
    const ofResources = Object.keys(document.paths).filter((path) => !path.endsWith('/_batch'));
    paths = ofResources.map((path) => {
      const id = at(document, `paths ${path} parameters 0 example`);
      return [path, path.replace('{id}', encodeURIComponent(String(id)))];
    });
  });
  afterAll(() => api.stop());

  test('every body of an example is taken', async () => {
    const wrong: string[] = [];
    const without: string[] = [];
    let count = 0;
    for (const [path, real] of paths)
      for (const method of ['post', 'put', 'patch']) {
        const content = at(document, `paths ${path} ${method} requestBody content`) ?? {};
        for (const [type, media] of Object.entries(content)) {
          const { example } = media as { example?: unknown };
          if (example === undefined) {
            without.push(path);
            continue;
          }
          for (const sent of method === 'post' ? [example, [example]] : [example]) {
            const sandbox = `s${(count += 1)}`;
            const headers = { 'x-sandbox': sandbox, 'content-type': type };
            // A change of many needs a filter: here that of the one record of the example.
            const one = paths.find(([other]) => other === `${path}/{id}`)?.[1] ?? '';
            const isOfMany = method === 'patch' && path === real;
            const target = isOfMany ? `${real}?id=${one.slice(path.length + 1)}` : real;
            const answer = await api.send(method.toUpperCase(), target, sent, headers);
            if (answer.status !== (method === 'post' ? 201 : 200))
              wrong.push(`${method} ${real} ${JSON.stringify(sent)}: ${answer.text}`);
            await api.send('DELETE', `/_sandboxes/${sandbox}`);
          }
        }
      }
    expect(wrong).toEqual([]);
    expect(without).toEqual(full);
  });

  test('every path and parameter of a read is taken', async () => {
    const wrong: string[] = [];
    const read = async (path: string): Promise<void> => {
      const { status, text } = await api.get(path);
      if (status !== 200) wrong.push(`${path}: ${text}`);
    };
    for (const [path, real] of paths) {
      await read(real);
      const parameters = sentParameters(document, `paths ${path} get`);
      for (const parameter of parameters) {
        const { name, in: place } = parameter;
        const schema = valueSchemaOf(parameter, parameters);
        // What to embed is told in words; a single read sorts nothing but that.
        if (place !== 'query' || name === 'expand') continue;
        if (name === 'sort' && path !== real) continue;
        // Paging is for what is expanded, unless it is a field of that name; so is all of a single read.
        const isRecord = path !== real;
        const of = isRecord ? /^([^.]+)\./u : /^(.+)\.(?:page|limit|offset|sort)$/u;
        const [, collection] = of.exec(name) ?? [];
        const isWithin =
          collection !== undefined &&
          (isRecord || (await api.get(`${real}?expand=${collection}`)).status === 200);
        const query = new URLSearchParams(isWithin ? { expand: collection } : {});
        if (name === 'having') query.append('aggregate', 'count');
        const isSort = isWithin && name.endsWith('.sort') && schema.type === 'array';
        query.append(name, isSort ? '-id' : itemFor(name, schema));
        await read(`${real}?${query.toString()}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});

const reserved: ReadonlyMap<string, string> = new Map(
  Object.entries({
    fields: 'id',
    exclude: 'id',
    sort: '-id',
    group: 'id',
    aggregate: 'count',
    having: 'count_gte:0',
    _and: 'id_exists:true',
    _or: 'id_exists:true',
    _not: 'id_null:true',
    _inspect: 'data',
    cursor: '',
  }),
);

const byFormat: Readonly<Record<string, string>> = {
  date: '2026-03-01',
  'date-time': '2026-03-01T14:05:00.000Z',
  uuid: '0198c0de-0000-7000-8000-000000000001',
};

/** A value that a parameter takes by its schema. */
function valueFor(
  name: string,
  { type, format = '', pattern, minimum, ...schema }: Schema,
): string {
  const known = reserved.get(name);
  if (known !== undefined) return known;
  if (schema.anyOf !== undefined) return valueFor(name, schema.anyOf[0]);
  if (type === 'array' && schema.items !== undefined) return listed(valueFor('', schema.items));
  if (schema.enum !== undefined) return String(schema.enum.at(-1));
  if (type === 'boolean') return 'true';
  if (type === 'integer' || type === 'number') return String(minimum ?? 1);
  const candidates = [byFormat[format] ?? 'a', '1', '14:05:00', 'A1', 'AB123456', 'AB'];
  const fit = candidates.find((one) => new RegExp(pattern ?? '', 'u').test(one));
  if (fit === undefined) throw new Error(`${name} needs a value for ${pattern}`);
  return fit;
}

/** A value, as an item of a list where the parameter takes one. */
function itemFor(name: string, schema: Schema): string {
  const value = valueFor(name, schema);
  return /_(?:n?in|containsAll|containsAny)$/u.test(name) ? listed(value) : value;
}

/** The value as an item of a list. See docs/contract/2-reading.md#lists-in-parameters, rule 3. */
function listed(text: string): string {
  return /^$|[",]/u.test(text) ? JSON.stringify(text) : text;
}
