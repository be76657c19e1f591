import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import Driver from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { good, library, makeFolder, ndjson, plinth, type Ended } from '../support/command.ts';

const folder = makeFolder({
  'plinth.yaml': library,
  'data/authors.ndjson': ndjson({ id: 1, name: 'Ursula' }),
});
/** Root may write whatever the permissions are. */
const identity = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
const run = (...args: string[]): Promise<Ended> =>
  plinth(args, {
    cwd: folder.path,
    // Copies of files go there.
    env: { TMPDIR: folder.at('temporary') },
    ...(identity === undefined ? {} : { identity }),
  });

const notWritable = (name: string): string =>
  `The database ${name} cannot be written to. Check the permissions of its file, of those beside it (-wal, -shm) and of the folder that it is in.\n`;

interface Place {
  readonly name: string;
  readonly file: number;
  readonly folder: number;
  readonly journal?: 'delete';
}

const places: readonly Place[] = [
  { name: 'a-file', file: 0o444, folder: 0o777 },
  { name: 'a-folder', file: 0o666, folder: 0o555 },
  { name: 'both', file: 0o444, folder: 0o555 },
  { name: 'other-journal', file: 0o444, folder: 0o555, journal: 'delete' },
];

beforeAll(async () => {
  await good(['migrate', '--apply', '--database', 'sqlite:made.db'], folder.path);
  await good(['import', 'data', '--database', 'sqlite:made.db'], folder.path);
  for (const place of [folder.path, folder.at('temporary'), folder.at('out')]) {
    mkdirSync(place, { recursive: true });
    chmodSync(place, 0o777);
  }
  for (const { name, file, folder: mode, journal } of places) {
    mkdirSync(folder.at(name));
    const path = folder.at(`${name}/a.db`);
    copyFileSync(folder.at('made.db'), path);
    if (journal !== undefined) {
      const driver = new Driver(path);
      driver.pragma(`journal_mode = ${journal}`);
      driver.close();
    }
    chmodSync(path, file);
    chmodSync(folder.at(name), mode);
  }
});

describe.each(places)('a database that can only be read: $name', ({ name, folder: mode }) => {
  const database = `sqlite:${name}/a.db`;
  const reads: readonly (readonly [command: string, args: readonly string[], out: string])[] = [
    ['export', ['export', `out/${name}`, '--database', database], '1 record was exported from'],
    ['check', ['check', '--database', database], 'plinth.yaml is valid'],
    ['migrate', ['migrate', '--database', database], 'is up to date'],
    ['introspect', ['introspect', database], 'authors'],
  ];
  test.each(reads)('%s needs no more', async (_, args, out) => {
    const before = readFileSync(folder.at(`${name}/a.db`));
    expect(await run(...args)).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining(out),
    });
    expect(readFileSync(folder.at(`${name}/a.db`))).toEqual(before);
    const copies = readdirSync(folder.at('temporary')).filter((made) => made.startsWith('plinth-'));
    expect(copies).toEqual([]);
    if (mode === 0o555) expect(readdirSync(folder.at(name))).toEqual(['a.db']);
  });
  test.each([
    ['start', '--port', '0'],
    ['import', 'data'],
  ])('%s says so', async (...args) => {
    expect(await run(...args, '--database', database)).toEqual({
      code: 1,
      signal: null,
      out: '',
      err: expect.stringContaining(notWritable(`${name}/a.db`)),
    });
  });
});

test('start says so of a file beside it that somebody else has left', async () => {
  mkdirSync(folder.at('left'));
  chmodSync(folder.at('left'), 0o777);
  for (const [name, mode] of [
    ['a.db', 0o666],
    ['a.db-wal', 0o666],
    ['a.db-shm', 0o444],
  ] as const) {
    if (name === 'a.db') copyFileSync(folder.at('made.db'), folder.at(`left/${name}`));
    else writeFileSync(folder.at(`left/${name}`), '');
    chmodSync(folder.at(`left/${name}`), mode);
  }
  const { code, err } = await run('start', '--port', '0', '--database', 'sqlite:left/a.db');
  expect([code, err]).toEqual([1, expect.stringContaining(notWritable('left/a.db'))]);
});

test('a file that may not be read', async () => {
  copyFileSync(folder.at('made.db'), folder.at('secret.db'));
  chmodSync(folder.at('secret.db'), 0o000);
  const { code, err } = await run('introspect', 'sqlite:secret.db');
  expect({ code, err }).toEqual({
    code: 1,
    err: 'The database secret.db cannot be opened. Check its path and the permissions of its file.\n',
  });
});

test('an export leaves the journal of a file of others as it is', async () => {
  const path = folder.at('others.db');
  copyFileSync(folder.at('made.db'), path);
  const driver = new Driver(path);
  driver.pragma('journal_mode = delete');
  await good(['export', 'out/others', '--database', 'sqlite:others.db'], folder.path);
  expect(driver.pragma('journal_mode', { simple: true })).toBe('delete');
  driver.close();
});
