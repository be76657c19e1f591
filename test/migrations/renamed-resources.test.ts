import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

/**
 * Resources with other names, as `dev` follows them. See
 * docs/contract/7-data-debug-dashboard.md#generated-records-after-an-edit, rule 4.
 */
const folder = makeFolder();
let server: TestDatabase;
let sides: Readonly<Record<Side['name'], Side>>;
beforeAll(async () => {
  server = await createDatabase();
  sides = { sqlite: sqliteSide(folder.at('renamed.db')), postgres: postgresSide(server.url) };
});
afterAll(() => server?.drop());

const follow = { followsRenames: true };
const tags = 'tags: { fields: { name: { type: string }, rank: { type: integer } } }';
const library = `authors: { fields: { name: { type: string }, books: { type: relation, relation: hasMany, resource: books } } }
  books: { fields: { title: { type: string }, authorId: { type: integer, required: true, reference: authors.id }, notes: { type: relation, relation: morphMany, resource: notes } } }
  notes: { fields: { text: { type: string }, about: { type: relation, relation: morphTo } } }`;
const file = (resources: string): string => `name: Renamed\nresources:\n  ${resources}\n`;

describe.each(['sqlite', 'postgres'] as const)('%s', (name) => {
  /** The resources of the test before go. */
  const begin = async (resources: string): Promise<Side> => {
    await sides[name].apply(file('none: { fields: { b: { type: string } } }'), {
      allowDataLoss: true,
    });
    await sides[name].apply(file(resources), { allowDataLoss: true });
    return sides[name];
  };

  test('with keys that lead to it, and with pairs', async () => {
    const side = await begin(library);
    await side.write(file(library), {
      authors: [{ name: 'Ann' }],
      books: [{ title: 'One', authorId: 1 }],
      notes: [{ text: 'good', aboutType: 'books', aboutId: 1 }],
    });
    const after = file(library.replaceAll('books', 'novels').replaceAll('authors', 'writers'));
    expect(linesOf(await side.plan(after, follow))).toEqual(
      expect.arrayContaining([
        'rename table authors to writers',
        'rename table books to novels',
        'change notes.aboutType from books to novels',
      ]),
    );
    await side.apply(after, follow);
    expect(linesOf(await side.plan(after))).toEqual([]);
    const answer = await side.served(after, async (api) => [
      (await api.get('/v1/novels?expand=notes')).body,
      (await api.get('/v1/notes?expand=about')).body,
      (await api.get('/v1/writers?expand=novels')).body,
    ]);
    expect(answer).toMatchObject([
      [{ title: 'One', authorId: 1, notes: [{ text: 'good' }] }],
      [{ aboutType: 'novels', about: { title: 'One' } }],
      [{ name: 'Ann', novels: [{ title: 'One' }] }],
    ]);
  });

  test.each<readonly [string, string, string[]]>([
    ['the same fields', tags.replace('tags', 'labels'), ['rename table tags to labels']],
    [
      'other fields',
      'labels: { fields: { name: { type: string } } }',
      ['create table labels (id, name)', 'drop table tags - 0 rows'],
    ],
    [
      'two that it may be',
      `${tags.replace('tags', 'labels')}\n  ${tags.replace('tags', 'marks')}`,
      [
        'create table labels (id, name, rank)',
        'create table marks (id, name, rank)',
        'drop table tags - 0 rows',
      ],
    ],
  ])('without keys to it: %s', async (_, resources, steps) => {
    const side = await begin(tags);
    expect(linesOf(await side.plan(file(resources), follow))).toEqual(steps);
  });

  test('a plain migration renames nothing', async () => {
    const side = await begin(tags);
    expect(linesOf(await side.plan(file(tags.replace('tags', 'labels'))))).toEqual([
      'create table labels (id, name, rank)',
      'drop table tags - 0 rows',
    ]);
  });
});
