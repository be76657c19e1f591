import { describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';
import { expectErrors, resources } from './model.ts';
import { expectFacts, relation } from '../specification/relations.ts';

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
      'has pivot fields that its junction is given',
      {
        posts: `tags: ${relation('belongsToMany', 'tags', 'through: links, withPivot: [tagId, byId, aboutType]')}`,
        tags: '',
        links: `by: ${relation('belongsTo', 'posts', 'foreignKey: byId')}, about: { type: relation, relation: morphTo, resources: [tags] }, postId: { type: integer, reference: posts.id }`,
      },
      {},
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
      'resources.users.fields.friends: friendships has userId alone as a key to users; it needs one to each side: add a field such as `otherUserId: { type: integer, required: true, reference: users.id }`',
    ],
    [
      'has to know which key is which',
      resources({
        users: `¦friends: ${relation('belongsToMany', 'users', 'through: friendships')}`,
        friendships:
          'a: { type: integer, reference: users.id }, b: { type: integer, reference: users.id }',
      }),
      'resources.users.fields.friends: friendships has more than one key to users: a, b; write `foreignKey: a`, or another of them',
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
