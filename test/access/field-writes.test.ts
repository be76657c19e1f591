import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { expectError } from '../server/exchanges.ts';

const anyone = 'authenticated';
/** `access` of a field, and who may read, create and update it. */
type Row = readonly [access: string, read: string, create: string, update: string];
const rows: readonly Row[] = [
  ['{ read: [finance] }', 'finance', 'finance', 'finance'],
  ['{ read: [finance, hr] }', 'hr', 'hr', 'hr'],
  ['{ read: none }', 'none', 'none', 'none'],
  ['{ read: [finance], write: authenticated }', 'finance', anyone, anyone],
  ['{ read: [finance], write: none }', 'finance', 'none', 'none'],
  ['{ read: [finance], create: authenticated }', 'finance', anyone, 'finance'],
  ['{ read: [finance], update: hr }', 'finance', 'finance', 'hr'],
  ['{ write: [finance] }', anyone, 'finance', 'finance'],
  ['{ create: [finance] }', anyone, 'finance', anyone],
  ['finance', 'finance', 'finance', 'finance'],
];

let both: Both;
beforeAll(async () => {
  both = await serveBoth(`${withTokens}
access: authenticated
resources:
  posts:
    fields:
      title: { type: string, nullable: true }
${rows.map(([access], index) => `      f${index}: { type: string, nullable: true, access: ${access} }`).join('\n')}`);
});
afterAll(() => both?.stop());

describe('a rule for writing that a field lacks is its rule for reading', () => {
  const roles = ['none', 'finance', 'hr'];
  const allows = (rule: string, role: string): boolean =>
    rule === anyone || (rule !== 'none' && rule === role);

  test.each(rows)('%s', async (access, read, create, update) => {
    const name = `f${rows.findIndex((row) => row[0] === access)}`;
    for (const role of roles.filter((one) => one !== 'finance' || read !== 'hr')) {
      const who = caller({ sub: role, roles: role === 'none' ? [] : [role] });
      const made = await both.send('POST', '/v1/posts', { [name]: 'a' }, who);
      expect([role, made.status]).toEqual([role, allows(create, role) ? 201 : 400]);
      const { body } = await both.send('POST', '/v1/posts', { title: 'a' }, who);
      const path = `/v1/posts/${body.id}`;
      const shown = await both.get(path, who);
      expect([role, name in shown.body]).toEqual([role, allows(read, role)]);
      const changed = await both.send('PATCH', path, { [name]: 'b' }, who);
      // What may be read and not written is ignored; what may be neither does not exist.
      const isKnown = allows(update, role) || allows(read, role) || allows(create, role);
      expect([role, changed.status]).toEqual([role, isKnown ? 200 : 400]);
      expect(changed.body[name] ?? null).toBe(
        allows(read, role) && allows(update, role) ? 'b' : null,
      );
    }
    expect(both.failures).toEqual([]);
  });
});

test('without auth what nobody may do is 403, since no credential would help', async () => {
  const open = await serveBoth(`
access: { read: public, create: editor, update: [editor], delete: authenticated }
resources:
  posts: { fields: { title: { type: string } } }
  needy: { access: { create: public }, fields: { title: { type: string, required: true, access: editor } } }
  own: { access: { read: [{ where: "title={user.sub}" }] }, fields: { title: { type: string } } }`);
  for (const [method, path, body] of [
    ['POST', '/v1/posts', { title: 'a' }],
    ['POST', '/v1/posts', '{'],
    ['POST', '/v1/needy', {}],
    ['PUT', '/v1/posts/1', { title: 'a' }],
    ['PATCH', '/v1/posts/1', { title: 'a' }],
    ['DELETE', '/v1/posts/1', undefined],
    ['GET', '/v1/own', undefined],
  ] as const) {
    const answer = await open.send(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, 403]);
    expect(answer.headers.has('www-authenticate')).toBe(false);
    if (path.startsWith('/v1')) expectError(answer, 'FORBIDDEN', path);
  }
  const { body } = await open.get('/_openapi.json');
  expect(JSON.stringify(body.paths)).not.toContain('Unauthorized');
  expect(JSON.stringify(body.paths)).toContain('Forbidden');
  await open.stop();
});

test('with auth it is 401 without a credential', async () => {
  expectError(await both.get('/v1/posts'), 'UNAUTHENTICATED', '/v1/posts');
});
