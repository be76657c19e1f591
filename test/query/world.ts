import type { Records } from '../support/api.ts';

/**
 * Resources joined by every kind of relation, with objects and JSON to go into. Some tables and columns have names of
 * their own, which nobody who asks may meet.
 */
export const world = `
resources:
  people:
    table: Persons of
    fields:
      name: { type: string, column: full name }
      age: { type: integer }
      pin: { type: string, writeOnly: true }
      address:
        type: object
        properties:
          city: { type: string }
          zip: { type: integer }
          geo: { type: object, properties: { lat: { type: number } } }
          lines: { type: array, items: { type: string } }
      passport: { type: relation, relation: hasOne, resource: passports }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
      notes: { type: relation, relation: morphMany, resource: notes }
  passports:
    fields:
      number: { type: string }
      personId: { type: integer, reference: people.id }
      person: { type: relation, relation: belongsTo, resource: people }
  posts:
    table: articles
    fields:
      title: { type: string, column: order }
      views: { type: integer }
      words: { type: array, items: { type: string } }
      meta:
        type: object
        column: meta_json
        properties:
          weight: { type: number }
          size: { type: object, properties: { width: { type: integer }, unit: { type: enum, values: [cm, mm] } } }
          codes: { type: array, items: { type: integer } }
          cost: { type: decimal }
          at: { type: datetime }
          on: { type: boolean }
          level: { type: integer }
          level_gt: { type: integer }
          more: { type: json }
      free: { type: object }
      extra: { type: json, column: x }
      authorId: { type: integer, reference: people.id, nullable: true, column: author_fk }
      editorId: { type: integer, reference: people.id, nullable: true }
      author: { type: relation, relation: belongsTo, resource: people }
      editor: { type: relation, relation: belongsTo, resource: people }
      comments: { type: relation, relation: hasMany, resource: comments }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [position, label] }
      notes: { type: relation, relation: morphMany, resource: notes }
  comments:
    fields:
      text: { type: string }
      rating: { type: integer, column: group }
      approved: { type: boolean }
      # What a name and a type of its own would make of aggregates and of paging.
      limit: { type: integer }
      cost: { type: decimal }
      token: { type: uuid }
      at: { type: datetime }
      day: { type: date }
      clock: { type: time }
      score: { type: number }
      marks: { type: array, items: { type: integer } }
      postId: { type: integer, reference: posts.id, nullable: true, column: "post'" }
      personId: { type: integer, reference: people.id, nullable: true }
      parentId: { type: integer, reference: comments.id, nullable: true }
      post: { type: relation, relation: belongsTo, resource: posts }
      person: { type: relation, relation: belongsTo, resource: people }
      replies: { type: relation, relation: hasMany, resource: comments, foreignKey: parentId }
  tags:
    fields:
      name: { type: string }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
  post-tags:
    table: Links
    fields:
      postId: { type: integer, reference: posts.id }
      tagId: { type: integer, reference: tags.id, column: tag }
      position: { type: integer, column: Position }
      label: { type: string }
      hidden: { type: string }
  notes:
    fields:
      text: { type: string }
      stars: { type: integer }
      aboutType: { type: string, nullable: true, column: kind }
      aboutId: { type: integer, nullable: true, column: key }
      about: { type: relation, relation: morphTo }
`;

const uuid = (digit: number): string => `0198c0de-0000-7000-8000-00000000000${digit}`;

/**
 * Ids count from 1 in each resource. Ann wrote posts 1 and 2, Bob 3, Cyd 5; nobody wrote 4, and Dan nothing. Posts 4
 * and 5 have no comments, 3 and 4 no tags, 3 to 5 no notes.
 */
