import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPostgres } from '../../src/databases/postgres/database.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { makeThings, none, statement, type Things } from '../support/things.ts';

describe('reads outside of a transaction come from a replica that is behind', () => {
  const specification = `
access: public
resources:
  notes: { fields: { title: { type: string }, text: { type: string, nullable: true } } }
`;
  let both: Both;
  let proxy: Proxy;

  beforeAll(async () => {
    both = await serveBoth(specification, {}, undefined, {}, async (url) => {
      proxy = await startProxy(url);
      return openPostgres(proxy.url, { poolSize: 2 });
    });
    await both.send('POST', '/v1/notes', { title: 'former' });
    await both.postgres.changeSchema((ask) => ask('CREATE TABLE stale AS SELECT * FROM notes'));
    await both.send('POST', '/v1/notes', { title: 'new' });
    await both.send('PATCH', '/v1/notes/1', { title: 'changed' });
    // What a conditional write looks at before it writes.
    proxy.rewrite('xmin::text FROM "notes"', 'xmin::text FROM "stale"');
  });

  afterAll(async () => {
    await both?.stop();
    await proxy?.stop();
  });

  test.each([
    ['one that has changed', '/v1/notes/1'],
    ['one that is new', '/v1/notes/2'],
  ])('a conditional write is decided by the record itself: %s', async (_, path) => {
    const tagOf = async (): Promise<string> => String((await both.get(path)).headers.get('etag'));
    const former = await tagOf();
    const changed = await both.send('PATCH', path, { text: 'a' }, { 'if-match': former });
    expect(changed.status).toBe(200);
    expect((await both.send('PATCH', path, { text: 'b' }, { 'if-match': former })).status).toBe(
      412,
    );
    expect(
      (await both.send('PATCH', path, { text: 'b' }, { 'if-match': await tagOf() })).body,
    ).toMatchObject({ text: 'b' });
    expect((await both.send('PATCH', '/v1/notes/9', {}, { 'if-match': former })).status).toBe(404);
  });
});

describe('a standby that gives up a read, since what it reads has to change', () => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings();
    // So the server says it: a sequence is not taken back.
    await things.other
      .unsafe(
        `CREATE SEQUENCE conflicts; CREATE FUNCTION conflict(times bigint) RETURNS bigint LANGUAGE plpgsql AS
       $$ BEGIN IF nextval('conflicts') <= times THEN
         RAISE EXCEPTION 'canceling statement due to conflict with recovery' USING ERRCODE = '40001';
       END IF; RETURN times; END $$`,
      )
      .simple();
  });
  afterAll(() => things?.end());

  test.each([
    [3, true],
    [4, false],
  ])('%d times: %s', async (times, isAnswered) => {
    await things.other`SELECT setval('conflicts', 1, false)`;
    const read = things.database.all(statement(`SELECT conflict(${times})`), none);
    if (isAnswered) expect(await read).toEqual([[times]]);
    else await expect(read).rejects.toMatchObject({ kind: 'busy' });
  });
});
