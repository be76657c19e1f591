import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { leftOut, sections } from '../../docs/.vitepress/navigation.ts';
import { brokenLinks } from '../../scripts/guide.ts';
import { endedWell, launch, makeFolder, root } from '../support/command.ts';

const entries = sections.flatMap(({ entries }) => entries.map(({ file }) => file));
const pages = globSync('**/*.md', { cwd: join(root, 'docs') }).filter(
  (page) => !leftOut.some((pattern) => matchesGlob(page, pattern)),
);

test('each link of the documents leads to a file and a heading', () => {
  expect(brokenLinks()).toEqual([]);
});

test.each([
  ['a file', '[a](gone.md)', 'gone.md'],
  ['a heading', '[a](docs/there.md#gone)', 'docs/there.md#gone'],
  ['a heading of its own page', '[a](#gone)', '#gone'],
  ['an image', '![a](gone.png)', 'gone.png'],
])('a link to %s that is gone is found', (_what, text, link) => {
  const folder = makeFolder({ 'README.md': `\n${text}\n`, 'docs/there.md': '# There' });
  expect(brokenLinks(folder.path)).toEqual([`README.md:2: ${link} leads nowhere`]);
});

test('links that lead somewhere, and what only looks like one, are no faults', () => {
  const text = [
    '# A `heading`, twice',
    '# A `heading`, twice',
    '[a](#a-heading-twice-1) [b](docs/there.md#there) [c](https://x.example/#y) `[d](gone.md)`',
    '```md',
    '[e](gone.md)',
    '```',
  ].join('\n');
  const folder = makeFolder({ 'README.md': text, 'docs/there.md': '# There' });
  expect(brokenLinks(folder.path)).toEqual([]);
});

describe('the site', () => {
  test('has each page once in its navigation', () => {
    expect(entries.toSorted()).toEqual(pages.toSorted());
  });

  test('builds, with each page and an index to search', async () => {
    const folder = makeFolder();
    const vitepress = join(root, 'node_modules/vitepress/bin/vitepress.js');
    await endedWell(
      launch(
        join(root, 'node_modules/.bin/node'),
        [vitepress, 'build', 'docs', '--outDir', folder.path],
        { cwd: root },
      ),
    );
    for (const page of pages) {
      const built = page.replace(/\.md$/u, '.html');
      expect([page, existsSync(folder.at(built))]).toEqual([page, true]);
    }
    expect(readFileSync(folder.at('index.html'), 'utf8')).toContain('One file');
    expect(globSync('assets/chunks/*localSearchIndex*', { cwd: folder.path })).toHaveLength(1);
  });
});
