import { describe, expect, test } from 'vitest';
import french from '../../src/generate/words/fr/vocabulary.json' with { type: 'json' };
import japanese from '../../src/generate/words/ja/vocabulary.json' with { type: 'json' };
import portuguese from '../../src/generate/words/pt/vocabulary.json' with { type: 'json' };
import spanish from '../../src/generate/words/es/vocabulary.json' with { type: 'json' };
import english from '../../src/generate/words/en/vocabulary.json' with { type: 'json' };
import { generated, type Row } from './generate.ts';

/** Rows of one resource, whose fields are lines of YAML. */
async function rowsOf(
  resource: string,
  fields: string,
  locale = 'en',
  count = 300,
): Promise<Row[]> {
  const lines = fields.trim().replaceAll(/^\s*/gmu, '      ');
  const text = `generate: { locale: ${locale} }\nresources:\n  ${resource}:\n    fields:\n${lines}\n`;
  return (await generated(text, { count }))[resource] ?? [];
}

const shares = (rows: readonly Row[], name: string, value: unknown): number =>
  rows.filter((row) => row[name] === value).length / rows.length;

describe('how far a row has come is told by its status, moments and flags alike', () => {
  const order = `
    status: { type: enum, values: [open, paid, shipped, delivered, returned, cancelled] }
    paidAt: { type: datetime, nullable: true }
    shippedAt: { type: datetime, nullable: true }
    deliveredOn: { type: date, nullable: true }
    returnedAt: { type: datetime, nullable: true }
    cancelledAt: { type: datetime, nullable: true }
    isShipped: { type: boolean }
    alwaysShippedAt: { type: datetime }`;
  const moments = ['paidAt', 'shippedAt', 'deliveredOn', 'returnedAt', 'cancelledAt'];
  const reached: Readonly<Record<string, readonly string[]>> = {
    open: [],
    paid: ['paidAt'],
    shipped: ['paidAt', 'shippedAt'],
    delivered: ['paidAt', 'shippedAt', 'deliveredOn'],
    returned: ['paidAt', 'shippedAt', 'deliveredOn', 'returnedAt'],
    cancelled: ['cancelledAt'],
  };

  test('of an order', async () => {
    const rows = await rowsOf('orders', order);
    for (const row of rows) {
      const { status, isShipped, alwaysShippedAt } = row;
      expect(moments.filter((name) => row[name] !== null)).toEqual(reached[String(status)]);
      expect(isShipped).toBe(row['shippedAt'] !== null);
      // The file says of this one alone that it may be null.
      expect(alwaysShippedAt).not.toBeNull();
    }
    for (const status of Object.keys(reached))
      expect(shares(rows, 'status', status)).toBeGreaterThan(0.08);
  });

  test('of a post, in the words that it has', async () => {
    const rows = await rowsOf(
      'posts',
      `status: { type: string, enum: [Draft, In Review, PUBLISHED], default: Draft }
       publishedAt: { type: datetime, nullable: true }`,
    );
    for (const { status, publishedAt } of rows)
      expect(publishedAt !== null).toBe(status === 'PUBLISHED');
    expect(new Set(rows.map(({ status }) => status)).size).toBe(3);
  });

  test('of an invoice, with a word of its own', async () => {
    const rows = await rowsOf(
      'invoices',
      `status: { type: enum, values: [draft, sent, paid, overdue, void] }
       sentOn: { type: date, nullable: true }
       paidOn: { type: date, nullable: true }
       isPaid: { type: boolean }`,
    );
    for (const { status, sentOn, paidOn, isPaid } of rows) {
      expect(sentOn !== null).toBe(status === 'sent' || status === 'paid');
      expect(paidOn !== null).toBe(status === 'paid');
      expect(isPaid).toBe(paidOn !== null);
      if (paidOn !== null) expect(String(sentOn) <= String(paidOn)).toBe(true);
    }
    expect(shares(rows, 'status', 'overdue')).toBeGreaterThan(0.05);
  });

  test('a status with another word in it tells of no course, and its default is the usual one', async () => {
    const rows = await rowsOf(
      'posts',
      'status: { type: enum, values: [open, blue], default: blue }',
    );
    expect(shares(rows, 'status', 'blue')).toBeGreaterThan(0.6);
  });

  test('each field is as it is without the others', async () => {
    const all = await rowsOf('orders', order);
    for (const line of order.trim().split('\n')) {
      const [, name = ''] = /^\s*(\w+):/u.exec(line) ?? [];
      const alone = await rowsOf('orders', line);
      expect(alone.map((row) => row[name])).toEqual(all.map((row) => row[name]));
    }
  });
});

