import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, type RefusalCase } from '../support/tables.ts';
import { thingRecords, things } from './things.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(things, thingRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const path = '/v1/things';

const filter = (name: string, query: string, ...problems: string[]): RefusalCase => [
  name,
  query,
  'INVALID_FILTER',
  ...problems,
];

describe('values that do not fit', () => {
  const misfits: readonly (readonly [field: string, expects: string, values: readonly string[]])[] =
    [
      ['id', 'a whole number', ['', 'x', '1.5', '01', '1.5e0', '1e-1']],
      [
        'count',
        'a whole number',
        [
          '',
          '1.5',
          '15e-1',
          '01',
          '-00',
          '1e',
          '1e 0.5',
          '0x10',
          '+1',
          ' 1',
          '1 ',
          'NaN',
          'Infinity',
          '-',
          '--1',
          '٣',
          '1_000',
          '1,5',
        ],
      ],
      [
        'count',
        'a whole number from -9007199254740991 to 9007199254740991',
        ['9007199254740992', '-99999999999999999999'],
      ],
      [
        'ratio',
        'a plain decimal number',
        [
          '',
          '.5',
          '5.',
          '00.5',
          '1e',
          '0x1',
          '+1',
          ' 1',
          'NaN',
          'Infinity',
          '-Infinity',
          '1,5',
          '9'.repeat(310),
          'null',
        ],
      ],
      [
        'price',
        'a plain decimal number such as 19.90',
        ['', '.5', '5.', '019.90', '1e', '0x1', '+1', '1 ', 'NaN', '1,5', '1.2.3'],
      ],
      ['active', 'true or false', ['', 'TRUE', '1', '0', 'yes', 'null']],
      [
        'day',
        'a date such as 2026-03-01',
        [
          '',
          '2026-02-30',
          '2025-02-29',
          '2026-3-1',
          '2026-03-01T00:00:00Z',
          '01.03.2026',
          '0000-01-01',
          '10000-01-01',
        ],
      ],
      [
        'at',
        'a time such as 14:05:00',
        ['', '14:05', '24:00:00', '14:60:00', '14:05:00.5', '14:05:60', '2pm'],
      ],
      [
        'moment',
        'a date and time such as 2026-03-01T14:05:00.000Z, or a date',
        [
          '',
          '2026-03-01T14:05:00',
          '2026-03-01 14:05:00Z',
          '2026-03-01T14:05:00.0001Z',
          '2026-03-01T24:00:00Z',
          '2026-02-30',
          '2026-03-01T14:05Z',
          '1772330400',
        ],
      ],
      [
        'code',
        'a UUID',
        [
          '',
          'x',
          '0198c0de00007000800000000000000',
          '{0198c0de-0000-7000-8000-000000000001}',
          '0198c0de-0000-7000-8000-00000000000g',
        ],
      ],
      ['kind', 'one of draft, published, archived', ['', 'Draft', 'deleted']],
      ['size', 'one of s, m, l', ['', 'S', 'xl']],
      ['level', 'one of 1, 2, 3', ['4', '0']],
    ];
  for (const [field, expects, values] of misfits)
    for (const value of values) {
      const shown = value.length > 40 ? `${value.slice(0, 40)}…` : value;
      const sent = encodeURIComponent(value);
      const problem = (suffix: string): string =>
        `${field}${suffix}: ${JSON.stringify(shown)} does not fit: it takes ${expects}`;
      // Numbers between commas were most likely meant as a list.
      const several = value === '1,5' ? `; for any of several write ${field}_in` : '';
      expectRefusals(source, path, [
        filter('equals', `${field}=${sent}`, `${problem('')}${several}`),
        filter('in _or', `_or=${field}:"${sent}"`, `${problem('')}${several}`),
        filter('in a list', `${field}_in="${sent}"`, problem('_in')),
      ]);
    }
  expectRefusals(source, path, [
    filter(
      'an offset whose plus is a blank',
      'moment=2026-03-01T14:05:00+02:00',
      'moment: "2026-03-01T14:05:00 02:00" does not fit: it takes a date and time such as 2026-03-01T14:05:00.000Z, or a date; write + as %2B',
    ),
    filter('the value of _exists', 'title_exists=yes', 'title_exists: takes true or false'),
    filter('of _null', 'title_null=', 'title_null: takes true or false'),
    filter('of _null in _or', '_or=title_null:1', 'title_null: takes true or false'),
    filter(
      'an item of an array',
      'scores_contains=x',
      'scores_contains: "x" does not fit: it takes a whole number',
    ),
    filter(
      'an item of a list',
      'scores_containsAll=1,x',
      'scores_containsAll: "x" does not fit: it takes a whole number',
    ),
    filter(
      'an enum of items',
      'kinds_containsAny=archived',
      'kinds_containsAny: "archived" does not fit: it takes one of draft, published',
    ),
    filter(
      'a whole number that is too large',
      'count_lt=-9007199254740992',
      'count_lt: "-9007199254740992" does not fit: it takes a whole number from -9007199254740991 to 9007199254740991',
    ),
    filter(
      'an id and an item that are',
      'id_in=1,9007199254740992&scores_contains=99999999999999999999',
      'id_in: "9007199254740992" does not fit: it takes a whole number from -9007199254740991 to 9007199254740991',
      'scores_contains: "99999999999999999999" does not fit: it takes a whole number from -9007199254740991 to 9007199254740991',
    ),
    filter('an order bound', 'count_gt=x', 'count_gt: "x" does not fit: it takes a whole number'),
    filter(
      'all of them at once',
      'count=x&price_lt=y&_or=day:z',
      'count: "x" does not fit: it takes a whole number',
      'price_lt: "y" does not fit: it takes a plain decimal number such as 19.90',
      'day: "z" does not fit: it takes a date such as 2026-03-01',
    ),
  ]);
});

