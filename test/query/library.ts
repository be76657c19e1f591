import type { Records } from '../support/api.ts';

/** Resources joined by every kind of relation. */
export const library = `
groups: { short: [name, title, price], names: [name] }
resources:
  authors:
    fields:
      name: { type: string }
      born: { type: date }
      pin: { type: string, writeOnly: true }
      profile: { type: relation, relation: hasOne, resource: profiles }
      books: { type: relation, relation: hasMany, resource: books }
      notes: { type: relation, relation: morphMany, resource: notes }
  profiles:
    fields:
      bio: { type: text }
      authorId: { type: integer, reference: authors.id }
      author: { type: relation, relation: belongsTo, resource: authors }
  books:
    groups: { short: [title], card: [title, author, specs] }
    fields:
      title: { type: string, required: true }
      price: { type: decimal }
      sold_total: { type: integer }
      returned_total: { type: integer }
      specs:
        type: object
        properties:
          weight: { type: number }
          size: { type: object, properties: { width: { type: integer }, height: { type: integer } } }
      extra: { type: json }
      authorId: { type: integer, reference: authors.id, nullable: true }
      parentId: { type: integer, reference: books.id, nullable: true }
      author: { type: relation, relation: belongsTo, resource: authors }
      parent: { type: relation, relation: belongsTo, resource: books, foreignKey: parentId }
      sequels: { type: relation, relation: hasMany, resource: books, foreignKey: parentId }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: book-tags, withPivot: [position, label] }
      notes: { type: relation, relation: morphMany, resource: notes }
  tags:
    fields:
      name: { type: string }
      books: { type: relation, relation: belongsToMany, resource: books, through: book-tags }
  book-tags:
    fields:
      bookId: { type: integer, reference: books.id }
      tagId: { type: integer, reference: tags.id }
      position: { type: integer }
      label: { type: string }
  notes:
    fields:
      text: { type: string }
      ownerType: { type: string }
      ownerId: { type: integer }
      owner: { type: relation, relation: morphTo, typeField: ownerType, idField: ownerId }
`;

/** In the order in which they can be written; ids count from 1 in each resource. */
export const libraryRecords: Records = {
  authors: [
    { name: 'Ann', born: '1970-01-01', pin: '1234' },
    { name: 'Bob', born: null },
    { name: 'Cyd', born: '1990-12-31' },
  ],
  profiles: [{ bio: 'writes', authorId: 1 }],
  books: [
    {
      title: 'One',
      price: '9.90',
      sold_total: 5,
      returned_total: 1,
      specs: { weight: 1.5, size: { width: 10, height: 20 } },
      extra: { a: 1, b: { c: 2, d: 3 }, width: 4 },
      authorId: 1,
    },
    { title: 'Two', price: '12.00', specs: { weight: 2 }, authorId: 1, parentId: 1 },
    { title: 'Three', specs: null, authorId: 2, parentId: 1 },
    { title: 'Four' },
  ],
  tags: [{ name: 'red' }, { name: 'blue' }, { name: 'unused' }],
  'book-tags': [
    { bookId: 1, tagId: 2, position: 1, label: 'x' },
    { bookId: 1, tagId: 1, position: 2 },
    { bookId: 2, tagId: 1, position: 1, label: 'y' },
  ],
  notes: [
    { text: 'on One', ownerType: 'books', ownerId: 1 },
    { text: 'on Ann', ownerType: 'authors', ownerId: 1 },
    { text: 'again', ownerType: 'books', ownerId: 1 },
    { text: 'loose' },
  ],
};

/** Author 1 has 5 books, 2 has 3, 3 none, 4 one; book 1 has 4 tags and 4 notes, book 2 has 1. */
export const shelfRecords: Records = {
  authors: ['Ann', 'Bob', 'Cyd', 'Dan'].map((name) => ({ name })),
  books: [1, 1, 2, 1, 2, 1, 4, 2, 1].map((authorId, index) => ({
    title: `B${index + 1}`,
    authorId,
  })),
  tags: ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  'book-tags': [
    ...[4, 3, 2, 1].map((tagId) => ({ bookId: 1, tagId, position: 10 - tagId })),
    { bookId: 2, tagId: 3, position: 1 },
  ],
  notes: [1, 1, 2, 1, 1].map((ownerId, index) => ({
    text: `n${index}`,
    ownerType: 'books',
    ownerId,
  })),
};

/** What plain reads show of some of them. */
export const ann = { id: 1, name: 'Ann', born: '1970-01-01' };
export const bob = { id: 2, name: 'Bob', born: null };
export const cyd = { id: 3, name: 'Cyd', born: '1990-12-31' };
export const profile = { id: 1, bio: 'writes', authorId: 1 };
export const [one, two, three, four] = [
  {
    id: 1,
    title: 'One',
    price: '9.90',
    sold_total: 5,
    returned_total: 1,
    specs: { weight: 1.5, size: { width: 10, height: 20 } },
    extra: { a: 1, b: { c: 2, d: 3 }, width: 4 },
    authorId: 1,
    parentId: null,
  },
  {
    id: 2,
    title: 'Two',
    price: '12.00',
    sold_total: null,
    returned_total: null,
    specs: { weight: 2 },
    extra: null,
    authorId: 1,
    parentId: 1,
  },
  {
    id: 3,
    title: 'Three',
    price: null,
    sold_total: null,
    returned_total: null,
    specs: null,
    extra: null,
    authorId: 2,
    parentId: 1,
  },
  {
    id: 4,
    title: 'Four',
    price: null,
    sold_total: null,
    returned_total: null,
    specs: null,
    extra: null,
    authorId: null,
    parentId: null,
  },
] as const;
export const red = { id: 1, name: 'red' };
export const blue = { id: 2, name: 'blue' };
export const notes = [
  { id: 1, text: 'on One', ownerType: 'books', ownerId: 1 },
  { id: 2, text: 'on Ann', ownerType: 'authors', ownerId: 1 },
  { id: 3, text: 'again', ownerType: 'books', ownerId: 1 },
  { id: 4, text: 'loose', ownerType: null, ownerId: null },
] as const;
