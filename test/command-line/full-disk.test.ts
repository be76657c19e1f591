import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { good, launch, library, makeFolder, root, type Ended } from '../support/command.ts';

/** Runs `plinth` where no file may become longer than so many KiB; what goes beyond that fails as on a full disk. */
function limited(args: readonly string[], cwd: string, longest = 4): Promise<Ended> {
  const plinth = `${root}/node_modules/.bin/node ${root}/dist/cli/main.js ${args.join(' ')}`;
  return launch('sh', ['-c', `trap '' XFSZ; ulimit -f ${longest * 2}; exec ${plinth}`], { cwd })
    .ended;
}

const reason = 'it would be longer than files may be here';

test.each(['openapi', 'types'])('%s leaves the former document, or none', async (command) => {
  const folder = makeFolder({ 'plinth.yaml': library, 'former.txt': 'former' });
  for (const out of ['former.txt', 'new.txt'])
    expect(await limited([command, '--out', out], folder.path)).toMatchObject({
      code: 1,
      err: `${out} cannot be written: ${reason}. Name another file with --out.\n`,
    });
  expect(readFileSync(folder.at('former.txt'), 'utf8')).toBe('former');
  expect(existsSync(folder.at('new.txt'))).toBe(false);
});

test('introspect and init can be run again', async () => {
  const fields = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`field${n}`, n]));
  const folder = makeFolder({
    'db.json': JSON.stringify({ posts: [{ id: 1, ...fields }] }),
    'single.json': JSON.stringify({ profile: fields }),
  });
  const files = readdirSync(folder.path);
  expect(
    await limited(['introspect', 'db.json', '--out', 'plinth.yaml'], folder.path),
  ).toMatchObject({
    code: 1,
    err: `plinth.yaml cannot be written: ${reason}. Name another file with --out.\n`,
  });
  expect(
    await limited(['introspect', 'single.json', '--out', 'plinth.yaml'], folder.path),
  ).toMatchObject({
    code: 1,
    err: `data cannot be written: ${reason}. Name a file in another folder with --out.\n`,
  });
  for (const [where, name] of [
    [[], '.'],
    [['mine'], 'mine'],
  ] as const)
    expect(await limited(['init', ...where, '--example', 'chinook'], folder.path)).toMatchObject({
      code: 1,
      err: `${name} cannot be written to: ${reason}. Choose another folder.\n`,
    });
  expect(readdirSync(folder.path)).toEqual(files);
});

test('export says where it has no room, and leaves no file', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const database = ['--database', 'sqlite:shop.db'];
  await good(['migrate', '--apply', ...database], folder.path);
  await good(['generate', '--count', '2000', ...database], folder.path);
  expect(await limited(['export', 'copy', ...database], folder.path, 40)).toMatchObject({
    code: 1,
    err: `Nothing was exported to copy: ${reason}. Fix that, or name another folder.\n`,
  });
  expect(readdirSync(folder.at('copy'))).toEqual([]);
});

test.skipIf(!existsSync('/dev/full'))(
  'a full disk behind what is printed is told in a sentence',
  async () => {
    const folder = makeFolder({ 'plinth.yaml': library });
    const script = `node_modules/.bin/node dist/cli/main.js check ${folder.at('plinth.yaml')} > /dev/full`;
    const ended = await launch('bash', ['-c', script], { cwd: root }).ended;
    expect(ended).toMatchObject({
      code: 1,
      err: 'Standard output cannot be written: the disk is full. Fix that and run it again.\n',
    });
  },
);

test.skipIf(!existsSync('/dev/full'))('a warning that cannot be told ends nothing', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const script = `node_modules/.bin/node dist/cli/main.js openapi ${folder.at('plinth.yaml')} --out ${folder.at('api.json')} 2> /dev/full`;
  expect(await launch('bash', ['-c', script], { cwd: root }).ended).toMatchObject({ code: 0 });
  expect(existsSync(folder.at('api.json'))).toBe(true);
});
