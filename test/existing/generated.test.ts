import { afterAll, beforeAll, expect, test } from 'vitest';
import { fillAll } from '../generate/generate.ts';
import { Keyed } from '../support/keyed.ts';

// Generated records in tables of others. See docs/contract/8-existing-databases.md#relations, rule 7.
const specification = `
access: public
database: { managed: false }
generate: { count: 20 }
resources:
  regions:
    key: [country, code]
    fields:
      country: { type: string, enum: [at, ch, de] }
      code: { type: integer, minimum: 1, maximum: 99 }
      name: { type: string }
      parentCode: { type: integer, column: parent_code }
      parent: { type: relation, relation: belongsTo, resource: regions, foreignKey: [country, parentCode] }
  shops:
    fields:
      country: { type: string }
      regionCode: { type: integer, column: region_code }
      name: { type: string }
      region: { type: relation, relation: belongsTo, resource: regions, foreignKey: [country, regionCode], required: true }
      sales: { type: relation, relation: hasMany, resource: sales }
  sales:
    key: [shopId, day]
    fields:
      shopId: { type: integer, column: shop_id, reference: shops.id }
      day: { type: date }
      amount: { type: decimal, precision: 10, scale: 2 }
`;

const sql = (id: string, text: string, amount: string): string => `
CREATE TABLE regions (country ${text} NOT NULL, code integer NOT NULL, name ${text}, parent_code integer,
  PRIMARY KEY (country, code), FOREIGN KEY (country, parent_code) REFERENCES regions);
CREATE TABLE shops (id ${id}, country ${text} NOT NULL, region_code integer NOT NULL, name ${text},
  FOREIGN KEY (country, region_code) REFERENCES regions);
CREATE TABLE sales (shop_id integer NOT NULL REFERENCES shops, day ${text === 'TEXT' ? 'TEXT' : 'date'} NOT NULL, amount ${amount}, PRIMARY KEY (shop_id, day));
`;

let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.of(
    specification,
    `PRAGMA foreign_keys = ON; ${sql('INTEGER PRIMARY KEY', 'TEXT', 'TEXT')}`,
    sql('serial PRIMARY KEY', 'text COLLATE "C"', 'numeric(10, 2)'),
  );
});
afterAll(() => keyed?.stop());

test('records lead to what is there, on both databases alike', async () => {
  for (const { api } of keyed.databases)
    expect(await fillAll(api.servedApi.api, api.servedApi.database)).toMatchObject({ ok: true });
  for (const path of ['/regions', '/shops?expand=region', '/sales']) {
    const { body } = await keyed.get(`${path}${path.includes('?') ? '&' : '?'}limit=100`);
    expect([path, body]).toEqual([path, expect.objectContaining({ length: 20 })]);
  }
  expect(await keyed.idsOf('/shops?region_null=true')).toEqual([]);
  expect(
    new Set(await keyed.idsOf('/regions?shops_null=false'.replace('shops', 'parent'))),
  ).toEqual(new Set());
});
