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
