import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { caller, callerIn } from '../support/callers.ts';
import { noPooler, startPooler } from '../support/pgbouncer.ts';
import type { TestService } from '../support/service.ts';
import { serveSecured, type SecuredApi } from '../support/row-security.ts';
import { person, specification, tables } from './documents.ts';

/** Each caller's requests run with its settings. See docs/contract/8-existing-databases.md#sessions. */
type Headers = Record<string, string>;

interface Document {
  readonly id: number;
  readonly title: string;
  readonly owner: string;
  readonly tenant: string;
}

const ways = [
  ['directly', undefined],
  ...(noPooler === undefined ? ([['through a pooler', 'transaction']] as const) : []),
] as const;

describe.each(ways)('%s', (_, pooler) => {
  let secured: SecuredApi;
  let bouncer: TestService | undefined;
  let [ann, bob, cem]: readonly Headers[] = [];

  beforeAll(async () => {
    secured = await serveSecured(specification('  poolSize: 2'), tables, {
      poolSize: 2,
      ...(pooler === undefined
        ? {}
        : {
            pooler,
            through: async (url: string) => {
              bouncer = await startPooler(url);
              return bouncer.url;
            },
          }),
    });
    [ann, bob, cem] = [
      person('ann', 't1', secured.roles),
      person('bob', 't2', secured.roles),
      person('cem', 't3', secured.roles),
    ];
  });

  afterAll(async () => {
    await secured?.stop();
    await bouncer?.stop();
  });

  async function read(path: string, headers?: Headers): Promise<[number, unknown]> {
    const { status, body } = await secured.api.get(path, headers);
    return [status, body];
  }

  test('a list has the rows of its caller, and their number', async () => {
    for (const [name, headers] of [
      ['ann', ann],
      ['bob', bob],
    ] as const) {
      const { body, headers: sent } = await secured.api.get('/documents?limit=5', headers);
      expect((body as Document[]).map(({ owner }) => owner)).toEqual(
        Array.from({ length: 5 }, () => name),
      );
      expect(sent.get('x-total-count')).toBe('20');
    }
  });

  test('a filter, a sort and a range find nothing else', async () => {
    expect(await read('/documents?owner=bob', ann)).toEqual([200, []]);
    expect(await read('/documents?title_like=bob%25', ann)).toEqual([200, []]);
    const [, found] = await read('/documents?sort=-title&limit=1&fields=owner', bob);
    expect(found).toMatchObject([{ owner: 'bob' }]);
  });

  test('a record of another caller is none', async () => {
    const [row] = await secured.ask(`SELECT id FROM documents WHERE owner = 'bob' LIMIT 1`);
    const path = `/documents/${String(row?.[0])}`;
    expect((await read(path, bob))[0]).toBe(200);
    expect((await read(path, ann))[0]).toBe(404);
    for (const method of ['PATCH', 'DELETE'] as const)
      expect(
        (await secured.api.send(method, path, method === 'PATCH' ? { title: 'x' } : undefined, ann))
          .status,
      ).toBe(404);
  });

  test('expansions and filters through relations end at the policies', async () => {
    await secured.ask(`UPDATE documents SET "folderId" = 2 WHERE title = 'ann 20'`);
    const [, all] = await read('/documents?expand=folder,tags&limit=100', ann);
    const folders = (all as { folder: object | null; tags: object[] }[]).map(
      ({ folder }) => folder,
    );
    expect(new Set(folders.map((folder) => JSON.stringify(folder)))).toEqual(
      new Set(['{"id":1,"name":"of ann","owner":"ann"}', 'null']),
    );
    const [, other] = await read('/folders?expand=documents', bob);
    expect(
      (other as { documents: Document[] }[]).flatMap(({ documents }) =>
        documents.map(({ owner }) => owner),
      ),
    ).not.toContain('ann');
    expect(await read('/documents?folder.owner=bob', ann)).toEqual([200, []]);
    await secured.ask(`UPDATE documents SET "folderId" = 1 WHERE title = 'ann 20'`);
  });

  test('a cursor of one caller shows another its own rows alone', async () => {
    const [, page] = await read('/documents?cursor=&limit=3', ann);
    const { next_cursor: next } = page as { next_cursor: string };
    const [, own] = await read(`/documents?cursor=${next}&limit=3`, ann);
    expect((own as { data: Document[] }).data.map(({ title }) => title)).toEqual([
      'ann 4',
      'ann 5',
      'ann 6',
    ]);
    const [, others] = await read(`/documents?cursor=${next}&limit=100`, bob);
    expect(new Set((others as { data: Document[] }).data.map(({ owner }) => owner))).toEqual(
      new Set(['bob']),
    );
  });

  test('an estimate and an export are of the same rows', async () => {
    const { headers } = await secured.api.get('/documents?limit=2', {
      ...bob,
      prefer: 'count=estimated',
    });
    expect(headers.get('x-total-count')).toBe('20');
    for (const accept of ['text/csv', 'application/x-ndjson']) {
      const { text } = await secured.api.raw('/documents?limit=1000', {
        headers: { ...bob, accept },
      });
      expect(text.match(/"?\b(?:ann|cem) \d+/gu)).toBeNull();
      expect(text.match(/\bbob \d+/gu)).toHaveLength(20);
    }
  });

  test('callers without a role are the role that logs in, and anonymous ones may have one', async () => {
    expect((await read('/documents'))[0]).toBe(401);
    expect((await read('/documents', caller({ sub: 'ann' })))[0]).toBe(403);
    const { anonymous } = secured.roles;
    const [, visible] = await read(
      '/documents?fields=title',
      caller({ sub: 'ann', dbRole: anonymous }),
    );
    expect((visible as Document[]).map(({ title }) => title)).toEqual(['ann 1', 'bob 1', 'cem 1']);
  });

  test('a role that may not be taken is refused', async () => {
    for (const dbRole of ['postgres', 'nobody', '"', `x'; RESET ROLE`, 1, ['a'], '\0'])
      expect([dbRole, (await read('/documents', caller({ sub: 'ann', dbRole })))[0]]).toEqual([
        dbRole,
        403,
      ]);
    expect((await read('/documents?limit=1', ann))[0]).toBe(200);
  });

  test('what a role may not do is 403, what it may see but not change too', async () => {
    expect((await read('/secrets', ann))[0]).toBe(403);
    expect((await secured.api.send('POST', '/tags', { name: 'x' }, ann)).status).toBe(403);
    expect(
      (await secured.api.send('POST', '/documents', { title: 'x', owner: 'bob' }, ann)).status,
    ).toBe(403);
    const [row] = await secured.ask(
      `UPDATE documents SET "isLocked" = true WHERE title = 'ann 3' RETURNING id`,
    );
    const path = `/documents/${String(row?.[0])}`;
    for (const headers of [
      {},
      { 'if-match': '*' },
      { 'if-match': String((await secured.api.get(path, ann)).headers.get('etag')) },
    ])
      for (const [method, body] of [
        ['PATCH', { title: 'y' }],
        ['DELETE', undefined],
      ] as const)
        expect((await secured.api.send(method, path, body, { ...ann, ...headers })).status).toBe(
          403,
        );
    expect(await secured.ask(`SELECT title FROM documents WHERE "isLocked"`)).toEqual([['ann 3']]);
    await secured.ask(`UPDATE documents SET "isLocked" = false`);
  });

  test('a record is created, changed, linked and deleted as its caller', async () => {
    const { api } = secured;
    const created = await api.send('POST', '/documents', { title: 'new' }, ann);
    expect([created.status, created.body]).toMatchObject([
      201,
      { title: 'new', owner: 'ann', tenant: 't1' },
    ]);
    const path = `/documents/${String(created.body.id)}`;
    const etag = String(created.headers.get('etag'));
    const changed = await api.send(
      'PATCH',
      `${path}?expand=tags`,
      { title: 'newer', tags: [{ id: 1, pivot: { note: 'n' } }] },
      { ...ann, 'if-match': etag },
    );
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { title: 'newer', tags: [{ id: 1, name: 'red' }] },
    ]);
    expect(
      (await api.send('PATCH', path, { title: 'z' }, { ...ann, 'if-match': etag })).status,
    ).toBe(412);
    expect(
      (
        await api.send(
          'PATCH',
          path,
          { title: 'z' },
          { ...ann, 'if-match': String((await api.get(path, ann)).headers.get('etag')) },
        )
      ).status,
    ).toBe(200);
    expect((await api.send('DELETE', path, undefined, ann)).status).toBe(204);
    expect((await api.get(path, ann)).status).toBe(404);
  });

  test('an array is created as a whole or not at all', async () => {
    const { api } = secured;
    const two = await api.send('POST', '/documents', [{ title: 'a' }, { title: 'b' }], ann);
    expect([two.status, two.body]).toMatchObject([201, [{ owner: 'ann' }, { owner: 'ann' }]]);
    const bad = await api.send(
      'POST',
      '/documents',
      [{ title: 'c' }, { title: 'd', owner: 'bob' }],
      ann,
    );
    expect(bad.status).toBe(403);
    expect(
      await secured.ask(
        `DELETE FROM documents WHERE title IN ('a', 'b', 'c', 'd') RETURNING title`,
      ),
    ).toEqual([['a'], ['b']]);
  });

  test('a key makes one record, whose repeats are read as the caller', async () => {
    const { api } = secured;
    const key = { 'idempotency-key': `key-${pooler ?? ''}` };
    const send = (headers: Headers | undefined) =>
      api.send('POST', '/documents', { title: 'once' }, { ...headers, ...key });
    const [first, second] = [await send(ann), await send(ann)];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect((await send(bob)).body).toMatchObject({ owner: 'bob', tenant: 't2' });
    await secured.ask(`UPDATE documents SET owner = 'cem' WHERE title = 'once' AND owner = 'ann'`);
    const hidden = await send(ann);
    expect([hidden.status, hidden.body]).toEqual([201, { id: first.body.id }]);
    await secured.ask(`DELETE FROM documents WHERE title = 'once'`);
  });

  test('the claims are all there, numbers with their digits', async () => {
    const { member } = secured.roles;
    const big = callerIn(`"sub":"ann","tenant":9007199254740993,"dbRole":"${member}"`);
    const made = await secured.api.send('POST', '/documents', { title: 'big' }, big);
    expect([made.status, made.body]).toMatchObject([
      201,
      { owner: 'ann', tenant: '9007199254740993' },
    ]);
    await secured.ask(`DELETE FROM documents WHERE title = 'big'`);
  });

  test('the service is ready although its role may not read the tables', async () => {
    expect((await read('/_ready'))[0]).toBe(200);
  });

  test('64 requests at a time of 8 callers over 2 connections never see rows of another', async () => {
    const people = Array.from({ length: 8 }, (_, index) => `p${index}`);
    await secured.ask(`INSERT INTO documents (title, owner, tenant) SELECT name || ' ' || number, name, name
      FROM unnest(ARRAY[${people.map((name) => `'${name}'`).join(', ')}]) AS name, generate_series(1, 3) AS number`);
    const callers = people.map((name) => person(name, name, secured.roles));
    const { api } = secured;
    let [checked, seed] = [0, 7];
    const random = (count: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * count);
    };
    const one = async (): Promise<void> => {
      const at = random(people.length);
      const [name, headers] = [String(people[at]), callers[at] ?? {}];
      const kind = random(9);
      if (kind === 0) {
        // A request that its client gives up.
        const over = new AbortController();
        const asked = fetch(`${api.url}/documents?expand=tags&limit=100`, {
          headers,
          signal: over.signal,
        }).catch(() => undefined);
        setTimeout(() => over.abort(), random(4));
        await asked;
        return;
      }
      if (kind === 1)
        expect(
          (await api.send('POST', '/documents', { title: 'bad', owner: `${name}x` }, headers)).body,
        ).toMatchObject({ status: 403 });
      else if (kind === 2) {
        const made = await api.send('POST', '/documents', { title: 'made' }, headers);
        expect(made.body).toMatchObject({ owner: name, tenant: name });
        const path = `/documents/${String(made.body.id)}`;
        expect((await api.send('PATCH', path, { title: 'changed' }, headers)).body).toMatchObject({
          owner: name,
        });
        const { status, text } = await api.send('DELETE', path, undefined, headers);
        expect(status, text).toBe(204);
      } else if (kind === 3)
        expect((await api.get('/documents', caller({ dbRole: 'nobody' }))).status).toBe(403);
      else {
        const path = [
          '/documents?limit=100',
          '/documents?limit=2',
          '/documents?expand=tags',
          '/documents?cursor=&limit=2',
          `/documents?owner_in=${people.join(',')}&sort=-title`,
        ][kind - 4];
        const { body } = await api.get(String(path), headers);
        const list = (Array.isArray(body) ? body : body.data) as Document[];
        expect(new Set(list.map(({ owner }) => owner))).toEqual(new Set([name]));
        checked += 1;
      }
    };
    let left = 500;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        for (; left > 0; left -= 1) await one();
      }),
    );
    expect(checked).toBeGreaterThan(64);
    expect(api.failures).toEqual([]);
    await secured.ask(`DELETE FROM documents WHERE owner LIKE 'p%'`);
    expect((await read('/documents?limit=1', cem))[0]).toBe(200);
  });
});
