import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { watchStatements } from '../support/statements.ts';
import { blog, durationPattern, hundredths, onEach, records, type DebugBody } from './debug.ts';

const both = await serveBoth(blog, records, undefined, { mode: 'dev' });
afterAll(() => both.stop());

describe('times', () => {
  const requests: readonly string[] = [
    '/v1/posts?_debug=true&_trace=true&expand=author,comments,tags&sort=-rank',
    '/v1/posts/1?_debug=plan&_trace=true&expand=author.posts',
    '/v1/posts/99?_debug=true&_trace=true',
    '/v1/posts?_debug=true&_trace=true&nope=1',
  ];
  const look = ({ _debug, _trace }: DebugBody): void => {
    const { total, database, processing } = _debug.timing;
    for (const duration of [
      total,
      database,
      processing,
      ..._trace.map((step) => step.duration),
      ..._debug.database.queries.map((query) => query.duration),
    ])
      expect(duration).toMatch(durationPattern);
    expect(hundredths(database) + hundredths(processing)).toBe(hundredths(total));
    const sum = _trace.reduce((all, { duration }) => all + hundredths(duration), 0);
    expect(sum).toBe(hundredths(total));
    const times = _trace.map(({ time }) => time);
    for (const time of times) expect(new Date(time).toISOString()).toBe(time);
    // A step begins when the one before has ended, which both tell in ms.
    let at = Date.parse(times[0] ?? '');
    for (const { time, duration } of _trace) {
      expect(Math.abs(Date.parse(time) - at)).toBeLessThanOrEqual(1.5);
      at += hundredths(duration) / 100;
    }
    // What the statements took was spent in the database; so was waiting for a transaction, if there was one.
    const ran = _debug.database.queries.reduce(
      (all, { duration: one }) => all + hundredths(one),
      0,
    );
    expect(hundredths(database)).toBeGreaterThanOrEqual(ran - _debug.database.queries.length);
  };
  test.each(requests)('of %s add up', async (path) => {
    await onEach(both, (side) => side.get(path), look);
  });
  test('of a write add up', async () => {
    await onEach(
      both,
      (side) => side.send('POST', '/v1/events?_debug=true&_trace=true', { at: 'x' }),
      look,
    );
  });

  test('of a statement and of a commit are those that the database took', async () => {
    const run = (sql: string): Promise<unknown> =>
      both.postgres.all({ sql, parameters: [] }, { bound: [] });
    await run(`CREATE FUNCTION sleep() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(0.03); RETURN NULL; END'`);
    await run('CREATE TRIGGER late AFTER INSERT ON events EXECUTE FUNCTION sleep()');
    await run(`CREATE CONSTRAINT TRIGGER late AFTER INSERT ON "post-tags"
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sleep()`);
    const [, postgres] = both.sides;
    if (postgres === undefined) throw new Error('It is not served');
    const late = 3_000;
    const parts = ({
      _debug,
      _trace,
    }: DebugBody): Record<'database' | 'ran', number> & Readonly<Record<string, number>> => ({
      ...Object.fromEntries(_trace.map(({ stage, duration }) => [stage, hundredths(duration)])),
      database: hundredths(_debug.timing.database),
      ran: Math.max(..._debug.database.queries.map(({ duration }) => hundredths(duration))),
    });
    const at = (path: string): string => `${path}?_debug=true&_trace=true`;
    const event = parts((await postgres.send('POST', at('/v1/events'), { at: 'x' })).body);
    for (const part of ['ran', 'write_events', 'database'])
      expect([part, event[part]]).toEqual([part, expect.toSatisfy((time) => time >= late)]);
    // A deferred trigger runs when the transaction commits, in no statement of the request.
    const post = parts(
      (await postgres.send('POST', `${at('/v1/posts')}&expand=author`, { tags: [1] })).body,
    );
    for (const part of ['commit', 'database'])
      expect([part, post[part]]).toEqual([part, expect.toSatisfy((time) => time >= late)]);
  });
});

