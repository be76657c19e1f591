import { describe, expect, test } from 'vitest';
import { at, problemsOf } from './check.ts';

describe('generators', () => {
  type Case = readonly [field: string, problems: readonly string[]];
  const cases: readonly Case[] = [
    ['{ type: string, generator: internet.email }', []],
    [
      '{ type: string, generator: internet.emial }',
      [at(37, '.generator', 'there is no generator internet.emial; did you mean internet.email?')],
    ],
    [
      '{ type: string, generator: person }',
      [at(37, '.generator', 'there is no generator person; did you mean person.firstName?')],
    ],
    ...[
      ['faker.number.int', 'number.int'],
      ['number.integer', 'number.int'],
      ['phone.phoneNumber', 'phone.number'],
      ['address.city', 'location.city'],
      ['datatype.uuid', 'string.uuid'],
      ['datatype.number', undefined],
    ].map(([name, meant]): Case => [
      `{ type: string, generator: ${name} }`,
      [
        at(
          37,
          '.generator',
          `there is no generator ${name}${meant === undefined ? '' : `; did you mean ${meant}?`}`,
        ),
      ],
    ]),
    [
      '{ type: string, generator: person.constructor }',
      [at(37, '.generator', 'there is no generator person.constructor')],
    ],
    [
      '{ type: string, generator: toString.call }',
      [at(37, '.generator', 'there is no generator toString.call')],
    ],
    [
      '{ type: integer, generator: person.firstName }',
      [
        at(
          38,
          '.generator',
          'person.firstName gives values that the field does not take: it must be a number',
        ),
      ],
    ],
    ['{ type: integer, generator: { name: number.int, args: { min: 1, max: 3 } } }', []],
    ['{ type: integer, generator: { name: number.int, args: 3 } }', []],
    [
      '{ type: integer, generator: { name: number.int, args: { min: x } } }',
      [at(27, '.generator', 'the argument min of number.int must be a number, not "x"')],
    ],
    [
      '{ type: string, generator: { name: string.alpha, args: { length: x } } }',
      [at(26, '.generator', 'the argument length of string.alpha must be a number, not "x"')],
    ],
    [
      '{ type: string, generator: { name: string.alpha, args: { length: { min: 2, max: 5 } } } }',
      [],
    ],
    [
      '{ type: string, generator: { name: string.alpha, args: { length: { min: x } } } }',
      [at(26, '.generator', 'the argument length.min of string.alpha must be a number, not "x"')],
    ],
    [
      '{ type: string, generator: { name: internet.email, args: { firstName: 5 } } }',
      [at(26, '.generator', 'the argument firstName of internet.email must be a string, not 5')],
    ],
    [
      '{ type: integer, generator: { name: number.int, args: { mni: 1 } } }',
      [at(27, '.generator', 'number.int: there is no argument mni; did you mean min?', 'warning')],
    ],
    [
      '{ type: string, generator: { name: helpers.arrayElement, args: 5 } }',
      [at(26, '.generator', 'helpers.arrayElement gives no value with these arguments')],
    ],
    ['{ type: string, generator: { name: helpers.arrayElement, args: [[a, b]] } }', []],
    [
      '{ type: datetime, generator: { name: date.between, args: { from: x, to: y } } }',
      [at(28, '.generator', 'date.between failed: Invalid from date: x')],
    ],
    [
      '{ type: object, properties: { z: { type: integer, generator: nix.nix } } }',
      [
        'plinth.yaml:5:71 error resources.things.fields.f.properties.z.generator: there is no generator nix.nix',
      ],
    ],
    ['{ type: array, items: { type: string, generator: ./g.ts#sku } }', []],
    ['{ type: string, generator: ./g.ts#sku, transform: [./g.ts#sku, prefix(a)] }', []],
    [
      '{ type: string, generator: ./g.ts#sukk }',
      [
        at(
          37,
          '.generator',
          './g.ts cannot be used: it exports no function sukk; did you mean sku?',
        ),
      ],
    ],
    [
      '{ type: string, transform: [./g.ts#nope] }',
      [at(38, '.transform[0]', './g.ts cannot be used: it exports no function nope')],
    ],
    [
      '{ type: string, generator: ./h.ts#sku }',
      [at(37, '.generator', './h.ts cannot be used: there is no such file')],
    ],
    [
      '{ type: string, generator: ../g.ts#sku }',
      [
        at(
          37,
          '.generator',
          '../g.ts cannot be used: it must be in the folder of the specification',
        ),
      ],
    ],
    [
      '{ type: string, generator: ./broken.ts#sku }',
      [expect.stringContaining('./broken.ts cannot be used: ')],
    ],
    [
      '{ type: string, generator: ./g.ts#throws }',
      [at(37, '.generator', './g.ts#throws failed: no luck')],
    ],
    [
      '{ type: string, generator: ./g.ts#hurls }',
      [at(37, '.generator', './g.ts#hurls failed: it throws something that has no text')],
    ],
    ['{ type: json, generator: ./g.ts#deep }', []],
    ...['circle', 'deeper'].map((name): Case => [
      `{ type: json, generator: ./g.ts#${name} }`,
      [
        at(
          35,
          '.generator',
          `./g.ts#${name} gives values that the field does not take: it must not be nested deeper than 31 levels`,
        ),
      ],
    ]),
    [
      '{ type: string, generator: ./g.ts#later }',
      [
        at(
          37,
          '.generator',
          './g.ts#later failed: ./g.ts#later gives a promise; it must give the value itself',
        ),
      ],
    ],
    [
      '{ type: object, properties: { on: { type: boolean } }, generator: ./g.ts#wrong }',
      [
        at(
          76,
          '.generator',
          './g.ts#wrong gives values that the field does not take: its on must be true or false',
        ),
      ],
    ],
    [
      '{ type: boolean, generator: ./g.ts#five }',
      [
        at(
          38,
          '.generator',
          './g.ts#five gives values that the field does not take: it must be true or false',
        ),
      ],
    ],
  ];
  test.each(cases)('%s', async (field, problems) => {
    expect(await problemsOf(field)).toEqual(problems);
  });
});

