import { afterAll, beforeAll, describe } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRefusals, expectRows, expectTrees } from '../support/tables.ts';

// Chairs have a field `pivot` of their own, and are reached with and without what the junction says.
const specification = `
access: public
resources:
  desks:
    fields:
      chairs: { type: relation, relation: belongsToMany, resource: chairs, through: sets }
      placed: { type: relation, relation: belongsToMany, resource: chairs, through: sets, withPivot: [side] }
  chairs:
    fields:
      pivot: { type: string }
  sets:
    fields:
      deskId: { type: integer, reference: desks.id }
      chairId: { type: integer, reference: chairs.id }
      side: { type: string }
`;

let both: Both;

beforeAll(async () => {
  both = await serveBoth(specification, {
    desks: [{}, {}],
    chairs: [{ pivot: 'left' }, { pivot: 'right' }, { pivot: 'all' }],
    sets: [
      { deskId: 1, chairId: 1, side: 'n' },
      { deskId: 2, chairId: 2, side: 's' },
      { deskId: 2, chairId: 3, side: 'n' },
    ],
  });
});

afterAll(async () => {
  await both?.stop();
});

describe('a field named pivot', () => {
  const desks = '/v1/desks';
  expectRows(() => both, desks, [
    ['is found where the relation shows no pivot', 'chairs.pivot=left', [1]],
    ['with an operator', 'chairs.pivot_in=right,left', [1, 2]],
    ['sorts', 'sort=chairs.pivot', [2, 1]],
    ['stands behind a pivot that is shown', 'placed.pivot.side=s', [2]],
  ]);
  expectTrees(() => both, desks, [
    ['restricts', 'expand=chairs&chairs.pivot_gt=b&id=2', 'chairs', [[2, [2]]]],
    ['sorts what is expanded', 'expand=chairs&chairs.sort=pivot&id=2', 'chairs', [[2, [3, 2]]]],
  ]);
  expectRefusals(() => both, desks, [
    [
      'is no field of a junction',
      'chairs.pivot.side=s',
      'INVALID_PARAMETER',
      'chairs.pivot.side: pivot is of type string and has no members',
    ],
  ]);
});