describe('what is counted together adds up', () => {
  test.each([
    ['decimal', 100],
    ['number', 100],
    ['integer', 1],
  ])('net, tax and total as %s', async (type, unit) => {
    const rows = await rowsOf(
      'invoices',
      ['net', 'tax', 'total'].map((name) => `${name}: { type: ${type} }`).join('\n'),
    );
    for (const { net, tax, total } of rows) {
      const [parts, all] = [Number(net) + Number(tax), Number(total)];
      expect(Math.round(parts * unit)).toBe(Math.round(all * unit));
    }
  });

  test('as far as the field allows it', async () => {
    for (const { total } of await rowsOf('carts', 'total: { type: decimal, maximum: 50 }'))
      expect(Number(total)).toBeLessThanOrEqual(50);
  });

  test.each([
    ['issuedAt: { type: date }', 'dueAt: { type: date }'],
    ['issueDate: { type: date }', 'dueDate: { type: date }'],
    ['invoiceDate: { type: datetime }', 'dueAt: { type: datetime }'],
    ['createdAt: { type: datetime }', 'dueDate: { type: date }'],
  ])('an invoice with %s and %s is due 14 or 30 days later', async (issue, due) => {
    for (const row of await rowsOf('invoices', `${issue}\n${due}`)) {
      const [from, to] = [issue, due].map((field) =>
        Date.parse(String(row[field.split(':')[0] ?? '']).slice(0, 10)),
      );
      expect([14, 30]).toContain(((to ?? 0) - (from ?? 0)) / 86_400_000);
    }
  });

  test('who is content gives more stars', async () => {
    const fields = 'rating: { type: integer, minimum: 1, maximum: 5 }\nbody: { type: text }';
    const rows = await rowsOf('reviews', fields);
    const places = (stars: number): readonly number[] =>
      rows
        .filter(({ rating }) => rating === stars)
        .map(({ body }) => english.reviews.indexOf(String(body)));
    for (const stars of [1, 2, 3, 4]) {
      expect(Math.max(...places(stars))).toBeLessThanOrEqual(Math.min(...places(stars + 1)));
      expect(Math.min(...places(stars))).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('people', () => {
  test('are called as they are addressed', async () => {
    const rows = await rowsOf(
      'people',
      `firstName: { type: string }
       salutation: { type: string }
       gender: { type: enum, values: [m, f, x] }`,
      'de',
    );
    const told = new Map<unknown, unknown>();
    for (const { firstName, salutation, gender } of rows) {
      if (gender === 'x') continue;
      expect(salutation).toBe(gender === 'f' ? 'Frau' : 'Herr');
      told.set(firstName, gender);
    }
    expect(new Set(told.values()).size).toBe(2);
    expect(shares(rows, 'gender', 'x')).toBeLessThan(0.1);
  });

  test.each([
    ['ja', /^\p{Script=Han}+ [\p{Script=Han}\p{Script=Hiragana}]+$/u],
    ['zh_CN', /^\p{Script=Han}+$/u],
    ['ko', /^\p{Script=Hangul}+$/u],
    ['ru', /^\p{Script=Cyrillic}+ \p{Script=Cyrillic}+$/u],
    ['el', /\p{Script=Greek}/u],
    ['ar', /\p{Script=Arabic}/u],
    ['hu', /^\p{L}+ \p{L}+$/u],
  ])('have names in the order of %s, and e-mails that are told apart', async (locale, name) => {
    const rows = await rowsOf(
      'people',
      'fullName: { type: string }\nemail: { type: email }',
      locale,
    );
    for (const row of rows) {
      expect(row['fullName']).toMatch(name);
      expect(row['email']).toMatch(/^[a-z0-9.]+@example\.(?:com|net|org)$/u);
    }
    expect(new Set(rows.map(({ email }) => String(email).split('@')[0])).size).toBeGreaterThan(200);
  });

  test.each([
    ['ja', '岡田', 'okada'],
    ['ko', '심', 'sim'],
    ['ru', 'Авдеева', 'avdeeva'],
    ['el', 'Παπαδάκης', 'papadakis'],
    ['ka_GE', 'მელაშვილი', 'melashvili'],
    ['de', 'Küsters', 'kuesters'],
  ])('have e-mails that read as their names: %s', async (locale, name, spelt) => {
    const fields = 'lastName: { type: string }\nemail: { type: email }';
    const rows = await rowsOf('people', fields, locale, 4_000);
    const found = rows.filter(({ lastName }) => lastName === name);
    expect(found.length).toBeGreaterThan(0);
    for (const { email } of found) expect(email).toMatch(new RegExp(`\\.${spelt}@`, 'u'));
  });
});

describe('texts and places are of the locale', () => {
  test.each(['ar', 'uk', 'ka_GE', 'el', 'en_HK', 'de-CH', 'sr_RS_latin', 'zh_TW'])(
    '%s has all that an address and an account need',
    async (locale) => {
      const names = 'street address city state zipCode country phone currency iban email company';
      const fields = names.split(' ').map((name) => `${name}: { type: string, required: true }`);
      for (const row of await rowsOf('people', fields.join('\n'), locale, 100))
        for (const value of Object.values(row)) expect(value).not.toBe('');
    },
  );

  test.each([
    ['es', spanish],
    ['fr', french],
    ['ja', japanese],
    ['pt_BR', portuguese],
  ])('%s', async (locale, phrases) => {
    const rows = await rowsOf(
      'articles',
      `title: { type: string }
       body: { type: text }
       category: { type: string }
       note: { type: text }`,
      locale,
      60,
    );
    const starts = phrases.sentences.map((sentence) => sentence.split('{topic}')[0] ?? '');
    for (const { title, body, category, note } of rows) {
      expect(phrases.topics.some((topic) => String(title).includes(topic))).toBe(true);
      expect(starts.some((start) => String(body).startsWith(start))).toBe(true);
      expect(String(body).split('\n\n').length).toBeGreaterThan(1);
      expect(phrases.categories).toContain(category);
      expect(phrases.remarks).toContain(note);
    }
  });

  test.each(['fr', 'es', 'it', 'pl', 'ja', 'ru'])(
    'streets of %s are not English ones',
    async (locale) => {
      const rows = await rowsOf(
        'things',
        'street: { type: string }\ncountryCode: { type: string }',
        locale,
      );
      const [home] = [new Intl.Locale(locale).maximize().region];
      for (const { street } of rows.filter(({ countryCode }) => countryCode === home))
        expect(street).not.toMatch(/ (?:Street|Road|Lane|Avenue|Close|Drive)$/u);
    },
  );

  test.each(['es', 'it', 'pt_BR'])(
    'categories of %s have a number only once all were there',
    async (locale) => {
      const rows = await rowsOf('categories', 'name: { type: string, unique: true }', locale, 12);
      for (const { name } of rows) expect(name).not.toMatch(/\d/u);
    },
  );

  test('coordinates are in the country', async () => {
    const fields =
      'latitude: { type: number }\nlongitude: { type: number }\ncountryCode: { type: string }';
    for (const row of await rowsOf('places', fields, 'de')) {
      if (row['countryCode'] !== 'DE') continue;
      expect(row['latitude']).toSatisfy((value: number) => value > 50 && value < 52);
      expect(row['longitude']).toSatisfy((value: number) => value > 9 && value < 11);
    }
  });
});

describe('numbers and codes go with what else the row says', () => {
  test('what a thing has cost before is more than it costs', async () => {
    const fields = 'price: { type: decimal }\noldPrice: { type: decimal, nullable: true }';
    const rows = await rowsOf('products', fields, 'en', 60);
    const priced = rows.filter(({ oldPrice }) => oldPrice !== null);
    expect(priced.length).toBeGreaterThan(40);
    for (const { price, oldPrice } of priced)
      expect(Number(oldPrice)).toBeGreaterThan(Number(price));
  });

  test('people are as tall and heavy as people', async () => {
    const fields = 'heightCm: { type: integer }\nweight: { type: number }';
    for (const { heightCm, weight } of await rowsOf('patients', fields, 'en', 60)) {
      expect(heightCm).toSatisfy((value: number) => value >= 150 && value <= 200);
      expect(weight).toSatisfy((value: number) => value >= 46 && value <= 118);
    }
  });

  test('money is there a few days after it was booked', async () => {
    const fields = 'bookedAt: { type: datetime }\nvalueDate: { type: date }';
    for (const { bookedAt, valueDate } of await rowsOf('transactions', fields, 'en', 60)) {
      const days = (Date.parse(String(valueDate)) - Date.parse(String(bookedAt))) / 86_400_000;
      expect(days).toSatisfy((value: number) => value > -1 && value < 4);
    }
  });

  test.each([
    ['de', /^DE\d{9}$/u],
    ['es', /^ESB\d{8}$/u],
    ['pt_BR', /^\d\d\.\d{3}\.\d{3}\/0001-\d\d$/u],
    ['pl', /^PL\d{10}$/u],
    ['en', /^\d\d-\d{7}$/u],
  ])('tax numbers and banks of %s are of the country', async (locale, pattern) => {
    const fields = 'countryCode: { type: string }\nvatId: { type: string }\nbic: { type: string }';
    const home = new Intl.Locale(locale.replace('_', '-')).maximize().region;
    const rows = await rowsOf('companies', fields, locale, 60);
    for (const { countryCode, vatId, bic } of rows) {
      expect(String(bic).slice(4, 6)).toBe(countryCode);
      if (countryCode === home) expect(vatId).toMatch(pattern);
    }
  });
});

describe('codes that are all different stay codes', () => {
  const checked = (code: string): number =>
    Array.from(code).reduce(
      (sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3),
      0,
    ) % 10;
  test.each([
    ['isbn', /^978\d{10}$/u],
    ['ean', /^400\d{10}$/u],
    ['vin', /^[A-HJ-NPR-Z0-9]{17}$/u],
    ['licensePlate', /^[A-Z]{2}-[A-Z]{2} \d{3}$/u],
    ['phone', /^\+\d{9,15}$/u],
  ])('%s', async (name, pattern) => {
    const rows = await rowsOf('things', `${name}: { type: string, unique: true }`, 'en', 3_000);
    expect(new Set(rows.map((row) => row[name])).size).toBe(3_000);
    for (const row of rows) {
      expect(row[name]).toMatch(pattern);
      if (name === 'isbn' || name === 'ean') expect(checked(String(row[name]))).toBe(0);
    }
  });
});

describe('numbers', () => {
  test('the upper end of a range is not below the lower one', async () => {
    const rows = await rowsOf(
      'jobs',
      `minSalary: { type: integer }
      maxSalary: { type: integer }
      priceFrom: { type: decimal }
      priceTo: { type: decimal, maximum: 200, nullable: true }
      lower_bound: { type: number, minimum: 0, maximum: 1 }
      upper_bound: { type: number, minimum: 0, maximum: 1 }
      startYear: { type: integer }
      endYear: { type: integer }
      maxGuests: { type: integer }`,
    );
    for (const row of rows) {
      expect(Number(row['maxSalary'])).toBeGreaterThanOrEqual(Number(row['minSalary']));
      expect(Number(row['endYear'])).toBeGreaterThanOrEqual(Number(row['startYear']));
      expect(Number(row['upper_bound'])).toBeGreaterThanOrEqual(Number(row['lower_bound']));
      // Where its own bound leaves nothing above the other end, it keeps that bound.
      if (Number(row['priceFrom']) <= 199 && row['priceTo'] !== null)
        expect(Number(row['priceTo'])).toBeGreaterThanOrEqual(Number(row['priceFrom']));
      expect(row['maxGuests']).toBeGreaterThan(0);
    }
  });

  test.each([
    ['songs', 0.69, 1.99],
    ['albums', 4.99, 29.99],
    ['meals', 3.5, 34.5],
    ['cars', 4_990, 59_990],
    ['houses', 120_000, 950_000],
    ['lamps', 4.99, 249.99],
  ])('%s cost from %d to %d', async (resource, least, most) => {
    const rows = await rowsOf(
      resource,
      'price: { type: decimal }\n compareAtPrice: { type: decimal }',
    );
    const prices = rows.map(({ price }) => Number(price));
    expect(Math.min(...prices)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...prices)).toBeLessThanOrEqual(most);
    // They are spread over all of it.
    expect(Math.max(...prices) - Math.min(...prices)).toBeGreaterThan((most - least) * 0.8);
    for (const { price, compareAtPrice } of rows)
      expect(Number(compareAtPrice)).toBeGreaterThan(Number(price));
  });
});
