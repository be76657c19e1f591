import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { library, makeDatabase, makeFolder, plinth, servePlinth } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

/** The command that begins anew, in the own database of `dev` or another one. */
const resetOf = (url: string | undefined): readonly string[] => [
  'generate',
  '--reset',
  ...(url === undefined ? [] : ['--delete-all', '--database', url]),
];

test.each(['SQLite', 'PostgreSQL'])(
  'generate --reset loads again what the file names as data, on %s',
  async (kind) => {
    const created = kind === 'SQLite' ? undefined : await createDatabase();
    const folder = makeFolder({
      'plinth.yaml': `data: own\ngenerate: { count: 3 }\n${library}`,
      'own/authors.json': '[{"id":1,"name":"Le Guin"},{"id":2,"name":"Lem"}]',
    });
    const env = created === undefined ? {} : { PLINTH_DATABASE_URL: created.url };
    const here = { cwd: folder.path, env };
    const reset = resetOf(created?.url);
    if (created !== undefined) await makeDatabase(created.url, folder.path);
    const stored = async (): Promise<readonly string[]> => {
      await plinth(['export', 'out', '--force'], here);
      return ['authors', 'books'].map((name) =>
        readFileSync(folder.at(`out/${name}.ndjson`), 'utf8'),
      );
    };
    const server = await servePlinth(['dev', '--port', '0'], here);
    const begun = await stored();
    const url = `${server.url}/v1/authors`;
    const headers = { 'content-type': 'application/json' };
    await fetch(url, { method: 'POST', headers, body: '{"name":"Nobody"}' });
    await fetch(`${url}/2`, { method: 'PATCH', headers, body: '{"name":"Lemm"}' });
    expect(await stored()).not.toEqual(begun);
    const again = await plinth(reset, here);
    const deleted = '--reset deletes 6 records of 2 tables of ';
    expect(again).toMatchObject({
      code: 0,
      err: created === undefined ? '' : (expect.stringContaining(deleted) as string),
    });
    expect(again.out).toMatch(
      /^ {2}authors {2}2\n {2}books {4}3\n3 records were generated in .+, 2 loaded from own\.\n$/u,
    );
    expect(await stored()).toEqual(begun);
    const made = await fetch(url, { method: 'POST', headers, body: '{"name":"Nobody"}' });
    expect(await made.json()).toMatchObject({ id: 3 });
    await server.stop('SIGTERM');
    // Whoever says how many wants them generated.
    const counted = await plinth([...reset, '--count', '4'], here);
    expect(counted.out).toContain('8 records were generated');
    const four = await stored();
    folder.write('own/authors.json', '[{"id":1,"name":7}]');
    const refused = await plinth(reset, here);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('own/authors.json:1 name must be a string');
    expect(await stored()).toEqual(four);
    await created?.drop();
  },
);

test.each(['SQLite', 'PostgreSQL'])(
  'ids begin anew with --reset, also of records that come without one, on %s',
  async (kind) => {
    const created = kind === 'SQLite' ? undefined : await createDatabase();
    const folder = makeFolder({
      'plinth.yaml':
        'access: public\ndata: db.json\nresources: { notes: { fields: { text: { type: string } } } }',
      'db.json': '{"notes":[{"text":"a"},{"text":"b"}]}',
    });
    const env = created === undefined ? {} : { PLINTH_DATABASE_URL: created.url };
    const here = { cwd: folder.path, env };
    const reset = resetOf(created?.url);
    if (created !== undefined) await makeDatabase(created.url, folder.path);
    const { url, stop } = await servePlinth(['dev', '--port', '0'], here);
    const write = async (text: string): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ text });
      return (await fetch(`${url}/v1/notes`, { method: 'POST', headers, body })).json();
    };
    for (const _ of [1, 2, 3]) {
      expect(await write('c')).toEqual({ id: 3, text: 'c' });
      expect((await plinth(reset, here)).code).toBe(0);
      expect(await (await fetch(`${url}/v1/notes`)).json()).toEqual([
        { id: 1, text: 'a' },
        { id: 2, text: 'b' },
      ]);
    }
    // What does not land has not begun the ids anew either.
    await write('c');
    folder.write('db.json', '{"notes":[{"text":"a"},{"text":7}]}');
    expect((await plinth(reset, here)).code).toBe(1);
    expect(await write('d')).toEqual({ id: 4, text: 'd' });
    await stop('SIGTERM');
    await created?.drop();
  },
);
