import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

const blog = `
${withTokens}
access: { read: public, write: admin }
resources:
  posts:
    fields:
      title: { type: string }
      draftNote: { type: string, access: { read: admin } }
      comments: { type: relation, relation: hasMany, resource: comments }
      audits: { type: relation, relation: hasMany, resource: audits }
      commentsCount: { type: integer, computed: { count: comments } }
      shownScore: { type: integer, computed: { sum: comments.score, where: "score_gt=1" } }
      lastSpam: { type: integer, computed: { max: comments.spam } }
      auditsCount: { type: integer, computed: { count: audits } }
      label: { type: string, computed: { join: [title, draftNote], with: "-" } }
      ownCount: { type: integer, computed: { count: comments }, access: { read: admin } }
      isNoted: { type: boolean, computed: { where: "draftNote_exists=true" } }
  comments:
    access: { read: [{ role: public, where: "approved=true" }, { role: reader, where: "reader={user.sub}" }, { role: admin }] }
    fields:
      score: { type: integer }
      spam: { type: integer, access: { read: admin } }
      approved: { type: boolean }
      reader: { type: string }
      postId: { type: integer, reference: posts.id }
  audits:
    access: { read: admin }
    fields:
      postId: { type: integer, reference: posts.id }
`;

let api: Both;
const admin = caller({ roles: ['admin'] });
beforeAll(async () => {
  api = await serveBoth(blog);
  const make = async (path: string, body: unknown): Promise<void> => {
    expect((await api.send('POST', path, body, admin)).status).toBe(201);
  };
  await make('/v1/posts', [{ title: 'a', draftNote: 'x' }, { title: 'b' }]);
  await make('/v1/comments', [
    { score: 3, spam: 9, approved: true, postId: 1 },
    { score: 5, spam: 8, approved: false, reader: 'u', postId: 1 },
    { score: 1, approved: true, postId: 2 },
    { score: 7, approved: false, postId: 2 },
  ]);
  await make('/v1/audits', [{ postId: 1 }]);
});
afterAll(() => api.stop());

describe('row rules hold inside', () => {
  test.each([
    [
      'anyone',
      {},
      [
        [1, 3],
        [1, null],
      ],
    ],
    [
      'a reader',
      caller({ sub: 'u', roles: ['reader'] }),
      [
        [2, 8],
        [1, null],
      ],
    ],
    [
      'another reader',
      caller({ sub: 'w', roles: ['reader'] }),
      [
        [1, 3],
        [1, null],
      ],
    ],
    [
      'an admin',
      admin,
      [
        [2, 8],
        [2, 7],
      ],
    ],
  ])('%s', async (_, headers, expected) => {
    const { body } = await api.get('/v1/posts?fields=commentsCount,shownScore', headers);
    const shown = (body as { commentsCount: number; shownScore: number }[]).map((one) => [
      one.commentsCount,
      one.shownScore,
    ]);
    expect(shown).toEqual(expected);
    const { body: found } = await api.get('/v1/posts?commentsCount=2', headers);
    expect((found as unknown[]).length).toBe(expected.filter(([count]) => count === 2).length);
  });
});

describe('does not exist', () => {
  const hidden = ['lastSpam', 'auditsCount', 'label', 'ownCount'];
  test('for whom what it is computed from does not', async () => {
    const { body } = await api.get('/v1/posts/1');
    expect(Object.keys(body as object)).toEqual([
      'id',
      'title',
      'commentsCount',
      'shownScore',
      'isNoted',
    ]);
    const { body: whole } = await api.get('/v1/posts/1', admin);
    expect(whole).toMatchObject({
      lastSpam: 9,
      auditsCount: 1,
      label: 'a-x',
      ownCount: 2,
      isNoted: true,
    });
  });

  test.each(
    hidden.flatMap((name) => [
      `fields=${name}`,
      `sort=${name}`,
      `${name}=1`,
      `group=${name}`,
      `aggregate=max:${name}`,
    ]),
  )('in %s', async (query) => {
    const answer = await api.get(`/v1/posts?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('there is no field');
    expect((await api.get(`/v1/posts?${query}`, admin)).status).toBe(200);
  });
});