describe('templates', () => {
  const cases: readonly (readonly [template: string, problems: readonly string[]])[] = [
    ['{{person.firstName}} {{row}} {{self.id}}', []],
    ['{{number.int({"min": 1, "max": 2})}}', []],
    [
      '{{person.firstNam}}',
      [
        at(
          36,
          '.template',
          'there is no generator person.firstNam; did you mean person.firstName?',
        ),
      ],
    ],
    ['{{person.firstName', [at(36, '.template', '{{person.firstName has no }}')]],
    ['{{row}} of {{row} all', [at(36, '.template', '{{row} all has no }}')]],
    [
      '{{number.int({"min": x})}}',
      [at(36, '.template', 'the arguments of {{number.int({"min": x})}} are not JSON')],
    ],
    [
      '{{number.int({"min": "x"})}}',
      [at(36, '.template', 'the argument min of number.int must be a number, not "x"')],
    ],
    [
      '{{number.int({"mx": 1})}}',
      [at(36, '.template', 'template: there is no argument mx; did you mean max?', 'warning')],
    ],
    [
      '{{helpers.arrayElement(5)}}',
      [at(36, '.template', 'helpers.arrayElement gives no value with these arguments')],
    ],
    [
      '{{1 + 1}}',
      [
        at(
          36,
          '.template',
          '{{1 + 1}} is not a name such as {{person.firstName}}, {{self.email}} or {{row}}',
        ),
      ],
    ],
  ];
  test.each(cases)('%s', async (template, problems) => {
    expect(await problemsOf(`{ type: string, template: '${template}' }`)).toEqual(problems);
  });
});

