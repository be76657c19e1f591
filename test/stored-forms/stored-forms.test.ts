import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

const words = ['1/0', 'Y/N', 'y/n', 'T/F', 't/f', 'yes/no', 'true/false'];
const nameOf = (form: string): string => `is${words.indexOf(form)}`;

/** Each value twice: in a column of its own form, and beside it in the usual one. */
const specification = `
resources:
  things:
    timestamps: true
    fields:
      createdAt: { type: datetime, nullable: false, storedAs: unixSeconds }
      updatedAt: { type: datetime, nullable: false, storedAs: unixMilliseconds }
      at: { type: datetime }
      sqlAt: { type: datetime, storedAs: sqlText, index: true }
      microAt: { type: datetime, storedAs: sqlMicroseconds, index: true }
      mixedAt: { type: datetime, storedAs: sqlMixed, unique: true }
      utcAt: { type: datetime, storedAs: sqlUtc }
      isoOffsetAt: { type: datetime, storedAs: isoOffset, unique: true }
      offsetAt: { type: datetime, storedAs: sqlOffset, index: true }
      milliAt: { type: datetime, storedAs: unixMilliseconds, unique: true }
      secondAt: { type: datetime, storedAs: unixSeconds }
      price: { type: decimal, precision: 10, scale: 2 }
      realPrice: { type: decimal, precision: 10, scale: 2, storedAs: real, minimum: -5 }
      flag: { type: boolean }
${words.map((form) => `      ${nameOf(form)}: { type: boolean, storedAs: "${form}", default: false }`).join('\n')}
`;

const moments = [
  '2026-03-01T14:05:00.000Z',
  '1969-12-31T23:59:59.000Z',
  '2026-03-01T14:05:01.000Z',
  '9999-12-31T23:59:59.000Z',
  '0001-01-01T00:00:00.000Z',
  null,
  '2026-12-31T00:00:00.000Z',
];
const prices = ['0.10', '-0.01', '19.90', '99999999.99', null, '-5.00', '0.30'];
const records = moments.map((at, index) => {
  const [price = null, flag] = [prices[index], [true, false, null][index % 3] ?? null];
  return {
    at,
    sqlAt: at,
    microAt: at,
    mixedAt: at,
    offsetAt: at,
    utcAt: at,
    isoOffsetAt: at,
    milliAt: at,
    secondAt: at,
    price,
    realPrice: price,
    flag,
    ...Object.fromEntries(words.map((form) => [nameOf(form), flag])),
  };
});

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {}, () => new Date('2026-11-21T10:00:00.789Z'));
  const { status } = await api.send('POST', '/v1/things', records);
  expect(status).toBe(201);
});
afterAll(() => api.stop());

const ids = async (query: string): Promise<unknown> => {
  const { status, body } = await api.get(`/v1/things?limit=100&${query}`);
  return status === 200 ? (body as { id: number }[]).map(({ id }) => id) : [status, body];
};

const columns = [
  ['at', 'sqlAt'],
  ['at', 'microAt'],
  ['at', 'mixedAt'],
  ['at', 'offsetAt'],
  ['at', 'utcAt'],
  ['at', 'isoOffsetAt'],
  ['at', 'milliAt'],
  ['at', 'secondAt'],
  ['price', 'realPrice'],
  ...words.map((form) => ['flag', nameOf(form)] as const),
] as const;

describe.each(columns)('%s and %s', (usual, stored) => {
  test('are read alike', async () => {
    const { body } = await api.get('/v1/things?limit=100');
    const list = body as Record<string, unknown>[];
    const isFine = stored === 'microAt' || stored === 'mixedAt';
    const shown = records.map((record) => {
      const value = record[usual];
      return isFine && typeof value === 'string' ? value.replace('Z', '000Z') : value;
    });
    expect(list.map((record) => record[stored])).toEqual(shown);
  });

  test('are sorted alike, and walked with a cursor', async () => {
    for (const sign of ['', '-'])
      expect(await ids(`sort=${sign}${stored}`)).toEqual(await ids(`sort=${sign}${usual}`));
    const walked: number[] = [];
    for (let cursor = ''; ;) {
      const { headers, body } = await api.get(
        `/v1/things?limit=2&sort=${stored}&cursor=${encodeURIComponent(cursor)}`,
      );
      walked.push(...(body as unknown as { data: { id: number }[] }).data.map(({ id }) => id));
      cursor = headers.get('x-next-cursor') ?? '';
      if (cursor === '') break;
    }
    expect(walked).toEqual(await ids(`sort=${usual}`));
  });

  const operands =
    usual === 'at'
      ? [
          '2026-03-01T14:05:00Z',
          '2026-03-01T14:05:00.500Z',
          '2026-03-01T15:05:01%2B01:00',
          '2026-03-01',
        ]
      : usual === 'price'
        ? ['0.1', '0.30', '-0.005', '19.9']
        : ['true', 'false'];
  const operators =
    usual === 'flag'
      ? ['', '_neq', '_in', '_nin']
      : ['', '_neq', '_gt', '_gte', '_lt', '_lte', '_in', '_nin'];
  test.each(operators.flatMap((operator) => operands.map((operand) => [operator, operand])))(
    'are filtered alike by %s %s',
    async (operator, operand) => {
      expect(await ids(`${stored}${operator}=${operand}`)).toEqual(
        await ids(`${usual}${operator}=${operand}`),
      );
    },
  );

  test('are null alike', async () => {
    expect(await ids(`${stored}_null=true`)).toEqual(await ids(`${usual}_null=true`));
  });
});

describe('writes', () => {
  test('a fraction that the column would lose is refused, one that it holds is not', async () => {
    const at = '2026-03-01T14:05:00.250Z';
    const refused = await api.send('POST', '/v1/things', { secondAt: at });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('must be a whole second, since the database keeps no fractions'),
    ]);
    const { status, body } = await api.send('POST', '/v1/things', { sqlAt: at, milliAt: at });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      sqlAt: at,
      milliAt: at,
      // The clock of the test has a fraction of a second, too.
      createdAt: '2026-11-21T10:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.789Z',
    });
    const { id } = body as unknown as { id: number };
    expect(await ids(`sqlAt=${at}`)).toEqual([id]);
    expect(await ids(`milliAt=${at}`)).toEqual([id]);
    await api.send('DELETE', `/v1/things/${id}`);
  });

  test('change, and clash, as in the usual form', async () => {
    const [first] = records;
    const taken = await api.send('POST', '/v1/things', { milliAt: first?.milliAt });
    expect([taken.status, taken.text]).toEqual([422, expect.stringContaining('is taken')]);
    const { body } = await api.send('PATCH', '/v1/things/1', { is1: null, realPrice: '7.7' });
    expect(body).toMatchObject({ is1: null, realPrice: '7.70' });
    const low = await api.send('PATCH', '/v1/things/1', { realPrice: '-5.01' });
    expect(low.status).toBe(422);
    await api.send('PATCH', '/v1/things/1', { is1: true, realPrice: '0.10' });
  });
});
