import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAtLeast } from '../../src/cli/node-version.ts';
import { launch, makeFolder, root } from '../support/command.ts';

test.each([
  ['22.18.0', '22.18', true],
  ['22.18.1', '22.18.0', true],
  ['22.19.0', '22.18', true],
  ['23.0.0', '22.18', true],
  ['100.0.0', '22.18', true],
  ['22.17.9', '22.18', false],
  ['20.20.2', '22.18', false],
  ['22.18.0', '22.18.1', false],
])('%s is at least %s: %s', (version, least, isEnough) => {
  expect(isAtLeast(version, least)).toBe(isEnough);
});

describe('a Node that is too old', () => {
  const node = join(root, 'node_modules/.bin/node');
  const older = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`;
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(older)}`];

  /** A program that needs Node 22.18, beside a `node` package or not. */
  function project(hasNode: boolean) {
    const folder = makeFolder({
      'package.json': '{ "type": "module" }',
      'main.ts': `
        import { requireNode } from './node-version.ts';
        await requireNode('22.18');
        console.log('runs', process.versions.node !== '20.20.2', process.argv.slice(2));
        process.exit(3);`,
    });
    cpSync(join(root, 'src/cli/node-version.ts'), folder.at('node-version.ts'));
    if (hasNode) {
      mkdirSync(folder.at('node_modules'));
      symlinkSync(join(root, 'node_modules/node'), folder.at('node_modules/node'));
    }
    return launch(node, [...flags, 'main.ts', '--flag', 'a b'], { cwd: folder.path }).ended;
  }

  test('says in a sentence what to do', async () => {
    expect(await project(false)).toMatchObject({
      code: 1,
      out: '',
      err: 'Plinth needs Node 22.18 or newer, and this is 20.20.2. Run it with a newer one; "npm install --save-dev node" brings one to a project.\n',
    });
  });

  test('runs the command with the node package of the project', async () => {
    expect(await project(true)).toMatchObject({
      code: 3,
      out: "runs true [ '--flag', 'a b' ]\n",
      err: '',
    });
  });
});
