import { describe, expect, test } from 'vitest';
import english from '../../src/generate/words/en/vocabulary.json' with { type: 'json' };
import { countries } from '../../src/generate/words/countries.ts';
import { generated, valuesOf, type Row } from './generate.ts';

const fields = ['phone', 'street', 'city', 'state', 'zipCode', 'country', 'countryCode'];

async function things(names: readonly string[], resource = 'things', head = ''): Promise<Row[]> {
  const lines = names.map((name) => `      ${name}: { type: string, required: true }\n`);
  const text = `${head}resources:\n  ${resource}:\n    fields:\n${lines.join('')}`;
  return (await generated(text, { count: 300 }))[resource] ?? [];
}

describe('the parts of an address are of one country', () => {
  test.each([
    ['en', 'US', 'United States', '+1'],
    ['de', 'DE', 'Deutschland', '+49'],
    ['fr', 'FR', 'France', '+33'],
    ['es', 'ES', 'España', '+34'],
  ])('locale %s', async (locale, home, name, dial) => {
    const rows = await things(fields, 'things', `generate: { locale: ${locale} }\n`);
    const names = new Intl.DisplayNames([locale], { type: 'region' });
    for (const row of rows) {
      const { phone, street, city, state, zipCode, country, countryCode } = row;
      expect(country).toBe(names.of(String(countryCode)));
      const away = countries.find(({ code }) => code === countryCode && code !== home);
      if (away === undefined) {
        expect([countryCode, country]).toEqual([home, name]);
        expect(phone).toMatch(new RegExp(`^\\${dial}\\d+$`, 'u'));
        const here = countries.find(({ code }) => code === home)?.cities ?? [];
        expect(here).toContainEqual([city, state]);
        continue;
      }
      expect(away.cities).toContainEqual([city, state]);
      expect(away.streets).toContain(street);
      const digits = away.phone.replaceAll('#', String.raw`\d`);
      expect(phone).toMatch(new RegExp(`^\\${digits}$`, 'u'));
      const zip = away.zip.replaceAll('#', String.raw`\d`).replaceAll('@', '[A-Z]');
      expect(zipCode).toMatch(new RegExp(`^${zip}$`, 'u'));
    }
    expect(new Set(rows.map((row) => row['country'])).size).toBeGreaterThan(8);
    const atHome = rows.filter(({ countryCode }) => countryCode === home).length;
    expect(atHome).toBeGreaterThan(150);
    expect(atHome).toBeLessThan(270);
  });

  test('each part is as it is without the others', async () => {
    const rows = await things(fields);
    for (const name of fields)
      expect((await things([name])).map((row) => row[name])).toEqual(rows.map((row) => row[name]));
  });

  test('of two addresses each has its own', async () => {
    const rows = await things(['billingCountry', 'shippingCountry', 'contactCountry', 'country']);
    expect(rows.some((row) => row['billingCountry'] !== row['shippingCountry'])).toBe(true);
    // A contact is somebody of the row, not somewhere else.
    expect(rows.map((row) => row['contactCountry'])).toEqual(rows.map((row) => row['country']));
  });

  test('a city lies in the country whose cities have such names', async () => {
    for (const { country } of await things(['name', 'country'], 'cities'))
      expect(country).toBe('United States');
  });
});

test.each([
  ['invoiceNumber', /^202[345]-\d{6}$/u],
  ['sku', /^[A-Z]{3}-\d{5}$/u],
  ['serialNumber', /^[A-Z]{2}\d{6}$/u],
])('a %s that no other row has looks like any other', async (name, pattern) => {
  const values = await valuesOf(name, '{ type: string, unique: true }', 2_000);
  expect(new Set(values).size).toBe(2_000);
  for (const value of values) expect(value).toMatch(pattern);
});

test('companies that are all different have names, not numbers', async () => {
  const text = `resources:
  companies:
    generate: { count: 2000 }
    fields: { name: { type: string, unique: true }, partnerCompany: { type: string } }
`;
  const { companies = [] } = await generated(text);
  expect(new Set(companies.map(({ name }) => name)).size).toBe(2000);
  for (const { name } of companies) expect(name).toMatch(/^\p{L}.*\p{L}$/u);
});

test.each(['th', 'ja', 'zh_CN'])(
  'a legal form in Latin letters stands apart, locale %s',
  async (locale) => {
    const companies = await things(['name'], 'companies', `generate: { locale: ${locale} }\n`);
    expect(companies.length).toBe(300);
    for (const { name } of companies)
      expect(name).not.toMatch(/[\p{Script=Thai}\p{Script=Han}]\p{Script=Latin}/u);
  },
);

describe('what tells of one thing agrees', () => {
  test('the name, extension and type of a file', async () => {
    const types: Record<string, string> = {
      jpg: 'image/jpeg',
      png: 'image/png',
      webp: 'image/webp',
      pdf: 'application/pdf',
      txt: 'text/plain',
      csv: 'text/csv',
      mp4: 'video/mp4',
      mp3: 'audio/mpeg',
    };
    for (const row of await things(['fileName', 'extension', 'mimeType'])) {
      expect(String(row['fileName'])).toMatch(new RegExp(`\\.${String(row['extension'])}$`, 'u'));
      expect(row['mimeType']).toBe(types[String(row['extension'])]);
    }
  });

  test('age, year of birth and birthday, as far as the field allows it', async () => {
    const { people = [] } = await generated(
      `resources:
  people:
    fields:
      birthDate: { type: date }
      birthYear: { type: integer }
      age: { type: integer }
      dogAge: { type: integer, minimum: 1, maximum: 9 }
`,
      { count: 300 },
    );
    for (const { birthDate, birthYear, age, dogAge } of people) {
      const born = new Date(String(birthDate));
      const hadBirthday = born.getUTCMonth() === 0 && born.getUTCDate() === 1;
      expect(birthYear).toBe(born.getUTCFullYear());
      expect(age).toBe((hadBirthday ? 2026 : 2025) - Number(birthYear));
      expect(dogAge).toBeLessThanOrEqual(9);
    }
  });

  test('a question asks', async () => {
    for (const { question } of await things(['question']))
      expect(question).toMatch(/^(?:How|Has|What|Is) .*\?$/u);
  });
});

describe('what is said fits what it is said of', () => {
  test.each([
    ['reviews', 'body', english.reviews],
    ['reviews', 'comment', english.reviews],
    ['products', 'feedback', english.reviews],
    ['comments', 'body', english.remarks],
    ['comments', 'message', english.remarks],
    ['skills', 'name', english.skills],
    ['people', 'skill', english.skills],
  ])('%s.%s', async (resource, field, texts) => {
    for (const row of await things([field], resource)) expect(texts).toContain(row[field]);
  });
});