describe('_debug.database', () => {
  const counts: readonly [path: string, count: number][] = [
    ['/v1/posts/1', 1],
    ['/v1/posts?limit=50', 1],
    ['/v1/posts?limit=1', 2],
    // A total that is remembered is counted again, so that what it costs shows.
    ['/v1/posts?limit=1', 2],
    ['/v1/posts?limit=1&expand=author,comments', 4],
    ['/v1/posts?nope=1', 0],
  ];
  test.each(counts)('%s: %i statements', async (path, count) => {
    await onEach(
      both,
      (side) => side.get(`${path}${path.includes('?') ? '&' : '?'}_debug=true`),
      ({ _debug: { database } }) => {
        expect(database.queryCount).toBe(count);
        expect(database.queries).toHaveLength(count);
        for (const query of database.queries)
          expect(Object.keys(query)).toEqual(['sql', 'duration']);
      },
    );
  });

  test('statements hold placeholders and no value', async () => {
    await onEach(
      both,
      (side) =>
        side.get('/v1/posts?_debug=true&title=s3cret&_or=size:4711,rank:4712&tags.name=blue'),
      ({ _debug: { database } }) => {
        const text = database.queries.map(({ sql }) => sql).join('\n');
        expect(text).toMatch(/\?|\$1/u);
        expect(text).not.toMatch(/s3cret|471|blue/u);
      },
    );
    await onEach(
      both,
      (side) => side.send('POST', '/v1/users?_debug=true', { name: 'Zoe', password: 'hunter3' }),
      (body) => {
        expect(body._debug.database.queryCount).toBe(1);
        expect(JSON.stringify(body)).not.toContain('hunter3');
      },
    );
  });

  test('every statement is listed as it was sent', async () => {
    for (const side of both.sides) {
      const { during } = watchStatements(side);
      const path = '/v1/posts?expand=author,tags,comments&limit=1&tags.name=red&sort=author.name';
      let listed: readonly (string | null)[] = [];
      const sent = await during(async () => {
        const { body } = await side.get(`${path}&_debug=true`);
        listed = (body as DebugBody)._debug.database.queries.map(({ sql }) => sql);
      });
      expect(listed.length).toBeGreaterThan(3);
      expect(new Set(listed)).toEqual(new Set(sent));
      expect(listed).toHaveLength(sent.length);
    }
  });

  test('those of a transaction, too', async () => {
    await onEach(
      both,
      (side) => side.send('PATCH', '/v1/posts/1?_debug=true', { title: 'new', tags: [] }),
      ({ _debug: { database } }, status) => {
        expect(status).toBe(200);
        const text = database.queries.map(({ sql }) => sql).join('\n');
        expect(text).toMatch(/UPDATE "?posts"? /u);
        expect(text).toMatch(/DELETE FROM "post-tags"/u);
        expect(database.queryCount).toBe(database.queries.length);
      },
    );
  });
});

test('the statements of a morphTo are in steps of its own, not of what is expanded below it', async () => {
  const morphs = await serveBoth(
    `
access: public
resources:
  ships:
    fields:
      homeId: { type: integer, reference: ports.id }
      home: { type: relation, relation: belongsTo, resource: ports }
      papers: { type: relation, relation: morphMany, resource: papers }
  ports:
    fields:
      name: { type: string }
      papers: { type: relation, relation: morphMany, resource: papers }
  papers:
    fields:
      ofType: { type: string }
      ofId: { type: integer }
      of: { type: relation, relation: morphTo, typeField: ofType, idField: ofId }
`,
    {
      ports: [{ name: 'Ystad' }],
      ships: [{ homeId: 1 }],
      papers: [
        { ofType: 'ships', ofId: 1 },
        { ofType: 'ports', ofId: 1 },
      ],
    },
    undefined,
    { mode: 'dev' },
  );
  try {
    const one = { queries: 1, rows: 1 };
    await onEach(
      morphs,
      (side) => side.get('/v1/papers?expand=of.home&_trace=true'),
      ({ _trace }) =>
        expect(_trace.slice(4, -1).map(({ stage, details }) => [stage, details])).toEqual([
          ['fetch_papers', { queries: 1, rows: 2 }],
          ['expand_of', one],
          ['expand_of_home', one],
          ['expand_of', one],
        ]),
    );
  } finally {
    await morphs.stop();
  }
});
