import { describe, expect, test } from 'vitest';
import { anonymous } from '../../src/model/access.ts';
import type { ResourceView } from '../../src/model/view.ts';
import { resources } from './model.ts';
import { relation } from '../specification/relations.ts';
import { face, view } from './view.ts';

const withAuth = 'auth: { jwt: { secret: a-secret-of-thirty-two-characters } }';

/** The face in words: what is read, written on create and update, and expanded. */
function facts(one: ResourceView): object {
  const inputs = [...one.inputs.values()];
  return {
    fields: [...one.fields.keys()],
    creates: inputs.filter(({ creatable }) => creatable).map(({ name }) => name),
    updates: inputs.filter(({ updatable }) => updatable).map(({ name }) => name),
    inputs: [...one.inputs.keys()],
    relations: [...one.relations.keys()],
  };
}

const may = (one: ResourceView): string =>
  Object.entries(one.rules)
    .filter(([, rules]) => rules.length > 0)
    .map(([operation]) => operation)
    .join(' ');

describe('the rules of a resource', () => {
  const everything = 'read create update delete';
  test.each([
    ['', '', 'nobody', everything],
    [withAuth, '', 'nobody', ''],
    [withAuth, '', [], everything],
    ['access: { read: public, write: editor }', '', 'nobody', 'read'],
    ['access: { read: public, write: editor }', '', ['editor'], everything],
    [
      'access: { read: public, write: editor }',
      'access: { delete: [admin, boss] }',
      ['editor'],
      'read create update',
    ],
    [
      'access: { read: public, write: editor }',
      'access: { delete: [admin, boss] }',
      ['boss'],
      'read delete',
    ],
    [
      'access: { read: public, write: editor }',
      'access: { write: author, update: none }',
      ['author'],
      'read create delete',
    ],
    [
      `${withAuth}
access: { read: public }`,
      '',
      'nobody',
      'read',
    ],
    ['access: authenticated', '', 'nobody', ''],
    ['access: authenticated', 'access: public', 'nobody', everything],
    ['access: [a, b]', '', ['b'], everything],
    ['access: [a, b]', '', ['c'], ''],
  ] as const)('%s, %s for %j: %s', (shared, own, roles, expected) => {
    const text = `${shared}\nresources:\n  r: { fields: {}${own && `, ${own}`} }`;
    expect(may(face(view(text, roles), 'r'))).toBe(expected);
  });

  test('rules keep what they say of rows, and where they say it', () => {
    const text = `resources:
  r: { fields: {}, access: { read: [{ role: public, where: "a=1" }, { role: editor }], write: { where: "a={user.sub}" } } }`;
    const rules = ['resources', 'r', 'access'];
    const { access } = face(view(text, ['editor']), 'r').resource;
    expect(access.read).toEqual([
      { role: 'public', where: 'a=1', path: [...rules, 'read', 0, 'where'] },
      { role: 'editor', where: undefined, path: [...rules, 'read', 1] },
    ]);
    expect(access.update).toEqual([
      { role: 'authenticated', where: 'a={user.sub}', path: [...rules, 'write', 'where'] },
    ]);
    expect(may(face(view(text), 'r'))).toBe('read');
    expect(may(face(view(text, ['editor']), 'r'))).toBe(everything);
  });

  test('a caller without credentials has no role', () => {
    expect(anonymous).toMatchObject({ authenticated: false, roles: new Set(), claims: {} });
  });

  test('a resource that is closed to everyone or to this caller is unnamed, and answers nothing', () => {
    const text = `resources:
  open: { fields: {} }
  closed: { fields: {}, access: none }
  unread: { fields: {}, access: { read: none, write: admin } }
  members: { fields: {}, access: authenticated }
  part: { fields: {}, access: { read: [none, admin], write: none } }`;
    const nobody = view(text);
    expect(nobody.resourceViews().map(({ name }) => name)).toEqual(['open']);
    expect(may(face(nobody, 'closed'))).toBe('');
    expect(nobody.resource('nothing')).toBeUndefined();
    expect(may(face(nobody, 'members'))).toBe('');
    expect(may(face(nobody, 'unread'))).toBe('');
    expect(may(face(nobody, 'part'))).toBe('');
    expect(
      view(text, ['admin'])
        .resourceViews()
        .map(({ name }) => name),
    ).toEqual(['open', 'unread', 'members', 'part']);
  });
});

