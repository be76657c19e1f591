import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder } from '../support/command.ts';
import { caller, withTokens } from '../support/callers.ts';
import { postgresSide, sqliteSide, type Side } from '../support/migrations.ts';
import { createDatabase, type TestDatabase } from '../support/postgres.ts';

const resources = `
${withTokens}
resources:
  posts:
    fields:
      title: { type: string }
`;
const audited = `audit: true\n${resources}`;
const auditor = caller({ sub: 'eve', roles: ['auditor'] });

const place = makeFolder();
let database: TestDatabase;
let sides: Readonly<Record<string, Side>>;
beforeAll(async () => {
  database = await createDatabase();
  sides = { sqlite: sqliteSide(place.at('test.db')), postgres: postgresSide(database.url) };
});
afterAll(async () => {
  await database?.drop();
});

describe.each(['sqlite', 'postgres'])('the table of the log on %s', (name) => {
  const side = (): Side => {
    const one = sides[name];
    if (one === undefined) throw new Error(name);
    return one;
  };
  const steps = async (text: string): Promise<readonly string[]> =>
    (await side().plan(text)).map(({ summary }) => summary.replace(/ \(id, .*/u, ''));
  const log = (): Promise<unknown> =>
    side().served(audited, async (api) => {
      await api.send('POST', '/v1/posts', { title: 'x' }, auditor);
      return (await api.get('/_audit', auditor)).body;
    });

  test('is created with the key, and fits from then on', async () => {
    await side().apply(resources);
    expect(await steps(audited)).toEqual([
      'create table _plinth_audit',
      'create index on _plinth_audit (at)',
      'create index on _plinth_audit (resource, recordId)',
    ]);
    await side().apply(audited);
    expect(await steps(audited)).toEqual([]);
    expect(await log()).toHaveLength(1);
  });

  test('stays with its rows when the key goes and comes again', async () => {
    expect(await steps(resources)).toEqual([]);
    await side().apply(resources, { allowDataLoss: true });
    expect(await steps(audited)).toEqual([]);
    expect(await log()).toHaveLength(2);
  });
});
