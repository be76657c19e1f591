import { describe, expect, test } from 'vitest';
import { expectErrors, fieldIn, resources, validModel } from './model.ts';
import { expectFacts, relation } from '../specification/relations.ts';

const morphTo = (more = ''): string =>
  `{ type: relation, relation: morphTo${more && `, ${more}`} }`;
const morphMany = (more = ''): string => relation('morphMany', 'comments', more);
const one = `on: ${morphTo()}`;
const notes = `notes: ${morphMany()}`;

describe('a morphTo', () => {
  expectFacts([
    [
      'leads to the resources that have a morphMany to it, with a pair that is added',
      { comments: one, posts: notes, photos: notes },
      {
        keys: [],
        relations: [
          'comments.on morphTo posts=posts photos=photos by comments.onType and comments.onId',
          'posts.notes morphMany by comments.onType=posts and comments.onId restrict',
          'photos.notes morphMany by comments.onType=photos and comments.onId restrict',
        ],
      },
    ],
    [
      'leads to its own resources',
      { comments: `on: ${morphTo('resources: [photos, posts]')}`, posts: '', photos: '' },
      {
        relations: [
          'comments.on morphTo photos=photos posts=posts by comments.onType and comments.onId',
        ],
      },
    ],
    [
      'takes the typeValue of the morphMany, the name where there is none',
      {
        comments: `on: ${morphTo('resources: [photos, posts]')}`,
        posts: `notes: ${morphMany('typeValue: Post, onDelete: cascade')}`,
        photos: '',
      },
      {
        relations: [
          'comments.on morphTo Post=posts photos=photos by comments.onType and comments.onId',
          'posts.notes morphMany by comments.onType=Post and comments.onId cascade',
        ],
      },
    ],
    [
      'names its two fields',
      {
        comments: `kind: { type: string }, on: ${morphTo('typeField: kind, idField: key')}`,
        posts: notes,
      },
      {
        relations: [
          'comments.on morphTo posts=posts by comments.kind and comments.key',
          'posts.notes morphMany by comments.kind=posts and comments.key restrict',
        ],
      },
    ],
    [
      'may lead to its own resource',
      { comments: `${one}, replies: ${morphMany('onDelete: setNull')}` },
      {
        relations: [
          'comments.on morphTo comments=comments by comments.onType and comments.onId',
          'comments.replies morphMany by comments.onType=comments and comments.onId setNull',
        ],
      },
    ],
    [
      'may share its pair with another, and its names with those of another resource',
      {
        comments: `${one}, also: ${morphTo('typeField: onType, idField: onId, resources: [posts]')}, key: ${morphTo('typeField: onType, idField: otherId, resources: [posts]')}, kind: ${morphTo('typeField: otherType, idField: onId, resources: [posts]')}`,
        posts: `notes: ${morphMany('typeField: onType, idField: onId')}`,
        likes: `on: ${morphTo('resources: [comments]')}`,
      },
      {
        relations: [
          'comments.on morphTo posts=posts by comments.onType and comments.onId',
          'comments.also morphTo posts=posts by comments.onType and comments.onId',
          'comments.key morphTo posts=posts by comments.onType and comments.otherId',
          'comments.kind morphTo posts=posts by comments.otherType and comments.onId',
          'posts.notes morphMany by comments.onType=posts and comments.onId restrict',
          'likes.on morphTo comments=comments by likes.onType and likes.onId',
        ],
      },
    ],
    [
      'several morphMany of one resource have a typeValue each',
      { comments: one, posts: `${notes}, edits: ${morphMany('typeValue: edit')}` },
      {
        relations: [
          'comments.on morphTo posts=posts edit=posts by comments.onType and comments.onId',
          'posts.notes morphMany by comments.onType=posts and comments.onId restrict',
          'posts.edits morphMany by comments.onType=edit and comments.onId restrict',
        ],
      },
    ],
  ]);

  test.each([
    ['', '', 'integer'],
    ['id: { type: id, format: uuid }', 'id: { type: id, format: uuid }', 'uuid'],
    ['id: { type: id, format: string }', 'id: { type: id, format: string }', 'string'],
    ['', 'id: { type: id, format: uuid }', 'string'],
    ['id: { type: id, format: string }', '', 'string'],
  ])('of targets with %j and %j has an id field of type', (first, second, type) => {
    const joined = (id: string): string => [id, notes].filter((part) => part !== '').join(', ');
    const api = validModel(
      resources({ comments: one, posts: joined(first), photos: joined(second) }),
    );
    expect(fieldIn(api, 'comments.onId').type.name).toBe(type);
    expect(fieldIn(api, 'comments.onType').type.name).toBe('string');
  });

  test.each([
    ['added', one],
    ['declared', `onType: { type: string, nullable: true }, ${one}`],
    ['an enum', `onType: { type: enum, values: [photo] }, ${one}`],
  ])('its type field, %s, takes the typeValues alone', (_, comments) => {
    const api = validModel(
      resources({ comments, posts: `notes: ${morphMany('typeValue: photo')}` }),
    );
    expect(fieldIn(api, 'comments.onType').values).toEqual(['photo']);
  });

  expectErrors([
    [
      'needs targets',
      resources({ comments: `¦${one}` }),
      'resources.comments.fields.on: no resource has a morphMany to comments; name those that it may lead to, such as `resources: [comments]`, or give each of them `comments: { type: relation, relation: morphMany, resource: comments }`',
    ],
    [
      'lists resources that exist',
      resources({ comments: `on: ${morphTo('resources: [¦post, posts]')}`, posts: '' }),
      'resources.comments.fields.on.resources[0]: there is no resource post; did you mean posts?',
    ],
    [
      'lists every resource that has a morphMany to it',
      resources({
        comments: `on: ${morphTo('resources: [posts]')}`,
        posts: '',
        photos: `¦${notes}`,
      }),
      'resources.photos.fields.notes: comments.on does not list photos in its resources',
    ],
    [
      'has no typeValue twice',
      resources({
        comments: `on: ${morphTo('resources: [posts, photos, videos, ¦pages, songs]')}`,
        posts: notes,
        photos: `notes: ${morphMany('typeValue: ¦posts')}`,
        videos: `notes: ${morphMany('typeValue: pages')}`,
        pages: '',
        songs: `notes: ${morphMany('typeValue: song')}, more: ${morphMany('typeValue: ¦song')}`,
      }),
      'resources.comments.fields.on.resources[3]: "pages" stands for videos already; give each morphMany to comments its own typeValue',
      'resources.photos.fields.notes.typeValue: "posts" stands for posts already; give each morphMany to comments its own typeValue',
      'resources.songs.fields.more.typeValue: "song" stands for songs already; give each morphMany to comments its own typeValue',
    ],
    [
      'has a pair of the right types',
      resources({
        comments: `¦onType: { type: integer }, ¦onId: { type: string }, ${one}`,
        posts: notes,
      }),
      'resources.comments.fields.onType: comments.onType is of type integer; in a morph pair it must be of type string',
      'resources.comments.fields.onId: comments.onId is of type string; in a morph pair it must be of type integer',
    ],
    [
      'has a pair that is null together',
      resources({
        comments: `onType: { type: string, required: true }, ¦onId: { type: integer }, ${one}`,
        posts: notes,
      }),
      'resources.comments.fields.onId: onType and onId must both be nullable, or neither',
    ],
    [
      'has a type field whose values and default are typeValues',
      resources({
        comments: `onType: { type: enum, values: [posts, ¦videos], default: ¦pages }, ${one}`,
        posts: notes,
      }),
      'resources.comments.fields.onType.values[1]: "videos" must be one of posts',
      'resources.comments.fields.onType.default: "pages" must be one of posts',
    ],
    [
      'has a type field that can hold every typeValue',
      resources({
        comments: `onType: { type: string, maxLength: 5, pattern: "^p" }, on: ${morphTo('resources: [posts, ¦photos, videos]')}, byType: { type: enum, values: [posts] }, by: ${morphTo()}`,
        posts: `b: ${morphMany('typeField: byType')}`,
        photos: `¦b: ${morphMany('typeField: byType')}`,
        videos: `a: ${morphMany('typeField: onType, typeValue: ¦¦v-clip')}`,
      }),
      'resources.comments.fields.on.resources[1]: comments.onType cannot hold "photos": it must have at most 5 characters',
      'resources.photos.fields.b.typeValue: comments.byType cannot hold "photos": it must be one of posts',
      'resources.videos.fields.a.typeValue: comments.onType cannot hold "v-clip": it must have at most 5 characters',
      'resources.videos.fields.a.typeValue: comments.onType cannot hold "v-clip": it must match the pattern ^p',
    ],
  ]);
});

