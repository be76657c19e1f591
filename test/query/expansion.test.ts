import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBodies, expectRefusals, type RefusalCase } from '../support/tables.ts';
import {
  ann,
  blue,
  bob,
  cyd,
  four,
  library,
  libraryRecords,
  notes,
  one,
  profile,
  red,
  three,
  two,
} from './library.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(library, libraryRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const pivot = (position: number, label: string | null): { pivot: object } => ({
  pivot: { position, label },
});
const tagsOfOne = [
  { ...red, ...pivot(2, null) },
  { ...blue, ...pivot(1, 'x') },
];
const tagsOfTwo = [{ ...red, ...pivot(1, 'y') }];

describe('each kind, on lists', () => {
  expectBodies(source, [
    [
      'belongsTo',
      '/v1/books?expand=author',
      [
        { ...one, author: ann },
        { ...two, author: ann },
        { ...three, author: bob },
        { ...four, author: null },
      ],
    ],
    [
      'hasOne',
      '/v1/authors?expand=profile',
      [
        { ...ann, profile },
        { ...bob, profile: null },
        { ...cyd, profile: null },
      ],
    ],
    [
      'hasMany',
      '/v1/authors?expand=books',
      [
        { ...ann, books: [one, two] },
        { ...bob, books: [three] },
        { ...cyd, books: [] },
      ],
    ],
    [
      'belongsToMany with pivot, by id of the related',
      '/v1/books?expand=tags',
      [
        { ...one, tags: tagsOfOne },
        { ...two, tags: tagsOfTwo },
        { ...three, tags: [] },
        { ...four, tags: [] },
      ],
    ],
    [
      'belongsToMany without pivot',
      '/v1/tags?expand=books',
      [
        { ...red, books: [one, two] },
        { ...blue, books: [one] },
        { id: 3, name: 'unused', books: [] },
      ],
    ],
    [
      'morphTo',
      '/v1/notes?expand=owner',
      [
        { ...notes[0], owner: one },
        { ...notes[1], owner: ann },
        { ...notes[2], owner: one },
        { ...notes[3], owner: null },
      ],
    ],
    [
      'morphMany of one owner',
      '/v1/books?expand=notes&limit=2',
      [
        { ...one, notes: [notes[0], notes[2]] },
        { ...two, notes: [] },
      ],
    ],
    [
      'morphMany of another, with the same ids',
      '/v1/authors?expand=notes&limit=2',
      [
        { ...ann, notes: [notes[1]] },
        { ...bob, notes: [] },
      ],
    ],
    [
      'to itself, upwards',
      '/v1/books?expand=parent&limit=2',
      [
        { ...one, parent: null },
        { ...two, parent: one },
      ],
    ],
    [
      'to itself, downwards',
      '/v1/books?expand=sequels&limit=2',
      [
        { ...one, sequels: [two, three] },
        { ...two, sequels: [] },
      ],
    ],
    ['an empty page', '/v1/books?expand=author,tags&title=none', []],
  ]);
});

describe('single reads and combinations', () => {
  expectBodies(source, [
    ['to-one', '/v1/books/1?expand=author', { ...one, author: ann }],
    ['to-one, null', '/v1/books/4?expand=author', { ...four, author: null }],
    ['to-many', '/v1/authors/1?expand=books', { ...ann, books: [one, two] }],
    ['to-many, none', '/v1/authors/3?expand=books', { ...cyd, books: [] }],
    [
      'several',
      '/v1/books/1?expand=tags,author,notes',
      { ...one, author: ann, tags: tagsOfOne, notes: [notes[0], notes[2]] },
    ],
    ['twice is once', '/v1/books/1?expand=author,author', { ...one, author: ann }],
    [
      'blanks are dropped',
      '/v1/books/1?expand=+author+,+parent',
      { ...one, author: ann, parent: null },
    ],
    [
      'a nested path expands its parents',
      '/v1/profiles/1?expand=author.books',
      { ...profile, author: { ...ann, books: [one, two] } },
    ],
    [
      'parents named too',
      '/v1/profiles/1?expand=author,author.books',
      { ...profile, author: { ...ann, books: [one, two] } },
    ],
    [
      'two below one',
      '/v1/profiles/1?expand=author.books,author.notes',
      { ...profile, author: { ...ann, books: [one, two], notes: [notes[1]] } },
    ],
    ['below null', '/v1/books/4?expand=author.books', { ...four, author: null }],
    ['below nothing', '/v1/authors/3?expand=books.tags', { ...cyd, books: [] }],
    [
      'three levels',
      '/v1/profiles/1?expand=author.books.tags',
      {
        ...profile,
        author: {
          ...ann,
          books: [
            { ...one, tags: tagsOfOne },
            { ...two, tags: tagsOfTwo },
          ],
        },
      },
    ],
    [
      'there and back',
      '/v1/books/2?expand=parent.sequels',
      { ...two, parent: { ...one, sequels: [two, three] } },
    ],
    [
      'shared by several parents',
      '/v1/authors/1?expand=books.parent.author',
      {
        ...ann,
        books: [
          { ...one, parent: null },
          { ...two, parent: { ...one, author: ann } },
        ],
      },
    ],
    [
      'below a belongsToMany',
      '/v1/books/2?expand=tags.books',
      { ...two, tags: [{ ...tagsOfTwo[0], books: [one, two] }] },
    ],
    [
      'below a morphTo: where it is there',
      '/v1/notes?expand=owner.author&limit=2',
      [
        { ...notes[0], owner: { ...one, author: ann } },
        { ...notes[1], owner: ann },
      ],
    ],
    [
      'below a morphTo: where both have it',
      '/v1/notes?expand=owner.notes&limit=2',
      [
        { ...notes[0], owner: { ...one, notes: [notes[0], notes[2]] } },
        { ...notes[1], owner: { ...ann, notes: [notes[1]] } },
      ],
    ],
    [
      'below a morphTo: different ones',
      '/v1/notes?expand=owner.profile,owner.parent&limit=2',
      [
        { ...notes[0], owner: { ...one, parent: null } },
        { ...notes[1], owner: { ...ann, profile } },
      ],
    ],
  ]);

  test.each([
    ['POST', '/v1/books', 201, { title: 'New', authorId: 2 }],
    ['PUT', '/v1/books/4', 200, { title: 'New', authorId: 2 }],
    ['PATCH', '/v1/books/4', 200, { authorId: 2 }],
  ])('the answer of a %s', async (method, path, status, body) => {
    const answer = await api.send(
      method,
      `${path}?expand=author.books&fields=title,author.books.id`,
      body,
    );
    expect(answer.status).toBe(status);
    const { id, author } = answer.body as { id: number; author: { books: unknown[] } };
    expect(author.books).toContainEqual({ id });
    if (method === 'POST') await api.send('DELETE', `${path}/${id}`);
    else await api.send('PUT', path, { title: 'Four' });
  });
});