describe('operators that do not fit', () => {
  const ordered = '_eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _exists, _null';
  const equality = '_eq, _neq, _in, _nin, _exists, _null';
  const array = '_contains, _containsAll, _containsAny, _exists, _null';
  const textual =
    '_eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _like, _ilike, _nlike, _nilike, _startsWith, _endsWith, _ieq, _exists, _null';
  const fits: Readonly<Record<string, readonly [type: string, operators: string]>> = {
    id: ['id', ordered],
    title: ['string', textual],
    body: ['text', textual],
    mail: ['email', textual],
    site: ['url', textual],
    count: ['integer', ordered],
    ratio: ['number', ordered],
    price: ['decimal', ordered],
    active: ['boolean', equality],
    day: ['date', ordered],
    at: ['time', ordered],
    moment: ['datetime', ordered],
    code: ['uuid', ordered],
    kind: ['enum', equality],
    tags: ['array', array],
    specs: ['object', '_exists, _null'],
    extra: ['json', '_exists, _null'],
  };
  const all = [
    '_eq',
    '_neq',
    '_gt',
    '_gte',
    '_lt',
    '_lte',
    '_like',
    '_ilike',
    '_nlike',
    '_nilike',
    '_startsWith',
    '_endsWith',
    '_ieq',
    '_in',
    '_nin',
    '_contains',
    '_containsAll',
    '_containsAny',
  ];
  for (const [field, [type, operators]] of Object.entries(fits)) {
    const fitting = operators.split(', ');
    const unfit = all
      .filter((suffix) => !fitting.includes(suffix))
      // price_gt is a field of its own.
      .filter((suffix) => `${field}${suffix}` !== 'price_gt');
    expectRefusals(
      source,
      path,
      unfit.map((suffix) =>
        filter(
          'unfit',
          `${field}${suffix}=1`,
          `${field}${suffix}: ${field} is of type ${type}, which takes ${operators}, not ${suffix}`,
        ),
      ),
    );
    test.each(['_exists', '_null'])(`${field}%s fits`, async (suffix) => {
      expect((await api.get(`${path}?${field}${suffix}=true`)).status).toBe(200);
    });
  }
  expectRefusals(source, path, [
    filter(
      'an array itself',
      'tags=red',
      `tags: tags is of type array, which takes ${array}, not _eq`,
    ),
    filter(
      'an object itself',
      'specs=1',
      'specs: specs is of type object, which takes _exists, _null, not _eq',
    ),
    filter(
      'inside _or',
      '_or=active_gt:true',
      `active_gt: active is of type boolean, which takes ${equality}, not _gt`,
    ),
    filter(
      'arrays of arrays',
      'matrix_contains=1',
      'matrix_contains: items of type array cannot be looked for',
    ),
  ]);
});
