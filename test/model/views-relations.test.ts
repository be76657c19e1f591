import { describe, expect, test } from 'vitest';
import { relation } from '../specification/relations.ts';
import { face, view } from './view.ts';

describe('a relation exists only where the other resource and its keys are readable', () => {
  const shape = (hidden: Readonly<Record<string, string>>): string => {
    const access = (name: string): string => (name in hidden ? `, access: ${hidden[name]}` : '');
    return `resources:
  users:
    access: { read: ${hidden['users'] ?? 'public'} }
    fields:
      posts: ${relation('hasMany', 'posts')}
      card: ${relation('hasOne', 'posts', 'foreignKey: authorId')}
      notes: ${relation('morphMany', 'notes')}
  posts:
    access: { read: ${hidden['posts'] ?? 'public'} }
    fields:
      authorId: { type: integer${access('authorId')} }
      author: ${relation('belongsTo', 'users')}
      tags: ${relation('belongsToMany', 'tags', 'through: links')}
  tags: { access: { read: ${hidden['tags'] ?? 'public'} }, fields: {} }
  links:
    access: { read: ${hidden['links'] ?? 'public'} }
    fields:
      postId: { type: integer${access('postId')} }
      tagId: { type: integer${access('tagId')} }
  notes:
    access: { read: ${hidden['notes'] ?? 'public'} }
    fields:
      onType: { type: string${access('onType')} }
      onId: { type: integer${access('onId')} }
      on: { type: relation, relation: morphTo }
${hidden['versions'] ?? ''}`;
  };
  const all = [
    'users.posts',
    'users.card',
    'users.notes',
    'posts.author',
    'posts.tags',
    'notes.on',
  ];
  const seen = (text: string): readonly string[] => {
    const one = view(text);
    return one
      .resourceViews()
      .flatMap(({ name, relations }) => [...relations.keys()].map((key) => `${name}.${key}`));
  };
  const without = (...names: readonly string[]): readonly string[] =>
    all.filter((name) => !names.includes(name));
  const hides = (overlay: string): string =>
    `api: { versions: { 1: { resources: { ${overlay} } } } }`;

  test.each([
    ['nothing', {}, all],
    [
      'the foreign key',
      { authorId: '{ read: admin }' },
      without('users.posts', 'users.card', 'posts.author'),
    ],
    [
      'the target of a belongsTo',
      { users: 'admin' },
      without('users.posts', 'users.card', 'users.notes', 'posts.author', 'notes.on'),
    ],
    [
      'the target of a hasMany',
      { posts: 'admin' },
      without('users.posts', 'users.card', 'posts.author', 'posts.tags'),
    ],
    ['the junction', { links: 'admin' }, without('posts.tags')],
    ['the key of the own side', { postId: 'none' }, without('posts.tags')],
    ['the key of the other side', { tagId: 'none' }, without('posts.tags')],
    ['the target of a belongsToMany', { tags: 'admin' }, without('posts.tags')],
    ['the polymorphic resource', { notes: 'admin' }, without('users.notes', 'notes.on')],
    ['the type field', { onType: 'none' }, without('users.notes', 'notes.on')],
    ['the id field', { onId: 'none' }, without('users.notes', 'notes.on')],
    ['a resource in a version', { versions: hides('tags: false') }, without('posts.tags')],
    ['the junction in a version', { versions: hides('links: false') }, without('posts.tags')],
    [
      'the only target in a version',
      { versions: hides('users: false') },
      without('users.posts', 'users.card', 'users.notes', 'posts.author', 'notes.on'),
    ],
    [
      'a key in a version',
      { versions: hides('posts: { fields: { authorId: false } }') },
      without('users.posts', 'users.card', 'posts.author'),
    ],
    [
      'a relation in a version',
      { versions: hides('posts: { fields: { author: false } }') },
      without('posts.author'),
    ],
  ])('hidden: %s', (_, hidden, expected) => {
    expect(seen(shape(hidden))).toEqual(expected);
  });

  test('a key that is written only is never read', () => {
    const text = shape({}).replace(
      'tagId: { type: integer',
      'tagId: { type: integer, writeOnly: true',
    );
    expect(seen(text)).toEqual(without('posts.tags'));
  });

  test('a morphTo stays while one of its targets is readable', () => {
    const text = `resources:
  notes: { fields: { on: { type: relation, relation: morphTo, resources: [a, b] } } }
  a: { fields: {}, access: { read: admin } }
  b: { fields: {} }`;
    const one = view(text);
    const on = face(one, 'notes').relations.get('on');
    if (on?.relation.kind !== 'morphTo') throw new Error('no morphTo');
    const targets = [...on.relation.targets.values()].map(
      (target) => on.target(target)?.fields.size,
    );
    expect(targets).toEqual([undefined, 1]);
  });

  test('the keys that a junction points to count too', () => {
    const text = (more: string): string => `resources:
  posts: { fields: { slug: { type: string, unique: true }, tags: ${relation('belongsToMany', 'tags', 'through: links')} } }
  tags: { fields: { code: { type: string, unique: true${more} }, posts: ${relation('belongsToMany', 'posts', 'through: links')} } }
  links: { fields: { post: { type: string, reference: posts.slug }, tag: { type: string, reference: tags.code } } }`;
    expect(seen(text(''))).toEqual(['posts.tags', 'tags.posts']);
    expect(seen(text(', access: admin'))).toEqual([]);
  });
});
