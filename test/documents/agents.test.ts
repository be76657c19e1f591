import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../src/specification/problems.ts';
import { runCommand } from '../../src/cli/run.ts';
import type { Context } from '../../src/server/context.ts';
import { makeFolder, root } from '../support/command.ts';

// What agents read of Plinth: llms.txt and the skill.
const skill = readFileSync(join(root, 'skills/plinth/SKILL.md'), 'utf8');
const folder = makeFolder();

/** The blocks of a language, in their order. */
const blocks = (language: string): readonly string[] =>
  [...skill.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gmu'))].map(
    ([, text = '']) => text,
  );
const files = blocks('yaml').map((text) => ({
  text,
  rule: /^# wrong: (\S+)$/mu.exec(text)?.[1],
  name: text
    .split('\n')
    .findLast((line) => line.startsWith('      '))
    ?.trim(),
}));

/** What `plinth check --json` prints, run in this process. */
async function check(text: string): Promise<{ ok: boolean; problems: readonly Problem[] }> {
  folder.write('plinth.yaml', text);
  const printed: string[] = [];
  const output = { print: (line: string) => printed.push(line), note: () => {} };
  const context = { folder: folder.path, environment: {}, output } as unknown as Context;
  await runCommand(context, '0.0.0', ['node', 'plinth', 'check', '--json']);
  return JSON.parse(printed.join('\n')) as { ok: boolean; problems: readonly Problem[] };
}

describe('the skill', () => {
  test.each(files.filter(({ rule }) => rule === undefined))(
    '$name is right, without a warning',
    async ({ text }) => {
      expect(await check(text)).toEqual({ ok: true, problems: [] });
    },
  );

  test.each(files.filter(({ rule }) => rule !== undefined))(
    '$name breaks the rule $rule alone',
    async ({ text, rule }) => {
      const { ok, problems } = await check(text);
      expect(ok).toBe(false);
      expect([...new Set(problems.map((problem) => problem.rule))]).toEqual([rule]);
    },
  );

  test('has ten mistakes, each wrong and right', () => {
    const [, mistakes = ''] = skill.split(/^## The ten commonest mistakes$|^## How to check$/mu);
    const sections = mistakes.split(/^### \d+\. /mu).slice(1);
    expect(sections).toHaveLength(10);
    for (const section of sections) {
      const [wrong = '', right = '', ...others] = section.match(/^```yaml\n[\s\S]*?^```$/gmu) ?? [];
      expect([wrong, right].map((text) => text.includes('# wrong: '))).toEqual([true, false]);
      expect(others).toEqual([]);
    }
  });

  test('shows what check --json prints', async () => {
    const wrong = files.at(-1)?.text ?? '';
    expect(await check(wrong)).toEqual(JSON.parse(blocks('json')[0] ?? ''));
  });

  test('begins with the name and the description by which agents choose it', () => {
    const [, head = ''] = /^---\n([\s\S]*?)\n---\n/u.exec(skill) ?? [];
    const [name, description = ''] = head.split('\n');
    expect(name).toBe('name: plinth');
    expect(description).toMatch(/^description: \S/u);
    expect(description.length).toBeLessThan(1024);
  });
});

test('the files that llms.txt names are there', () => {
  const text = readFileSync(join(root, 'llms.txt'), 'utf8');
  const links = [...text.matchAll(/\]\(([^)]+)\)/gu)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
});
