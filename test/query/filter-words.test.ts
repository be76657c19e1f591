import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRows } from '../support/tables.ts';

/** Names that mean something else to a database where they stand without quotes. */
const specification = `
access: public
resources:
  select:
    fields:
      'true': { type: integer, required: true }
      'false': { type: integer, required: true }
      'null': { type: integer }
      where: { type: string }
      rowid: { type: string }
      order: { type: relation, relation: hasMany, resource: order, foreignKey: from }
  order:
    fields:
      from: { type: integer, reference: select.id }
      group: { type: relation, relation: belongsTo, resource: select, foreignKey: from }
      'true': { type: integer }
      current_date: { type: string }
      rowid: { type: integer }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification, {
    select: [
      { true: 0, false: 1, null: 5, where: 'a', rowid: 'x' },
      { true: 7, false: 1, where: 'b', rowid: 'y' },
      { true: 1, false: 0 },
    ],
    order: [
      { from: 1, true: 1, current_date: 'p', rowid: 9 },
      { from: 2, true: 0, current_date: 'q' },
      { from: 2, rowid: 9 },
      { current_date: 'p' },
    ],
  });
});
afterAll(() => api.stop());

describe('names that are words of SQL are names all the same', () => {
  const source = (): TestApi => api;
  expectRows(source, '/v1/select', [
    ['a field', 'true=7', [2]],
    ['the false one', 'false=0', [3]],
    ['null is a name too', 'null_exists=true', [1]],
    ['of related records, beside a column true', 'order.current_date=p', [1]],
    ['null of related records', 'order.current_date_null=true', [2]],
    ['the column of both', 'order.true=0', [2]],
    ['of the same related record', 'order.rowid=9&order.current_date_null=true', [2]],
    ['through both ways', 'order.group.order.true_null=true', [2]],
    ['in _or', '_or=order.rowid:9,where:b', [1, 2]],
    ['a relation in _exists', 'order_exists=false', [3]],
    ['sorted', 'sort=-true,rowid', [2, 3, 1]],
    ['sorted by what is related', 'sort=order.rowid', [3, 1, 2]],
  ]);
  expectRows(source, '/v1/order', [
    ['of the related record', 'group.true=0', [1]],
    ['of what it has', 'group.order.current_date=q', [2, 3]],
    ['null of what it has', 'group.order.true_null=true', [2, 3]],
    ['a row id that is a field', 'group.rowid=y', [2, 3]],
  ]);
});
