import { beforeAll, expect, test } from 'vitest';
import type { Generator } from '../../src/generate/generator.ts';
import type { Resource } from '../../src/model/api.ts';
import { generatorOf, rowsOf, type Row } from './generate.ts';

/** What a text holds, and by what it is made, as its name alone tells. */
const texts: readonly (readonly [name: string, source: string, pattern: RegExp])[] = [
  ['firstName', 'person.firstName', /^\p{Lu}[\p{L}'’-]+$/u],
  ['lastName', 'person.lastName', /^\p{Lu}[\p{L}'’ -]+$/u],
  ['middleName', 'person.middleName', /^\p{Lu}[\p{L}'’-]+$/u],
  ['fullName', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['authorName', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['username', 'internet.username', /^[a-z0-9._]+$/u],
  ['email', 'internet.email', /^[\w.]+@example\.(?:com|net|org)$/u],
  ['contactEmail', 'internet.email', /^[\w.]+@example\.(?:com|net|org)$/u],
  ['phone', 'phone.number', /^\+\d{9,15}$/u],
  ['gender', 'person.gender', /^(?:fe)?male$|^nonbinary$/u],
  ['salutation', 'person.prefix', /^M[rs]$/u],
  ['initials', 'person.initials', /^\p{Lu}{2,3}$/u],
  ['jobTitle', 'person.jobTitle', /^\p{Lu}/u],
  ['company', 'company.name', /^\p{Lu}/u],
  ['department', 'company.department', /^\p{Lu}/u],
  ['bio', 'person.bio', /^\p{Lu}.{15,}\.$/u],
  ['street', 'location.street', /^[\p{Lu}\d]/u],
  ['address', 'location.streetAddress', /\d/u],
  ['addressLine2', 'location.secondaryAddress', /\d/u],
  ['houseNumber', 'location.buildingNumber', /^\d+/u],
  ['city', 'location.city', /^\p{Lu}/u],
  ['state', 'location.state', /^\p{Lu}/u],
  ['billingZipCode', 'location.zipCode', /\d/u],
  ['country', 'location.country', /^\p{Lu}/u],
  ['countryCode', 'location.countryCode', /^[A-Z]{2}$/u],
  ['timeZone', 'location.timeZone', /^(?:UTC|[A-Z]\w+\/[A-Z]\w+)$/u],
  ['locale', 'location.locale', /^[a-z]{2}-[A-Z]{2}$/u],
  ['language', 'location.language', /^[a-z]{2}$/u],
  ['currency', 'finance.currencyCode', /^[A-Z]{3}$/u],
  ['title', 'text.title', /^\S.{5,}$/u],
  ['headline', 'text.title', /^\S.{5,}$/u],
  ['slug', 'text.slug', /^[a-z0-9]+(?:-[a-z0-9]+)*$/u],
  ['description', 'text.summary', /^\p{Lu}.{15,}[.!?]$/u],
  ['summary', 'text.summary', /^\p{Lu}.{15,}[.!?]$/u],
  ['subtitle', 'text.sentence', /^\p{Lu}.{15,}[.!?]$/u],
  ['body', 'text.paragraphs', /[.!?]\n\n\p{Lu}/u],
  ['content', 'text.paragraphs', /[.!?]\n\n\p{Lu}/u],
  ['comment', 'text.remark', /^\p{Lu}.{10,}[.!?]$/u],
  ['note', 'text.remark', /^\p{Lu}.{10,}[.!?]$/u],
  ['message', 'text.remark', /^\p{Lu}.{10,}[.!?]$/u],
  ['review', 'text.review', /^\p{Lu}.{10,}[.!?]$/u],
  ['question', 'text.question', /^\p{Lu}.{10,}\?$/u],
  ['altText', 'text.caption', /^\p{Lu}.{8,}$/u],
  ['category', 'text.category', /^\p{Lu}/u],
  ['genre', 'text.genre', /^\p{Lu}/u],
  ['tag', 'text.tag', /^[a-z-]+$/u],
  ['keyword', 'text.tag', /^[a-z-]+$/u],
  ['status', 'text.status', /^(?:new|active|pending|completed|cancelled)$/u],
  ['role', 'text.role', /^(?:admin|editor|author|member|viewer)$/u],
  ['priority', 'text.priority', /^(?:low|medium|high|urgent)$/u],
  ['size', 'text.size', /^(?:X?[SL]|M)$/u],
  ['unit', 'text.unit', /^\w+$/u],
  ['color', 'color.human', /^[a-z ]+$/u],
  ['hexColor', 'color.rgb', /^#[0-9a-f]{6}$/u],
  ['brand', 'company.brand', /^\p{Lu}/u],
  ['material', 'commerce.material', /^[a-z]+$/u],
  ['product', 'text.product', /^\p{Lu}\S+ \S/u],
  ['sku', 'commerce.sku', /^[A-Z]{3}-\d{5}$/u],
  ['couponCode', 'string.code', /^[A-Z]{2}\d{6}$/u],
  ['orderNumber', 'string.number', /^202\d-\d{6}$/u],
  ['isbn', 'commerce.isbn', /^978\d{10}$/u],
  ['barcode', 'commerce.ean', /^400\d{10}$/u],
  ['iban', 'finance.iban', /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/u],
  ['bic', 'finance.bic', /^[A-Z0-9]{8}(?:[A-Z0-9]{3})?$/u],
  ['vatId', 'finance.taxId', /^[A-Z]{0,3}[\d\w .-]{9,}$/u],
  ['accountNumber', 'finance.accountNumber', /^\d{9}$/u],
  ['industry', 'company.industry', /^\p{Lu}/u],
  ['diagnosis', 'health.diagnosis', /^\p{Lu}/u],
  ['bloodType', 'health.bloodType', /^(?:O|A|B|AB)[+-]$/u],
  ['purpose', 'finance.purpose', /^\p{Lu}/u],
  ['organizer', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['accountHolder', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['cardNumber', 'finance.creditCardNumber', /^4000 00\d\d \d{4} \d{4}$/u],
  ['version', 'system.semver', /^\d+\.\d+\.\d+$/u],
  ['url', 'internet.url', /^https:\/\/example\.com\//u],
  ['website', 'internet.url', /^https:\/\/[a-z0-9]+\.example\/$/u],
  ['avatarUrl', 'image.url', /^https:\/\/picsum\.photos\/seed\/\w+\/256\/256$/u],
  ['imageUrl', 'image.url', /^https:\/\/picsum\.photos\/seed\/\w+\/1200\/800$/u],
  ['logo', 'image.url', /^https:\/\/picsum\.photos\/seed\/\w+\/1200\/800$/u],
  ['videoUrl', 'internet.fileUrl', /^https:\/\/example\.com\//u],
  ['ipAddress', 'internet.ipv4', /^203\.0\.113\.\d+$/u],
  ['ipv6', 'internet.ipv6', /^2001:db8:[0-9a-f:]+$/u],
  ['macAddress', 'internet.mac', /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/u],
  ['hostname', 'internet.domainName', /^[a-z0-9]+\.example$/u],
  ['userAgent', 'internet.userAgent', /\/\d/u],
  ['apiKey', 'string.token', /^\w{32}$/u],
  ['checksum', 'string.hexadecimal', /^[0-9a-f]{64}$/u],
  ['uuid', 'string.uuid', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab]/u],
  ['mimeType', 'system.mimeType', /^[a-z]+\/[a-z0-9]+$/u],
  ['fileName', 'system.fileName', /^[a-z]+-[0-9a-f]{4}\.[a-z0-9]{3,4}$/u],
  ['filePath', 'system.filePath', /^\/[a-z]+\/[0-9a-f/]+$/u],
  ['paymentMethod', 'finance.paymentMethod', /^[a-z]+$/u],
  ['reviewedByUser', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['patient', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['insuranceProvider', 'company.name', /^\p{Lu}/u],
  ['bank', 'company.name', /^\p{Lu}/u],
  ['hotel', 'text.place', /^\p{Lu}/u],
  ['airline', 'airline.airline', /^\S/u],
  ['departureAirport', 'airline.airportCode', /^[A-Z]{3}$/u],
  ['flightNumber', 'airline.flightNumber', /^[A-Z]{2}\d{3,4}$/u],
  ['aircraft', 'airline.airplane', /^\p{Lu}/u],
  ['gate', 'airline.gate', /^[A-D]\d{1,2}$/u],
  ['terminal', 'airline.terminal', /^[1-4]$/u],
  ['seatNumber', 'airline.seat', /^\d{1,2}[A-F]$/u],
  ['roomNumber', 'text.room', /^[1-5]\d\d$/u],
  ['ssn', 'person.ssn', /^9\d\d-\d\d-\d{4}$/u],
  ['passportNumber', 'person.passport', /^[A-Z]\d{8}$/u],
  ['bloodPressure', 'health.bloodPressure', /^1\d\d\/(?:[5-9]\d|1[01]\d)$/u],
  ['maritalStatus', 'person.maritalStatus', /^(?:single|married|divorced|widowed)$/u],
  ['twitter', 'internet.handle', /^@[a-z.]+$/u],
  ['linkedinUrl', 'internet.url', /^https:\/\/example\.com\//u],
  ['leadSource', 'text.source', /^[a-z]+$/u],
  ['assignee', 'person.fullName', /^\p{Lu}\S+ \S.+$/u],
  ['deviceModel', 'text.model', /^[A-Z]{2}-\d{3}$/u],
  ['firmware', 'system.semver', /^\d+\.\d+\.\d+$/u],
  ['catchPhrase', 'text.sentence', /^\p{Lu}.*[.!?]$/u],
  ['degree', 'text.degree', /^\w{2,3}$/u],
  ['operatingSystem', 'text.os', /^\w+$/u],
];

/** Numbers: where they usually lie. */
const ranges: readonly (readonly [name: string, type: string, least: number, most: number])[] = [
  ['price', 'decimal', 4.99, 249.99],
  ['amount', 'decimal', 10, 2_000],
  ['discount', 'decimal', 0, 50],
  ['balance', 'decimal', 0, 10_000],
  ['salary', 'integer', 28_000, 120_000],
  ['quantity', 'integer', 1, 12],
  ['stock', 'integer', 0, 250],
  ['views', 'integer', 0, 5_000],
  ['rating', 'number', 1, 5],
  ['score', 'integer', 0, 100],
  ['age', 'integer', 18, 85],
  ['releaseYear', 'integer', 1_980, 2_025],
  ['month', 'integer', 1, 12],
  ['hour', 'integer', 0, 23],
  ['percentage', 'integer', 0, 100],
  ['weight', 'number', 0.1, 40],
  ['height', 'number', 1, 200],
  ['duration', 'integer', 20, 3_600],
  ['pages', 'integer', 48, 640],
  ['position', 'integer', 1, 20],
  ['fileSize', 'integer', 1_024, 5_000_000],
  ['port', 'integer', 1_024, 65_535],
  ['temperature', 'number', -10, 35],
  ['latitude', 'number', -90, 90],
  ['longitude', 'number', -180, 180],
  ['adults', 'integer', 1, 4],
  ['children', 'integer', 0, 3],
  ['vacationDaysLeft', 'integer', 0, 30],
  ['runtime', 'integer', 80, 180],
  ['gpa', 'number', 1.5, 4],
  ['heartRate', 'integer', 55, 100],
  ['protein', 'number', 0, 60],
  ['yearsOfExperience', 'integer', 1, 25],
  ['monthlyRent', 'decimal', 450, 2_800],
  ['pricePerNight', 'decimal', 4.99, 249.99],
  ['salaryMin', 'integer', 28_000, 120_000],
];

/** Moments: from which on and until when. What has happened was before the beginning of 2026. */
const moments: readonly (readonly [name: string, type: string, from: string, until: string])[] = [
  ['createdAt', 'datetime', '2024', '2026'],
  ['updatedAt', 'datetime', '2024', '2026'],
  ['publishedAt', 'datetime', '2024', '2026'],
  ['lastLoginAt', 'datetime', '2024', '2026'],
  ['expiresAt', 'datetime', '2026', '2027'],
  ['dueDate', 'date', '2026', '2027'],
  ['birthDate', 'date', '1940', '2010'],
];

const shares: readonly (readonly [name: string, least: number, most: number])[] = [
  ['isActive', 0.7, 0.9],
  ['isDeleted', 0.03, 0.2],
  ['isBlue', 0.35, 0.65],
];

let generator: Generator;
let things: Resource;
let rows: readonly Row[];
const valuesOf = (name: string): readonly unknown[] => rows.map((row) => row[name]);
const count = 200;
beforeAll(async () => {
  const fields = [
    ...texts.map(([name]) => [name, 'string']),
    ...ranges.map(([name, type]) => [name, type]),
    ...moments.map(([name, type]) => [name, type]),
    ...shares.map(([name]) => [name, 'boolean']),
  ];
  const lines = fields.map(([name, type]) => `      ${name}: { type: ${type} }\n`);
  const text = `generate: { count: ${count} }\nresources:\n  things:\n    fields:\n${lines.join('')}`;
  const made = await generatorOf(text);
  const [resource] = made.api.resources.values();
  if (resource === undefined) throw new Error('no resource');
  [generator, things] = [made.generator, resource];
  rows = rowsOf(made.api, generator)['things'] ?? [];
  expect(rows).toHaveLength(count);
});

test.each(texts)('%s is %s', (name, source, pattern) => {
  const field = things.fields.get(name);
  expect(field && generator.rowsOf(things).sourceOf(field).name).toBe(source);
  for (const value of valuesOf(name)) expect(value).toMatch(pattern);
  expect(new Set(valuesOf(name)).size).toBeGreaterThan(1);
});

test.each(ranges)('%s of type %s lies from %d to %d', (name, type, least, most) => {
  for (const value of valuesOf(name)) {
    if (type === 'decimal') expect(value).toMatch(/^\d+\.\d\d$/u);
    else expect(typeof value).toBe('number');
    expect(Number(value)).toBeGreaterThanOrEqual(least);
    expect(Number(value)).toBeLessThanOrEqual(most);
  }
  expect(new Set(valuesOf(name)).size).toBeGreaterThan(1);
});

test.each(moments)('%s of type %s is from %s to %s', (name, _, from, until) => {
  for (const value of valuesOf(name)) {
    expect(String(value) >= from).toBe(true);
    expect(String(value) <= `${until}-01-01T00:00:00.000Z`).toBe(true);
  }
});

test.each(shares)('%s is true in %d to %d of the rows', (name, least, most) => {
  const share = valuesOf(name).filter((value) => value === true).length / count;
  expect(share).toBeGreaterThanOrEqual(least);
  expect(share).toBeLessThanOrEqual(most);
});

test.each([
  ['people', 'en', /^\p{Lu}\S+ \S/u],
  ['articles', 'en', /^\p{Lu}.* .* /u],
  ['vehicles', 'en', /^\p{Lu}\S* \S/u],
  ['sensors', 'en', /^\p{Lu}[a-z]+$/u],
  ['vessels-2', 'de', /^\p{Lu}[a-z]+$/u],
  ['planets', 'ja', /^\p{Script=Katakana}[\p{Script=Katakana}ー]+$/u],
])('what records are: the name of %s (%s)', async (resource, locale, pattern) => {
  const made = await generatorOf(
    `generate: { locale: ${locale}, count: 30 }\nresources: { ${resource}: { fields: { name: { type: string } } } }`,
  );
  for (const { name } of rowsOf(made.api, made.generator)[resource] ?? [])
    expect(name).toMatch(pattern);
});

test('a name stays as it is when a title comes beside it', async () => {
  const namesWith = async (fields: string): Promise<unknown[]> => {
    const made = await generatorOf(`resources: { sensors: { fields: { ${fields} } } }`);
    return (rowsOf(made.api, made.generator)['sensors'] ?? []).map(({ name }) => name);
  };
  expect(await namesWith('title: { type: string }, name: { type: string }')).toEqual(
    await namesWith('name: { type: string }'),
  );
});
