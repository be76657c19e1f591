import { describe, expect, test } from 'vitest';
import { expectErrors, fieldIn, resourceIn, resources, validModel } from './model.ts';
import { expectFacts, keysOf, relation } from '../specification/relations.ts';

const users = '';

describe('a belongsTo and its key', () => {
  const text = (key: string, said: string): string =>
    resources({
      users,
      posts: `authorId: { type: integer, ${key} }, author: ${relation('belongsTo', 'users', said)}`,
    });
  expectErrors([
    ['may say the same', text('required: true, nullable: true', 'required: true, nullable: true')],
    ['may each say something', text('required: true', 'nullable: true')],
    [
      'do not say what is required in different ways',
      text('required: true', 'required: ¦false'),
      'resources.posts.fields.author.required: posts.authorId says required: true; say it once',
    ],
    [
      'do not say what may be null in different ways',
      text('nullable: true', 'nullable: ¦false'),
      'resources.posts.fields.author.nullable: posts.authorId says nullable: true; say it once',
    ],
    [
      'do not point to different resources',
      resources({
        users,
        tags: '',
        posts: `authorId: { type: integer, reference: tags.id }, ¦author: ${relation('belongsTo', 'users')}`,
      }),
      'resources.posts.fields.author: posts.authorId refers to tags.id, so it cannot be a key to users.id',
    ],
  ]);
});

describe('onDelete', () => {
  expectFacts([
    [
      'is setNull where the key may be null, else restrict, unless written',
      {
        users,
        posts:
          'a: { type: integer, reference: users.id }, b: { type: integer, reference: users.id, nullable: false }, c: { type: integer, reference: users.id, onDelete: cascade }, d: { type: integer, reference: users.id, onDelete: restrict }',
      },
      {
        keys: [
          'posts.a integer null → users.id setNull',
          'posts.b integer not null → users.id restrict',
          'posts.c integer null → users.id cascade',
          'posts.d integer null → users.id restrict',
        ],
      },
    ],
    [
      'may stand at the relation, on either side',
      {
        users: `posts: ${relation('hasMany', 'posts', 'onDelete: cascade')}, card: ${relation('hasOne', 'cards', 'onDelete: restrict')}`,
        posts: `user: ${relation('belongsTo', 'users')}`,
        cards: '',
        notes: `user: ${relation('belongsTo', 'users', 'onDelete: cascade')}`,
      },
      {
        keys: [
          'posts.userId integer null → users.id cascade',
          'cards.userId integer null unique → users.id restrict',
          'notes.userId integer null → users.id cascade',
        ],
      },
    ],
    [
      'may be said twice alike',
      {
        users: `posts: ${relation('hasMany', 'posts', 'onDelete: cascade')}`,
        posts: `userId: { type: integer, onDelete: cascade }, user: ${relation('belongsTo', 'users', 'onDelete: cascade')}`,
      },
      { keys: ['posts.userId integer null → users.id cascade'] },
    ],
  ]);

  expectErrors([
    [
      'is not said twice in different ways',
      resources({
        users: `posts: ${relation('hasMany', 'posts', 'onDelete: ¦cascade')}`,
        posts: `userId: { type: integer, onDelete: restrict }`,
      }),
      'resources.users.fields.posts.onDelete: posts.userId has onDelete restrict already; say it once',
    ],
    [
      'cannot be setNull where null is not allowed',
      resources({
        users,
        posts: `a: { type: integer, reference: users.id, required: true, onDelete: ¦setNull }, b: ${relation('belongsTo', 'users', 'required: true, onDelete: ¦setNull')}`,
      }),
      'resources.posts.fields.a.onDelete: posts.a cannot become null; make it nullable, or choose restrict or cascade',
      'resources.posts.fields.b.onDelete: posts.bId cannot become null; make it nullable, or choose restrict or cascade',
    ],
    [
      'is of foreign keys alone',
      resources({ users: 'a: { type: integer, onDelete: ¦cascade }' }),
      'resources.users.fields.a.onDelete: users.a is not a foreign key; give it a reference',
    ],
  ]);
});

