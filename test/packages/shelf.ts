import type { Records } from '../support/api.ts';

/** What the providers are tried on: every kind of filter, a collection of links, a field named like a parameter. */
export const shelf = `
name: Shelf
access: public
resources:
  authors:
    fields:
      name: { type: string, required: true, maxLength: 20 }
      email: { type: email, unique: true }
      books: { type: relation, relation: hasMany, resource: books }
  books:
    fields:
      title: { type: string, required: true, maxLength: 40 }
      pages: { type: integer, minimum: 0 }
      price: { type: decimal, precision: 8, scale: 2 }
      status: { type: enum, values: [draft, printed], nullable: true }
      published: { type: date }
      inStock: { type: boolean }
      limit: { type: integer }
      tags: { type: array, items: { type: string } }
      specs: { type: object, properties: { weight: { type: number, minimum: 0 }, size: { type: string } } }
      authorId: { type: integer, reference: authors.id, nullable: true, onDelete: restrict }
      author: { type: relation, relation: belongsTo, resource: authors }
      genres: { type: relation, relation: belongsToMany, resource: genres, through: book-genres, withPivot: [main] }
  genres:
    fields:
      name: { type: string, required: true }
      books: { type: relation, relation: belongsToMany, resource: books, through: book-genres }
  book-genres:
    fields:
      bookId: { type: integer, reference: books.id }
      genreId: { type: integer, reference: genres.id }
      main: { type: boolean, nullable: true }
`;

/** Ids count from 1 in each resource. */
export const shelfRecords: Records = {
  authors: [
    { name: 'Ann', email: 'ann@example.com' },
    { name: 'Bob', email: 'bob@example.com' },
    { name: 'ann b', email: null },
  ],
  books: [
    {
      title: 'Alpha',
      pages: 100,
      price: '9.90',
      status: 'draft',
      published: '2020-01-01',
      inStock: true,
      limit: 5,
      tags: ['a', 'b'],
      specs: { weight: 1.5, size: 's' },
      authorId: 1,
    },
    {
      title: 'alphabet',
      pages: 200,
      price: '12.00',
      status: 'printed',
      published: '2021-06-30',
      inStock: false,
      limit: 6,
      tags: ['b', 'c'],
      specs: { weight: 2, size: 'm' },
      authorId: 1,
    },
    { title: 'Beta, "gamma": \\', pages: 300, tags: [], authorId: 2 },
    { title: 'Alp\u{10FFFF}z', pages: 50, status: 'draft', tags: ['a'], authorId: 3 },
    { title: '', pages: null, authorId: null },
  ],
  genres: [{ name: 'novel' }, { name: 'crime' }, { name: 'poem' }],
  'book-genres': [
    { bookId: 1, genreId: 1, main: true },
    { bookId: 1, genreId: 2 },
    { bookId: 2, genreId: 2, main: true },
  ],
};
