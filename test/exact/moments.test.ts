import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGenerated, type Row } from '../generate/generate.ts';
import { expectErrors, expectReadings, expectTexts } from '../model/model.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { expectBodies, expectRefusals, expectRows } from '../support/tables.ts';

const specification = `
resources:
  events:
    timestamps: true
    fields:
      fine: { type: datetime, precision: 6, unique: true }
      tenth: { type: datetime, precision: 1 }
      second: { type: datetime, precision: 0, default: now }
      usual: { type: datetime }
      many: { type: array, items: { type: datetime, precision: 6 } }
      more: { type: object, properties: { at: { type: datetime, precision: 6 } } }
  follows:
    fields:
      at: { type: datetime, precision: 6, reference: events.fine }
      event: { type: relation, relation: belongsTo, resource: events, foreignKey: at }
`;

describe('what is taken', () => {
  const refused = (finest: string, example: string): string =>
    `value: must be an RFC 3339 date and time with an offset, ${finest}, such as ${example}`;
  const micro = refused('with at most 6 digits behind the second', '2026-03-01T14:05:00.000000Z');
  const whole = refused('in whole seconds', '2026-03-01T14:05:00Z');
  const tenth = refused('with at most 1 digit behind the second', '2026-03-01T14:05:00.0Z');
  expectReadings('type: datetime, precision: 6', [
    ['"2026-03-01T14:05:00.123456Z"', '"2026-03-01T14:05:00.123456Z"'],
    ['"2026-03-01T14:05:00Z"', '"2026-03-01T14:05:00.000000Z"'],
    ['"2026-03-01T14:05:00.5+02:00"', '"2026-03-01T12:05:00.500000Z"'],
    ['"2026-03-01T23:59:59.999999-00:01"', '"2026-03-02T00:00:59.999999Z"'],
    ['"0001-01-01T00:00:00.000001Z"', '"0001-01-01T00:00:00.000001Z"'],
    ['"2026-03-01T14:05:00.12345600Z"', '"2026-03-01T14:05:00.123456Z"'],
    ['"2026-03-01T14:05:00.1234567Z"', micro],
    [`"2026-03-01T14:05:00.${'0'.repeat(100)}Z"`, '"2026-03-01T14:05:00.000000Z"'],
    [`"2026-03-01T14:05:00.${'0'.repeat(100)}1Z"`, micro],
    ['"2026-02-30T14:05:00.123456Z"', micro],
  ]);
  expectReadings('type: datetime, precision: 0', [
    ['"2026-03-01T14:05:00Z"', '"2026-03-01T14:05:00Z"'],
    ['"2026-03-01T14:05:00.000Z"', '"2026-03-01T14:05:00Z"'],
    ['"2026-03-01T14:05:00+01:00"', '"2026-03-01T13:05:00Z"'],
    ['"2026-03-01T14:05:00.1Z"', whole],
  ]);
  expectReadings('type: datetime, precision: 1', [
    ['"2026-03-01T14:05:00.10Z"', '"2026-03-01T14:05:00.1Z"'],
    ['"2026-03-01T14:05:00.12Z"', tenth],
  ]);
  expectTexts(
    'type: datetime, precision: 6',
    {
      '2026-03-01': '2026-03-01T00:00:00.000000Z',
      '2026-03-01T14:05:00.1+02:00': '2026-03-01T12:05:00.100000Z',
    },
    ['2026-03-01T14:05:00.1234567Z', '2026-03-01T14:05:00'],
  );
  expectErrors([
    [
      'too many digits',
      'resources: { a: { fields: { x: { type: datetime, precision: ¦7 } } } }',
      'resources.a.fields.x.precision: `precision` must be a whole number from 0 to 6, not `7`',
    ],
    [
      'beside a form',
      'resources: { a: { fields: { x: { type: datetime, precision: ¦0, storedAs: unixSeconds } } } }',
      'resources.a.fields.x.precision: `storedAs` says how fine the column is; leave the precision out',
    ],
  ]);
});

let api: Both;
const source = (): Both => api;
const now = new Date('2026-05-06T07:08:09.987Z');

beforeAll(async () => {
  api = await serveBoth(
    specification,
    {
      events: [
        {
          fine: '2026-03-01T14:05:00.123456Z',
          tenth: '2026-03-01T14:05:00.1Z',
          usual: '2026-03-01T14:05:00.123Z',
          many: ['2026-03-01T14:05:00.123456Z'],
          more: { at: '2026-03-01T14:05:00.000001Z' },
        },
        { fine: '2026-03-01T16:05:00.123457+02:00', tenth: '2026-03-01T14:05:00.2Z' },
        { fine: '2026-03-01T14:05:00Z', second: '2026-03-01T14:05:01Z', many: [] },
        { fine: '1969-12-31T23:59:59.000001Z', second: null },
        {},
      ],
      follows: [{ at: '2026-03-01T14:05:00.123457Z' }, { at: null }],
    },
    () => now,
  );
});
afterAll(() => api.stop());

