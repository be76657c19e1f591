import { describe, expect, test } from 'vitest';
import english from '../../src/generate/words/en/vocabulary.json' with { type: 'json' };
import type { JsonValue } from '../../src/specification/specification.ts';
import { generated, type Row } from './generate.ts';

/** Rows of one resource, whose fields are lines of YAML. */
async function rowsOf(resource: string, fields: string, count = 100): Promise<Row[]> {
  const lines = fields.trim().replaceAll(/^\s*/gmu, '      ');
  const text = `resources:\n  ${resource}:\n    fields:\n${lines}\n`;
  return (await generated(text, { count }))[resource] ?? [];
}

const object = (value: JsonValue | undefined): Row => value as Row;
const list = (value: JsonValue | undefined): Row[] => value as unknown as Row[];
const spelt = (name: JsonValue | undefined): string =>
  String(name)
    .toLowerCase()
    .replaceAll(/[^a-z ]/gu, '')
    .replaceAll(' ', '.');
const person = '{ type: object, properties: { name: { type: string }, email: { type: email } } }';

describe('what an object in a record is, its name tells', () => {
  test('a person, whose members go together', async () => {
    const rows = await rowsOf(
      'posts',
      `title: { type: string }\nauthor: ${person}\ncrew: ${person}`,
    );
    for (const { title, author, crew } of rows) {
      expect(object(author)['name']).not.toBe(title);
      expect(object(author)['name']).not.toBe(object(crew)['name']);
      for (const { name, email } of [object(author), object(crew)])
        expect(String(email).split('@')[0]).toBe(spelt(name));
    }
  });

  test('the same as fields of the record that are called so', async () => {
    const [nested, flat] = await Promise.all([
      rowsOf('posts', `author: ${person}`),
      rowsOf('posts', 'authorEmail: { type: email }'),
    ]);
    for (const [index, { author }] of nested.entries())
      expect(String(object(author)['email']).split('@')[0]).toBe(
        String(flat[index]?.['authorEmail']).split('@')[0],
      );
  });

  test('of a person, the same person', async () => {
    const rows = await rowsOf(
      'users',
      `email: { type: email }
       name: { type: object, properties: { first: { type: string }, last: { type: string } } }
       profile: { type: object, properties: { firstName: { type: string }, lastName: { type: string } } }`,
    );
    for (const { email, name, profile } of rows) {
      const { firstName, lastName } = object(profile);
      expect(object(name)).toEqual({ first: firstName, last: lastName });
      expect(String(email).split('@')[0]).toBe(spelt(`${String(firstName)} ${String(lastName)}`));
    }
  });

  test('no other thing, where it only groups what the record has', async () => {
    const rows = await rowsOf(
      'posts',
      `title: { type: string }
       seo: { type: object, properties: { title: { type: string }, slug: { type: string } } }`,
    );
    for (const { title, seo } of rows) expect(object(seo)['title']).toBe(title);
    expect(object(rows[0]?.['seo'])['slug']).toMatch(/^[a-z0-9-]+$/u);
  });

  test('another thing, that is called otherwise', async () => {
    const rows = await rowsOf(
      'products',
      `name: { type: string }
       category: { type: object, properties: { name: { type: string }, slug: { type: string } } }
       seller: { type: object, properties: { user: { type: object, properties: { name: { type: string } } } } }
       photo: { type: object, properties: { url: { type: url } } }`,
    );
    for (const { category, seller, photo } of rows) {
      const { name, slug } = object(category);
      expect(english.categories).toContain(name);
      expect(slug).toBe(String(name).toLowerCase());
      expect(object(object(seller)['user'])['name']).toMatch(/^\p{Lu}[^ ]* \p{Lu}/u);
      expect(object(photo)['url']).toMatch(/picsum/u);
    }
  });

  test('two addresses are of two places, each of one country', async () => {
    const address =
      '{ type: object, properties: { city: { type: string }, countryCode: { type: string }, lat: { type: number } } }';
    const rows = await rowsOf('orders', `billing: ${address}\nshipping: ${address}`);
    const differing = rows.filter(
      ({ billing, shipping }) => object(billing)['city'] !== object(shipping)['city'],
    );
    expect(differing.length).toBeGreaterThan(80);
  });

  test('a range', async () => {
    const rows = await rowsOf(
      'jobs',
      `salary: { type: object, properties: { max: { type: integer }, min: { type: integer } } }
       hours: { type: object, properties: { from: { type: integer }, to: { type: integer } } }`,
    );
    for (const { salary, hours } of rows) {
      expect(Number(object(salary)['min'])).toBeGreaterThanOrEqual(28_000);
      expect(Number(object(salary)['max'])).toBeGreaterThanOrEqual(Number(object(salary)['min']));
      expect(Number(object(hours)['to'])).toBeGreaterThanOrEqual(Number(object(hours)['from']));
    }
  });
});

