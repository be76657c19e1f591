import { describe, expect, test } from 'vitest';
import { good, makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

// See docs/contract/6-operation.md#migrate, rule 16.
const file = (fields: string): string =>
  `access: public\nresources:\n  posts:\n    fields: { ${fields} }\n`;
const before = 'title: { type: string }, views: { type: integer }, note: { type: string }';
const drop = (column: string): string => `- drop column posts.${column} (would lose 0 values`;
const only = ': only with --allow-data-loss';

describe.each(['SQLite', 'PostgreSQL'])('%s', (kind) => {
  test.each([
    [
      'one of the same kind',
      'headline: { type: string }, views: { type: integer }, note: { type: string }',
      [
        `${drop('title')}${only}; if headline is its new name, write column: title there, and its values stay)`,
      ],
    ],
    [
      'of another kind',
      'headline: { type: boolean }, views: { type: integer }, note: { type: string }',
      [`${drop('title')}${only})`],
    ],
    [
      'two of the same kind',
      'headline: { type: string }, lead: { type: string }, views: { type: integer }, note: { type: string }',
      [`${drop('title')}${only})`],
    ],
    ['none', 'views: { type: integer }, note: { type: string }', [`${drop('title')}${only})`]],
    [
      'with its column named',
      'headline: { type: string, column: title }, views: { type: integer }, note: { type: string }',
      [],
    ],
  ])('a column is dropped and added: %s', async (_, after, expected) => {
    const folder = makeFolder({ 'one.yaml': file(before), 'two.yaml': file(after) });
    const postgres = kind === 'PostgreSQL' ? await createDatabase() : undefined;
    const url = postgres?.url ?? 'sqlite:shop.db';
    try {
      await good(['migrate', 'one.yaml', '--apply', '--database', url], folder.path);
      const { out } = await good(['migrate', 'two.yaml', '--database', url], folder.path);
      expect(out.split('\n').filter((line) => line.startsWith('- drop'))).toEqual(expected);
    } finally {
      await postgres?.drop();
    }
  });
});
