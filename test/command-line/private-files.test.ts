import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { privateCacheFolder } from '../../src/cli/compile-cache.ts';
import { launch, library, makeFolder, root, type Folder } from '../support/command.ts';

/** Files that others on the machine may neither read nor plant. See docs/contract/6-operation.md#files. */
const modeOf = (path: string): number => statSync(path).mode & 0o777;

/** Runs `plinth` in a shell that would let everyone write what it makes. */
const open = (folder: Folder, command: string, env: Record<string, string> = {}) =>
  launch('sh', ['-c', `umask 000; exec "$NODE" "$MAIN" ${command}`], {
    cwd: folder.path,
    env: { NODE: `${root}/node_modules/.bin/node`, MAIN: `${root}/dist/cli/main.js`, ...env },
  });

test('a database and an export are for their owner alone', async () => {
  const folder = makeFolder({ 'plinth.yaml': `generate: { count: 1 }\n${library}` });
  folder.write('mine.txt', 'mine');
  for (const command of [
    'migrate --apply --database sqlite:new/a.db',
    'generate --database sqlite:new/a.db',
  ])
    expect(await open(folder, command).ended).toMatchObject({ code: 0 });
  expect(modeOf(folder.at('new/a.db'))).toBe(0o600);
  // What somebody has put where a file is going to be written.
  mkdirSync(folder.at('out'));
  symlinkSync(folder.at('mine.txt'), folder.at('out/authors.ndjson.part'));
  folder.write('out/books.ndjson.part', '');
  chmodSync(folder.at('out/books.ndjson.part'), 0o666);
  const { code } = await open(folder, 'export out --database sqlite:new/a.db').ended;
  expect(code).toBe(0);
  expect(readdirSync(folder.at('out')).sort()).toEqual(['authors.ndjson', 'books.ndjson']);
  for (const name of ['authors', 'books'])
    expect(modeOf(folder.at('out', `${name}.ndjson`))).toBe(0o600);
  expect(statSync(folder.at('mine.txt')).size).toBe(4);
});

test('dev keeps its database and what lies beside it to its owner, and its folders for requests', async () => {
  const folder = makeFolder({ 'plinth.yaml': `generate: { count: 1 }\n${library}` });
  mkdirSync(folder.at('temporary'));
  const running = open(folder, 'dev --port 0', { TMPDIR: folder.at('temporary') });
  const url = await new Promise<string>((done) => {
    running.child.stdout?.on('data', () => {
      const [, found] = /served at (\S+)/u.exec(running.out()) ?? [];
      if (found !== undefined) done(found);
    });
  });
  expect((await fetch(`${url}/v1/authors`, { headers: { 'x-sandbox': 'a' } })).status).toBe(200);
  for (const name of ['dev.db', 'dev.db-wal', 'dev.db-shm'])
    expect([name, modeOf(folder.at('.plinth', name))]).toEqual([name, 0o600]);
  const temporary = readdirSync(folder.at('temporary'));
  expect(temporary).toEqual([expect.stringMatching(/^plinth-\w{6}$/u)]);
  for (const name of temporary) expect(modeOf(folder.at('temporary', name))).toBe(0o700);
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0 });
});

test('compiled modules are kept in a folder of the user, and none in the shared one', async () => {
  const folder = makeFolder({ 'plinth.yaml': library, 'tmp/x': '', 'home/x': '' });
  const env = { NODE_COMPILE_CACHE: '', TMPDIR: folder.at('tmp'), HOME: folder.at('home') };
  const check = (more: Record<string, string> = {}): Promise<unknown> =>
    open(folder, 'check', { ...env, ...more }).ended;
  chmodSync(folder.at('home'), 0o755);
  expect(await check()).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(folder.at('home/.cache/plinth/compiled'))).toHaveLength(1);
  expect(modeOf(folder.at('home/.cache/plinth/compiled'))).toBe(0o700);
  // A home folder that others may write.
  mkdirSync(folder.at('shared'));
  chmodSync(folder.at('shared'), 0o777);
  expect(await check({ HOME: folder.at('shared') })).toMatchObject({ code: 0, err: '' });
  expect(await check({ HOME: folder.at('none/there') })).toMatchObject({ code: 0, err: '' });
  expect(readdirSync(folder.at('shared'))).toEqual([]);
  expect(readdirSync(folder.at('tmp'))).toEqual(['x']);
});

const uid = process.getuid?.() ?? 0;
test.each<readonly [name: string, make: (folder: Folder) => void, uid: number, isUsed: boolean]>([
  ['of nobody yet', () => undefined, uid, true],
  [
    'of this user',
    ({ at }) => mkdirSync(at('plinth/compiled'), { recursive: true, mode: 0o700 }),
    uid,
    true,
  ],
  [
    'of another user',
    ({ at }) => mkdirSync(at('plinth/compiled'), { recursive: true, mode: 0o700 }),
    uid + 1,
    false,
  ],
  [
    'that others may read',
    ({ at }) => mkdirSync(at('plinth/compiled'), { recursive: true, mode: 0o755 }),
    uid,
    false,
  ],
  [
    'that is a link',
    ({ at }) => {
      mkdirSync(at('plinth'), { mode: 0o700 });
      mkdirSync(at('elsewhere'), { mode: 0o700 });
      symlinkSync(at('elsewhere'), at('plinth/compiled'));
    },
    uid,
    false,
  ],
  ['that is a file', (folder) => folder.write('plinth/compiled', ''), uid, false],
  ['in a folder that others may write', ({ path }) => chmodSync(path, 0o777), uid, false],
  [
    'in a shared folder where each keeps their own',
    ({ path }) => chmodSync(path, 0o1777),
    uid,
    true,
  ],
])('a folder for compiled modules %s', (_name, make, owner, isUsed) => {
  const folder = makeFolder();
  make(folder);
  const found = privateCacheFolder({ XDG_CACHE_HOME: folder.path }, owner);
  expect(found).toBe(isUsed ? folder.at('plinth/compiled') : undefined);
  if (owner !== uid) expect(existsSync(folder.at('plinth/compiled/x'))).toBe(false);
});
