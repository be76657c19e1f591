import type { Records } from '../support/api.ts';

/** A resource with a field of every type, with names that look like parameters and operators. */
export const things = `
resources:
  things:
    groups: { core: [title, count], dates: [day, moment] }
    fields:
      title: { type: string }
      body: { type: text }
      mail: { type: email }
      site: { type: url }
      count: { type: integer }
      ratio: { type: number }
      price: { type: decimal, precision: 10, scale: 2 }
      price_gt: { type: decimal }
      big: { type: decimal, precision: 18, scale: 4 }
      active: { type: boolean }
      day: { type: date }
      at: { type: time }
      moment: { type: datetime }
      code: { type: uuid }
      kind: { type: enum, values: [draft, published, archived] }
      size: { type: string, enum: [s, m, l] }
      level: { type: integer, enum: [1, 2, 3] }
      logged: { type: string }
      logged_in: { type: string }
      limit: { type: integer }
      tags: { type: array, items: { type: string } }
      scores: { type: array, nullable: false, default: [], items: { type: integer, nullable: true } }
      prices: { type: array, items: { type: decimal, scale: 2 } }
      flags: { type: array, items: { type: boolean } }
      moments: { type: array, items: { type: datetime } }
      kinds: { type: array, items: { type: enum, values: [draft, published] } }
      mixed: { type: array }
      matrix: { type: array, items: { type: array, items: { type: integer } } }
      specs: { type: object, properties: { weight: { type: number }, size: { type: string } } }
      extra: { type: json }
      secret: { type: string, writeOnly: true }
`;

/** Written in this order, so their ids are 1 to 6. What is not named is null. */
export const thingRecords: Records = {
  things: [
    {
      title: 'Alpha',
      body: 'first line\nsecond',
      mail: 'a@example.org',
      site: 'https://example.org/a',
      count: 1,
      ratio: 0.1,
      price: '19.90',
      price_gt: '5.00',
      big: '12345678901234.5678',
      active: true,
      day: '2026-03-01',
      at: '14:05:00',
      moment: '2026-03-01T00:00:00Z',
      code: '0198c0de-0000-7000-8000-000000000001',
      kind: 'draft',
      size: 's',
      level: 1,
      logged: 'a',
      logged_in: 'yes',
      limit: 5,
      tags: ['red', 'green'],
      scores: [3, 1],
      prices: ['9.90', '100.00'],
      flags: [true],
      moments: ['2026-03-01T02:00:00+02:00'],
      kinds: ['draft'],
      mixed: ['1', true, 'x'],
      matrix: [[1]],
      specs: { weight: 1.5, size: 'big' },
      extra: { a: 1, b: { c: 2, d: 3 } },
      secret: 'hidden',
    },
    {
      title: 'alpha',
      count: 2,
      ratio: 0.2,
      price: '19.91',
      price_gt: '7.00',
      big: '12345678901234.5679',
      active: false,
      day: '2026-03-02',
      at: '14:05:01',
      moment: '2026-03-01T12:00:00.001Z',
      code: '0198c0de-0000-7000-8000-000000000002',
      kind: 'published',
      size: 'm',
      level: 2,
      logged: 'b',
      logged_in: 'no',
      limit: 6,
      tags: ['green', 'a,b'],
      scores: [2],
      prices: ['10.00'],
      flags: [false],
      moments: ['2026-03-02T00:00:00Z'],
      kinds: ['published', 'draft'],
      mixed: [1, null, 'true'],
      matrix: [],
      specs: { weight: null },
      extra: [1, 2],
      secret: 'hidden',
    },
    {
      title: 'a b',
      count: -3,
      ratio: -1.5,
      price: '-0.01',
      big: '-0.0001',
      active: true,
      day: '2025-12-31',
      at: '00:00:00',
      moment: '2025-12-31T23:30:00-01:00',
      kind: 'archived',
      size: 'l',
      level: 3,
      tags: [],
      scores: [],
      prices: [],
      flags: [],
      mixed: [{ a: 1 }, [1]],
      specs: null,
      extra: null,
    },
    {
      title: 'a+b',
      count: 9007199254740991,
      ratio: 85240860012317540,
      price: '99999999.99',
      logged: 'yes',
      tags: ['say "hi"', 'back\\slash', ' padded '],
      scores: [null, 7],
      prices: ['-5.00', '9.90'],
      flags: [false, true],
      mixed: [1.5],
    },
    { title: '', count: 0, ratio: 0, price: '0.00', tags: ['', 'RED'], scores: [10] },
    {},
  ],
};
