import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnyDb } from '../../src/http/api/in-process.ts';
import { caller, withTokens } from '../support/callers.ts';
import { serveSecured, type SecuredApi } from '../support/row-security.ts';

/** How many notes own code sees: as its caller, and as the owner. */
const seen: string[] = [];

async function count(db: unknown): Promise<string> {
  const { notes, asOwner } = db as AnyDb;
  const ofCaller = await notes?.list();
  const ofOwner = await asOwner['notes']?.list();
  return `${ofCaller?.data.length} of ${ofOwner?.data.length}`;
}

let secured: SecuredApi;
beforeAll(async () => {
  secured = await serveSecured(
    `code: ./api.ts
database: { session: { app.kind: caller, app.user: "{user.sub}" } }
${withTokens}
access: public
resources:
  notes: { managed: false, fields: { text: { type: string }, owner: { type: string } } }`,
    ({ login }) => `
      CREATE TABLE notes (id serial PRIMARY KEY, text text, owner text);
      INSERT INTO notes (text, owner) VALUES ('a', 'ann'), ('b', 'bob'), ('c', 'bob');
      ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
      CREATE POLICY own ON notes
        USING (coalesce(current_setting('app.kind', true), '') <> 'caller' OR owner = current_setting('app.user', true));
      GRANT ALL ON notes TO ${login};
      GRANT USAGE ON SEQUENCE notes_id_seq TO ${login}`,
    {
      code: {
        resources: {
          notes: {
            beforeUpdate: async (_change, { db }) => void seen.push(await count(db)),
            afterCommit: async (_commit, { db }) => void seen.push(await count(db)),
          },
        },
        endpoints: {
          'GET /count': ({ db }) => count(db),
          'POST /all': ({ db }) =>
            db.batch([{ method: 'PATCH', path: '/notes/1', body: { text: 'x' } }]),
        },
      },
    },
  );
});
afterAll(() => secured?.stop());
beforeEach(() => {
  seen.length = 0;
});

const ann = caller({ sub: 'ann' });
const change = { method: 'PATCH', path: '/notes/1', body: { text: 'x' } };

test('an endpoint sees the rows of its caller, and as the owner all', async () => {
  expect((await secured.api.get('/v1/count', ann)).body).toBe('1 of 3');
});

test.each([
  ['a write', 'PATCH', '/v1/notes/1', { text: 'x' }],
  ['a batch', 'POST', '/v1/_batch', [change]],
  ['a batch of own code', 'POST', '/v1/all', undefined],
])('so do the hooks of %s', async (_, method, path, body) => {
  expect((await secured.api.send(method, path, body, ann)).status).toBe(200);
  await expect.poll(() => seen).toEqual(['1 of 3', '1 of 3']);
});