describe('a reference', () => {
  test('makes a foreign key with an index, whether or not a relation uses it', () => {
    const api = validModel(
      resources({
        users: 'code: { type: string, unique: true }',
        posts:
          'userCode: { type: string, reference: users.code }, ownId: { type: integer, reference: posts.id }',
      }),
    );
    expect(keysOf(api)).toEqual([
      'posts.userCode string null → users.code setNull',
      'posts.ownId integer null → posts.id setNull',
    ]);
    const { indexes, incoming } = resourceIn(api, 'posts');
    expect(indexes.map((fields) => fields.map(({ name }) => name))).toEqual([
      ['userCode'],
      ['ownId'],
    ]);
    expect(incoming).toEqual([fieldIn(api, 'posts.ownId')]);
    expect(resourceIn(api, 'users').incoming).toEqual([fieldIn(api, 'posts.userCode')]);
  });

  test('may point to a field that a list or a hasOne makes unique', () => {
    const api = validModel(
      `${resources({ posts: 'a: { type: string, reference: users.code }, b: { type: integer, reference: users.bossId }' })}
  users: { unique: [[code]], fields: { code: { type: string }, intern: ${relation('hasOne', 'users', 'foreignKey: bossId')}, bossId: { type: integer } } }`,
    );
    expect(keysOf(api)).toEqual([
      'posts.a string null → users.code setNull',
      'posts.b integer null → users.bossId setNull',
      'users.bossId integer null unique → users.id setNull',
    ]);
  });

  expectErrors([
    [
      'names a resource and a field that exist',
      resources({
        users,
        posts:
          'a: { type: integer, reference: ¦user.id }, b: { type: integer, reference: ¦users.idd }',
      }),
      'resources.posts.fields.a.reference: there is no resource user; did you mean users?',
      'resources.posts.fields.b.reference: there is no field users.idd; did you mean users.id?',
    ],
    [
      'points to a unique field',
      resources({
        users: 'name: { type: string }',
        posts: 'a: { type: string, reference: ¦users.name }',
      }),
      'resources.posts.fields.a.reference: users.name is not unique, so no key can point to it',
    ],
    [
      'has the type of what it points to',
      resources({
        users: 'day: { type: date, unique: true }',
        tags: 'id: { type: id, format: uuid }',
        posts:
          'a: { type: string, reference: ¦users.id }, b: { type: integer, reference: ¦tags.id }, c: { type: string, reference: ¦users.day }, d: { type: number, reference: ¦users.id }',
      }),
      'resources.posts.fields.a.reference: posts.a is of type string; as a key to users.id it must be of type integer',
      'resources.posts.fields.b.reference: posts.b is of type integer; as a key to tags.id it must be of type uuid',
      'resources.posts.fields.c.reference: posts.c is of type string; as a key to users.day it must be of type date',
      'resources.posts.fields.d.reference: posts.d is of type number; as a key to users.id it must be of type integer',
    ],
    [
      'is stored as what it points to, since keys are compared as they are stored',
      resources({
        users:
          'fee: { type: decimal, scale: 2, unique: true }, since: { type: datetime, unique: true, storedAs: unixSeconds }, on: { type: boolean, unique: true }',
        posts:
          'a: { type: decimal, scale: 3, reference: ¦users.fee }, b: { type: decimal, precision: 5, reference: users.fee }, c: { type: datetime, reference: ¦users.since }, d: { type: datetime, storedAs: unixSeconds, reference: users.since }, e: { type: boolean, storedAs: Y/N, reference: ¦users.on }',
      }),
      'resources.posts.fields.a.reference: posts.a has scale 3; as a key to users.fee it must have scale 2',
      'resources.posts.fields.c.reference: posts.c has no storedAs; as a key to users.since it must have storedAs: unixSeconds, so that equal values are stored alike',
      'resources.posts.fields.e.reference: posts.e has storedAs: Y/N; as a key to users.on it must have no storedAs, so that equal values are stored alike',
    ],
  ]);
});
