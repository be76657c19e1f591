import { describe } from 'vitest';
import { expectErrors, resources } from './model.ts';
import { expectFacts, relation } from '../specification/relations.ts';

const users = '';

describe('the key of a belongsTo', () => {
  expectFacts([
    [
      'is <relation>Id, added',
      { users, posts: `author: ${relation('belongsTo', 'users')}` },
      {
        keys: ['posts.authorId integer null → users.id setNull'],
        relations: ['posts.author belongsTo posts.authorId → users.id'],
      },
    ],
    [
      'is added with what the relation says',
      {
        users,
        posts: `a: ${relation('belongsTo', 'users', 'required: true')}, b: ${relation('belongsTo', 'users', 'nullable: false')}, c: ${relation('belongsTo', 'users', 'required: true, nullable: true')}`,
      },
      {
        keys: [
          'posts.aId integer not null → users.id restrict',
          'posts.bId integer not null → users.id restrict',
          'posts.cId integer null → users.id setNull',
        ],
      },
    ],
    [
      'is declared',
      {
        users,
        posts: `authorId: { type: integer, required: true }, author: ${relation('belongsTo', 'users')}`,
      },
      { keys: ['posts.authorId integer not null → users.id restrict'] },
    ],
    [
      'is declared, and the relation says whether it is required',
      {
        users,
        posts: `authorId: { type: integer }, author: ${relation('belongsTo', 'users', 'required: true')}`,
      },
      { keys: ['posts.authorId integer not null → users.id restrict'] },
    ],
    [
      'is named, declared or not',
      {
        users,
        posts: `writer: { type: integer }, a: ${relation('belongsTo', 'users', 'foreignKey: writer')}, b: ${relation('belongsTo', 'users', 'foreignKey: reader')}`,
      },
      {
        relations: [
          'posts.a belongsTo posts.writer → users.id',
          'posts.b belongsTo posts.reader → users.id',
        ],
      },
    ],
    [
      'is not looked for among references',
      {
        users,
        posts: `writer: { type: integer, reference: users.id }, author: ${relation('belongsTo', 'users')}`,
      },
      { relations: ['posts.author belongsTo posts.authorId → users.id'] },
    ],
    [
      'has the type of a uuid',
      {
        users: 'id: { type: id, format: uuid }',
        posts: `author: ${relation('belongsTo', 'users')}`,
      },
      { keys: ['posts.authorId uuid null → users.id setNull'] },
    ],
    [
      'has the type of a string id',
      {
        users: 'id: { type: id, format: string }',
        posts: `author: ${relation('belongsTo', 'users')}`,
      },
      { keys: ['posts.authorId string null → users.id setNull'] },
    ],
    [
      'points to the field that its reference names',
      {
        users: 'email: { type: email, unique: true }',
        posts: `authorId: { type: email, reference: users.email }, author: ${relation('belongsTo', 'users')}`,
      },
      {
        keys: ['posts.authorId email null → users.email setNull'],
        relations: ['posts.author belongsTo posts.authorId → users.email'],
      },
    ],
    [
      'points to its own resource',
      {
        nodes: `parentId: { type: integer, nullable: true }, parent: ${relation('belongsTo', 'nodes')}, children: ${relation('hasMany', 'nodes', 'foreignKey: parentId')}`,
      },
      {
        keys: ['nodes.parentId integer null → nodes.id setNull'],
        relations: [
          'nodes.parent belongsTo nodes.parentId → nodes.id',
          'nodes.children hasMany nodes.id ← nodes.parentId',
        ],
      },
    ],
  ]);
});

