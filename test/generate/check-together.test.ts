import { describe, expect, test } from 'vitest';
import { at, problemsOf } from './check.ts';

describe('records that would be refused beside others', () => {
  const three = '{ name: helpers.arrayElement, args: [[3]] }';
  const others = '  others: { fields: { a: { type: string } }, generate: { count: 2 } }\n';
  type Case = readonly [field: string, more: string, problems: readonly string[]];
  const cases: readonly Case[] = [
    [
      `{ type: integer, unique: true, generator: ${three} }`,
      '',
      [at(41, '.generator', 'rows 1 and 2 both get 3: it must be unique')],
    ],
    [
      '{ type: string, unique: true, required: true, generator: ./g.ts#repeats }',
      '',
      [at(67, '.generator', 'rows 4 and 8 both get "y": it must be unique')],
    ],
    [
      '{ type: string, unique: true, values: [a, A], transform: [uppercase] }',
      '',
      [
        at(7, '', 'it is unique and has 2 values: 23 of 25 records get none', 'warning'),
        at(40, '.values', 'rows 1 and 2 both get "A": it must be unique'),
      ],
    ],
    [
      `{ type: integer, generator: ${three} }`,
      `      g: { type: integer, generator: ${three} }\n    unique: [[f, g]]\n`,
      [at(27, '.generator', 'rows 1 and 2 both get 3, 3: f, g must be unique together')],
    ],
    [`{ type: integer, generator: ${three} }`, '    unique: [[f, id]]\n', []],
    [
      '{ type: string, unique: true, template: x, maxLength: 1 }',
      '',
      [
        at(
          50,
          '.template',
          'template gives values that the field does not take: it must have at most 1 character',
        ),
      ],
    ],
    [
      `{ type: integer, reference: others.id, generator: ${three} }`,
      others,
      [at(49, '.generator', 'row 1 gets 3: others has no record with this id')],
    ],
    ['{ type: integer, reference: others.id, values: [1, 2] }', others, []],
    // Nobody knows which there are.
    [`{ type: integer, reference: others.id, generator: ${three} }`, `${others}data: data\n`, []],
    [`{ type: integer, unique: true, generator: ${three} }`, 'data: things.json\n', []],
    [
      '{ type: string, unique: true, generator: ./g.ts#repeats }',
      '      g: { type: string, generator: nix.nix }\n',
      [
        at(51, '.generator', 'rows 4 and 8 both get "y": it must be unique'),
        expect.stringContaining('there is no generator nix.nix'),
      ],
    ],
  ];
  test.each(cases)('%s%s', async (field, more, problems) => {
    expect(await problemsOf(field, more)).toEqual(problems);
  });
});
