import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { linesOf, postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

// A resource that the file no longer names may be the owner of records: their type stays, and leads nowhere.
const people =
  'people: { fields: { name: { type: string }, notes: { type: relation, relation: morphMany, resource: notes, typeValue: "o\'ne" } } }';
const specification = (more: string): string => `
access: public
resources:
  posts: { fields: { title: { type: string }, notes: { type: relation, relation: morphMany, resource: notes } } }
  notes: { fields: { text: { type: string }, about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId } } }
  ${more}
`;
const [before, after] = [specification(people), specification('')];

let server: TestDatabase;
let sides: readonly Side[];
beforeAll(async () => {
  server = await createDatabase();
  sides = [sqliteSide(makeFolder().at('notes.db')), postgresSide(server.url)];
  for (const side of sides) {
    await side.apply(before);
    await side.write(before, {
      posts: [{ title: 't' }],
      people: [{ name: 'p' }],
      notes: [
        { text: 'a', aboutType: 'posts', aboutId: 1 },
        { text: 'b', aboutType: "o'ne", aboutId: 1 },
        { text: 'c' },
      ],
    });
  }
});
afterAll(() => server?.drop());

test('a migration says how many there are, before and when the table goes', async () => {
  const line = 'drop table people - 1 row, but not 1 row of notes whose type no resource has';
  for (const side of sides) {
    expect(linesOf(await side.plan(before)), side.name).toEqual([]);
    expect(linesOf(await side.plan(after)), side.name).toEqual([line]);
    expect(linesOf(await side.apply(after, { allowDataLoss: true })), side.name).toEqual([line]);
    expect(linesOf(await side.plan(after)), side.name).toEqual([]);
  }
});

const stray = { id: 2, text: 'b', aboutType: "o'ne", aboutId: 1 };
test.each<readonly [method: string, path: string, body: object | undefined, expected: unknown]>([
  ['GET', 'notes/2?expand=about', undefined, [200, { ...stray, about: null }]],
  [
    'GET',
    'notes?fields=id,about&expand=about&sort=aboutType,-id',
    undefined,
    [
      200,
      [
        { id: 3, about: null },
        { id: 2, about: null },
        { id: 1, about: { id: 1, title: 't' } },
      ],
    ],
  ],
  ['GET', 'notes?fields=id&about_exists=true', undefined, [200, [{ id: 1 }]]],
  ['GET', 'notes?fields=id&about_exists=false', undefined, [200, [{ id: 2 }, { id: 3 }]]],
  ['GET', 'notes?fields=id&aboutType_neq=posts', undefined, [200, [{ id: 2 }, { id: 3 }]]],
  ['GET', 'notes?fields=id&about.title=t', undefined, [200, [{ id: 1 }]]],
  ['GET', "notes?aboutType=o'ne", undefined, [400, 'INVALID_FILTER']],
  ['GET', 'posts/1?expand=notes&fields=notes.id', undefined, [200, { id: 1, notes: [{ id: 1 }] }]],
  ['PATCH', 'notes/2', { text: 'x' }, [200, { ...stray, text: 'x' }]],
  ['PATCH', 'notes/2', { aboutId: 2 }, [422, 'INVALID_VALUE']],
  ['PUT', 'notes/2', stray, [422, 'INVALID_VALUE']],
  ['POST', 'notes', { aboutType: "o'ne", aboutId: 1 }, [422, 'INVALID_VALUE']],
  ['PATCH', 'notes/2', { aboutType: 'posts' }, [200, { ...stray, text: 'x', aboutType: 'posts' }]],
  ['DELETE', 'posts/1', undefined, [409, 'HAS_DEPENDENTS']],
])('%s %s', async (method, path, body, expected) => {
  for (const side of sides)
    await side.served(after, async ({ url }) => {
      // Not as `send` asks, which holds an answer against the document: that has no such type.
      const answer = await fetch(`${url}/v1/${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const told = (await answer.json()) as { readonly code?: string };
      expect([answer.status, told.code ?? told], side.name).toEqual(expected);
    });
});
