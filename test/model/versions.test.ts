import { describe, expect, test } from 'vitest';
import { expectErrors, resourceIn, validModel } from './model.ts';
import { relation } from '../specification/relations.ts';

const storage = `resources:
  users: { fields: { name: { type: string, required: true } } }
  posts:
    timestamps: true
    fields:
      title: { type: string, required: true }
      state: { type: string, required: true, default: new }
      size: { type: integer, nullable: false }
      note: { type: string }
      author: ${relation('belongsTo', 'users')}
      editor: ${relation('belongsTo', 'users', 'required: true')}
`;
const overlay = (posts: string): string =>
  `${storage}api: { versions: { 1: { resources: { posts: { fields: { ${posts} } } } } } }`;
const at = 'api.versions.1.resources';

describe('the versions', () => {
  test('are 1 alone where none are written', () => {
    const { versions, defaultVersion } = validModel(storage);
    expect([...versions]).toEqual([
      [
        1,
        {
          number: 1,
          deprecated: undefined,
          sunset: undefined,
          link: undefined,
          hiddenResources: new Set(),
          names: new Map(),
        },
      ],
    ]);
    expect(defaultVersion).toBe(1);
  });

  test.each([
    ['{ 1: {}, 2: {} }', '', 2],
    ['{ 2: {}, 10: {} }', '', 10],
    ['{ 1: {}, 2: { deprecated: 2026-01-01 } }', '', 1],
    ['{ 1: { deprecated: 2026-01-01 }, 2: { deprecated: 2026-02-01 } }', '', 2],
    ['{ 1: { sunset: 2026-01-01 }, 2: { deprecated: 2026-02-01 } }', '', 1],
    ['{ 1: {}, 2: {} }', ', defaultVersion: 1', 1],
    ['{ 1: { deprecated: 2026-01-01 }, 2: {} }', ', defaultVersion: 1', 1],
  ])('of %s%s, the default is %i', (versions, more, expected) => {
    expect(validModel(`${storage}api: { versions: ${versions}${more} }`).defaultVersion).toBe(
      expected,
    );
  });

  test('say what is renamed and hidden', () => {
    const api = validModel(
      `${storage}api:
  versions:
    1:
      deprecated: 2026-01-01
      sunset: 2026-07-01
      link: https://example.com/v2
      resources:
        users: false
        posts: { fields: { headline: { from: title }, status: { from: state }, note: false, writer: { from: author }, madeAt: { from: createdAt }, updatedAt: false, by: { from: authorId } } }
    2: {}`,
    );
    const posts = resourceIn(api, 'posts');
    const version = api.versions.get(1);
    if (version === undefined) throw new Error('There is no version 1');
    const { names, hiddenResources, ...rest } = version;
    expect(rest).toEqual({
      number: 1,
      deprecated: '2026-01-01',
      sunset: '2026-07-01',
      link: 'https://example.com/v2',
    });
    expect([...hiddenResources]).toEqual([resourceIn(api, 'users')]);
    expect([...names.keys()]).toEqual([posts]);
    expect(Object.fromEntries(names.get(posts) ?? [])).toEqual({
      title: 'headline',
      state: 'status',
      note: null,
      author: 'writer',
      createdAt: 'madeAt',
      updatedAt: null,
      authorId: 'by',
    });
    expect(api.versions.get(2)?.names.size).toBe(0);
  });

  expectErrors([
    [
      'hide and rename what is there',
      `${storage}api: { versions: { 1: { resources: { post: ¦false, posts: { fields: { titel: ¦false, a: { from: ¦notes } } } } } } }`,
      `${at}.post: there is no resource post; did you mean posts?`,
      `${at}.posts.fields.titel: there is no field titel; did you mean title?`,
      `${at}.posts.fields.a.from: there is no field notes; did you mean note?`,
    ],
    [
      'hide no field that a create needs',
      overlay('title: ¦false, size: ¦false, state: false, note: false, editorId: ¦false'),
      `${at}.posts.fields.title: title is required, so to be hidden it needs a default`,
      `${at}.posts.fields.size: size is required, so to be hidden it needs a default`,
      `${at}.posts.fields.editorId: editorId is required, so to be hidden it needs a default`,
    ],
    ['hide a relation without its key', overlay('editor: false')],
    [
      'do not hide the id',
      overlay('id: ¦false'),
      `${at}.posts.fields.id: id can be neither hidden nor renamed`,
    ],
    [
      'do not rename the id',
      overlay('¦key: { from: id }'),
      `${at}.posts.fields.key: id can be neither hidden nor renamed`,
    ],
    [
      'change a field once',
      overlay('a: { from: note }, ¦b: { from: note }, note: ¦false'),
      `${at}.posts.fields.b: note is changed in this version already`,
      `${at}.posts.fields.note: note is changed in this version already`,
    ],
    ['swap two names', overlay('note: { from: title }, title: { from: note }')],
    ['rename in case alone', overlay('Note: { from: note }')],
    [
      'give no name twice',
      overlay('¦state: { from: title }, ¦NOTE: { from: size }, ¦author: { from: authorId }'),
      `${at}.posts.fields.state: state is the name of state already; hide or rename that one`,
      `${at}.posts.fields.NOTE: NOTE is the name of note already; hide or rename that one`,
      `${at}.posts.fields.author: author is the name of author already; hide or rename that one`,
    ],
  ]);
});
