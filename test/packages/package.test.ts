import { mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  endedWell,
  launch,
  makeFolder,
  root,
  servePlinth,
  type Ended,
  type Serving,
} from '../support/command.ts';

const node = join(root, 'node_modules/.bin/node');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

let serving: Serving;
beforeAll(async () => {
  const folder = makeFolder();
  serving = await servePlinth(['dev', join(root, 'examples/chinook/plinth.yaml')], {
    cwd: folder.path,
    env: { PLINTH_DATABASE_URL: 'sqlite::memory:' },
  });
});
afterAll(() => serving.stop('SIGTERM'));

/** Runs a program that has to succeed. */
function succeed(cwd: string, program: string, ...args: readonly string[]): Promise<Ended> {
  return endedWell(launch(program, args, { cwd }));
}

/** Renders what a document shows, and prints what is to be seen once the records have come. */
const harness = `
import { Window } from 'happy-dom';
const page = new Window({ url: 'http://localhost/' });
const { document, location, localStorage, HTMLElement, HTMLIFrameElement } = page;
Object.assign(globalThis, { window: page, document, location, localStorage, HTMLElement, HTMLIFrameElement });
const { createElement } = await import('react');
const { createRoot } = await import('react-dom/client');
const { App } = await import('./app.js');
const place = document.createElement('div');
document.body.append(place);
createRoot(place).render(createElement(App));
while (place.querySelector('li') === null) await new Promise((done) => setTimeout(done, 20));
console.log(place.querySelector('ul').title);
for (const item of place.querySelectorAll('li')) console.log(item.textContent);
process.exit(0);
`;

/** react-admin is ra-core with a design: what the examples need of it is in ra-core under these names. */
const reactAdmin = {
  'app/node_modules/react-admin/package.json': '{ "type": "module", "main": "index.js" }',
  'app/node_modules/react-admin/index.js': `export * from 'ra-core'; export { CoreAdmin as Admin } from 'ra-core';`,
  'app/node_modules/react-admin/index.d.ts': `export * from 'ra-core'; export { CoreAdmin as Admin } from 'ra-core';`,
};

/** The types are those of the package: a wrong use is an error of the compiler. */
const misuse = (name: string): string => `import { createDataProvider } from '${name}';
// @ts-expect-error -- a number is no URL
createDataProvider({ baseUrl: 1 });
`;

const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    outDir: 'out',
    rootDir: '.',
    jsx: 'react-jsx',
    lib: ['es2024', 'dom'],
    types: [],
  },
  include: ['*.ts', '*.tsx'],
};

describe.each([
  { folderName: 'ra-data-provider', beside: reactAdmin },
  { folderName: 'refine-data-provider', beside: {} },
])('$folderName', ({ folderName, beside }) => {
  const name = `plinth-${folderName}`;
  const folder = makeFolder({
    ...beside,
    'package.json': '{ "type": "module" }',
    'app/package.json': '{ "type": "module" }',
    'app/tsconfig.json': JSON.stringify(settings),
    'app/misuse.ts': misuse(name),
  });
  const installed = folder.at('app/node_modules', name);
  const tarball = (): string =>
    folder.at(readdirSync(folder.path).find((file) => file.endsWith('.tgz')) ?? 'no tarball');

  /** Builds the package apart from the checkout, and puts what its tarball has into a project. */
  beforeAll(async () => {
    for (const linked of ['node_modules', 'tsconfig.json'])
      symlinkSync(join(root, linked), folder.at(linked));
    mkdirSync(folder.at('packages'));
    for (const part of ['common', folderName])
      await succeed(root, 'cp', '-r', join(root, 'packages', part), folder.at('packages'));
    const place = folder.at('packages', folderName);
    await succeed(place, 'rm', '-rf', 'dist');
    await succeed(place, 'npm', 'pack', '--pack-destination', folder.path);
    mkdirSync(installed, { recursive: true });
    await succeed(installed, 'tar', '-xzf', tarball(), '--strip-components=1');
  });

  test('is small, needs nothing at run time, and has what runs and nothing else', () => {
    expect(statSync(tarball()).size).toBeLessThan(30_000);
    const { dependencies, exports } = JSON.parse(
      readFileSync(join(installed, 'package.json'), 'utf8'),
    ) as { dependencies?: unknown; exports: object };
    expect(dependencies).toBeUndefined();
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    expect(readdirSync(join(installed, 'dist')).sort()).toEqual(['common', folderName]);
    expect(Object.keys(exports)).toEqual(['.']);
    const built = readdirSync(join(installed, 'dist'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    for (const file of built) {
      expect(file).toMatch(/\.(?:d\.ts|js)$/u);
      if (file.endsWith('.js'))
        expect(readFileSync(file, 'utf8')).not.toMatch(/^import .* from '[^.]/mu);
    }
  });

  test.each([join('packages', folderName, 'README.md'), 'docs/clients.md'])(
    'does what %s shows',
    async (document) => {
      const text = readFileSync(join(root, document), 'utf8');
      const [example, ...more] = [...text.matchAll(/```tsx\n([\s\S]*?)```/gu)]
        .map(([, code = '']) => code)
        .filter((code) => code.includes(`'${name}'`));
      expect([example === undefined, more.length]).toEqual([false, 0]);
      folder.write(
        'app/app.tsx',
        (example ?? '').replace("'http://127.0.0.1:4000", `'${serving.url}`),
      );
      await succeed(folder.at('app'), node, tsc, '-p', '.');
      folder.write('app/out/main.js', harness);
      const { out } = await succeed(folder.at('app'), node, 'out/main.js');
      const after = text.slice(text.indexOf(example ?? ''));
      const [, shown = 'nothing'] = /```text\n([\s\S]*?)```/u.exec(after) ?? [];
      expect(out).toBe(shown);
    },
  );
});
