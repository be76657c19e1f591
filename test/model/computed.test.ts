import { expect, test } from 'vitest';
import { checkRules } from '../../src/query/access/rule-parser.ts';
import { modelOf } from './model.ts';

const text = (field: string): string => `resources:
  books:
    fields:
      title: { type: string }
      price: { type: decimal, scale: 2 }
      pin: { type: string, writeOnly: true }
      authorId: { type: integer, reference: people.id }
      author: { type: relation, relation: belongsTo, resource: people }
      ratings: { type: relation, relation: hasMany, resource: ratings }
      tags: { type: relation, relation: belongsToMany, resource: people, through: labels, withPivot: [weight] }
      other: { type: integer, computed: { count: ratings } }
      x: ${field}
  people: { fields: { name: { type: string } } }
  ratings:
    fields:
      stars: { type: integer }
      price: { type: decimal, scale: 2 }
      isGood: { type: boolean }
      pin: { type: string, writeOnly: true }
      bookId: { type: integer, reference: books.id }
  labels:
    fields:
      bookId: { type: integer, reference: books.id }
      personId: { type: integer, reference: people.id }
      weight: { type: integer }
`;

test.each([
  ['{ type: integer, computed: { count: ratings } }'],
  [
    '{ type: integer, computed: { count: ratings, where: "stars_gt=3" }, description: good, access: { read: public } }',
  ],
  ['{ type: integer, computed: { sum: tags.pivot.weight } }'],
  ['{ type: decimal, scale: 2, computed: { max: ratings.price } }'],
  ['{ type: number, computed: { avg: ratings.price } }'],
  ['{ type: string, computed: { join: [title], with: "" } }'],
  ['{ type: boolean, computed: { where: "title=a&ratings_exists=true" } }'],
])('takes %s', (field) => {
  expect(modelOf(text(field), checkRules).errors).toEqual([]);
});

test.each([
  [
    '{ type: string, computed: { count: ratings } }',
    'x is of type string; what is computed is an integer',
  ],
  [
    '{ type: integer, computed: { avg: ratings.stars } }',
    'x is of type integer; what is computed is a number',
  ],
  [
    '{ type: decimal, scale: 3, computed: { sum: ratings.price } }',
    'x has scale 3; the decimals that it adds up have scale 2',
  ],
  [
    '{ type: number, computed: { sum: ratings.isGood } }',
    'x is the sum of isGood, which is of type boolean',
  ],
  [
    '{ type: boolean, computed: { min: ratings.isGood } }',
    'x is the min of isGood, which is of type boolean',
  ],
  [
    '{ type: integer, computed: { join: [title] } }',
    'x is of type integer; what is computed is a string',
  ],
  [
    '{ type: string, computed: { where: "title=a" } }',
    'x is of type string; what is computed is a boolean',
  ],
  ['{ type: integer, computed: { count: rating } }', 'there is no field rating'],
  [
    '{ type: integer, computed: { count: author } }',
    'author leads to one record; a computed field is of a relation to many',
  ],
  ['{ type: integer, computed: { sum: ratings.strs } }', 'there is no field strs'],
  ['{ type: integer, computed: { sum: tags.pivot.wight } }', 'there is no pivot field wight'],
  [
    '{ type: integer, computed: { sum: ratings.book.stars } }',
    'book.stars is no field of ratings; write ratings.field',
  ],
  [
    '{ type: string, computed: { max: ratings.pin } }',
    'pin is writeOnly, so nothing that is read may follow from it',
  ],
  [
    '{ type: string, computed: { join: [pin] } }',
    'pin is writeOnly; `join` takes texts that are read',
  ],
  [
    '{ type: string, computed: { join: [price] } }',
    'price is of type decimal; `join` takes texts that are read',
  ],
  [
    '{ type: string, computed: { join: [other] } }',
    'other is computed itself; name fields that are stored',
  ],
  [
    '{ type: string, computed: { join: [x] } }',
    'x is computed itself; name fields that are stored',
  ],
  ['{ type: boolean, computed: { where: "other_gt=3" } }', 'other_gt: there is no field other_gt'],
  [
    '{ type: integer, computed: { count: ratings, where: "strs=3" } }',
    'strs: there is no field strs',
  ],
  [
    '{ type: integer, computed: { count: ratings, where: "stars={user.sub}" } }',
    'is the same for every caller, so it takes no {user.<claim>}',
  ],
  [
    '{ type: integer, required: true, computed: { count: ratings } }',
    '`required` says nothing of a field that is computed; leave it out',
  ],
  ['{ type: integer, computed: {} }', 'needs one of count, sum, avg, min, max, join and where'],
  [
    '{ type: integer, computed: { count: ratings, sum: ratings.stars } }',
    '`sum` stands beside `count`; keep one',
  ],
  [
    '{ type: string, computed: { join: [title], where: "title=a" } }',
    '`where` says nothing of `join`; leave it out',
  ],
  [
    '{ type: array, computed: { count: ratings } }',
    'x is of type array; what is computed is an integer',
  ],
])('refuses %s', (field, message) => {
  const { errors } = modelOf(text(field), checkRules);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toContain(message);
});
