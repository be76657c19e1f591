import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBodies } from '../support/tables.ts';
import { ann, bob, library, libraryRecords, notes, one, three, two } from './library.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(library, libraryRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const book = (query: string): string => `/v1/books/1?${query}`;
const { id } = one;

/** All of a record but some members. */
function without(record: object, ...names: readonly string[]): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

describe('fields', () => {
  expectBodies(source, [
    ['one', book('fields=title'), { id, title: 'One' }],
    ['id always stays', book('fields=id'), { id }],
    ['blanks are dropped', book('fields=+title+,+price'), { id, title: 'One', price: '9.90' }],
    ['twice is once', book('fields=title,title'), { id, title: 'One' }],
    ['everything', book('fields=*'), one],
    ['a prefix', book('fields=s*'), { id, sold_total: 5, specs: one.specs }],
    ['a suffix', book('fields=*_total'), { id, sold_total: 5, returned_total: 1 }],
    ['in the middle', book('fields=*e*t*l'), { id, returned_total: 1 }],
    ['both ends overlap', book('fields=ti*tle'), { id, title: 'One' }],
    ['but are no shorter name', book('fields=title*title'), { id }],
    ['the middle and the end overlap', book('fields=t*le*e'), { id }],
    ['the middle right before the end', book('fields=t*l*e'), { id, title: 'One' }],
    ['two stars', book('fields=**le'), { id, title: 'One' }],
    ['a wildcard that matches nothing', book('fields=zz*'), { id }],
    ['no regular expression', book('fields=ti?le*'), { id }],
    ['of an object', book('fields=specs.weight'), { id, specs: { weight: 1.5 } }],
    ['deeper', book('fields=specs.size.width'), { id, specs: { size: { width: 10 } } }],
    [
      'several paths',
      book('fields=specs.weight,specs.size.height'),
      { id, specs: { weight: 1.5, size: { height: 20 } } },
    ],
    ['a path and the whole', book('fields=specs.weight,specs'), { id, specs: one.specs }],
    [
      'a path and its beginning',
      book('fields=specs.size.width,specs.size'),
      { id, specs: { size: one.specs.size } },
    ],
    ['a wildcard below', book('fields=specs.*'), { id, specs: one.specs }],
    ['part of a name below', book('fields=specs.w*'), { id, specs: { weight: 1.5 } }],
    ['in between', book('fields=specs.*.width'), { id, specs: { size: { width: 10 } } }],
    ['before a path', book('fields=*.weight'), { id, specs: { weight: 1.5 }, extra: {} }],
    ['of nothing below', book('fields=specs.zz*'), { id, specs: {} }],
    ['of json', book('fields=extra.b.c'), { id, extra: { b: { c: 2 } } }],
    ['of json, wildcard', book('fields=extra.*.d'), { id, extra: { b: { d: 3 } } }],
    ['of json, not there', book('fields=extra.nope'), { id, extra: {} }],
    [
      'of an object without the member',
      '/v1/books/2?fields=specs.size.width',
      { id: 2, specs: {} },
    ],
    [
      'of a null object',
      '/v1/books/3?fields=specs.weight,extra.a',
      { id: 3, specs: null, extra: null },
    ],
    [
      'on a list',
      '/v1/books?fields=title&limit=2',
      [
        { id: 1, title: 'One' },
        { id: 2, title: 'Two' },
      ],
    ],
  ]);
});

describe('exclude', () => {
  expectBodies(source, [
    ['one', book('exclude=title'), without(one, 'title')],
    ['several', book('exclude=title,extra,specs'), without(one, 'title', 'extra', 'specs')],
    ['id always stays', book('exclude=id,title'), without(one, 'title')],
    ['everything', book('exclude=*'), { id }],
    ['a wildcard', book('exclude=*_total'), without(one, 'sold_total', 'returned_total')],
    ['a wildcard that matches nothing', book('exclude=zz*'), one],
    ['of an object', book('exclude=specs.size'), { ...one, specs: { weight: 1.5 } }],
    [
      'deeper',
      book('exclude=specs.size.width,specs.weight'),
      { ...one, specs: { size: { height: 20 } } },
    ],
    ['a wildcard below', book('exclude=specs.*'), { ...one, specs: {} }],
    ['part of a name below', book('exclude=specs.s*'), { ...one, specs: { weight: 1.5 } }],
    [
      'of json',
      book('exclude=extra.b.c,extra.nope'),
      { ...one, extra: { a: 1, b: { d: 3 }, width: 4 } },
    ],
    [
      'of a null object',
      '/v1/books/3?exclude=specs.weight&expand=author',
      { ...three, author: bob },
    ],
    ['an object and a path of it', book('exclude=specs,specs.weight'), without(one, 'specs')],
  ]);
});

