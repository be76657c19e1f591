import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import { migrate } from '../../src/migrations/postgres/schema.ts';
import { openPostgres, type PostgresDatabase } from '../../src/databases/postgres/database.ts';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { Api } from '../../src/model/api.ts';
import { isGenerated } from '../../src/model/field-types/id.ts';
import { quote } from '../../src/sql/dialect.ts';
import {
  buildValid,
  fill,
  makeSqlite,
  serve,
  type Records,
  type ServeOptions,
  type TestApi,
} from './api.ts';
import { createDatabase } from './postgres.ts';

/**
 * One specification served over each database. A request goes to both, whose answers have to be equal in status,
 * headers and bytes. What comes back is SQLite's; so are `url` and `generation`.
 */
export interface Both extends TestApi {
  readonly postgres: PostgresDatabase;
  readonly sqlite: SqliteDatabase;
  /** Each alone, for what may differ. */
  readonly sides: readonly TestApi[];
}

/**
 * Serves a specification, or the Api of one, over SQLite and over PostgreSQL, with the same records. Both draw the same times and ids;
 * `now` is their clock; `open` says how PostgreSQL is reached.
 */
export async function serveBoth(
  specification: string | Api,
  records: Records = {},
  now: () => Date = () => new Date(),
  options: ServeOptions = {},
  open = (url: string): Promise<PostgresDatabase> => openPostgres(url, { poolSize: 4 }),
): Promise<Both> {
  const model = typeof specification === 'string' ? buildValid(specification) : specification;
  const { database: sqlite, remove } = await makeSqlite(model);
  const test = await createDatabase();
  const postgres = await open(test.url);
  await migrate(postgres, model);
  const [clock, ids] = [inStep(now), inStep(uuidv7)];
  const failures: unknown[] = [];
  const first = await serve(model, sqlite, { now: clock(), uuid: ids() }, failures, options);
  const second = await serve(model, postgres, { now: clock(), uuid: ids() }, failures, {
    ...options,
    isCompared: true,
  });
  const sending =
    (way: 'send' | 'sendInProcess'): TestApi['send'] =>
    async (...request) => {
      const answer = await agreed(first[way](...request), second[way](...request));
      if (request[0] !== 'GET' && answer.status >= 400) await alignIds(model, sqlite, postgres);
      return answer;
    };
  const send = sending('send');
  const both: Both = {
    ...first,
    postgres,
    sqlite,
    sides: [first, second],
    send,
    sendInProcess: sending('sendInProcess'),
    get: (path, headers) => send('GET', path, undefined, headers),
    raw: (...request) => agreed(first.raw(...request), second.raw(...request)),
    settled: async () => {
      await first.settled();
      await second.settled();
    },
    stop: async () => {
      await first.stop();
      await second.stop();
      await test.drop();
      remove();
    },
  };
  await fill(both, records);
  return both;
}

/** Gives each side the values of one source: the n-th that one side draws is the n-th of the other. */
function inStep<Value>(draw: () => Value): () => () => Value {
  const drawn: Value[] = [];
  return () => {
    let next = 0;
    return () => {
      const value = drawn[next] ?? draw();
      drawn[next] = value;
      next += 1;
      return value;
    };
  };
}

interface Seen {
  readonly status: number;
  readonly headers: Headers | IncomingHttpHeaders;
  readonly text: string;
}

/** Headers that say something of the moment, not of the data. */
const fleeting = new Set(['date', 'x-request-id', 'keep-alive', 'connection']);

/** The answer that both give. */
async function agreed<Answer extends Seen>(
  first: Promise<Answer>,
  second: Promise<Answer>,
): Promise<Answer> {
  const [answer, other] = await Promise.all([first, second]);
  const [expected, given] = [comparable(answer), comparable(other)];
  // A tenth of the time of a comparison that can say what differs.
  if (!isDeepStrictEqual(given, expected))
    expect(
      given,
      `what PostgreSQL answers: ${JSON.stringify(given)}\ninstead of ${JSON.stringify(expected)}`,
    ).toEqual(expected);
  return answer;
}

function comparable({ status, headers, text }: Seen): unknown {
  const all = new Map(headers instanceof Headers ? headers : Object.entries(headers));
  // A request id is not compressed to the same length every time.
  if (all.has('content-encoding')) all.delete('content-length');
  return {
    status,
    headers: Object.fromEntries([...all].filter(([name]) => !fleeting.has(name))),
    text: text.replace(/"requestId":"[^"]*"/u, '"requestId":""'),
  };
}

/**
 * Lets both give out the same ids again after a refused write: SQLite takes back the ids that were drawn for it,
 * PostgreSQL leaves a gap. Either is right, since no id is given out twice. See
 * docs/contract/1-specification-file.md#field-types, rule 1.
 */
async function alignIds(
  { resources }: Api,
  { schemaConnection }: SqliteDatabase,
  postgres: PostgresDatabase,
): Promise<void> {
  const counted = [...resources.values()].filter(({ id }) => isGenerated(id));
  // Where no table counts, SQLite has none of its counts either.
  if (counted.length === 0) return;
  const last = schemaConnection
    .prepare('SELECT CAST(seq AS TEXT) FROM sqlite_sequence WHERE name = ?')
    .pluck();
  const sequences = counted.map(({ table, id }) => {
    const seq = last.get(table);
    const name = quote(table).replaceAll("'", "''");
    const sequence = `pg_get_serial_sequence('${name}', '${id.column}')`;
    return typeof seq === 'string'
      ? `setval(${sequence}, ${seq})`
      : `setval(${sequence}, 1, false)`;
  });
  await postgres.all({ sql: `SELECT ${sequences.join(', ')}`, parameters: [] }, { bound: [] });
}
