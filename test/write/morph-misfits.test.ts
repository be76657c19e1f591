import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows } from '../support/tables.ts';

/** Owners whose fields of one name are of different types, so that few values fit both. */
const specification = `
access: public
resources:
  counts: { fields: { value: { type: integer }, kind: { type: enum, values: [x, y] }, all: { type: array, items: { type: integer } } } }
  words: { fields: { value: { type: string }, kind: { type: enum, values: [x, z] }, all: { type: array, items: { type: string } } } }
  notes:
    access: { read: [{ role: public, where: "owner.value_neq=hidden" }] }
    fields:
      ownerType: { type: string }
      ownerId: { type: integer }
      owner: { type: relation, relation: morphTo, resources: [counts, words] }
`;

let api: TestApi;
beforeAll(async () => {
  const owners = ['counts', 'words'].flatMap((ownerType) =>
    [1, 2, 3].map((ownerId) => ({ ownerType, ownerId })),
  );
  api = await serveBoth(specification, {
    counts: [{ value: 1, kind: 'x', all: [1, 2] }, { value: 2, kind: 'y', all: [2] }, {}],
    words: [{ value: 'a', kind: 'x', all: ['1', 'b'] }, { value: '1', kind: 'z', all: ['b'] }, {}],
    // 1 to 3 belong to counts, 4 to 6 to words.
    notes: owners,
  });
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const notes = '/v1/notes';

describe('behind a morphTo, a value that does not fit the type of one target', () => {
  expectRows(source, notes, [
    ['is equal to nothing there', 'owner.value=a', [4]],
    ['is less than nothing there', 'owner.value_lt=b', [4, 5]],
    ['is different from all there, from null too', 'owner.value_neq=a', [1, 2, 3, 5, 6]],
    ['in _or too', '_or=owner.value_neq:a', [1, 2, 3, 5, 6]],
    ['with a comma', 'owner.value_neq=a,b', [1, 2, 3, 4, 5, 6]],
    ['where it fits both', 'owner.value_neq=1', [2, 3, 4, 6]],
    ['is in no list there', 'owner.value_nin=a', [1, 2, 3, 5, 6]],
    ['beside one that fits', 'owner.value_nin=a,1', [2, 3, 6]],
    ['beside one that fits, in a list', 'owner.value_in=a,1', [1, 4, 5]],
    ['an enum', 'owner.kind_neq=z', [1, 2, 3, 4, 6]],
    ['enums that fit one each', 'owner.kind_in=y,z', [2, 5]],
    ['enums in no list', 'owner.kind_nin=x,z', [2, 3, 6]],
    ['any of an array', 'owner.all_containsAny=2,b', [1, 2, 4, 5]],
    ['all of an array', 'owner.all_containsAll=1,b', [4]],
  ]);
  expectBlame(source, notes, [
    ['fits none', 'owner.kind_neq=q', 'INVALID_FILTER', 'owner.kind_neq', 'x, y'],
    ['an item fits none', 'owner.kind_in=x,q', 'INVALID_FILTER', 'owner.kind_in', 'x, y'],
  ]);
});
