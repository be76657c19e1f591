import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

// Three shelves of four boxes each may be shown, which leaves one thing for each box.
const specification = `
access: public
limits: { responseItems: 12, defaultLimit: 3, expandedItems: 4 }
resources:
  shelves: { fields: { boxes: { type: relation, relation: hasMany, resource: boxes } } }
  boxes:
    fields:
      shelfId: { type: integer, reference: shelves.id }
      things: { type: relation, relation: hasMany, resource: things }
  things: { fields: { boxId: { type: integer, reference: boxes.id } } }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {
    shelves: [{}],
    boxes: [{ shelfId: 1 }],
    things: Array.from({ length: 8 }, () => ({ boxId: 1 })),
  });
});
afterAll(async () => {
  await both?.stop();
});

test.each([
  ['an offset stays where it is', 'offset=4', 5, 5],
  ['a page is counted in what is left of its limit', 'page=2', 2, 2],
])('of a collection that has to be cut %s', async (_, start, id, page) => {
  const query = `expand=boxes.things&boxes.things.limit=4&boxes.things.${start}`;
  const { status, body, text } = await both.get(`/v1/shelves?${query}`);
  expect(status, text).toBe(200);
  const [box] = body[0].boxes;
  expect(box.things).toEqual([{ id, boxId: 1 }]);
  expect(box._pagination.things).toEqual({ page, limit: 1, total: 8, totalPages: 8 });
});
