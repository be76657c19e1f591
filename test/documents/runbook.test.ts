import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorTable } from '../../src/errors.ts';
import { root } from '../support/command.ts';

const runbook = readFileSync(join(root, 'docs/operate.md'), 'utf8');
const source = globSync('src/**/*.ts', { cwd: root })
  .map((path) => readFileSync(join(root, path), 'utf8'))
  .join('\n');

/** The rows of the first table of a section, each by its first cell. */
function firstCells(section: string): readonly string[] {
  const [, text = ''] = runbook.split(`\n## ${section}\n`);
  const [table = ''] = /(?:^\|.*\n)+/mu.exec(text) ?? [];
  return table
    .trim()
    .split('\n')
    .slice(2)
    .map((row) => row.split('|')[1]?.trim() ?? '');
}

const messages = firstCells('The server does not start').flatMap((cell) =>
  // Names of databases and ports are examples.
  [...cell.matchAll(/^`(.*)`$/gu)].map(([, text = '']) => text.split(/…|shop\.db|4000/u)),
);

test.each(messages)('the program prints %s %s', (...parts) => {
  for (const part of parts) expect(source).toContain(part.trim());
});

test('the codes and metrics of the runbook exist', () => {
  const codes = [...runbook.matchAll(/\d{3} `([A-Z_]+)`/gu)].map(([, code = '']) => code);
  const metrics = [...runbook.matchAll(/`(plinth_[a-z_]+)/gu)].map(([, name = '']) => name);
  expect(codes.length).toBeGreaterThan(8);
  expect(metrics.length).toBeGreaterThan(4);
  expect(codes.filter((code) => !Object.hasOwn(errorTable, code))).toEqual([]);
  expect(metrics.filter((name) => !source.includes(name))).toEqual([]);
});
