import { describe, expect, test } from 'vitest';
import { operationsOf, type OpenApi } from '../../dashboard/src/reference/document.ts';
import { filtersOf, plainParameters } from '../../dashboard/src/reference/operation/families.ts';
import { firstDraft, missing, requestOf } from '../../dashboard/src/reference/operation/request.ts';
import { limitsText, typeText } from '../../dashboard/src/reference/operation/schema-words.ts';
import { ownerView } from '../../src/model/view.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { buildValid } from '../support/api.ts';

const api = buildValid(`
resources:
  authors:
    fields:
      name: { type: string, required: true, maxLength: 40 }
      books: { type: relation, relation: hasMany, resource: books }
  books:
    fields:
      title: { type: string }
      status: { type: string, enum: [draft, done] }
      tags: { type: array, items: { type: string } }
      authorId: { type: integer, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
`);
const document = openApiDocument(ownerView(api)) as unknown as OpenApi;
const operations = operationsOf(document);
function operation(title: string) {
  const found = operations.find((one) => one.title === title);
  if (found === undefined) throw new Error(`No operation ${title}`);
  return found;
}
const books = operation('List books').path;
const filters = (title: string) => filtersOf(document, operation(title));
const meanings = (title: string, path: string) =>
  filters(title)
    ?.families.find((one) => one.path === path)
    ?.operators.map(({ suffix, meaning }) => `${suffix} ${meaning}`.trim());

describe('the filters of an operation', () => {
  test.each([
    [
      'status',
      ['equals', '_neq differs from', '_in one of', '_nin none of'],
      ['_exists is there', '_null is null'],
    ],
    ['title', ['equals', '_ilike contains, case-insensitive'], ['_null is null']],
    ['author', ['_exists is there'], ['_null is null']],
    ['tags', ['_contains array contains'], ['_containsAny array contains any of']],
  ])('have the operators of %s in words', (path, some, others) => {
    expect(meanings('List books', path)).toEqual(expect.arrayContaining([...some, ...others]));
    expect(meanings('List books', path)).not.toContain('_eq equals');
  });

  test('name each suffix that the document has', () => {
    for (const title of ['List books', 'List authors']) {
      const { families = [], byName = {}, morePaths = [] } = filters(title) ?? {};
      const own = families.flatMap(({ path, operators }) => [
        `${path}_eq`,
        ...operators.map(({ suffix }) => path + suffix),
      ]);
      expect(Object.keys(byName).filter((name) => ![...own, ...morePaths].includes(name))).toEqual(
        [],
      );
      expect(morePaths.filter((name) => !name.includes('.'))).toEqual([]);
    }
  });

  test('of a change of many are those of the list, and at least one is needed', () => {
    const title = 'Change all of books that match';
    expect(filters(title)?.families).toEqual(filters('List books')?.families);
    expect([filters(title)?.isRequired, filters('List books')?.isRequired]).toEqual([true, false]);
  });

  test('are no parameters beside', () => {
    const names = plainParameters(operation('List books')).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['limit', 'sort', 'expand', 'Prefer']));
    expect(names.filter((name) => /^(?:title|author|filters)/u.test(name))).toEqual([]);
  });
});

describe('the request of a draft', () => {
  test('has what was filled in, and the example of a body', () => {
    const list = operation('List books');
    const first = firstDraft(list);
    expect(requestOf(list, first)).toMatchObject({
      path: books,
      query: '',
      requestBody: null,
    });
    const filled = {
      ...first,
      values: { 'query limit': '3', 'query sort': '-id,title', 'header Prefer': 'count=none' },
      filters: [
        { path: 'status', suffix: '_in', value: 'draft,done' },
        { path: 'title', suffix: '', value: '' },
        { path: 'title', suffix: '_ilike', value: 'a & b' },
      ],
    };
    expect(requestOf(list, filled)).toMatchObject({
      query: 'limit=3&sort=-id,title&status_in=draft,done&title_ilike=a%20%26%20b',
      requestHeaders: { prefer: 'count=none' },
    });
  });

  test('needs a value for each part of the path', () => {
    const one = operation('Get one of books');
    const draft = { ...firstDraft(one), values: {} };
    expect(missing(one, draft)).toEqual(['id']);
    const filled = { ...draft, values: { 'path id': 'a/b' } };
    expect([missing(one, filled), requestOf(one, filled).path]).toEqual([[], `${books}/a%2Fb`]);
  });

  test('sends a body with its type', () => {
    const create = operation('Create records of authors');
    expect(requestOf(create, { ...firstDraft(create), body: '{}' })).toMatchObject({
      method: 'POST',
      requestHeaders: { 'content-type': 'application/json' },
      requestBody: { text: '{}' },
    });
    expect(requestOf(create, { ...firstDraft(create), body: ' ' }).requestHeaders).toEqual({});
  });
});

test.each([
  [{ type: 'integer', format: 'int64', minimum: 0 }, 'integer', 'from 0'],
  [{ type: ['string', 'null'], maxLength: 160 }, 'string or null', 'at most 160 characters'],
  [{ type: 'string', format: 'date-time' }, 'date-time', ''],
  [{ type: 'array', items: { $ref: '#/components/schemas/Book' } }, 'array of Book', ''],
  [{ anyOf: [{ $ref: '#/components/schemas/Author' }, { type: 'null' }] }, 'Author or null', ''],
  [{ enum: ['a', 'b'], default: 'a' }, 'one of', 'a, b, "a" if absent'],
  [{ maximum: Number.MAX_SAFE_INTEGER }, 'any', ''],
])('a schema in words: %j', (schema, type, limits) => {
  expect([typeText(schema), limitsText(schema)]).toEqual([type, limits]);
});
