import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launch, makeFolder, root } from '../support/command.ts';

/** The files of the guide: blocks whose first line names them. */
const files = new Map(
  [
    ...readFileSync(join(root, 'docs/test.md'), 'utf8').matchAll(
      /^```(?:ts|yaml)\n(?:\/\/|#) (\S+)\n(.*?)^```$/gmsu,
    ),
  ].map(([, name = '', text = '']) => [name, text]),
);

test('the tests of the guide pass, twice in a row', async () => {
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as AddressInfo;
  free.close();
  const folder = makeFolder(
    Object.fromEntries(
      [...files].map(([name, text]) => [name, text.replaceAll('4010', `${port}`)]),
    ),
  );
  const node = join(root, 'node_modules/.bin/node');
  // The command as it would be installed.
  const plinth = folder.write(
    'bin/plinth',
    `#!/bin/sh\nexec "${node}" "${join(root, 'src/cli/main.ts')}" "$@"\n`,
  );
  chmodSync(plinth, 0o755);
  symlinkSync(join(root, 'node_modules'), folder.at('node_modules'));
  writeFileSync(folder.at('package.json'), '{"type":"module"}');
  for (const run of ['first', 'second']) {
    const { code, out, err } = await launch(
      node,
      [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder.path],
      {
        cwd: folder.path,
        env: { PATH: `${folder.at('bin')}:${process.env['PATH'] ?? ''}`, NO_COLOR: '1' },
      },
    ).ended;
    expect([run, code], `${out}${err}`).toEqual([run, 0]);
    expect(out).toContain('4 passed');
  }
});

test('every file of the guide is TypeScript', () => {
  expect([...files.keys()]).toEqual([
    'plinth.yaml',
    'server.ts',
    'vitest.config.ts',
    'library.test.ts',
    'library.spec.ts',
  ]);
  for (const [name, text] of files)
    if (name.endsWith('.ts')) expect(() => stripTypeScriptTypes(text), name).not.toThrow();
});