describe('the key of a hasOne or hasMany', () => {
  const many = `posts: ${relation('hasMany', 'posts')}`;
  const marked = `¦posts: ${relation('hasMany', 'posts')}`;
  expectFacts([
    [
      'is named first of all',
      {
        users: `posts: ${relation('hasMany', 'posts', 'foreignKey: b')}`,
        posts: 'a: { type: integer, reference: users.id }, b: { type: integer }',
      },
      { relations: ['users.posts hasMany users.id ← posts.b'] },
    ],
    [
      'is the one field with a reference to the resource',
      {
        users: many,
        posts: `a: { type: integer, reference: users.id }, b: ${relation('belongsTo', 'users')}, userId: { type: integer }`,
      },
      {
        relations: [
          'users.posts hasMany users.id ← posts.a',
          'posts.b belongsTo posts.bId → users.id',
        ],
      },
    ],
    [
      'is the key of the one belongsTo, wherever it stands',
      {
        posts: `userId: { type: integer }, writer: ${relation('belongsTo', 'users')}`,
        users: many,
      },
      {
        relations: [
          'posts.writer belongsTo posts.writerId → users.id',
          'users.posts hasMany users.id ← posts.writerId',
        ],
      },
    ],
    [
      'is none that leads to or from another resource',
      {
        users: many,
        posts: `author: ${relation('belongsTo', 'users')}, blog: ${relation('belongsTo', 'blogs')}, readers: ${relation('hasMany', 'users', 'foreignKey: readId')}`,
        blogs: '',
      },
      {
        keys: [
          'users.readId integer null → posts.id setNull',
          'posts.authorId integer null → users.id setNull',
          'posts.blogId integer null → blogs.id setNull',
        ],
      },
    ],
    [
      'is one key, although two belongsTo go by it',
      {
        users: many,
        posts: `a: ${relation('belongsTo', 'users', 'foreignKey: key')}, b: ${relation('belongsTo', 'users', 'foreignKey: key')}`,
      },
      { keys: ['posts.key integer null → users.id setNull'] },
    ],
    [
      'is <singular>Id, declared',
      { users: many, posts: 'userId: { type: integer, nullable: false }' },
      { keys: ['posts.userId integer not null → users.id restrict'] },
    ],
    [
      'is <singular>Id, added',
      { 'media-types': `tracks: ${relation('hasMany', 'tracks')}`, tracks: '' },
      { keys: ['tracks.mediaTypeId integer null → media-types.id setNull'] },
    ],
    [
      'is not taken from another hasMany',
      {
        users: `drafts: ${relation('hasMany', 'posts', 'foreignKey: drafterId')}, ${many}`,
        posts: '',
      },
      {
        relations: [
          'users.drafts hasMany users.id ← posts.drafterId',
          'users.posts hasMany users.id ← posts.userId',
        ],
      },
    ],
    [
      'is unique for a hasOne',
      {
        users: `profile: ${relation('hasOne', 'profiles')}`,
        profiles: `userId: { type: integer, required: true }, user: ${relation('belongsTo', 'users')}`,
      },
      { keys: ['profiles.userId integer not null unique → users.id restrict'] },
    ],
    [
      'has the type of the id that it points to',
      { users: `id: { type: id, format: uuid }, ${many}`, posts: '' },
      { keys: ['posts.userId uuid null → users.id setNull'] },
    ],
    [
      'points to the field that its reference names',
      {
        users: `code: { type: string, unique: true }, ${many}`,
        posts: 'user: { type: string, reference: users.code }',
      },
      { relations: ['users.posts hasMany users.code ← posts.user'] },
    ],
    [
      'stands on the same resource',
      {
        nodes: `parent: ${relation('belongsTo', 'nodes')}, children: ${relation('hasMany', 'nodes')}`,
      },
      {
        relations: [
          'nodes.parent belongsTo nodes.parentId → nodes.id',
          'nodes.children hasMany nodes.id ← nodes.parentId',
        ],
      },
    ],
  ]);

  expectErrors([
    [
      'more than one reference',
      resources({
        users: marked,
        posts:
          'a: { type: integer, reference: users.id }, b: { type: integer, reference: users.id }',
      }),
      'resources.users.fields.posts: posts has more than one key to users: a, b; write `foreignKey: a`, or another of them',
    ],
    [
      'more than one belongsTo',
      resources({
        users: `¦post: ${relation('hasOne', 'posts')}`,
        posts: `a: ${relation('belongsTo', 'users')}, b: ${relation('belongsTo', 'users')}`,
      }),
      'resources.users.fields.post: posts has more than one key to users: aId, bId; write `foreignKey: aId`, or another of them',
    ],
  ]);
});
