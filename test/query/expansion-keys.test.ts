import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBodies } from '../support/tables.ts';

describe('keys of other kinds', () => {
  let other: TestApi;
  const uuid = '0198c0de-0000-7000-8000-000000000001';
  beforeAll(async () => {
    other = await serveBoth(
      `
resources:
  countries:
    fields:
      code: { type: string, unique: true, required: true }
      cities: { type: relation, relation: hasMany, resource: cities }
      remarks: { type: relation, relation: morphMany, resource: remarks }
  cities:
    fields:
      id: { type: id, format: uuid }
      name: { type: string }
      countryCode: { type: string, reference: countries.code }
      country: { type: relation, relation: belongsTo, resource: countries, foreignKey: countryCode }
      remarks: { type: relation, relation: morphMany, resource: remarks }
  remarks:
    fields:
      subjectType: { type: string }
      subjectId: { type: string }
      subject: { type: relation, relation: morphTo, typeField: subjectType, idField: subjectId }
`,
      {
        countries: [{ code: 'NZ' }, { code: 'CL' }],
        cities: [{ id: uuid, name: 'Wellington', countryCode: 'NZ' }],
        remarks: [
          { subjectType: 'countries', subjectId: '1' },
          { subjectType: 'cities', subjectId: uuid },
        ],
      },
    );
  });
  afterAll(() => other.stop());
  const nz = { id: 1, code: 'NZ' };
  const wellington = { id: uuid, name: 'Wellington', countryCode: 'NZ' };
  const remarks = [
    { id: 1, subjectType: 'countries', subjectId: '1' },
    { id: 2, subjectType: 'cities', subjectId: uuid },
  ];
  expectBodies(
    () => other,
    [
      [
        'a key to another field than id',
        '/v1/cities?expand=country',
        [{ ...wellington, country: nz }],
      ],
      [
        'and back',
        '/v1/countries?expand=cities',
        [
          { ...nz, cities: [wellington] },
          { id: 2, code: 'CL', cities: [] },
        ],
      ],
      [
        'a morphTo to ids of two types',
        '/v1/remarks?expand=subject',
        [
          { ...remarks[0], subject: nz },
          { ...remarks[1], subject: wellington },
        ],
      ],
      [
        'morphMany from integers',
        '/v1/countries/1?expand=remarks',
        { ...nz, remarks: [remarks[0]] },
      ],
      [
        'morphMany from uuids',
        `/v1/cities/${uuid}?expand=remarks`,
        { ...wellington, remarks: [remarks[1]] },
      ],
    ],
  );
});

describe('keys that are decimals', () => {
  let tariffs: TestApi;
  beforeAll(async () => {
    tariffs = await serveBoth(
      `
resources:
  rates:
    fields:
      level: { type: decimal, unique: true }
      goods: { type: relation, relation: hasMany, resource: goods, foreignKey: rate }
  goods:
    fields:
      rate: { type: decimal, precision: 12, reference: rates.level }
      exact: { type: decimal, reference: rates.level }
      of: { type: relation, relation: belongsTo, resource: rates, foreignKey: rate }
      at: { type: relation, relation: belongsTo, resource: rates, foreignKey: exact }
`,
      {
        rates: [{ level: '10.00' }, { level: '9999999999999999.99' }, { level: '0.50' }],
        goods: [
          { rate: '10.00', exact: '9999999999999999.99' },
          { rate: '0.50', exact: '10.00' },
          { rate: '0.50' },
        ],
      },
    );
  });
  afterAll(() => tariffs.stop());
  const [ten, most, half] = [
    { id: 1, level: '10.00' },
    { id: 2, level: '9999999999999999.99' },
    { id: 3, level: '0.50' },
  ];
  const goods = [
    { id: 1, rate: '10.00', exact: '9999999999999999.99' },
    { id: 2, rate: '0.50', exact: '10.00' },
    { id: 3, rate: '0.50', exact: null },
  ];
  const pages = { page: 1, limit: 1, total: 2, totalPages: 2 };
  expectBodies(
    () => tariffs,
    [
      [
        'of as many digits as a double holds, and of more',
        '/v1/goods?expand=of,at&limit=2',
        [
          { ...goods[0], of: ten, at: most },
          { ...goods[1], of: half, at: ten },
        ],
      ],
      [
        'that are not shown',
        '/v1/goods?expand=at&fields=at&limit=2',
        [
          { id: 1, at: most },
          { id: 2, at: ten },
        ],
      ],
      [
        'and back',
        '/v1/rates?expand=goods',
        [
          { ...ten, goods: [goods[0]] },
          { ...most, goods: [] },
          { ...half, goods: [goods[1], goods[2]] },
        ],
      ],
      [
        'and back in pages',
        '/v1/rates?expand=goods&goods.limit=1&id_gt=2',
        [{ ...half, goods: [goods[1]], _pagination: { goods: pages } }],
      ],
    ],
  );
});
