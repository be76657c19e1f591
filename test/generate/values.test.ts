import { describe, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { generated, generatorOf, rowsOf, valuesOf } from './generate.ts';

const people = `resources:
  people:
    fields:
      firstName: { type: string, required: true }
      lastName: { type: string, required: true }
      email: { type: email, unique: true }
      city: { type: string }
      balance: { type: decimal, scale: 2 }
      createdAt: { type: datetime }
      updatedAt: { type: datetime }
`;

describe('the same specification, seed and locale', () => {
  test('give these values on every machine', async () => {
    const { people: rows = [] } = await generated(people);
    expect(rows.slice(0, 2)).toMatchInlineSnapshot(`
      [
        {
          "balance": "5461.58",
          "city": "Burlington",
          "createdAt": "2025-12-09T06:54:20.000Z",
          "email": "calista.pfeffer1@example.com",
          "firstName": "Calista",
          "id": 1,
          "lastName": "Pfeffer",
          "updatedAt": "2025-12-22T18:04:01.000Z",
        },
        {
          "balance": "907.05",
          "city": "Cincinnati",
          "createdAt": "2024-03-20T15:35:32.000Z",
          "email": "sanford.glover2@example.net",
          "firstName": "Sanford",
          "id": 2,
          "lastName": "Glover",
          "updatedAt": "2025-01-08T02:51:52.000Z",
        },
      ]
    `);
    expect(rows).toHaveLength(25);
  });

  test('give the same rows in any order, and again', async () => {
    const [first, second] = await Promise.all([generatorOf(people), generatorOf(people)]);
    const forwards = rowsOf(first.api, first.generator);
    const [resource] = second.api.resources.values();
    if (resource === undefined) throw new Error('no resource');
    const rows = second.generator.rowsOf(resource);
    for (let number = 25; number > 0; number -= 1) {
      const row = rows.row(number);
      // Fields backwards as well: what one draws is no matter of another.
      for (const [position, { name }] of [...rows.fields.entries()].reverse())
        expect([name, row.at(position)]).toEqual([name, forwards['people']?.[number - 1]?.[name]]);
    }
  });

  test('give the same rows in any order where they are counted by very many others', async () => {
    const text = `${people}    generate: { count: 2000 }
  letters:
    generate: { per: person, min: 0, max: 9 }
    fields:
      personId: { type: integer, required: true, reference: people.id }
      person: { type: relation, relation: belongsTo, resource: people }
`;
    const { api, generator } = await generatorOf(text);
    const { letters = [] } = rowsOf(api, generator);
    const owners = letters.map(({ personId }) => Number(personId));
    expect(owners).toEqual(owners.toSorted((a, b) => a - b));
    const resource = api.resources.get('letters');
    if (resource === undefined) throw new Error('no letters');
    const rows = generator.rowsOf(resource);
    const position = rows.fields.findIndex(({ name }) => name === 'personId');
    for (let step = 0; step < letters.length; step += 1) {
      const index = (step * 4_999) % letters.length;
      expect([index, rows.row(index + 1).at(position)]).toEqual([index, owners[index]]);
    }
  });

  test('another seed gives others', async () => {
    const [one, other] = await Promise.all([generated(people), generated(people, { seed: 2 })]);
    expect(one['people']?.map(({ city }) => city)).not.toEqual(
      other['people']?.map(({ city }) => city),
    );
  });

  const additions: readonly (readonly [what: string, text: string])[] = [
    ['a field at the end', `${people}      title: { type: string }\n`],
    [
      'a field before others',
      people.replace('      email', '      name: { type: string }\n      email'),
    ],
    [
      'a field that others speak of',
      people.replace(
        '    fields:\n',
        '    fields:\n      birthDate: { type: date }\n      username: { type: string, unique: true }\n',
      ),
    ],
    ['a resource', `${people}  cities:\n    fields:\n      name: { type: string }\n`],
    [
      'a resource before it',
      people.replace(
        'resources:\n',
        'resources:\n  cities:\n    fields:\n      name: { type: string }\n',
      ),
    ],
  ];
  test.each(additions)('adding %s leaves the values of the others', async (_, text) => {
    const [before, after] = await Promise.all([generated(people), generated(text)]);
    expect(after['people']).toMatchObject(before['people'] ?? []);
  });

  test('a slug has the number of its row once, also where the name has it', async () => {
    const { tags = [] } = await generated(
      'resources:\n  tags:\n    generate: { count: 300 }\n    fields:\n      name: { type: string, unique: true }\n      slug: { type: string, format: slug, unique: true }\n',
    );
    const slugs = tags.map(({ slug }) => String(slug));
    expect(new Set(slugs).size).toBe(300);
    expect(slugs[299]).toMatch(/^[a-z-]+-300$/u);
  });

  test('adding the names leaves the e-mail addresses', async () => {
    const bare = 'resources:\n  people:\n    fields:\n      email: { type: email, unique: true }\n';
    const named = people.replace(/ {6}(?:city|balance|createdAt|updatedAt).*\n/gu, '');
    const [before, after] = await Promise.all([generated(bare), generated(named)]);
    expect(after['people']).toMatchObject(before['people'] ?? []);
  });

  test('adding the other side of a belongsToMany leaves the links', async () => {
    const fileOf = (more: string): string => `
resources:
  tags:
    fields:
      name: { type: string }
${more}
  posts:
    fields:
      title: { type: string }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
`;
    const side = 'posts: { type: relation, relation: belongsToMany, resource: posts';
    const [before, after] = await Promise.all([
      generated(fileOf('')),
      generated(fileOf(`      ${side}, through: post-tags }`)),
    ]);
    expect(before['post-tags']).toHaveLength(25);
    expect(after).toEqual(before);
  });
});

describe('where a value comes from', () => {
  test('values come before all else', async () => {
    const values = await valuesOf(
      'email',
      '{ type: string, values: [a, b], template: "x", generator: internet.email }',
    );
    expect(new Set(values)).toEqual(new Set(['a', 'b']));
  });
  test('then a template', async () => {
    const values = await valuesOf(
      'email',
      '{ type: string, template: "x{{row}}", generator: internet.email }',
      2,
    );
    expect(values).toEqual(['x1', 'x2']);
  });
  test('then a generator', async () => {
    const values = await valuesOf(
      'email',
      '{ type: integer, generator: { name: number.int, args: { min: 3, max: 5 } } }',
    );
    expect(new Set(values)).toEqual(new Set([3, 4, 5]));
  });
  test('a template speaks of other fields of its row', async () => {
    const text = `resources:
  people:
    fields:
      label: { type: string, template: "{{self.name}} <{{self.email}}>, {{person.firstName}}, {{self.place.city}}" }
      name: { type: string }
      email: { type: email }
      place: { type: object, properties: { city: { type: string } } }
`;
    const { people: rows = [] } = await generated(text);
    for (const row of rows) {
      const { city } = row['place'] as { city: string };
      const label = String(row['label']);
      expect(label.startsWith(`${String(row['name'])} <${String(row['email'])}>, `)).toBe(true);
      expect(label.endsWith(`, ${city}`)).toBe(true);
    }
  });

  test('functions of modules beside the file', async () => {
    const folder = makeFolder({
      'generators.ts': `export const sku = ({ row, random, args }: { row: number; random: () => number; args: { prefix: string } }) => \`\${args.prefix}\${row}\${random() < 2}\`;
export const shout = ({ value, self }: { value: string; self: Record<string, unknown> }) => \`\${value}!\${self['size']}\`;
`,
    });
    const text = `resources:
  things:
    fields:
      sku: { type: string, unique: true, generator: { name: ./generators.ts#sku, args: { prefix: P } } }
      cry: { type: string, values: [oh], transform: [uppercase, "./generators.ts#shout"] }
      size: { type: integer, values: [7] }
`;
    const { things = [] } = await generated(text, { count: 2 }, folder.path);
    expect(things).toMatchObject([
      { sku: 'P1true', cry: 'OH!7' },
      { sku: 'P2true', cry: 'OH!7' },
    ]);
  });

  test('what such a function draws is the same in every run, and another with another seed', async () => {
    const folder = makeFolder({
      'generators.ts': `export const drawn = ({ random, faker }: { random: () => number; faker: { number: { int: () => number } } }) => \`\${random()} \${faker.number.int()}\`;
`,
    });
    const text = `resources:
  things:
    fields:
      drawn: { type: string, generator: ./generators.ts#drawn }
`;
    const run = (seed: number): ReturnType<typeof generated> =>
      generated(text, { seed }, folder.path);
    const first = await run(1);
    expect(new Set(first['things']?.map(({ drawn }) => drawn)).size).toBe(25);
    expect(await run(1)).toEqual(first);
    expect(await run(2)).not.toEqual(first);
  });

  const transforms: readonly (readonly [transform: string, value: string, expected: string])[] = [
    ['lowercase', 'ÄB c', 'äb c'],
    ['uppercase', 'straße', 'STRASSE'],
    ['trim', '  a ', 'a'],
    ['slug', 'Ça va, Øre & Co.?', 'ca-va-ore-co'],
    ['prefix(no. )', '7', 'no. 7'],
    ['truncate(5)', 'one two', 'one t'],
    ['truncate(4)', 'one two', 'one '],
    ['truncate(2)', '🎹🎹🎹', '🎹🎹'],
    ['round(1)', '1.25', '1.3'],
    ['round(0)', '-2.5', '-3'],
  ];
  test.each(transforms)('transform %s makes of %j %j', async (transform, value, expected) => {
    const definition = `{ type: string, values: [${JSON.stringify(value)}], transform: ["${transform}"] }`;
    expect(await valuesOf('note', definition, 1)).toEqual([expected]);
  });
  test('prefix on a number that a generator gives', async () => {
    const definition = `{ type: string, generator: { name: number.int, args: { min: 7, max: 7 } }, transform: [prefix(no. )] }`;
    expect(await valuesOf('note', definition, 1)).toEqual(['no. 7']);
  });
  test('round on a number, and transforms in their order', async () => {
    expect(
      await valuesOf('n', '{ type: number, values: [1.005], transform: [round(2)] }', 1),
    ).toEqual([1.01]);
    expect(
      await valuesOf(
        's',
        '{ type: string, values: [" A b "], transform: [trim, uppercase, prefix(x-), truncate(4)] }',
        1,
      ),
    ).toEqual(['x-A ']);
    expect(
      await valuesOf('s', '{ type: string, values: [a b], transform: [prefix(x ), slug] }', 1),
    ).toEqual(['x-a-b']);
  });

  test.each(['de', 'de-AT', 'fr', 'ja', 'ar', 'pt_BR', 'zh_CN'])(
    'the locale %s has its own names',
    async (locale) => {
      const [english, own] = await Promise.all([
        generated(people),
        generated(`generate: { locale: ${locale} }\n${people}`),
      ]);
      expect(own['people']?.map(({ lastName }) => lastName)).not.toEqual(
        english['people']?.map(({ lastName }) => lastName),
      );
    },
  );

  test('later moments of a row come after earlier ones', async () => {
    const text = `resources:
  events:
    timestamps: true
    fields:
      startsAt: { type: datetime }
      endsAt: { type: datetime }
      publishedAt: { type: datetime }
`;
    const { events = [] } = await generated(text, { count: 300 });
    for (const { createdAt, updatedAt, startsAt, endsAt, publishedAt } of events) {
      expect(String(updatedAt) >= String(createdAt)).toBe(true);
      expect(String(publishedAt) >= String(createdAt)).toBe(true);
      expect(String(endsAt) >= String(startsAt)).toBe(true);
    }
  });
});
