import { describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { expectErrors, resources } from './1-model.ts';
import { expectFacts, relation } from './1-relations.ts';

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
      'resources.users.fields.posts: posts has more than one key to users: a, b; name one as foreignKey',
    ],
    [
      'more than one belongsTo',
      resources({
        users: `¦post: ${relation('hasOne', 'posts')}`,
        posts: `a: ${relation('belongsTo', 'users')}, b: ${relation('belongsTo', 'users')}`,
      }),
      'resources.users.fields.post: posts has more than one key to users: aId, bId; name one as foreignKey',
    ],
  ]);
});

describe('a belongsToMany', () => {
  const tags = `tags: ${relation('belongsToMany', 'tags', 'through: post-tags')}`;
  expectFacts([
    [
      'adds both keys to its junction',
      { posts: tags, tags: '', 'post-tags': '' },
      {
        keys: [
          'post-tags.postId integer null → posts.id cascade',
          'post-tags.tagId integer null → tags.id cascade',
        ],
        relations: ['posts.tags belongsToMany tags by post-tags.postId and post-tags.tagId'],
      },
    ],
    [
      'finds each key as a hasMany does',
      {
        posts: `tags: ${relation('belongsToMany', 'tags', 'through: links, withPivot: [rank, note]')}`,
        tags: `id: { type: id, format: uuid }, posts: ${relation('belongsToMany', 'posts', 'through: links')}`,
        links: `p: { type: integer, reference: posts.id, required: true }, label: ${relation('belongsTo', 'tags')}, rank: { type: integer }, note: { type: string }`,
      },
      {
        keys: [
          'links.p integer not null → posts.id cascade',
          'links.labelId uuid null → tags.id cascade',
        ],
        relations: [
          'posts.tags belongsToMany tags by links.p and links.labelId with rank, note',
          'tags.posts belongsToMany posts by links.labelId and links.p',
          'links.label belongsTo links.labelId → tags.id',
        ],
      },
    ],
    [
      'of a resource with itself names the key of its own side',
      {
        users: `friends: ${relation('belongsToMany', 'users', 'through: friendships, foreignKey: userId')}`,
        friendships:
          'userId: { type: integer, reference: users.id }, friendId: { type: integer, reference: users.id }',
      },
      {
        relations: [
          'users.friends belongsToMany users by friendships.userId and friendships.friendId',
        ],
      },
    ],
    [
      'of a resource with itself, in both directions',
      {
        users: `follows: ${relation('belongsToMany', 'users', 'through: follows, foreignKey: followerId')}, followers: ${relation('belongsToMany', 'users', 'through: follows, foreignKey: followedId')}`,
        follows: `follower: ${relation('belongsTo', 'users')}, followed: ${relation('belongsTo', 'users')}`,
      },
      {
        relations: [
          'users.follows belongsToMany users by follows.followerId and follows.followedId',
          'users.followers belongsToMany users by follows.followedId and follows.followerId',
          'follows.follower belongsTo follows.followerId → users.id',
          'follows.followed belongsTo follows.followedId → users.id',
        ],
      },
    ],
    [
      'of a resource with itself adds the other key',
      {
        users: `friends: ${relation('belongsToMany', 'users', 'through: friendships, foreignKey: ownerId')}`,
        friendships: '',
      },
      {
        relations: [
          'users.friends belongsToMany users by friendships.ownerId and friendships.userId',
        ],
      },
    ],
    [
      'has each key from the foreignKey of its side',
      {
        users: `groups: ${relation('belongsToMany', 'groups', 'through: members, foreignKey: userId')}, teams: ${relation('belongsToMany', 'groups', 'through: posts')}`,
        groups: `users: ${relation('belongsToMany', 'users', 'through: members')}`,
        members:
          'userId: { type: integer, reference: users.id }, invitedById: { type: integer, reference: users.id }, groupId: { type: integer, reference: groups.id }',
        posts: '',
      },
      {
        relations: [
          'users.groups belongsToMany groups by members.userId and members.groupId',
          'users.teams belongsToMany groups by posts.userId and posts.groupId',
          'groups.users belongsToMany users by members.groupId and members.userId',
        ],
      },
    ],
    [
      'of a resource with itself, whose junction has a third key',
      {
        users: `likes: ${relation('belongsToMany', 'users', 'through: likes, foreignKey: fanId')}, fans: ${relation('belongsToMany', 'users', 'through: likes, foreignKey: idolId')}`,
        likes:
          'fanId: { type: integer, reference: users.id }, idolId: { type: integer, reference: users.id }, byId: { type: integer, reference: users.id }',
      },
      {
        relations: [
          'users.likes belongsToMany users by likes.fanId and likes.idolId',
          'users.fans belongsToMany users by likes.idolId and likes.fanId',
        ],
      },
    ],
    [
      'leaves what is written of its keys, wherever that stands',
      {
        posts: `${tags}, links: ${relation('hasMany', 'post-tags', 'onDelete: restrict')}`,
        tags: '',
        'post-tags': 'tagId: { type: integer, onDelete: setNull }',
      },
      {
        keys: [
          'post-tags.tagId integer null → tags.id setNull',
          'post-tags.postId integer null → posts.id restrict',
        ],
      },
    ],
  ]);

  expectErrors([
    [
      'needs two keys',
      resources({
        users: `¦friends: ${relation('belongsToMany', 'users', 'through: friendships')}`,
        friendships: 'userId: { type: integer, reference: users.id }',
      }),
      'resources.users.fields.friends: friendships has userId alone as a key to users; it needs one to each side',
    ],
    [
      'has to know which key is which',
      resources({
        users: `¦friends: ${relation('belongsToMany', 'users', 'through: friendships')}`,
        friendships:
          'a: { type: integer, reference: users.id }, b: { type: integer, reference: users.id }',
      }),
      'resources.users.fields.friends: friendships has more than one key to users: a, b; name one as foreignKey',
    ],
    [
      'has to know which key is that of the other side',
      resources({
        groups: `¦users: ${relation('belongsToMany', 'users', 'through: members')}`,
        users: '',
        members:
          'a: { type: integer, reference: users.id }, b: { type: integer, reference: users.id }',
      }),
      'resources.groups.fields.users: members has more than one key to users: a, b; name one as foreignKey of a belongsToMany of users through members',
    ],
    [
      'has pivot fields that exist',
      resources({
        posts: `tags: ${relation('belongsToMany', 'tags', 'through: links, withPivot: [¦rang, tagId]')}`,
        tags: '',
        links: 'rank: { type: integer }',
      }),
      'resources.posts.fields.tags.withPivot[0]: there is no field rang; did you mean rank?',
    ],
  ]);

  test('pivot data that hides a field of that name is told', () => {
    const { problems } = build(
      resources({
        posts: `tags: ${relation('belongsToMany', 'tags', 'through: links, withPivot: [rank]')}`,
        tags: 'pivot: { type: string }',
        links: 'rank: { type: integer }',
      }),
    );
    expect(problems.map(({ severity, path, message }) => [severity, path, message])).toEqual([
      [
        'warning',
        'resources.posts.fields.tags.withPivot',
        'tags has a field `pivot`, which the pivot data of this relation hides where it is expanded',
      ],
    ]);
  });
});
