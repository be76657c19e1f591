import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { OpenApiDocument } from '../../src/openapi/document/document.ts';
import {
  endedWell as ended,
  launch,
  makeFolder,
  root,
  untilServing,
  type Running,
} from '../support/command.ts';
import { fromCache, packedTexts, packPlinth } from '../support/packed.ts';

const node = join(root, 'node_modules/.bin/node');
/** The oldest Node that the package says it runs on. */
const oldNode = join(root, 'test/tools/node_modules/.bin/node');
const folder = makeFolder();
const installed = folder.at('app/node_modules/plinth');
const { dependencies, optionalDependencies, scripts, version } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as {
  dependencies: Readonly<Record<string, string>>;
  optionalDependencies: Readonly<Record<string, string>>;
  scripts: Readonly<Record<string, string>>;
  version: string;
};

let tarball: string;

/** The command as npm links it into a project, run by a Node. */
const bin = (program: string, ...args: string[]): Running =>
  launch(program, [join(installed, 'dist/cli/main.js'), ...args], { cwd: folder.at('app') });

/**
 * Puts what the tarball has into a project, beside what it depends on and nothing else. (npm itself would do the same, and
 * fetch that from a registry.)
 */
beforeAll(async () => {
  tarball = await packPlinth(folder);
  mkdirSync(installed, { recursive: true });
  await ended(
    launch('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1'], { cwd: folder.path }),
  );
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const place = join(installed, 'node_modules', name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), place);
  }
});

function files(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? files(join(path, entry.name)).map((name) => `${entry.name}/${name}`)
      : entry.isSymbolicLink()
        ? []
        : [entry.name],
  );
}

test('the package has what runs and nothing else, in less than 5 MB', () => {
  expect(statSync(tarball).size).toBeLessThan(5_000_000);
  const all = files(installed).filter((name) => !name.startsWith('examples/'));
  expect(
    readdirSync(installed)
      .filter((name) => name !== 'node_modules')
      .toSorted(),
  ).toEqual(
    [
      ...packedTexts,
      'bench',
      'dist',
      'docs',
      'examples',
      'llms.txt',
      'package.json',
      'schema.json',
      'skills',
      'src',
    ].toSorted(),
  );
  expect(all.filter((name) => /\.test\.|\.map$|\.plinth|\.db$/u.test(name))).toEqual([]);
  // Sources are only those that become part of typed clients.
  expect(all.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts')).sort()).toEqual([
    'src/client/batch.ts',
    'src/client/calls.ts',
    'src/client/client.ts',
    'src/client/filters.ts',
    'src/client/runtime.ts',
    'src/client/types.ts',
  ]);
  for (const needed of [
    'dist/THIRD-PARTY-LICENSES.txt',
    'dist/index.js',
    'dist/index.d.ts',
    'dist/dashboard/reference.html',
  ])
    expect(existsSync(join(installed, needed)), needed).toBe(true);
});

test('who has the package alone can read on: each link of its documents leads to a file of it', () => {
  const documents = files(installed).filter((name) => /^(?!dist|node_modules).*\.md$/u.test(name));
  const links = documents.flatMap((name) =>
    [...readFileSync(join(installed, name), 'utf8').matchAll(/\]\((?!\w+:)([^)#\s]+)/gu)].map(
      ([, link = '']) => join(dirname(name), link),
    ),
  );
  expect(links.length).toBeGreaterThan(50);
  expect(links.filter((link) => !existsSync(join(installed, link)))).toEqual([]);
});

test('to install the package runs none of its scripts, of which npm would warn', () => {
  const ran = new Set(['preinstall', 'install', 'postinstall', 'prepare']);
  expect(Object.keys(scripts).filter((name) => ran.has(name))).toEqual([]);
});

describe.each([
  ['26', node],
  ['22', oldNode],
])('on Node %s', (major, program) => {
  test('it says its version, makes a project, serves it, and makes its documents', async () => {
    const { out: running } = await ended(launch(program, ['--version'], { cwd: folder.path }));
    expect(running).toMatch(new RegExp(`^v${major}\\.`, 'u'));
    const file = `shop-${major}/plinth.yaml`;
    expect((await ended(bin(program, '--version'))).out.trim()).toBe(version);
    await ended(bin(program, 'init', `shop-${major}`, '--name', 'Shop', '--example', 'shop'));
    await ended(bin(program, 'check', file));
    expect((await ended(bin(program, 'types', file))).out).toContain('export ');
    const { url, stop } = await untilServing(bin(program, 'dev', file, '--port', '0'));
    const answer = await fetch(`${url}/v1/products?limit=1`);
    expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, 1]);
    const made = await fetch(`${url}/v1/suppliers`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(await exampleOf(url, '/v1/suppliers')),
    });
    expect(made.status).toBe(201);
    const page = await (await fetch(`${url}/_docs`)).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/u.exec(page) ?? [];
    const reader = await fetch(new URL(script, url));
    expect([reader.status, (await reader.text()).length > 10_000]).toEqual([200, true]);
    expect((await stop('SIGTERM')).code).toBe(0);
  });

  test('a program can import it', async () => {
    folder.write('app/main.mjs', `import * as plinth from 'plinth'; console.log(typeof plinth);`);
    const { out } = await ended(launch(program, ['main.mjs'], { cwd: folder.at('app') }));
    expect(out.trim()).toBe('object');
  });
});

test('what the guide says of functions compiles, strictly', async () => {
  const guide = readFileSync(join(root, 'docs/data.md'), 'utf8');
  const [, module = ''] = /```ts\n([\s\S]*?)```/u.exec(guide) ?? [];
  folder.write('app/generators.ts', module);
  const strictly = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--types', 'node'];
  // As who writes TypeScript for Node has them.
  const roots = ['--typeRoots', join(root, 'node_modules/@types')];
  const kinds = ['--module', 'NodeNext', '--target', 'ES2024'];
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { out } = await ended(
    launch(node, [compiler, ...strictly, ...roots, ...kinds, 'generators.ts'], {
      cwd: folder.at('app'),
    }),
  );
  expect(out).toBe('');
});

/** The example of what creates a record, from the document that is served. */
async function exampleOf(url: string, path: string): Promise<unknown> {
  const { paths } = (await (await fetch(`${url}/_openapi.json`)).json()) as OpenApiDocument;
  const { requestBody } = (paths[path]?.['post'] ?? {}) as {
    requestBody?: { content: { 'application/json': { example: unknown } } };
  };
  return requestBody?.content['application/json'].example;
}

test('npx runs it from the tarball in an empty folder, on a Node of its own', async () => {
  mkdirSync(folder.at('empty'));
  const packages = [`node@${process.versions.node}`, tarball].flatMap((one) => ['--package', one]);
  const args = ['exec', '--yes', ...(await fromCache(folder)), ...packages];
  const { out } = await ended(
    launch('npm', [...args, '--', 'plinth', '--version'], { cwd: folder.at('empty') }),
  );
  expect(out.trim()).toBe(version);
  expect(readdirSync(folder.at('empty'))).toEqual([]);
}, 600_000);
