import { describe, expect, test } from 'vitest';
import { library, ndjson, plinth, servePlinth } from '../support/command.ts';
import { kept, live, reloaded, type Live } from '../support/live.ts';

// Edits of a file that a new user makes, on the database that `dev` has filled.

const recordsOf = async ({ get }: Pick<Live, 'get'>, path: string): Promise<unknown[]> =>
  (await (await get(path)).json()) as unknown[];

async function write({ server }: Live, path: string, body: object): Promise<void> {
  const answer = await fetch(`${server.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect([answer.status, await answer.text()]).toMatchObject([201, expect.any(String)]);
}

describe('a resource that others refer to gets another name', () => {
  const renamed = library.replaceAll('authors', 'writers');
  test('its table and records stay, and the keys that lead to it', async () => {
    const served = await live();
    await write(served, 'authors', { name: 'Ursula' });
    await write(served, 'books', { title: 'Mine', authorId: 26 });
    const keys = await recordsOf(served, '/v1/books?fields=id,authorId&limit=100');
    await served.save(renamed, reloaded);
    expect(served.note()).toContain('- rename table authors to writers\n');
    expect(served.note()).not.toContain('create table writers');
    expect(await recordsOf(served, '/v1/books?fields=id,authorId&limit=100')).toEqual(keys);
    expect(await recordsOf(served, '/v1/writers?name=Ursula')).toMatchObject([{ id: 26 }]);
    expect(await recordsOf(served, '/v1/books?id=26&expand=author')).toMatchObject([
      { author: { name: 'Ursula' } },
    ]);
    // Generated values go on following the file.
    await served.save(
      renamed.replace('name: { type: string, ', 'name: { type: string, values: [A, B], '),
      'Generated name for 25 records of writers.',
    );
    await served.server.stop('SIGTERM');
  });

  test('a new field in the same edit gets values', async () => {
    const served = await live();
    await served.save(
      renamed.replace('email: {', 'born: { type: date, required: true }\n      email: {'),
      reloaded,
    );
    expect(await recordsOf(served, '/v1/writers?born_null=true')).toEqual([]);
    expect(await recordsOf(served, '/v1/writers?limit=100')).toHaveLength(25);
  });

  test('the pairs of a morphTo name it', async () => {
    const morphs = `access: public
resources:
  posts:
    fields:
      title: { type: string }
      remarks: { type: relation, relation: morphMany, resource: remarks, typeField: aboutType, idField: aboutId }
  remarks:
    fields:
      text: { type: string }
      about: { type: relation, relation: morphTo, resources: [posts] }
`;
    const served = await live(morphs);
    const before = await recordsOf(served, '/v1/remarks?fields=id,aboutId&limit=100');
    await served.save(morphs.replaceAll('posts', 'articles'), reloaded);
    expect(served.note()).toContain('- change remarks.aboutType from posts to articles\n');
    expect(await recordsOf(served, '/v1/remarks?fields=id,aboutId&limit=100')).toEqual(before);
    expect(await recordsOf(served, '/v1/remarks?aboutType=articles&limit=100')).toHaveLength(25);
  });

  test('another resource with other fields is new', async () => {
    const served = await live(
      `access: public\nresources:\n  tags: { fields: { a: { type: string } } }\n`,
    );
    await served.save(
      `access: public\nresources:\n  labels: { fields: { b: { type: string } } }\n`,
      'labels has 25 records now.',
    );
    expect(served.note()).toContain('- create table labels (id, b)');
  });
});

describe('a change of type', () => {
  const typed = (type: string): string =>
    `access: public\nresources:\n  things:\n    fields:\n      name: { type: string }\n      code: { type: ${type} }\n`;
  test('there and back goes through beside a written value', async () => {
    const served = await live(typed('integer'));
    await write(served, 'things', { name: 'mine', code: 7 });
    await served.save(typed('string'), reloaded);
    expect(await recordsOf(served, '/v1/things?name=mine')).toMatchObject([{ code: '7' }]);
    await served.save(typed('integer'), reloaded);
    expect(await recordsOf(served, '/v1/things?name=mine')).toMatchObject([{ code: 7 }]);
    expect(served.note()).not.toContain(kept);
  });

  test('that would lose a written value says how many, and calls nothing else impossible', async () => {
    const served = await live(typed('string'));
    await write(served, 'things', { name: 'mine', code: 'seven' });
    await write(served, 'things', { name: 'mine', code: '7' });
    await served.save(`${typed('integer')}      stock: { type: integer, required: true }\n`, kept);
    expect(served.note()).toContain(
      '- change things.code from string to integer (loses 1 value)\n- add column things.stock (not null)\n',
    );
  });
});

test('what stands in the way of one step is not said of the others', async () => {
  const things = (kind: string, more = ''): string =>
    `access: public\nresources:\n  things:\n    fields:\n      kind: { type: string, values: [a, b]${kind} }\n${more}`;
  const served = await live(things(''));
  await served.save(
    things(', unique: true', '      stock: { type: integer, required: true }\n'),
    kept,
  );
  const lines = served.note().split('\n');
  expect(lines).toContain('- add column things.stock (not null)');
  expect(lines.filter((line) => line.includes('(not possible'))).toHaveLength(1);
});

describe('dev --reset', () => {
  test('starts with a new database', async () => {
    const first = await live();
    await write(first, 'authors', { name: 'Ursula' });
    await first.server.stop('SIGTERM');
    const cwd = first.folder.path;
    const again = await servePlinth(['dev', '--reset'], { cwd });
    const url = `${again.url}/v1/authors?limit=100`;
    expect(await (await fetch(url)).json()).toHaveLength(25);
    await again.stop('SIGTERM');
  });

  test('deletes no other database', async () => {
    const { folder, server } = await live();
    await server.stop('SIGTERM');
    const other = folder.write('other.db', '');
    const ended = await plinth(['dev', '--reset', '--database', `sqlite:${other}`], {
      cwd: folder.path,
    });
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.err).toContain('Nothing was deleted: --reset deletes only the database of dev');
  });
});

test('`generate: { count }` beside `data` is how many records there are in all', async () => {
  const text = `data: data\n${library.replace('  authors:\n', '  authors:\n    generate: { count: 9 }\n')}`;
  const served = await live(text, {
    'data/authors.ndjson': ndjson({ name: 'Ursula' }, { name: 'Ada' }),
  });
  const authors = await recordsOf(served, '/v1/authors?limit=100');
  expect(authors).toHaveLength(9);
  expect(authors.slice(0, 2)).toMatchObject([{ name: 'Ursula' }, { name: 'Ada' }]);
  // What was loaded stays, and what was generated follows the file.
  const other = text.replace('name: { type: string, ', 'name: { type: string, values: [A, B], ');
  await served.save(other, 'Generated name for 7 records of authors.');
  const names = (await recordsOf(served, '/v1/authors?limit=100')) as { name: string }[];
  expect(names.slice(0, 2)).toMatchObject([{ name: 'Ursula' }, { name: 'Ada' }]);
});
