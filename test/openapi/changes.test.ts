import { describe, expect, test } from 'vitest';
import { lines, posts } from './changes.ts';

const at = 'v1 posts.a';

describe('one field', () => {
  test.each<[string, string, string, readonly string[]]>([
    ['nothing', 'a: { type: string }', 'a: { type: string }', []],
    [
      'what is said of it',
      'a: { type: string }',
      'a: { type: string, description: b, index: true, example: c }',
      [],
    ],
    [
      'is gone',
      'a: { type: string }, b: { type: string }',
      'b: { type: string }',
      [
        `breaking ${at}: can no longer be read`,
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
      ],
    ],
    [
      'has another name',
      'a: { type: string, column: c }',
      'b: { type: string, column: c }',
      [
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
        `breaking ${at}: is now called b`,
        'safe v1 posts.b: is new',
      ],
    ],
    [
      'is new',
      'a: { type: string }',
      'a: { type: string }, b: { type: string }',
      ['safe v1 posts.b: is new'],
    ],
    [
      'is new, and the same in all records without it, of which only one may be',
      'a: { type: string }',
      'a: { type: string }, b: { type: string, unique: true, default: x }',
      [
        'breaking v1 posts.b: is unique and the same in all records that are created without it',
        'safe v1 posts.b: is new',
      ],
    ],
    [
      'is new and needed',
      'a: { type: string }',
      'a: { type: string }, b: { type: string, required: true }',
      [
        'breaking v1 posts.b: is now needed to create a record',
        'breaking v1 posts.b: is now needed to replace a record',
        'safe v1 posts.b: is new',
      ],
    ],
    [
      'is new and has a default',
      'a: { type: string }',
      'a: { type: string }, b: { type: string, required: true, default: c }',
      ['safe v1 posts.b: is new'],
    ],
    [
      'of another type',
      'a: { type: string }',
      'a: { type: integer }',
      [`breaking ${at}: was string and is integer`],
    ],
    ['of a type that looks the same', 'a: { type: string }', 'a: { type: text }', []],
    [
      'of other places',
      'a: { type: decimal, scale: 2 }',
      'a: { type: decimal, scale: 3 }',
      [`breaking ${at}: was decimal with 2 places and is decimal with 3 places`],
    ],
    [
      'with fewer digits',
      'a: { type: decimal, precision: 9 }',
      'a: { type: decimal, precision: 8 }',
      [`breaking ${at}: takes 8 digits, not 9`],
    ],
    [
      'is needed',
      'a: { type: string }',
      'a: { type: string, required: true, nullable: true }',
      [
        `breaking ${at}: is now needed to create a record`,
        `breaking ${at}: is now needed to replace a record`,
      ],
    ],
    [
      'no longer takes null',
      'a: { type: string, default: b }',
      'a: { type: string, default: b, nullable: false }',
      [`breaking ${at}: no longer takes null`],
    ],
    [
      'may be null',
      'a: { type: string, required: true }',
      'a: { type: string }',
      [`breaking ${at}: may now be null`],
    ],
    [
      'is only read',
      'a: { type: string }',
      'a: { type: string, readOnly: true }',
      [
        `breaking ${at}: can no longer be sent to create a record`,
        `breaking ${at}: can no longer be sent to update a record`,
      ],
    ],
    [
      'is only written',
      'a: { type: string }',
      'a: { type: string, writeOnly: true }',
      [`breaking ${at}: can no longer be read`],
    ],
    [
      'is immutable',
      'a: { type: string }',
      'a: { type: string, immutable: true }',
      [`breaking ${at}: can no longer be changed`],
    ],
    [
      'is unique',
      'a: { type: string }',
      'a: { type: string, unique: true }',
      [`breaking ${at}: must now be unique`],
    ],
    ['no longer is', 'a: { type: string, unique: true }', 'a: { type: string }', []],
    [
      'has a default that it cannot have twice',
      'a: { type: string, unique: true }',
      'a: { type: string, unique: true, default: x }',
      [
        `breaking ${at}: is unique and the same in all records that are created without it`,
        `safe ${at}: has another default`,
      ],
    ],
    [
      'takes fewer values',
      'a: { type: enum, values: [x, y] }',
      'a: { type: enum, values: [x] }',
      [`breaking ${at}: no longer takes y`],
    ],
    [
      'has more values',
      'a: { type: enum, values: [x] }',
      'a: { type: enum, values: [x, y] }',
      [`breaking ${at}: may now have the values y`],
    ],
    [
      'takes more values that nobody reads',
      'a: { type: enum, values: [x], writeOnly: true }',
      'a: { type: enum, values: [x, y], writeOnly: true }',
      [],
    ],
    [
      'takes only some',
      'a: { type: string }',
      'a: { type: string, enum: [x] }',
      [`breaking ${at}: takes only x now`],
    ],
    [
      'is shorter',
      'a: { type: string, maxLength: 9 }',
      'a: { type: string, maxLength: 8 }',
      [`breaking ${at}: has maxLength 8, not 9`],
    ],
    [
      'is longer',
      'a: { type: string, maxLength: 8 }',
      'a: { type: string, maxLength: 9 }',
      [`safe ${at}: has maxLength 9, not 8`],
    ],
    [
      'has no length',
      'a: { type: string, maxLength: 8 }',
      'a: { type: string }',
      [`safe ${at}: no longer has maxLength`],
    ],
    [
      'has a least',
      'a: { type: integer }',
      'a: { type: integer, minimum: 0 }',
      [`breaking ${at}: has minimum 0`],
    ],
    [
      'has a lower one',
      'a: { type: integer, minimum: 0 }',
      'a: { type: integer, minimum: -1 }',
      [`safe ${at}: has minimum -1, not 0`],
    ],
    [
      'has a pattern',
      'a: { type: string }',
      'a: { type: string, pattern: "^x" }',
      [`breaking ${at}: has pattern ^x`],
    ],
    [
      'has a format',
      'a: { type: string }',
      'a: { type: email }',
      [`breaking ${at}: has format email`],
    ],
    [
      'has other items',
      'a: { type: array, items: { type: string } }',
      'a: { type: array, items: { type: integer } }',
      [`breaking ${at}[]: was string and is integer`],
    ],
    [
      'has no such member',
      'a: { type: object, properties: { x: { type: string } } }',
      'a: { type: object, properties: { y: { type: string } } }',
      [`breaking ${at}.x: is no longer declared`],
    ],
    [
      'needs a member',
      'a: { type: object, properties: { x: { type: string } } }',
      'a: { type: object, properties: { x: { type: string, required: true, nullable: true } } }',
      [`breaking ${at}.x: is now needed`],
    ],
    [
      'has another default',
      'a: { type: integer, default: 1 }',
      'a: { type: integer, default: 2 }',
      [`safe ${at}: has another default`],
    ],
    [
      'has no default',
      'a: { type: integer, default: 1 }',
      'a: { type: integer }',
      [`safe ${at}: has no default`],
    ],
    [
      'is needed, since it has no default',
      'a: { type: string, required: true, default: b }',
      'a: { type: string, required: true }',
      [
        `breaking ${at}: is now needed to create a record`,
        `breaking ${at}: is now needed to replace a record`,
        `safe ${at}: has no default`,
      ],
    ],
    [
      'has finer steps',
      'a: { type: integer, multipleOf: 10 }',
      'a: { type: integer, multipleOf: 5 }',
      [`safe ${at}: has multipleOf 5, not 10`],
    ],
    [
      'has other steps',
      'a: { type: integer, multipleOf: 10 }',
      'a: { type: integer, multipleOf: 4 }',
      [`breaking ${at}: has multipleOf 4, not 10`],
    ],
    [
      'has items of one type',
      'a: { type: array }',
      'a: { type: array, items: { type: string } }',
      [`breaking ${at}[]: was json and is string`],
    ],
    [
      'has declared members',
      'a: { type: object }',
      'a: { type: object, properties: { x: { type: string } } }',
      [
        `breaking ${at}: is filtered by its declared members alone now`,
        `breaking ${at}: no longer takes members that it does not declare`,
      ],
    ],
    [
      'has to exist',
      'a: { type: integer }',
      'a: { type: integer, reference: tags.id }',
      [`breaking ${at}: has to be a tags.id that exists`],
    ],
    [
      'goes with its owner',
      'a: { type: integer, reference: tags.id }',
      'a: { type: integer, reference: tags.id, onDelete: cascade }',
      [`breaking ${at}: when that record is deleted: cascade, not setNull`],
    ],
    [
      'goes with its owner, though nobody writes it',
      'a: { type: integer, readOnly: true, reference: tags.id }',
      'a: { type: integer, readOnly: true, reference: tags.id, onDelete: cascade }',
      [`breaking ${at}: when that record is deleted: cascade, not setNull`],
    ],
    [
      'has steps that are fractions of the former ones',
      'a: { type: number, multipleOf: 0.3 }',
      'a: { type: number, multipleOf: 0.1 }',
      [`safe ${at}: has multipleOf 0.1, not 0.3`],
    ],
    [
      'has a least that no double tells from the former one',
      'a: { type: decimal, minimum: "9007199254740992.00" }',
      'a: { type: decimal, minimum: "9007199254740992.01" }',
      [`breaking ${at}: has minimum 9007199254740992.01, not 9007199254740992.00`],
    ],
    [
      'is kept without fractions of seconds',
      'a: { type: datetime }',
      'a: { type: datetime, storedAs: unixSeconds }',
      [`breaking ${at}: takes whole seconds alone now`],
    ],
    [
      'is kept as a double',
      'a: { type: decimal }',
      'a: { type: decimal, storedAs: real }',
      [`breaking ${at}: takes only what a double holds exactly now`],
    ],
    [
      'is kept as a double, which has place for all of its digits',
      'a: { type: decimal, precision: 12 }',
      'a: { type: decimal, precision: 12, storedAs: real }',
      [],
    ],
    [
      'is kept with them',
      'a: { type: datetime, storedAs: unixSeconds }',
      'a: { type: datetime, storedAs: unixMilliseconds }',
      [],
    ],
    [
      'has declared members that nobody reads',
      'a: { type: object, writeOnly: true }',
      'a: { type: object, writeOnly: true, properties: { x: { type: string } } }',
      [
        `breaking ${at}: no longer takes members that it does not declare`,
        `breaking ${at}: takes in its declared members only what they may be now`,
      ],
    ],
    [
      'takes others beside its declared members',
      'a: { type: object, properties: { x: { type: string } }, additionalProperties: true }',
      'a: { type: object, properties: { x: { type: string } } }',
      [
        `breaking ${at}: is filtered by its declared members alone now`,
        `breaking ${at}: no longer takes members that it does not declare`,
      ],
    ],
    [
      'has other members that nobody reads',
      'a: { type: object, writeOnly: true, properties: { x: { type: string } } }',
      'a: { type: object, writeOnly: true, properties: { x: { type: integer } } }',
      [`breaking ${at}.x: was string and is integer`],
    ],
    [
      'has items of one type that nobody reads',
      'a: { type: array, writeOnly: true }',
      'a: { type: array, writeOnly: true, items: { type: string } }',
      [`breaking ${at}[]: was json and is string`],
    ],
    [
      'is named as a filter of another one',
      'a: { type: integer }',
      'a: { type: integer }, a_gte: { type: integer }',
      [`breaking ${at}_gte: takes the place of a filtered by _gte`, `safe ${at}_gte: is new`],
    ],
    [
      'is named as no filter is',
      'a: { type: boolean }',
      'a: { type: boolean }, a_gte: { type: integer }',
      [`safe ${at}_gte: is new`],
    ],
    [
      'has a member that is named as a filter of another one',
      'a: { type: object, properties: { x: { type: string } } }',
      'a: { type: object, properties: { x: { type: string }, x_in: { type: string } } }',
      [`breaking ${at}.x_in: takes the place of x filtered by _in`],
    ],
  ])('%s', (_, old, now, expected) => {
    expect(lines(posts(old), posts(now))).toEqual(expected);
  });
});