describe('values that are too few', () => {
  const told = (values: string): string =>
    `10 records are wanted, but only 2 can be told apart: each has a value of its own, and f has ${values}`;
  const cases: readonly (readonly [field: string, problems: readonly string[]])[] = [
    ['{ type: enum, values: [a, b], unique: true, required: true }', [told('2 values')]],
    ['{ type: boolean, unique: true, required: true }', [told('2 values')]],
    ['{ type: string, values: [a, b], unique: true, required: true }', [told('2 values')]],
    ['{ type: integer, minimum: 1, maximum: 2, unique: true, required: true }', [told('2 values')]],
  ];
  const count = '    generate: { count: 10 }\n';
  test.each(cases)('%s', async (field, [message]) => {
    expect(await problemsOf(field, count)).toEqual([
      `plinth.yaml:6:24 error resources.things.generate.count: ${message}`,
    ]);
    // Nobody has written the number down: as many as there can be.
    expect(await problemsOf(field)).toEqual([
      `plinth.yaml:3:3 warning resources.things: ${message?.replace('10 records', '25 records')}`,
    ]);
    // The records of others are not generated unless somebody says so.
    const unmanaged = '    managed: false\n';
    expect(await problemsOf(field, unmanaged)).toEqual([]);
    expect(await problemsOf(field, `${unmanaged}${count}`)).toHaveLength(1);
  });

  test('a field that may be null is null in the others', async () => {
    expect(await problemsOf('{ type: enum, values: [a, b], unique: true }', count)).toEqual([
      at(7, '', 'it is unique and has 2 values: 8 of 10 records get none', 'warning'),
    ]);
  });
});

describe('what the file does not say', () => {
  test('a pattern that nothing is found for keeps nobody from serving the file', async () => {
    expect(await problemsOf(String.raw`{ type: string, pattern: '^(a+)b\1$' }`)).toEqual([
      expect.stringMatching(/^plinth\.yaml:5:7 warning .*no value was found/u),
    ]);
  });

  test('a locale', async () => {
    expect(await problemsOf('{ type: string }', 'generate: { locale: xx }\n')).toEqual([
      'plinth.yaml:6:21 error generate.locale: there are no names and texts for the locale xx',
    ]);
    expect(await problemsOf('{ type: string }', 'generate: { locale: pt }\n')).toEqual([
      'plinth.yaml:6:21 error generate.locale: there are no names and texts for the locale pt, but for pt_BR, pt_PT',
    ]);
  });

  test('keys in a circle', async () => {
    const other = `      otherId: { type: integer, required: true, reference: others.id }
  others:
    fields:
      thingId: { type: integer, required: true, reference: things.id }
`;
    expect(await problemsOf('{ type: string }', other)).toEqual([
      expect.stringMatching(/warning .*would each need the other to be there first/u),
    ]);
  });

  test('every problem is told at once', async () => {
    const more = `      g: { type: string, generator: ./g.ts#sukk }
      h: { type: string, template: '{{nix.nix}}' }
`;
    expect(await problemsOf('{ type: string, generator: nix.nix }', more)).toHaveLength(3);
  });

  test('nor where another is made of it', async () => {
    const more = `      g: { type: string, template: '{{self.f}}-{{row}}' }
`;
    expect(await problemsOf(String.raw`{ type: string, pattern: '^(a+)b\1$' }`, more)).toEqual([
      expect.stringMatching(/^plinth\.yaml:5:7 warning .*no value was found/u),
    ]);
  });

  test('a value that comes twice where it must not', async () => {
    const day = 'generator: { name: date.recent, args: { days: 5 } }';
    expect(await problemsOf(`{ type: date, unique: true, ${day} }`)).toEqual([
      expect.stringMatching(
        /^plinth\.yaml:5:38 error .*\.generator: rows \d+ and \d+ both get "2025-12-\d\d": it must be unique/u,
      ),
    ]);
  });

  test('a field without a value hides no warning', async () => {
    const more = `      g: { type: integer, generator: { name: number.int, args: { mx: 3 } } }
  others:
    fields:
      f: { type: boolean, unique: true }
`;
    expect(await problemsOf(String.raw`{ type: string, pattern: '^(a+)b\1$' }`, more)).toEqual([
      expect.stringContaining('no value was found'),
      expect.stringContaining('there is no argument mx'),
      expect.stringContaining('it is unique and has 2 values'),
    ]);
  });
});

describe('a key with rules of its own', () => {
  test.each([
    ['that no record breaks', 'minimum: 1', []],
    [
      'that some do',
      'maximum: 3',
      [
        at(
          7,
          '',
          'generated records have keys that it refuses: KEY must be at most 3; give things.id the same rules',
          'warning',
        ),
      ],
    ],
  ])('%s', async (_, rule, problems) => {
    const found = await problemsOf(`{ type: integer, reference: things.id, ${rule} }`);
    expect(found.map((text) => text.replace(/refuses: \d+/u, 'refuses: KEY'))).toEqual(problems);
  });
});