describe('groups', () => {
  expectBodies(source, [
    ["the resource's own wins over the API's", book('fields=@short'), { id, title: 'One' }],
    ["the API's, less what is lacking", '/v1/authors/1?fields=@short', { id, name: 'Ann' }],
    ['with plain names', book('fields=@short,price'), { id, title: 'One', price: '9.90' }],
    ['two groups', '/v1/authors/1?fields=@names,@short', { id, name: 'Ann' }],
    ['a group of nothing here', book('fields=@names'), { id }],
    ['in exclude', book('exclude=@short'), without(one, 'title')],
    [
      'a relation in it, not expanded',
      book('fields=@card'),
      { id, title: 'One', specs: one.specs },
    ],
    [
      'a relation in it, expanded',
      book('fields=@card&expand=author'),
      { id, title: 'One', specs: one.specs, author: ann },
    ],
    [
      'of a relation',
      book('fields=title,author.@names&expand=author'),
      { id, title: 'One', author: { id: 1, name: 'Ann' } },
    ],
  ]);
});

describe('relations', () => {
  const tags = [
    { id: 1, name: 'red', pivot: { position: 2, label: null } },
    { id: 2, name: 'blue', pivot: { position: 1, label: 'x' } },
  ];
  expectBodies(source, [
    [
      'stay whole without names of their own',
      book('fields=title&expand=author'),
      { id, title: 'One', author: ann },
    ],
    [
      'one field',
      book('fields=title,author.name&expand=author'),
      { id, title: 'One', author: { id: 1, name: 'Ann' } },
    ],
    [
      'no field beside it',
      book('fields=author.name&expand=author'),
      { id, author: { id: 1, name: 'Ann' } },
    ],
    [
      'a wildcard keeps the relation',
      book('fields=title,author.*&expand=author'),
      { id, title: 'One', author: ann },
    ],
    ['a wildcard names no relation', book('fields=a*.name&expand=author'), { id, author: ann }],
    ['named whole', book('fields=author&expand=author'), { id, author: ann }],
    [
      'named whole and in part',
      book('fields=author,author.name&expand=author'),
      { id, author: ann },
    ],
    [
      'id alone',
      book('fields=title,author.id&expand=author'),
      { id, title: 'One', author: { id: 1 } },
    ],
    [
      'two relations, one in part',
      book('fields=title,author.name&expand=author,tags'),
      { id, title: 'One', author: { id: 1, name: 'Ann' }, tags },
    ],
    ['pivot stays', book('fields=title,tags.name&expand=tags'), { id, title: 'One', tags }],
    [
      'pivot by name',
      book('fields=title,tags.pivot&expand=tags'),
      { id, title: 'One', tags: tags.map(({ id: tag, pivot }) => ({ id: tag, pivot })) },
    ],
    [
      'a pivot field by name',
      book('fields=title,tags.name,tags.pivot.label&expand=tags'),
      {
        id,
        title: 'One',
        tags: tags.map((tag) => ({ ...tag, pivot: without(tag.pivot, 'position') })),
      },
    ],
    [
      'pivot fields by wildcard',
      book('fields=title,tags.pivot.pos*&expand=tags'),
      {
        id,
        title: 'One',
        tags: tags.map(({ id: tag, pivot }) => ({ id: tag, pivot: without(pivot, 'label') })),
      },
    ],
    [
      'a pivot field, and pivot itself',
      book('fields=title,tags.name,tags.pivot,tags.pivot.label&expand=tags'),
      { id, title: 'One', tags },
    ],
    [
      'exclude a field',
      book('exclude=author.born&expand=author'),
      { ...one, author: { id: 1, name: 'Ann' } },
    ],
    ['exclude id of a relation', book('exclude=author.id&expand=author'), { ...one, author: ann }],
    ['exclude a relation', book('exclude=author,title&expand=author'), without(one, 'title')],
    ['exclude one that is not expanded', book('exclude=author'), one],
    [
      'a wildcard does not drop it',
      book('exclude=a*&expand=author'),
      { ...without(one, 'authorId'), author: ann },
    ],
    ['everything but the relation', book('exclude=*&expand=author'), { id, author: ann }],
    [
      'exclude pivot',
      book('exclude=tags.pivot&expand=tags'),
      { ...one, tags: tags.map((tag) => without(tag, 'pivot')) },
    ],
    [
      'exclude a pivot field',
      book('exclude=tags.pivot.label&expand=tags'),
      { ...one, tags: tags.map((tag) => ({ ...tag, pivot: without(tag.pivot, 'label') })) },
    ],
    [
      'exclude pivot fields by wildcard',
      book('exclude=tags.pivot.*&expand=tags'),
      { ...one, tags: tags.map((tag) => ({ ...tag, pivot: {} })) },
    ],
    [
      'the key need not be shown',
      book('expand=author&fields=title'),
      { id, title: 'One', author: ann },
    ],
    [
      'nested',
      '/v1/authors/1?expand=books.tags&fields=name,books.title',
      {
        id: 1,
        name: 'Ann',
        books: [
          { id: 1, title: 'One', tags },
          {
            id: 2,
            title: 'Two',
            tags: [{ id: 1, name: 'red', pivot: { position: 1, label: 'y' } }],
          },
        ],
      },
    ],
    [
      'nested in part',
      '/v1/authors/1?expand=books.tags&fields=books.tags.name,books.title',
      {
        id: 1,
        books: [
          { id: 1, title: 'One', tags },
          {
            id: 2,
            title: 'Two',
            tags: [{ id: 1, name: 'red', pivot: { position: 1, label: 'y' } }],
          },
        ],
      },
    ],
    [
      'nested, without the outer',
      '/v1/authors/1?expand=books.parent&fields=books.parent.title',
      {
        id: 1,
        books: [
          { id: 1, parent: null },
          { id: 2, parent: { id: 1, title: 'One' } },
        ],
      },
    ],
    [
      'exclude nested',
      '/v1/authors/1?expand=books.parent&exclude=born,books.parent',
      { id: 1, name: 'Ann', books: [one, two] },
    ],
    [
      'a morphTo: names apply where they are',
      '/v1/notes?expand=owner&fields=owner.title,owner.born&limit=3',
      [
        { id: 1, owner: { id: 1, title: 'One' } },
        { id: 2, owner: { id: 1, born: '1970-01-01' } },
        { id: 3, owner: { id: 1, title: 'One' } },
      ],
    ],
    [
      'a morphTo: exclude',
      '/v1/notes?expand=owner&exclude=owner.born,owner.extra&limit=2',
      [
        { ...notes[0], owner: without(one, 'extra') },
        { ...notes[1], owner: without(ann, 'born') },
      ],
    ],
  ]);
});

describe('bodies of writes', () => {
  test.each([
    ['POST', '/v1/tags', 201, { name: 'new' }],
    ['PUT', '/v1/tags/3', 200, { name: 'new' }],
    ['PATCH', '/v1/tags/3', 200, { name: 'newer' }],
  ])('%s %s', async (method, path, status, sent) => {
    const whole = await api.send(method, `${path}?expand=books`, sent);
    expect(whole.status).toBe(status);
    expect(whole.body).toEqual({ id: expect.any(Number), ...sent, books: [] });
    const part = await api.send(method, `${path}?fields=id`, sent);
    expect(Object.keys(part.body as object)).toEqual(['id']);
    const less = await api.send(method, `${path}?exclude=n*`, sent);
    expect(Object.keys(less.body as object)).toEqual(['id']);
    const before = (await api.get('/v1/tags')).text;
    expect((await api.send(method, `${path}?fields=nme`, { name: 'never' })).status).toBe(400);
    expect((await api.get('/v1/tags')).text).toBe(before);
  });
});