export const worldRecords: Records = {
  people: [
    {
      name: 'Ann',
      age: 40,
      pin: 'x',
      address: { city: 'Oslo', zip: 150, geo: { lat: 59.9 }, lines: ['a', 'b'] },
    },
    { name: 'Bob', age: 30, address: { city: 'Rome', zip: 100, geo: null, lines: [] } },
    { name: 'Cyd', address: null },
    { name: 'Dan', age: 30, address: { city: 'Oslo' } },
  ],
  passports: [
    { number: 'A1', personId: 1 },
    { number: 'B2', personId: 2 },
  ],
  posts: [
    {
      title: 'One',
      views: 10,
      words: ['x', 'y'],
      meta: {
        weight: 1.5,
        size: { width: 10, unit: 'mm' },
        codes: [3, 1],
        cost: '9.90',
        at: '2026-03-01T12:00:00+02:00',
        on: true,
        level: 1,
        level_gt: 7,
        more: { a: { b: 'deep' } },
      },
      free: { x: 1, y: { z: 'q' } },
      extra: {
        a: 1,
        b: { c: 'x', d: [1, 2] },
        n: '10',
        t: true,
        z: null,
        s: 'Straße',
        a_gt: 'key',
      },
      authorId: 1,
      editorId: 2,
    },
    {
      title: 'Two',
      views: 20,
      words: ['a'],
      meta: {
        weight: 2,
        size: { width: 9, unit: 'cm' },
        codes: [],
        cost: '12.00',
        at: '2026-03-01T11:00:00Z',
        on: false,
        level: 9,
        level_gt: null,
        more: [1],
      },
      free: { x: '1' },
      extra: { a: '1', b: { c: 'y' }, n: 9, t: false, s: 'strasse' },
      authorId: 1,
    },
    {
      title: 'Three',
      meta: { weight: null, size: null, codes: [2], more: null },
      free: null,
      extra: { a: 'ä', b: null, n: 100, t: 'true', z: 'text' },
      authorId: 2,
      editorId: 1,
    },
    { title: 'Four', views: 5, free: {} },
    {
      title: 'Five',
      views: 20,
      words: [],
      meta: { weight: 10 },
      free: { x: false },
      extra: [1, 2],
      authorId: 3,
    },
  ],
  comments: [
    {
      text: 'good',
      rating: 5,
      approved: false,
      limit: 1,
      cost: '10.00',
      token: uuid(3),
      at: '2026-03-01T00:00:00Z',
      day: '2026-03-03',
      clock: '12:00:00',
      score: 0.5,
      marks: [7, 1],
      postId: 1,
      personId: 2,
    },
    {
      text: 'meh',
      rating: 2,
      approved: true,
      limit: 2,
      cost: '9.50',
      token: uuid(4),
      at: '2026-02-01T00:00:00Z',
      day: '2026-03-05',
      clock: '13:00:00',
      score: 10,
      marks: [9],
      postId: 1,
      personId: 3,
    },
    {
      text: 'good',
      rating: 4,
      approved: true,
      limit: 1,
      cost: '100.00',
      token: uuid(1),
      at: '2026-01-15T00:00:00Z',
      day: '2026-03-04',
      clock: '11:00:00',
      score: 2,
      marks: [10],
      postId: 2,
      personId: 1,
    },
    { text: 'empty', marks: [], postId: 2 },
    {
      text: 'bad',
      rating: 1,
      approved: false,
      cost: '-1.00',
      token: uuid(2),
      at: '2026-02-15T00:00:00Z',
      day: '2026-03-01',
      clock: '09:00:00',
      score: -1,
      marks: [8],
      postId: 3,
      personId: 2,
    },
    { text: 'reply', rating: 3, approved: true, personId: 1, parentId: 1 },
  ],
  tags: [{ name: 'red' }, { name: 'blue' }, { name: 'unused' }],
  'post-tags': [
    { postId: 1, tagId: 1, position: 2, label: 'x', hidden: 'h' },
    { postId: 1, tagId: 2, position: 1 },
    { postId: 2, tagId: 1, position: 1, label: 'y' },
    { postId: 5, tagId: 2, position: 3, label: 'x' },
  ],
  notes: [
    { text: 'on One', stars: 5, aboutType: 'posts', aboutId: 1 },
    { text: 'on Ann', stars: 3, aboutType: 'people', aboutId: 1 },
    { text: 'again', stars: 1, aboutType: 'posts', aboutId: 1 },
    { text: 'loose' },
    { text: 'on Two', stars: 4, aboutType: 'posts', aboutId: 2 },
  ],
};