describe('what is read', () => {
  expectBodies(source, [
    [
      'the digits of each field',
      '/v1/events/1',
      {
        id: 1,
        fine: '2026-03-01T14:05:00.123456Z',
        tenth: '2026-03-01T14:05:00.1Z',
        second: '2026-05-06T07:08:09Z',
        usual: '2026-03-01T14:05:00.123Z',
        many: ['2026-03-01T14:05:00.123456Z'],
        more: { at: '2026-03-01T14:05:00.000001Z' },
        createdAt: '2026-05-06T07:08:09.987Z',
        updatedAt: '2026-05-06T07:08:09.987Z',
      },
    ],
    [
      'padded with zeros',
      '/v1/events?fields=fine&id_in=3,4',
      [
        { id: 3, fine: '2026-03-01T14:05:00.000000Z' },
        { id: 4, fine: '1969-12-31T23:59:59.000001Z' },
      ],
    ],
    [
      'through a key',
      '/v1/follows?expand=event&fields=event.fine',
      [
        { id: 1, event: { id: 2, fine: '2026-03-01T14:05:00.123457Z' } },
        { id: 2, event: null },
      ],
    ],
  ]);
});

describe('filters and sorts', () => {
  expectRows(source, '/v1/events', [
    ['neighbours', 'fine=2026-03-01T14:05:00.123457Z', [2]],
    ['with an offset', 'fine=2026-03-01T15:05:00.123456%2B01:00', [1]],
    ['less', 'fine_lt=2026-03-01T14:05:00.123457Z', [1, 3, 4]],
    ['greater', 'fine_gt=2026-03-01T14:05:00.123456Z', [2]],
    ['in', 'fine_in=2026-03-01T14:05:00Z,1969-12-31T23:59:59.000001Z', [3, 4]],
    ['a date', 'fine_gte=2026-03-01', [1, 2, 3]],
    ['of whole seconds', 'second=2026-03-01T14:05:01Z', [3]],
    ['of tenths', 'tenth_gt=2026-03-01T14:05:00.1Z', [2]],
    ['items', 'many_contains=2026-03-01T14:05:00.123456Z', [1]],
    ['members', 'more.at_lte=2026-03-01T14:05:00.000001Z', [1]],
    ['by moment', 'sort=fine', [5, 4, 3, 1, 2]],
    ['by seconds', 'sort=-second,id', [1, 2, 5, 3, 4]],
    ['by the first item', 'sort=-many', [1, 5, 4, 3, 2]],
  ]);
  expectRefusals(source, '/v1/events', [
    [
      'finer than the field',
      'second=2026-03-01T14:05:01.5Z',
      'INVALID_FILTER',
      'second: "2026-03-01T14:05:01.5Z" does not fit: it takes a date and time such as 2026-03-01T14:05:00Z, or a date',
    ],
  ]);

  test('cursors', async () => {
    const found: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await api.get(`/v1/events?sort=-fine&limit=1&cursor=${cursor}`);
      found.push(...body.data.map(({ id }: { id: number }) => id));
      cursor = body.next_cursor;
    }
    expect(found).toEqual([2, 1, 3, 4, 5]);
  });
});

test('a write is answered as a read, and a taken moment is refused', async () => {
  const { body } = await api.send('POST', '/v1/events', { fine: '2026-07-01T00:00:00.000001Z' });
  const path = `/v1/events/${body.id}`;
  expect((await api.get(path)).body).toEqual(body);
  const changed = await api.send('PATCH', path, { fine: '2026-07-01T00:00:00.00001Z' });
  expect(changed.body.fine).toBe('2026-07-01T00:00:00.000010Z');
  const taken = await api.send('PATCH', path, { fine: '2026-03-01T14:05:00.123456Z' });
  expect(taken.status).toBe(422);
  const finer = await api.send('PATCH', path, { second: '2026-07-01T00:00:00.5Z' });
  expect(finer.status).toBe(422);
});

test('generated moments have the digits of their field', async () => {
  const both = await serveGenerated(specification);
  try {
    const { body } = await both.get('/v1/events?limit=100');
    for (const { fine, tenth, second } of body as Row[]) {
      if (fine !== null) expect(fine).toMatch(/\.\d{6}Z$/u);
      if (tenth !== null) expect(tenth).toMatch(/:\d\d\.\dZ$/u);
      if (second !== null) expect(second).toMatch(/:\d\dZ$/u);
    }
  } finally {
    await both.stop();
  }
});
