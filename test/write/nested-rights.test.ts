import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

describe('nested writes under access rules', () => {
  let guarded: Both;
  const ann = caller({ sub: 'ann', roles: [] });
  const bob = caller({ sub: 'bob', roles: [] });
  const eve = caller({ sub: 'eve', roles: ['auditor'] });
  beforeAll(async () => {
    guarded = await serveBoth(
      `
${withTokens}
audit: { resources: [books, chapters, labels, book-labels], roles: [auditor] }
access: authenticated
resources:
  books:
    access:
      read: [auditor, { role: authenticated, where: "owner={user.sub}" }]
      create: authenticated
      update: [{ role: authenticated, where: "owner={user.sub}" }]
      delete: authenticated
    fields:
      owner: { type: string, default: "{user.sub}" }
      chapters: { type: relation, relation: hasMany, resource: chapters }
      secrets: { type: relation, relation: hasMany, resource: secrets }
      labels: { type: relation, relation: belongsToMany, resource: labels, through: book-labels }
      locks: { type: relation, relation: hasMany, resource: locks }
  chapters:
    access:
      read: authenticated
      create: [{ role: authenticated, where: "book.owner={user.sub}" }]
      update: [{ role: authenticated, where: "isOpen=true" }]
      delete: [{ role: authenticated, where: "isOpen=true" }]
    fields:
      text: { type: string }
      isOpen: { type: boolean, default: true }
      bookId: { type: integer, nullable: true, reference: books.id }
      book: { type: relation, relation: belongsTo, resource: books }
  secrets:
    access: { read: authenticated, create: none, update: none, delete: none }
    fields: { bookId: { type: integer, nullable: true, reference: books.id } }
  locks:
    fields: { bookId: { type: integer, nullable: true, reference: books.id, access: { create: [auditor], update: [auditor], read: authenticated } } }
  labels:
    fields: { name: { type: string } }
  book-labels:
    access: { read: authenticated, create: authenticated, update: none, delete: none }
    fields:
      bookId: { type: integer, required: true, reference: books.id }
      labelId: { type: integer, required: true, reference: labels.id }
`,
      {},
      () => new Date('2026-03-01T12:00:00Z'),
    );
  });
  afterAll(() => guarded?.stop());

  const make = async (owner = ann): Promise<{ path: string; ids: number[] }> => {
    const answer = await guarded.send(
      'POST',
      '/v1/books?expand=chapters',
      { chapters: { create: [{ text: '1' }, { text: '2', isOpen: false }] } },
      owner,
    );
    expect(answer.status, answer.text).toBe(201);
    const ids = (answer.body.chapters as { id: number }[]).map(({ id }) => id);
    return { path: `/v1/books/${answer.body.id}`, ids };
  };
  const all = async (): Promise<unknown> => [
    (await guarded.get('/v1/books?expand=chapters&limit=100', eve)).text,
    (await guarded.get('/v1/chapters?limit=100', eve)).text,
  ];

  test('a rule that looks at the parent sees it', async () => {
    const { path } = await make();
    const { body } = await guarded.get(`${path}?expand=chapters`, ann);
    expect(body).toMatchObject({ owner: 'ann', chapters: [{ text: '1' }, { text: '2' }] });
  });

  type Refusal = readonly [string, (ids: readonly number[]) => object];
  test.each<Refusal>([
    ['no right to create', () => ({ secrets: { create: [{}] } })],
    ['no right to change', () => ({ secrets: { update: [{ id: 1 }] } })],
    ['no right to delete', () => ({ secrets: { delete: [1] } })],
    ['no right to take over', () => ({ secrets: { add: [1] } })],
    ['no right to write the key', () => ({ locks: { create: [{}] } })],
    ['no right to change the key', () => ({ locks: { add: [1] } })],
    ['no right to link', () => ({ labels: { create: [{ name: 'a' }] } })],
    [
      'a row that may not change',
      ([, closed]) => ({ chapters: { update: [{ id: closed, text: 'x' }] } }),
    ],
    ['a row that may not go', ([open, closed]) => ({ chapters: { delete: [open, closed] } })],
    ['a row that may not be let go', ([, closed]) => ({ chapters: { remove: [closed] } })],
    [
      'a result that is not allowed',
      ([open]) => ({ chapters: { update: [{ id: open, isOpen: false }] } }),
    ],
    [
      'a right that is missing beside a problem',
      () => ({ secrets: { create: [{ zzz: 1 }] }, zzz: 1 }),
    ],
  ])('%s: 403, and nothing happens', async (_, body) => {
    const { path, ids } = await make();
    const before = await all();
    const answer = await guarded.send('PATCH', path, body(ids), ann);
    expect([answer.status, answer.body.code], answer.text).toEqual([403, 'FORBIDDEN']);
    expect(await all()).toEqual(before);
  });

  test('what the caller does not see is not reached', async () => {
    const { path } = await make(ann);
    const before = await all();
    const answer = await guarded.send('PATCH', path, { chapters: { create: [{}] } }, bob);
    expect(answer.status).toBe(404);
    expect(await all()).toEqual(before);
  });

  test('every record is in the audit log', async () => {
    const { path, ids } = await make();
    await guarded.send(
      'PATCH',
      path,
      { chapters: { update: [{ id: ids[0], text: 'z' }], create: [{ text: 'n' }] } },
      ann,
    );
    await guarded.send('PATCH', path, { chapters: { delete: [ids[0]] } }, ann);
    const log = await guarded.get(
      `/_audit?resource=chapters&recordId=${ids[0]}&fields=operation,changed&sort=id`,
      eve,
    );
    expect((log.body as { operation: string }[]).map(({ operation }) => operation)).toEqual([
      'create',
      'update',
      'delete',
    ]);
    const created = await guarded.get(
      '/_audit?resource=chapters&operation=create&limit=100&fields=recordId',
      eve,
    );
    const chapters = await guarded.get('/v1/chapters?limit=100', eve);
    expect((created.body as unknown[]).length).toBe((chapters.body as unknown[]).length + 1);
  });
});
