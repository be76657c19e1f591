import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  problemRules,
  type Edit,
  type Problem,
  type ProblemRule,
} from '../../src/specification/problems.ts';
import { build } from '../support/api.ts';
import { withFields } from './problems.ts';

/** The text after its edits, from the last to the first. */
function edited(text: string, problems: readonly Problem[]): string {
  const edits = problems.flatMap(({ edit }) => edit ?? []);
  const lines = text.split('\n');
  for (const { line, column, ...edit } of edits.toReversed()) {
    const before = lines[line - 1] ?? '';
    expect(before.slice(column - 1, column - 1 + edit.old.length)).toBe(edit.old);
    lines[line - 1] =
      before.slice(0, column - 1) + edit.new + before.slice(column - 1 + edit.old.length);
  }
  return lines.join('\n');
}

const two = (fields: string, more = ''): string =>
  `resources:\n  users: { fields: { name: { type: string } } }\n  posts:\n    fields:\n      ${fields}${more}`;

describe('a problem has its rule, and an edit if one change is likely to be meant', () => {
  test.each<readonly [text: string, rule: ProblemRule, ...edit: string[]]>([
    ['resources: [', 'syntax'],
    [
      withFields('a: { type: string, template: {{self.b}} }', 'b: { type: string }'),
      'syntax',
      '{{self.b}}',
      "'{{self.b}}'",
    ],
    [withFields('a: { type: string, default: "${NOT SET}" }'), 'variable'],
    [withFields('a: { type: string, default: "${UNSET}" }'), 'variable'],
    [
      withFields('a: { type: string }', 'b: { type: string }', 'a: { type: text }'),
      'duplicate-key',
    ],
    [withFields('a: { type: string, minLenght: 3 }'), 'unknown-key', 'minLenght', 'minLength'],
    [
      withFields('a: { type: string, "minLenght": 3 }'),
      'unknown-key',
      '"minLenght"',
      '"minLength"',
    ],
    [withFields('a: { type: string, frobnicate: 3 }'), 'unknown-key'],
    // The nearest key is one of other types.
    [withFields('a: { type: string, itms: 3 }'), 'unknown-key'],
    [withFields('a: { type: string, unique: yes }'), 'value', 'yes', 'true'],
    [withFields('a: { type:string }'), 'unknown-key', 'type:string', 'type: string'],
    [withFields('a: { minLength: 3 }'), 'missing-key'],
    ['resources:\n  a:\n    b: { type: string }', 'indentation'],
    [withFields('a: string'), 'value', 'string', '{ type: string }'],
    [withFields('a: { type: strng }'), 'value', 'strng', 'string'],
    [withFields('a: { type: varchar(255) }'), 'value', 'varchar(255)', 'string'],
    [withFields('a: { type: string, required: "true" }'), 'value', '"true"', 'true'],
    [withFields("a: { type: string, minLength: '3' }"), 'value', "'3'", '3'],
    [withFields("a: { type: string, minLength: '-3' }"), 'value'],
    [withFields('a: { type: string, description: 5 }'), 'value', '5', '"5"'],
    [withFields('a: { type: string, minLength: few }'), 'value'],
    [withFields('a: { type: string }') + '\n    unique: [[a, a]]', 'duplicate-item'],
    [
      withFields('a: { type: string }') + '\nlimits: { defaultLimit: 9, maxLimit: 5 }',
      'contradiction',
    ],
    [withFields('a b: { type: string }'), 'name'],
    [withFields('first_name: { type: string }'), 'name-advice'],
    [
      two('author: { type: relation, relation: belongsTo, resource: user }'),
      'unknown-name',
      'user',
      'users',
    ],
    [two('authorId: { type: integer, reference: user.id }'), 'unknown-name', 'user.id', 'users.id'],
    [
      two('authorId: { type: integer, reference: users.idd }'),
      'unknown-name',
      'users.idd',
      'users.id',
    ],
    [two('title: { type: string }', '\n    indexes: [[titel]]'), 'unknown-name', 'titel', 'title'],
    [
      two('slug: { type: string, template: "{{self.titel}}" }\n      title: { type: string }'),
      'unknown-name',
      '"{{self.titel}}"',
      '"{{self.title}}"',
    ],
    [two('title: { type: string }', '\n    table: users'), 'table'],
    [withFields('a: { type: integer, minimum: 5, maximum: 3 }'), 'field'],
    [two('authorId: { type: string, reference: users.id }'), 'relation'],
    [
      two('authorId: { type: integer, required: true, reference: users.id, onDelete: setNull }'),
      'foreign-key',
    ],
    [two('meta: { type: json }', '\n    indexes: [[meta]]'), 'index'],
    [withFields('a: { type: string }') + '\ngroups: { all: [b] }', 'group'],
    [
      withFields(
        'a: { type: string, template: "{{self.b}}" }',
        'b: { type: string, template: "{{self.a}}" }',
      ),
      'generate',
    ],
    [
      withFields('a: { type: string }') +
        '\napi: { versions: { 1: {}, 2: { resources: { posts: { fields: { id: false } } } } } }',
      'version',
    ],
    [
      withFields('a: { type: string }') + '\naudit: { roles: [admin], resources: [post] }',
      'unknown-name',
      'post',
      'posts',
    ],
    [withFields('a: { type: string }') + '\naccess: { read: boss }\nauth: { apiKeys: [] }', 'auth'],
    [withFields('a: { type: string }') + '\n    access: { read: { where: "b_eq=1" } }', 'access'],
  ])('%s', (text, rule, ...edit) => {
    const { problems } = build(text);
    const found = problems.find((problem) => problem.rule === rule);
    expect(found, JSON.stringify(problems)).toBeDefined();
    expect(found?.edit === undefined ? [] : [found.edit.old, found.edit.new]).toEqual(edit);
  });

  test('its edits, made in the text, leave no problem', () => {
    const text = [
      '# résumé 🦆',
      'resources:',
      '  users:',
      '    timestamp: "true"',
      '    fields:',
      '      name: { type: \'strng\', requred: "true" }',
      '      motto: { type: text, description: 5 }',
      '  posts:',
      '    fields:',
      '      "authorId": { "type": integer, "referense": user.id }',
      '      tags: { type: array, items: { type: strin } }',
    ].join('\n');
    const once = edited(text, build(text).problems);
    const again = edited(once, build(once).problems);
    expect(build(again).problems).toEqual([]);
    expect(again).toBe(
      [
        '# résumé 🦆',
        'resources:',
        '  users:',
        '    timestamps: true',
        '    fields:',
        '      name: { type: string, required: true }',
        '      motto: { type: text, description: "5" }',
        '  posts:',
        '    fields:',
        '      "authorId": { "type": integer, "reference": users.id }',
        '      tags: { type: array, items: { type: string } }',
      ].join('\n'),
    );
  });

  test('a value of the environment, or one over several lines, has no edit', () => {
    const environment: readonly (Edit | undefined)[] = build(
      withFields('a: { type: "strn\n          g" }', 'b: { type: string, required: "${X}" }'),
    ).problems.map(({ edit }) => edit);
    expect(environment).toEqual([undefined, undefined]);
  });
});

test('the contract lists every rule', () => {
  const contract = readFileSync(
    new URL('../../docs/contract/1-specification-file.md', import.meta.url),
    'utf8',
  );
  const [, section = ''] = contract.split('## Rules of problems');
  const rows = [...section.matchAll(/^\| `([\w-]+)` +\| (.+?) +\|$/gmu)].map(([, rule, about]) => [
    rule,
    about,
  ]);
  expect(rows).toEqual(Object.entries(problemRules));
});
