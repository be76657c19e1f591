import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { browserOptions } from '../support/chromium.ts';
import {
  endedWell,
  launch,
  makeFolder,
  root,
  until,
  untilServing,
  type Running,
  type Serving,
} from '../support/command.ts';
import { examplesOf, patternOf } from '../support/examples.ts';
import { freePort } from '../support/ports.ts';

const page = readFileSync(join(root, 'docs/start.md'), 'utf8');
const modules = join(root, 'node_modules');
const node = join(modules, '.bin/node');

interface Block {
  readonly language: string;
  readonly text: string;
  /** The file that the first line names. */
  readonly file: string | undefined;
}

const blocks: readonly Block[] = [...page.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)].map(
  ([, language = '', text = '']) => {
    const [, file] = /^(?:#|\/\/|<!--) ([\w./-]+\.\w+)(?: -->)?\n/u.exec(text) ?? [];
    return { language, text, file };
  },
);

/** The text of the block after the one that the reader runs. */
function shownAfter(command: string): string {
  const index = blocks.findIndex(({ text }) => text.trim() === command);
  return blocks[index + 1]?.text.trim() ?? 'no such block';
}

const folder = makeFolder();
let port = 0;
/** The tutorial serves at its default port, the test at a free one. */
const atPort = (text: string): string => text.replaceAll(':4000', `:${port}`);

/** A shell in the folder of the tutorial, in which npx finds the command and the programs that npm has installed. */
function shell(line: string): Running {
  const npx = `npx() { case $1 in plinth) shift; exec "$NODE" "$MAIN" "$@";; *) exec "$NODE" "$BIN/$@";; esac; }`;
  return launch('sh', ['-c', `${npx}; ${line}`], {
    cwd: folder.path,
    env: { NODE: node, MAIN: join(root, 'src/cli/main.ts'), BIN: join(modules, '.bin') },
  });
}

const tsc = (): Running =>
  launch(node, [join(modules, 'typescript/bin/tsc')], { cwd: folder.path });
const vite = (...args: readonly string[]): Running =>
  launch(node, [join(modules, 'vite/bin/vite.js'), ...args], { cwd: folder.path });

let serving: Serving | undefined;

async function write(file: string, text: string): Promise<void> {
  folder.write(file, atPort(text));
  const isEdit = file === 'plinth.yaml' && serving !== undefined;
  if (isEdit) await until(async () => (await fetch(`http://127.0.0.1:${port}/v1/authors`)).ok);
}

/** Each step of the tutorial with what it shows, in the order of the page. */
beforeAll(async () => {
  port = await freePort();
  symlinkSync(modules, folder.at('node_modules'));
  folder.write('package.json', '{ "type": "module" }');
  for (const { language, text, file } of blocks) {
    if (file !== undefined) await write(file, text);
    else if (text.trim() === 'npx plinth dev') {
      serving = await untilServing(shell(`npx plinth dev --port ${port}`));
      expect(serving.out().trim()).toBe(atPort(shownAfter('npx plinth dev')));
    } else if (language === 'console')
      for (const { command, output } of examplesOf(`\`\`\`console\n${text}\`\`\``)) {
        const { out, err } = await shell(atPort(command).replace(/^curl /u, 'curl -s ')).ended;
        expect(`$ ${command}\n${(out + err).trim()}`).toMatch(patternOf(`$ ${command}\n${output}`));
      }
  }
});

test('the tutorial has these files', () => {
  expect(blocks.flatMap(({ file }) => file ?? [])).toEqual([
    'plinth.yaml',
    'plinth.yaml',
    'index.html',
    'vite.config.ts',
    'tsconfig.json',
    'src/main.tsx',
  ]);
});

test('the packages that it installs are those that its page was tried with', () => {
  const installed = blocks.flatMap(({ text }) =>
    [...text.matchAll(/^npm install (?:--save-dev )?(.*)$/gmu)].flatMap(([, names = '']) =>
      names.split(' ').filter((name) => !name.endsWith('.tgz')),
    ),
  );
  expect(installed.length).toBeGreaterThan(5);
  expect(installed.filter((name) => !existsSync(join(modules, name)))).toEqual([]);
});

test('the page has no wrong types, and the compiler says what the tutorial shows', async () => {
  await endedWell(tsc());
  const main = readFileSync(folder.at('src/main.tsx'), 'utf8');
  folder.write('src/main.tsx', main.replace('title_ilike', 'titel_ilike'));
  const { code, out } = await tsc().ended;
  folder.write('src/main.tsx', main);
  const [, shown = 'nothing'] = /```text\n(src\/main\.tsx.*?)```/su.exec(page) ?? [];
  expect([code, out.trim()]).toEqual([1, expect.stringMatching(patternOf(shown))]);
});

test('the page is built, searches, adds a recipe, and shows why one is refused', async () => {
  await endedWell(vite('build', '--logLevel', 'warn'));
  const pagePort = await freePort();
  const preview = vite('preview', '--port', `${pagePort}`, '--strictPort');
  await until(() => preview.out().includes(`:${pagePort}`));
  const browser = await chromium.launch(browserOptions());
  const tab = await browser.newPage();
  await tab.goto(`http://localhost:${pagePort}/`);
  await tab.getByRole('heading', { name: '26 recipes' }).waitFor();
  const add = async (title: string, minutes: string): Promise<void> => {
    await tab.getByPlaceholder('Title').fill(title);
    await tab.getByPlaceholder('Minutes').fill(minutes);
    await tab.getByRole('button', { name: 'Add' }).click();
  };
  await add('Cassoulet', '500');
  await tab.getByText('must be at most 180').waitFor();
  await add('Onion soup', '60');
  await tab.getByText('Onion soup, 60 minutes').waitFor();
  await tab.getByPlaceholder('Search').fill('RATATOU');
  await tab.getByRole('heading', { name: '1 recipes' }).waitFor();
  await browser.close();
  preview.child.kill();
});

test('the simulated network of the last step is valid', async () => {
  const [network = ''] = blocks.flatMap(({ text }) => (text.startsWith('network:') ? text : []));
  folder.write('slow.yaml', `${readFileSync(folder.at('plinth.yaml'), 'utf8')}${network}`);
  await endedWell(shell('npx plinth check slow.yaml'));
});