describe('a morphMany', () => {
  const two = `on: ${morphTo()}, by: ${morphTo('resources: [posts]')}`;
  expectFacts([
    [
      'to a resource with more than one morphTo says which by typeField or idField',
      {
        comments: two,
        posts: `a: ${morphMany('typeField: onType, idField: onId')}, b: ${morphMany('idField: byId')}`,
        photos: `c: ${morphMany('typeField: onType')}`,
      },
      {
        relations: [
          'comments.on morphTo posts=posts photos=photos by comments.onType and comments.onId',
          'comments.by morphTo posts=posts by comments.byType and comments.byId',
          'posts.a morphMany by comments.onType=posts and comments.onId restrict',
          'posts.b morphMany by comments.byType=posts and comments.byId restrict',
          'photos.c morphMany by comments.onType=photos and comments.onId restrict',
        ],
      },
    ],
    [
      'may go by two fields that no morphTo uses',
      {
        comments: one,
        posts: `notes: ${morphMany('typeField: kind, idField: key')}, plain: ${morphMany()}`,
        photos: `notes: ${morphMany('typeField: kind, idField: key')}`,
      },
      {
        relations: [
          'comments.on morphTo posts=posts by comments.onType and comments.onId',
          'posts.plain morphMany by comments.onType=posts and comments.onId restrict',
          'posts.notes morphMany by comments.kind=posts and comments.key restrict',
          'photos.notes morphMany by comments.kind=photos and comments.key restrict',
        ],
      },
    ],
  ]);

  test('two fields that no morphTo uses are checked alike', () => {
    const api = validModel(
      resources({ comments: '', posts: `notes: ${morphMany('typeField: kind, idField: key')}` }),
    );
    expect(fieldIn(api, 'comments.kind').values).toEqual(['posts']);
    expect(fieldIn(api, 'comments.key').type.name).toBe('integer');
  });

  expectErrors([
    [
      'must say which of several morphTo is meant',
      resources({ comments: `on: ${morphTo()}, by: ${morphTo()}`, posts: `¦${notes}` }),
      'resources.posts.fields.notes: it must name typeField and idField of one morphTo of comments: onType and onId, or byType and byId',
    ],
    [
      'leaves the type field unblamed when it does not say which',
      resources({
        comments: `onType: { type: enum, values: [posts] }, on: ${morphTo()}, by: ${morphTo()}`,
        posts: `¦${notes}`,
      }),
      'resources.posts.fields.notes: it must name typeField and idField of one morphTo of comments: onType and onId, or byType and byId',
    ],
    [
      'adds no field where a relation has its name',
      resources({
        comments: `onId: ${relation('belongsTo', 'posts', 'foreignKey: postId')}, ¦${one}`,
        posts: notes,
      }),
      'resources.comments.fields.on: a field onId has to be added to comments, where onId has that name; rename one of them',
    ],
    [
      'names fields of a morphTo that is there',
      resources({ comments: one, posts: `¦notes: ${morphMany('typeField: inType')}` }),
      'resources.posts.fields.notes: it must name typeField and idField of one morphTo of comments: onType and onId',
    ],
    [
      'needs a morphTo',
      resources({ comments: '', posts: `¦${notes}` }),
      'resources.posts.fields.notes: comments has no morphTo; add one to its fields, such as `owner: { type: relation, relation: morphTo }`, or name typeField and idField',
    ],
    [
      'leads to a resource that exists',
      resources({ posts: `notes: ${relation('morphMany', '¦comments')}` }),
      'resources.posts.fields.notes.resource: there is no resource comments; add it to the resources, such as `comments: { fields: { name: { type: string } } }`',
    ],
    [
      'sets nothing to null that cannot be null',
      resources({
        comments: `onType: { type: string, required: true }, onId: { type: integer, required: true }, ${one}`,
        posts: `notes: ${morphMany('onDelete: ¦setNull')}`,
      }),
      'resources.posts.fields.notes.onDelete: comments.onId cannot become null; make it nullable, or choose restrict or cascade',
    ],
  ]);
});
