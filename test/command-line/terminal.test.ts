import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { library, makeFolder, ndjson, plinth, until, untilServing } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';
import { hasTerminal, launchInTerminal } from '../support/terminal.ts';

describe.skipIf(!hasTerminal)('on a terminal', () => {
  test('init asks for a name and an example, and takes what it is told by flag', async () => {
    const folder = makeFolder();
    const terminal = launchInTerminal(['init', '--example', 'shop'], { cwd: folder.path });
    await until(() => terminal.out().includes('What is the API called?'));
    terminal.child.stdin?.write('Corner shop\r');
    expect(await terminal.ended).toMatchObject({ code: 0 });
    expect(terminal.out()).not.toContain('Which example');
    const text = readFileSync(folder.at('plinth.yaml'), 'utf8');
    expect(text).toMatch(/^name: "Corner shop"$/mu);

    const other = launchInTerminal(['init', 'other', '--name', 'Mine'], { cwd: folder.path });
    await until(() => other.out().includes('Which example do you want to start from?'));
    expect(other.out()).not.toContain('What is the API called?');
    // The one below the first.
    other.child.stdin?.write('\u001B[B\r');
    expect(await other.ended).toMatchObject({ code: 0 });
    expect(existsSync(folder.at('other/data'))).toBe(true);
  });

  test('who leaves what init asks has nothing written', async () => {
    const folder = makeFolder();
    const terminal = launchInTerminal(['init', 'mine'], { cwd: folder.path });
    await until(() => terminal.out().includes('What is the API called?'));
    terminal.child.stdin?.write('\u0003');
    expect(await terminal.ended).toMatchObject({ code: 1 });
    expect(terminal.out()).toContain('Nothing was written.');
    expect(existsSync(folder.at('mine'))).toBe(false);
  });

  test('import, generate, export and promote show how far they are', async () => {
    const folder = makeFolder({
      'plinth.yaml': `database: sqlite:own.db\n${library}`,
      'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula' }),
    });
    const here = { cwd: folder.path };
    await plinth(['migrate', '--apply'], here);
    const server = await createDatabase();
    const there = ['--database', server.url];
    await plinth(['migrate', '--apply', ...there], here);
    for (const [args, word] of [
      [['import', 'data', '--database', 'sqlite:own.db'], 'Importing'],
      [['generate', '--database', 'sqlite:own.db'], 'Generating'],
      [['export', 'out'], 'Exporting'],
      [['promote', '--from', 'sqlite:own.db', '--to', server.url], 'Copying'],
    ] as const) {
      const { code, out } = await launchInTerminal(args, { ...here, env: { TERM: 'xterm' } }).ended;
      expect([word, code]).toEqual([word, 0]);
      expect(out).toMatch(new RegExp(`${word}.* 100 ?%`, 'u'));
    }
    await server.drop();
  });

  test.each([
    ['', / INFO: GET \/v1\/authors 200 /u],
    ['logging: { format: json }\n', /\{"level":"info",.*"msg":"GET \/v1\/authors 200"\}/u],
  ])('the log is for people where the file says nothing else: %j', async (more, line) => {
    const folder = makeFolder({ 'plinth.yaml': `${more}${library}` });
    const surroundings = { cwd: folder.path };
    const running = launchInTerminal(['dev', '--port', '0', '--no-generate'], surroundings);
    const server = await untilServing(running);
    expect((await fetch(`${server.url}/v1/authors`)).status).toBe(200);
    await until(() => line.test(running.out()));
    running.child.stdin?.write('\u0003');
    expect(await running.ended).toMatchObject({ code: 0 });
  });

  test.each([
    [{ NO_COLOR: '', TERM: 'xterm' }, true],
    [{ NO_COLOR: '1', TERM: 'xterm' }, false],
    [{ NO_COLOR: '', TERM: 'dumb' }, false],
  ])('the log has colours where they are wanted and shown: %j', async (env, hasColours) => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const surroundings = { cwd: folder.path, env };
    const running = launchInTerminal(['dev', '--port', '0', '--no-generate'], surroundings);
    const server = await untilServing(running);
    expect((await fetch(`${server.url}/v1/authors`)).status).toBe(200);
    await until(() => running.out().includes('GET /v1/authors 200'));
    running.child.stdin?.write('\u0003');
    const { code, out } = await running.ended;
    expect([code, out.includes('\u001B[')]).toEqual([0, hasColours]);
  });
});
