import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
resources:
  authors:
    fields:
      name: { type: string }
      profile: { type: relation, relation: hasOne, resource: profiles }
      comments: { type: relation, relation: hasMany, resource: comments }
  profiles:
    access: { create: public, read: [{ role: public, where: "isOpen=true" }], update: public, delete: public }
    fields:
      isOpen: { type: boolean, default: false }
      authorId: { type: integer, nullable: true, unique: true, reference: authors.id }
  comments:
    fields:
      text: { type: string, nullable: true }
      authorId: { type: integer, nullable: true, reference: authors.id }
      parentId: { type: integer, nullable: true, reference: comments.id, onDelete: cascade }
`;

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification, {}, () => new Date('2026-03-01T12:00:00Z'));
});
afterAll(() => both?.stop());

const author = async (body: object): Promise<string> => {
  const { body: made } = await both.send('POST', '/v1/authors', { name: 'a', ...body });
  return `/v1/authors/${made.id}`;
};

test.each([
  ['update', { isOpen: true }],
  ['delete', true],
])('the %s of a hasOne tells nothing of a hidden record', async (operation, value) => {
  const problems = [
    `profile.${operation}: there is no record in profiles that belongs to this one`,
  ];
  const change = { profile: { [operation]: value } };
  for (const path of [await author({ profile: { create: {} } }), await author({})]) {
    const answer = await both.send('PATCH', path, change);
    expect([answer.status, ...problemsOf(answer)]).toEqual([422, ...problems]);
  }
  const open = await author({ profile: { create: { isOpen: true } } });
  expect((await both.send('PATCH', open, change)).status).toBe(200);
});

describe('a cascade of the same request', () => {
  /** An author with a comment and an answer to it. */
  const discussion = async (): Promise<readonly [path: string, first: number, second: number]> => {
    const path = await author({ comments: { create: [{ text: 'p' }] } });
    const made = await both.get(`${path}?expand=comments`);
    const [{ id: first }] = made.body.comments as [{ id: number }];
    const second = await both.send('POST', '/v1/comments', {
      authorId: made.body.id,
      parentId: first,
    });
    return [path, first, second.body.id as number];
  };

  test('may have deleted what is to be deleted', async () => {
    const [path, first, second] = await discussion();
    const answer = await both.send('PATCH', `${path}?expand=comments`, {
      comments: { delete: [first, second] },
    });
    expect([answer.status, answer.body.comments], answer.text).toEqual([200, []]);
  });

  test.each([
    ['update', (id: number) => ({ id, text: 'z' })],
    ['remove', (id: number) => id],
  ])('makes the %s of what it has deleted 422', async (operation, item) => {
    const [path, first, second] = await discussion();
    const answer = await both.send('PATCH', path, {
      comments: { delete: [first], [operation]: [item(second)] },
    });
    expect([answer.status, ...problemsOf(answer)]).toEqual([
      422,
      `comments.${operation}[0]: there is no record in comments with id ${second} that belongs to this one`,
    ]);
    expect((await both.get(`/v1/comments/${first}`)).status).toBe(200);
  });
});
