import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

describe('a link to a junction with a required field', () => {
  const junction = (name: string): string => `
  ${name}:
    fields:
      postId: { type: integer, reference: posts.id }
      tagId: { type: integer, reference: tags.id }
      role: { type: string, required: true }`;
  let own: Both;
  beforeAll(async () => {
    own = await serveBoth(
      `
resources:
  posts:
    fields:
      tags: { type: relation, relation: belongsToMany, resource: tags, through: roles, withPivot: [role] }
      marks: { type: relation, relation: belongsToMany, resource: tags, through: marks }
  tags: { fields: { name: { type: string } } }${junction('roles')}${junction('marks')}
`,
      {
        tags: [{ name: 'a' }, { name: 'b' }],
        posts: [{ tags: [{ id: 1, pivot: { role: 'r' } }] }],
      },
    );
  });
  afterAll(() => own?.stop());

  test.each([
    ['POST', '/v1/posts', { tags: [1] }, 'tags[0].pivot.role: is required'],
    ['POST', '/v1/posts', { tags: [99] }, 'tags[0].pivot.role: is required'],
    ['POST', '/v1/posts', [{}, { tags: [1] }], '[1].tags[0].pivot.role: is required'],
    ['PATCH', '/v1/posts/1', { tags: [1, 2] }, 'tags[1].pivot.role: is required'],
    ['PATCH', '/v1/posts/1', { tags: { add: [2] } }, 'tags.add[0].pivot.role: is required'],
    [
      'PATCH',
      '/v1/posts/1',
      { tags: [{ id: 1, pivot: { role: null } }] },
      'tags[0].pivot.role: must not be null',
    ],
    [
      'PATCH',
      '/v1/posts/1',
      { marks: [2] },
      'marks[0]: needs more than a link can carry; create it in the junction',
    ],
  ])('%s %s %j is 400 without it, and nothing changes', async (method, target, body, problem) => {
    const everything = async (): Promise<string> =>
      (await own.get('/v1/posts?expand=tags,marks')).text;
    const before = await everything();
    const answer = await own.send(method, target, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(problemsOf(answer)).toEqual([problem]);
    expect(await everything()).toBe(before);
  });

  test('of a new record is refused with all that is wrong with the body, before what it points to', async () => {
    const tags = [99, 1, { id: 1, pivot: { role: 'r' } }, { id: 2, pivot: { role: 5 } }];
    const answer = await own.send('POST', '/v1/posts', { tags, nope: 1 });
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(problemsOf(answer)).toEqual([
      'nope: there is no field nope',
      'tags[3].pivot.role: must be a string',
      'tags[0].pivot.role: is required',
    ]);
  });

  test('that is there already may be named alone', async () => {
    const answer = await own.send('PATCH', '/v1/posts/1?expand=tags', { tags: [1] });
    expect(answer.body.tags).toMatchObject([{ id: 1, pivot: { role: 'r' } }]);
  });

  test('a row of the junction that leads nowhere is no link, and stays', async () => {
    const { body } = await own.send('POST', '/v1/roles', { postId: 1, role: 'lead' });
    expect((await own.send('PATCH', '/v1/posts/1', { tags: [] })).status).toBe(200);
    expect((await own.get('/v1/roles')).body).toEqual([body]);
  });
});
