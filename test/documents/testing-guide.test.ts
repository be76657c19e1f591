import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { browserOptions } from '../support/chromium.ts';
import { launch, makeFolder, root } from '../support/command.ts';
import { freePort } from '../support/ports.ts';

/** The files of the guide: blocks whose first line names them. */
const files = new Map(
  [
    ...readFileSync(join(root, 'docs/test.md'), 'utf8').matchAll(
      /^```(?:ts|js|yaml)\n(?:\/\/|#) (\S+)\n(.*?)^```$/gmsu,
    ),
  ].map(([, name = '', text = '']) => [name, text] as const),
);
const node = join(root, 'node_modules/.bin/node');

/** The page that the guide leaves to the reader: it lists books, adds one, and tells of an outage. */
const page = `
import { createServer } from 'node:http';
const html = \`<!doctype html><title>Books</title><ul></ul><p></p>
<form><label>Title <input name="title" required></label><button>Add</button></form>
<script type="module">
  const url = 'http://127.0.0.1:4010/v1/books';
  const show = async () => {
    const answer = await fetch(url + '?limit=100');
    if (!answer.ok) {
      document.querySelector('p').role = 'alert';
      document.querySelector('p').textContent = 'The books cannot be shown; try again later.';
      return;
    }
    const items = (await answer.json()).map(({ title }) => {
      const item = document.createElement('li');
      item.textContent = title;
      return item;
    });
    document.querySelector('ul').replaceChildren(...items);
  };
  document.querySelector('form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const title = new FormData(event.target).get('title');
    const body = JSON.stringify({ title, authorId: 1 });
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await show();
  });
  await show();
</script>\`;
createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/html' }).end(html);
}).listen(5173, 'localhost');
`;

/** A project with the files of the guide, at ports that are free, and the command as it would be installed. */
async function makeProject(): Promise<{ path: string; env: Record<string, string> }> {
  const [api, web] = [await freePort(), await freePort()];
  const atPorts = (text: string): string =>
    text.replaceAll('4010', `${api}`).replaceAll('5173', `${web}`);
  const texts = new Map(files).set('page.js', page);
  const folder = makeFolder(
    Object.fromEntries([...texts].map(([name, text]) => [`app/${name}`, atPorts(text)])),
  );
  const plinth = folder.write(
    'bin/plinth',
    `#!/bin/sh\nexec "${node}" "${join(root, 'src/cli/main.ts')}" "$@"\n`,
  );
  chmodSync(plinth, 0o755);
  symlinkSync(join(root, 'node_modules'), folder.at('node_modules'));
  for (const [name, source] of [
    ['index.js', 'index.ts'],
    ['test.js', 'test.ts'],
  ] as const)
    folder.write(
      `app/node_modules/plinth/${name}`,
      `export * from ${JSON.stringify(pathToFileURL(join(root, 'src', source)).href)};`,
    );
  const scripts = { dev: `${node} page.js` };
  folder.write('app/package.json', JSON.stringify({ type: 'module', scripts }));
  // This package, as it is installed: its other dependencies are those above.
  const exported = { '.': './index.js', './test': './test.js' };
  folder.write(
    'app/node_modules/plinth/package.json',
    JSON.stringify({ name: 'plinth', type: 'module', exports: exported }),
  );
  const path = `${folder.at('bin')}:${process.env['PATH'] ?? ''}`;
  return { path: folder.at('app'), env: { PATH: path, HOME: folder.path, NO_COLOR: '1' } };
}

test('the guide has these files', () => {
  expect([...files.keys()]).toEqual([
    'plinth.yaml',
    'books.test.ts',
    'books.node.js',
    'server.ts',
    'vitest.config.ts',
    'library.test.ts',
    'library.spec.ts',
    'playwright.config.ts',
  ]);
});

test('the tests of the guide with Vitest pass, twice in a row', async () => {
  const { path, env } = await makeProject();
  for (const run of ['first', 'second']) {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { code, out, err } = await launch(node, [vitest, 'run', '--root', path], {
      cwd: path,
      env,
    }).ended;
    expect([run, code], `${out}${err}`).toEqual([run, 0]);
    expect(out).toContain('8 passed');
  }
});

test('the tests of the guide with node:test pass, and nothing of them is left', async () => {
  const { path, env } = await makeProject();
  const temporary = join(path, 'temporary');
  mkdirSync(temporary);
  const { code, out, err } = await launch(node, ['--test', 'books.node.js'], {
    cwd: path,
    env: { ...env, TMPDIR: temporary },
  }).ended;
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('pass 1');
  expect(readdirSync(temporary)).toEqual([]);
});

test('the tests of the guide with Playwright pass', async () => {
  const { path, env } = await makeProject();
  // Here the browser comes as a package, and not where Playwright itself looks for one.
  writeFileSync(
    join(path, 'here.config.ts'),
    `import config from './playwright.config.ts';
     export default { ...config, use: { ...config.use, launchOptions: ${JSON.stringify(browserOptions())} } };`,
  );
  const playwright = fileURLToPath(import.meta.resolve('@playwright/test/cli'));
  const { code, out, err } = await launch(
    node,
    [playwright, 'test', '--config', 'here.config.ts'],
    {
      cwd: path,
      env,
    },
  ).ended;
  expect(code, `${out}${err}`).toBe(0);
  expect(out).toContain('2 passed');
});
