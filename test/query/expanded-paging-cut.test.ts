import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRefusals, invalid } from '../support/tables.ts';

// Three shelves of four boxes each may be shown, which leaves one thing for each box.
const specification = `
access: public
limits: { responseItems: 12, defaultLimit: 3, expandedItems: 4 }
resources:
  shelves: { fields: { boxes: { type: relation, relation: hasMany, resource: boxes } } }
  boxes:
    fields:
      shelfId: { type: integer, reference: shelves.id }
      shelf: { type: relation, relation: belongsTo, resource: shelves }
      things: { type: relation, relation: hasMany, resource: things }
  things: { fields: { boxId: { type: integer, reference: boxes.id } } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {
    shelves: [{}],
    boxes: [{ shelfId: 1 }, { shelfId: 1 }, { shelfId: 1 }, { shelfId: 1 }],
    things: Array.from({ length: 8 }, () => ({ boxId: 1 })),
  });
});
afterAll(async () => {
  await both?.stop();
});

const thingsOf = async (query: string): Promise<unknown> => {
  const { status, body, text } = await both.get(`/v1/shelves?expand=boxes.things&${query}`);
  expect(status, text).toBe(200);
  const [box] = body[0].boxes;
  return [box.things.map(({ id }: { id: number }) => id), box._pagination.things];
};

test.each([
  ['an offset', 'offset=3', [4, 5, 6, 7], { page: 1, limit: 4, total: 8, totalPages: 2 }],
  ['a page', 'page=2', [5, 6, 7, 8], { page: 2, limit: 4, total: 8, totalPages: 2 }],
])(
  '%s has the limit that was written, and what is above leaves room',
  async (_, start, ids, page) => {
    expect(await thingsOf(`boxes.things.limit=4&boxes.things.${start}`)).toEqual([ids, page]);
  },
);

test('what is above has fewer then, and says so', async () => {
  const { body } = await both.get('/v1/shelves?expand=boxes.things&boxes.things.limit=3&limit=1');
  expect(body[0].boxes).toHaveLength(4);
  const fewer = await both.get('/v1/shelves?expand=boxes.things&boxes.things.limit=6&limit=1');
  expect(fewer.body[0].boxes).toHaveLength(2);
  expect(fewer.body[0]._pagination).toEqual({
    boxes: { page: 1, limit: 2, total: 4, totalPages: 2 },
  });
});

test.each([
  ['alone', '', { page: 1, limit: 1, total: 4, totalPages: 4 }],
  ['from an offset on', '&boxes.offset=2', { page: 3, limit: 1, total: 4, totalPages: 4 }],
])(
  'a record above that takes all that a response has shows one below it: %s',
  async (_, more, page) => {
    const { status, body } = await both.get(`/v1/shelves?expand=boxes&limit=13${more}`);
    expect([status, body[0].boxes.length, body[0]._pagination.boxes]).toEqual([200, 1, page]);
  },
);

test('the records of an array that is created share what a response has', async () => {
  const { body: shelf } = await both.send('POST', '/v1/shelves', {});
  const four = Array.from({ length: 4 }, () => ({ shelfId: shelf.id }));
  const { status, body } = await both.send('POST', '/v1/boxes?expand=shelf.boxes', four);
  expect(status).toBe(201);
  for (const box of body) {
    expect(box.shelf.boxes).toHaveLength(3);
    expect(box.shelf._pagination.boxes).toEqual({ page: 1, limit: 3, total: 4, totalPages: 2 });
  }
});

// The limit of lists, 3, was not written, and 3 × 3 × 3 are more than 12.
test.each([
  ['an offset stays where it is', 'offset=4', [5], 5],
  ['a page is counted in what is left of its limit', 'page=2', [2], 2],
])('of a limit that nobody wrote less may be left: %s', async (_, start, ids, page) => {
  expect(await thingsOf(`boxes.page=1&boxes.things.${start}`)).toEqual([
    ids,
    { page, limit: 1, total: 8, totalPages: 8 },
  ]);
});

describe('a limit that cannot be read asks for nothing', () => {
  expectRefusals(() => both, '/v1/shelves', [
    invalid(
      'no number',
      'expand=boxes.things&boxes.limit=2&boxes.things.limit=x',
      'boxes.things.limit: must be a whole number from 0 to 1000',
    ),
  ]);
});
