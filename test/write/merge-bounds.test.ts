import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';
import { problemsOf } from '../server/exchanges.ts';
import type { Answer } from '../support/api.ts';

const bodyLimit = 2_000;
const object = `type: object, nullable: true, properties: { hiv: { type: string }, age: { type: integer } }`;
let both: Both;
beforeAll(async () => {
  both = await serveBoth(`${withTokens}
server: { bodyLimit: ${bodyLimit} }
access: authenticated
resources:
  patients:
    fields:
      medical: { ${object}, access: { read: [doctor], write: authenticated } }
      notes: { type: json, nullable: true, access: { read: [doctor], write: authenticated } }
      sealed: { ${object}, writeOnly: true }
      open: { type: json, nullable: true }
  boxes:
    access: { read: none, write: authenticated }
    fields:
      inside: { type: json, nullable: true }
      fixed: { type: json, nullable: true, immutable: true }
  blanks:
    fields:
      free: { type: json, nullable: true }
      bag: { type: object, nullable: true }`);
});
afterAll(() => both?.stop());

const clerk = caller({ sub: 'clerk' });
const doctor = caller({ sub: 'doctor', roles: ['doctor'] });
const merge = (path: string, body: unknown, who = clerk): Promise<Answer> =>
  both.send('PATCH', path, body, { ...who, 'content-type': 'application/merge-patch+json' });
const make = async (path: string, body: object): Promise<string> => {
  const { status, body: made, text } = await both.send('POST', `/v1/${path}`, body, clerk);
  expect(status, text).toBe(201);
  return `/v1/${path}/${made.id}`;
};

describe('a merge patch shows nothing of a field that the caller may not read', () => {
  const stored = [null, { hiv: 'positive' }, { age: 7 }, { hiv: 'negative', age: 7 }] as const;
  test.each<[field: string, part: unknown]>([
    ['medical', { hiv: {} }],
    ['medical', { hiv: null }],
    ['medical', { age: 1 }],
    ['medical', {}],
    ['medical', { unknown: 1 }],
    ['notes', { hiv: { x: 1 } }],
    ['notes', {}],
    ['sealed', { age: 1 }],
    ['sealed', { hiv: 7 }],
  ])('%s: %j', async (field, part) => {
    for (const value of stored) {
      const path = await make('patients', { [field]: value });
      const answer = await merge(path, { [field]: part });
      expect([answer.status, problemsOf(answer)]).toEqual([
        400,
        [
          `${field}: cannot be merged by callers who may not read it; send the whole value as application/json`,
        ],
      ]);
    }
    expect(both.failures).toEqual([]);
  });

  test('it can be replaced, and merged by who may read it', async () => {
    const path = await make('patients', { medical: { hiv: 'positive', age: 7 } });
    const read = async (): Promise<unknown> => (await both.get(path, doctor)).body.medical;
    expect((await merge(path, { medical: { age: 8 } }, doctor)).status).toBe(200);
    expect(await read()).toEqual({ hiv: 'positive', age: 8 });
    expect((await both.send('PATCH', path, { medical: { age: 9 } }, clerk)).status).toBe(200);
    expect(await read()).toEqual({ age: 9 });
    expect((await merge(path, { medical: null, open: { a: 1 } })).status).toBe(200);
    expect(await read()).toBeNull();
  });

  test('nor where no record may be read', async () => {
    const answers = [];
    for (const inside of [null, { a: 1 }, [1]]) {
      await both.send('POST', '/v1/boxes', { inside, fixed: inside }, clerk);
      for (const body of [{ inside: { a: {} } }, { fixed: {} }]) {
        const { status, body: answer } = await merge('/v1/boxes/1', body);
        answers.push(JSON.stringify([body, status, answer.validationErrors]));
      }
    }
    expect(new Set(answers).size).toBe(2);
    expect(answers.every((answer) => answer.includes(',400,'))).toBe(true);
  });
});

describe.each(['free', 'bag'])('what is merged into %s', (field) => {
  const text = (length: number): string => 'x'.repeat(length);

  test('obeys bodyLimit where it grows', async () => {
    const path = await make('blanks', { [field]: { a: text(900) } });
    expect((await merge(path, { [field]: { b: text(900) } })).status).toBe(200);
    const refused = await merge(path, { [field]: { c: text(900) } });
    expect([refused.status, refused.body.code, refused.body.message]).toEqual([
      413,
      'BODY_TOO_LARGE',
      `${field} would have 2722 bytes after the merge, more than ${bodyLimit} (server.bodyLimit)`,
    ]);
    const { body } = await both.get(path, clerk);
    expect(Object.keys(body[field])).toEqual(['a', 'b']);
    expect((await merge(path, { [field]: { c: text(100) } })).status).toBe(200);
  });

  test('may shrink from beyond it', async () => {
    const path = await make('blanks', { [field]: {} });
    const id = path.split('/').at(-1) ?? '';
    const large = JSON.stringify({ a: text(3_000), b: text(3_000) });
    const sql = `UPDATE blanks SET ${field} = '${large}' WHERE id = ${id} RETURNING 1`;
    for (const { servedApi } of both.sides)
      await servedApi.database.writeOne({ sql, parameters: [] }, { bound: [] });
    expect((await merge(path, { [field]: { c: 1 } })).status).toBe(413);
    expect((await merge(path, { [field]: { b: text(1_900) } })).status).toBe(200);
    expect((await merge(path, { [field]: { a: null, b: null } })).status).toBe(200);
    expect(both.failures).toEqual([]);
  });
});