describe('each item of a list', () => {
  const items = (properties: string, name = 'items'): string =>
    `${name}: { type: array, minItems: 3, maxItems: 3, items: { type: object, properties: ${properties} } }`;

  test('is another person', async () => {
    const rows = await rowsOf(
      'companies',
      items(
        '{ firstName: { type: string }, lastName: { type: string }, email: { type: email } }',
        'staff',
      ),
    );
    for (const { staff } of rows)
      expect(new Set(list(staff).map(({ email }) => email)).size).toBe(3);
    for (const { firstName, lastName, email } of rows.flatMap(({ staff }) => list(staff)))
      expect(String(email).split('@')[0]).toBe(spelt(`${String(firstName)} ${String(lastName)}`));
  });

  test('is of a place, a name and a mood of its own', async () => {
    const rows = await rowsOf(
      'shops',
      `${items('{ city: { type: string }, country: { type: string } }', 'branches')}
       ${items('{ name: { type: string }, slug: { type: string } }', 'products')}
       ${items('{ rating: { type: integer, minimum: 1, maximum: 5 }, comment: { type: string } }', 'reviews')}`,
    );
    const kinds = (name: string, member: string): number =>
      rows.filter((row) => new Set(list(row[name]).map((item) => item[member])).size > 1).length;
    expect(kinds('branches', 'city')).toBeGreaterThan(90);
    expect(kinds('products', 'name')).toBeGreaterThan(90);
    expect(kinds('reviews', 'rating')).toBeGreaterThan(60);
    for (const { name, slug } of rows.flatMap(({ products }) => list(products)))
      expect(slug).toBe(String(name).toLowerCase().replaceAll(' ', '-'));
    for (const { comment } of rows.flatMap(({ reviews }) => list(reviews)))
      expect(english.reviews).toContain(comment);
  });

  test('begins before it ends, and was made after its record', async () => {
    const rows = await rowsOf(
      'teams',
      `createdAt: { type: datetime }
       ${items('{ startsAt: { type: datetime }, endsAt: { type: datetime } }', 'shifts')}
       ${items('{ updatedAt: { type: datetime }, createdAt: { type: datetime } }', 'notes')}`,
    );
    const time = (value: JsonValue | undefined): number => Date.parse(String(value));
    for (const { createdAt, shifts, notes } of rows) {
      for (const { startsAt, endsAt } of list(shifts))
        expect(time(endsAt)).toBeGreaterThan(time(startsAt));
      expect(new Set(list(shifts).map(({ startsAt }) => startsAt)).size).toBeGreaterThan(1);
      for (const note of list(notes)) {
        expect(time(note['createdAt'])).toBeGreaterThanOrEqual(time(createdAt));
        expect(time(note['updatedAt'])).toBeGreaterThanOrEqual(time(note['createdAt']));
      }
    }
  });

  test.each(['issues', 'stories', 'products'])(
    'of %s is a tag where the list is called so, whatever one of it would be',
    async (resource) => {
      const lists = ['labels', 'tags', 'interests', 'issueLabels'];
      const fields = lists.map((name) => `${name}: { type: array, items: { type: string } }`);
      const rows = await rowsOf(
        resource,
        `title: { type: string }\n     ${fields.join('\n     ')}`,
      );
      for (const row of rows)
        for (const name of lists)
          for (const tag of list(row[name])) expect(tag, name).toMatch(/^[a-z]+(?:[- ][a-z]+)*$/u);
    },
  );

  test('is a word that was not there yet, as long as there are others', async () => {
    const rows = await rowsOf(
      'employees',
      `skills: { type: array, minItems: 4, maxItems: 4, items: { type: string } }
       authors: { type: array, minItems: 3, uniqueItems: true, items: { type: string } }
       short: { type: array, minItems: 4, uniqueItems: true, items: { type: string, maxLength: 3 } }
       links: { type: array, minItems: 4, uniqueItems: true, items: { type: url, maxLength: 19, nullable: true } }
       createdAt: { type: array, minItems: 9, uniqueItems: true, items: { type: date } }
       few: { type: array, minItems: 3, maxItems: 3, items: { type: enum, values: [a, b] } }`,
    );
    for (const { skills, authors, short, links, createdAt, few } of rows) {
      expect(new Set(list(createdAt)).size).toBe(9);
      for (const texts of [short, links]) expect(new Set(list(texts)).size).toBeGreaterThan(3);
      expect(new Set(list(skills)).size).toBe(4);
      expect(new Set(list(authors)).size).toBe(list(authors).length);
      expect(list(few)).toHaveLength(3);
      expect(new Set(list(few)).size).toBe(2);
    }
  });
});

test('titles that are slugs are made of a name, and of no other slug', async () => {
  const slug = '{ type: string, format: slug }';
  const rows = await rowsOf(
    'pages',
    `seo: { type: object, properties: { title: ${slug}, name: ${slug} } }
     title: ${slug}
     name: ${slug}`,
  );
  for (const { title, name, seo } of rows)
    for (const text of [title, name, object(seo)['title'], object(seo)['name']])
      expect(text).toMatch(/^[a-z0-9-]{3,}$/u);
});

test('what a function or template takes of its row are fields, not members', async () => {
  const [row] = await rowsOf(
    'posts',
    `title: { type: string, values: [a] }
     list: { type: array, items: { type: object, properties: { title: { type: string }, copy: { type: string, template: '{{self.title}} {{row}}' } } } }`,
    1,
  );
  for (const { copy } of list(row?.['list'])) expect(copy).toBe('a 1');
});