describe('depth', () => {
  const deep = (levels: number): string => Array.from({ length: levels }, () => 'parent').join('.');
  test.each([
    ['the default', 3, ''],
    ['lower', 1, '&maxDepth=1'],
    ['higher', 5, '&maxDepth=5'],
    ['in between', 4, '&maxDepth=4'],
  ])('%s: %i', async (_, levels, parameter) => {
    const fits = await api.get(`/v1/books/2?expand=${deep(levels)}${parameter}`);
    expect(fits.status, fits.text).toBe(200);
    const over = await api.get(`/v1/books/2?expand=${deep(levels + 1)}${parameter}`);
    expect([over.status, over.body.code, over.body.message]).toEqual([
      400,
      'DEPTH_EXCEEDED',
      `expand: ${deep(levels + 1)} is ${levels + 1} levels deep; this request may expand ${levels}${levels < 5 ? ', and 5 with maxDepth=5' : ''}`,
    ]);
  });
  const exceeded = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'DEPTH_EXCEEDED',
    ...problems,
  ];
  expectRefusals(source, '/v1/books', [
    exceeded(
      'maxDepth over the limit',
      'expand=author&maxDepth=6',
      'maxDepth: must be at most 5 (limits.maxDepth)',
    ),
    exceeded('without expand too', 'maxDepth=6', 'maxDepth: must be at most 5 (limits.maxDepth)'),
    exceeded(
      'far over it',
      `maxDepth=${'9'.repeat(40)}`,
      'maxDepth: must be at most 5 (limits.maxDepth)',
    ),
    exceeded(
      'both',
      'expand=parent.parent&maxDepth=1',
      'expand: parent.parent is 2 levels deep; this request may expand 1, and 5 with maxDepth=5',
    ),
    ...['0', '-1', '1.5', '', 'x'].map((value): RefusalCase => [
      'no depth',
      `expand=author&maxDepth=${value}`,
      'INVALID_PARAMETER',
      'maxDepth: must be a positive whole number',
    ]),
  ]);

  test('both limits can be set', async () => {
    const own = await serveBoth(`limits: { defaultDepth: 1, maxDepth: 2 }\n${library}`, {});
    const codes = await Promise.all(
      [
        'expand=parent',
        'expand=parent.parent',
        'expand=parent.parent&maxDepth=2',
        'maxDepth=3',
      ].map(async (query) => (await own.get(`/v1/books?${query}`)).body.code as unknown),
    );
    expect(codes).toEqual([undefined, 'DEPTH_EXCEEDED', undefined, 'DEPTH_EXCEEDED']);
    await own.stop();
  });
});

describe('refused', () => {
  const refused = (name: string, query: string, ...problems: string[]): RefusalCase => [
    name,
    query,
    'INVALID_PARAMETER',
    ...problems,
  ];
  const rows = [
    refused('unknown', 'expand=autor', 'expand: there is no relation autor; did you mean author?'),
    refused('a field', 'expand=title', 'expand: title is a field, not a relation'),
    refused('a key', 'expand=authorId', 'expand: authorId is a field, not a relation'),
    refused(
      'unknown below',
      'expand=author.boks',
      'expand: author.boks: there is no relation boks; did you mean books?',
    ),
    refused(
      'a field below',
      'expand=author.name',
      'expand: author.name: name is a field, not a relation',
    ),
    refused(
      'below an unknown one',
      'expand=nope.books',
      'expand: nope.books: there is no relation nope; did you mean notes?',
    ),
    refused(
      'nothing below',
      'expand=author.',
      'expand: author.: the name of a relation is missing',
    ),
    refused('a wildcard', 'expand=*', 'expand: there is no relation *'),
    refused(
      'several',
      'expand=autor,title,tags',
      'expand: there is no relation autor; did you mean author?',
      'expand: title is a field, not a relation',
    ),
  ];
  describe('on a list', () => {
    expectRefusals(source, '/v1/books', rows);
  });
  describe('on a single read', () => {
    expectRefusals(source, '/v1/books/1', rows);
  });
  expectRefusals(source, '/v1/notes', [
    refused(
      'below a morphTo: what no target has',
      'expand=owner.nope',
      'expand: owner.nope: there is no relation nope; did you mean notes?',
    ),
  ]);
});