describe('fields', () => {
  const text = `${withAuth}
access: public
resources:
  r:
    fields:
      open: { type: string }
      fixed: { type: string, readOnly: true }
      secret: { type: string, writeOnly: true }
      cost: { type: decimal, access: { read: [admin], write: [admin] } }
      note: { type: string, access: { read: public, write: editor } }
      blind: { type: string, access: { read: editor, write: public } }
      born: { type: string, access: { create: public, update: admin } }
      hidden: { type: string, access: none }
      once: { type: string, access: { read: none, create: public, update: none } }
      later: { type: string, access: { read: none, create: none, update: public } }
      staff: { type: string, readOnly: true, access: admin }
      member: { type: string, access: authenticated }
`;
  test.each([
    [
      'nobody',
      {
        fields: ['id', 'open', 'fixed', 'note', 'born'],
        creates: ['id', 'open', 'secret', 'blind', 'born', 'once'],
        updates: ['id', 'open', 'secret', 'blind', 'later'],
        inputs: ['id', 'open', 'fixed', 'secret', 'note', 'blind', 'born', 'once', 'later'],
        relations: [],
      },
    ],
    [
      ['editor'],
      {
        fields: ['id', 'open', 'fixed', 'note', 'blind', 'born', 'member'],
        creates: ['id', 'open', 'secret', 'note', 'blind', 'born', 'once', 'member'],
        updates: ['id', 'open', 'secret', 'note', 'blind', 'later', 'member'],
        inputs: [
          'id',
          'open',
          'fixed',
          'secret',
          'note',
          'blind',
          'born',
          'once',
          'later',
          'member',
        ],
        relations: [],
      },
    ],
    [
      ['admin'],
      {
        fields: ['id', 'open', 'fixed', 'cost', 'note', 'born', 'staff', 'member'],
        creates: ['id', 'open', 'secret', 'cost', 'blind', 'born', 'once', 'member'],
        updates: ['id', 'open', 'secret', 'cost', 'blind', 'born', 'later', 'member'],
        inputs: [
          'id',
          'open',
          'fixed',
          'secret',
          'cost',
          'note',
          'blind',
          'born',
          'once',
          'later',
          'staff',
          'member',
        ],
        relations: [],
      },
    ],
  ] as const)('as %j sees them', (roles, expected) => {
    expect(facts(face(view(text, roles), 'r'))).toEqual(expected);
  });

  test('nothing is read where reading is refused, and all may be written', () => {
    const text =
      'access: { read: none, write: public }\nresources: { r: { fields: { a: { type: string } } } }';
    expect(facts(face(view(text), 'r'))).toEqual({
      fields: [],
      creates: ['id', 'a'],
      updates: ['id', 'a'],
      inputs: ['id', 'a'],
      relations: [],
    });
  });

  test('a group names what this caller reads', () => {
    const one = face(
      view(`${text}    groups: { all: [open, secret, cost, note, member] }`, ['admin']),
      'r',
    );
    expect(one.groups.get('all')).toEqual(['open', 'cost', 'note', 'member']);
    const other = face(view(`${text}    groups: { all: [open, secret, cost, note, member] }`), 'r');
    expect(other.groups.get('all')).toEqual(['open', 'note']);
  });
});

describe('a view', () => {
  test('is told apart by its version and the roles that the file names', () => {
    const text = `resources:
  r: { fields: { a: { type: string, access: { read: [admin, "a,b", a, b], write: public } } }, access: { read: public, write: boss } }
api: { versions: { 1: {}, 2: {} } }`;
    const key = (roles: readonly string[] | 'nobody', version = 1): string =>
      view(text, roles, version).key;
    expect(key(['boss', 'guest', 'admin'])).toBe(key(['admin', 'boss']));
    const keys = [
      key('nobody'),
      key('nobody', 2),
      key([]),
      key(['admin']),
      key(['boss']),
      key(['admin', 'boss']),
      key(['a,b']),
      key(['a', 'b']),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    const one = view(text, ['admin']);
    expect(face(one, 'r').key).not.toBe(one.key);
    expect(one.resource('r')).toBe(one.resource('r'));
  });

  test('has the names of its version, for relations too', () => {
    const text = `${resources({
      posts: `title: { type: string }, note: { type: string }, author: ${relation('belongsTo', 'users')}, tags: ${relation('belongsToMany', 'tags', 'through: links, withPivot: [rank, why]')}`,
      users: '',
      tags: '',
      links: 'rank: { type: integer }, why: { type: string }',
      drafts: `post: ${relation('belongsTo', 'posts')}`,
    })}
groups: { card: [title, note, author] }
api:
  versions:
    1: { resources: { posts: { fields: { headline: { from: title }, note: false, writer: { from: author } } }, links: { fields: { place: { from: rank }, why: false } }, drafts: false } }
    2: {}`;
    const old = view(text);
    expect(old.resourceViews().map(({ name }) => name)).toEqual([
      'posts',
      'users',
      'tags',
      'links',
    ]);
    expect(old.resource('drafts')).toBeUndefined();
    const posts = face(old, 'posts');
    expect(facts(posts)).toMatchObject({
      fields: ['id', 'headline', 'authorId'],
      inputs: ['id', 'headline', 'authorId'],
      relations: ['writer', 'tags'],
    });
    expect(posts.groups.get('card')).toEqual(['headline', 'writer']);
    expect(posts.fields.get('headline')?.field.name).toBe('title');
    const tags = posts.relations.get('tags');
    expect(tags?.pivot.map(({ name, field }) => `${name} ${field.name}`)).toEqual(['place rank']);
    const current = face(view(text, 'nobody', 2), 'posts');
    expect([...current.fields.keys()]).toEqual(['id', 'title', 'note', 'authorId']);
    expect(current.relations.get('tags')?.pivot.map(({ name }) => name)).toEqual(['rank', 'why']);
  });

  test('leads from a relation to the face of the other resource', () => {
    const one = view(resources({ posts: `author: ${relation('belongsTo', 'users')}`, users: '' }));
    const author = face(one, 'posts').relations.get('author');
    if (author?.relation.kind !== 'belongsTo') throw new Error('no belongsTo');
    expect(author.target(author.relation.target)).toBe(one.resource('users'));
    expect(author.pivot).toEqual([]);
  });
});
