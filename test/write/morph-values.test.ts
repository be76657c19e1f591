import { afterAll, beforeAll, describe } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRefusals, expectRows } from '../support/tables.ts';

// The owners of a note have a `code` and an id of different types.
const specification = `
access: public
resources:
  devices:
    fields:
      id: { type: id, format: uuid }
      code: { type: integer, nullable: true }
      notes: { type: relation, relation: morphMany, resource: notes }
  places:
    fields:
      code: { type: string }
      notes: { type: relation, relation: morphMany, resource: notes }
  notes:
    fields:
      noted: { type: relation, relation: morphTo }
      notedType: { type: string, nullable: true }
      notedId: { type: string, nullable: true }
`;
const device = '01990000-0000-7000-8000-00000000000a';
/** It has no code. */
const blank = '01990000-0000-7000-8000-00000000000b';

let both: Both;

beforeAll(async () => {
  both = await serveBoth(specification, {
    devices: [{ id: device, code: 7 }, { id: blank }],
    places: [{ code: '7' }, { code: 'north' }],
    notes: [
      { notedType: 'devices', notedId: device },
      { notedType: 'places', notedId: '1' },
      { notedType: 'places', notedId: '2' },
      {},
      { notedType: 'devices', notedId: blank },
    ],
  });
});

afterAll(async () => {
  await both?.stop();
});

describe('a filter through a morphTo looks at the owners whose type takes the value', () => {
  expectRows(() => both, '/v1/notes', [
    ['both', 'noted.code=7', [1, 2]],
    ['text alone', 'noted.code=north', [3]],
    ['a whole number', 'noted.id=2', [3]],
    ['a uuid', `noted.id=${device}`, [1]],
    ['a list, item by item', 'noted.code_in=7,north', [1, 2, 3]],
    ['an order', 'noted.id_gte=1', [2, 3]],
    ['one owner named', 'noted:devices.code=7', [1]],
    ['different from both', 'noted.code_neq=7', [3, 5]],
    ['different from text alone: every number is, and none', 'noted.code_neq=north', [1, 2, 5]],
    ['not in a list', 'noted.code_nin=north', [1, 2, 5]],
  ]);
  expectRefusals(() => both, '/v1/notes', [
    [
      'that none takes is refused once',
      'noted.id=x',
      'INVALID_FILTER',
      'noted.id: "x" does not fit: it takes a UUID',
    ],
    [
      'that the one named does not take',
      'noted:devices.code=north',
      'INVALID_FILTER',
      'noted:devices.code: "north" does not fit: it takes a whole number',
    ],
  ]);
});
