import { apiError, fail, ok, type Result } from '../../../errors.ts';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import type { Caller } from '../../../model/access.ts';
import { RefusedSql, type GivenAnswer } from '../../../databases/given-sql.ts';
import { ApiFailure } from '../../../records/api-failure.ts';
import { RowBudget } from '../../../records/row-budget.ts';
import { serverDefaults } from '../../../specification/keys/server.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { Statement } from '../../../sql/statement.ts';
import { bytesPerCharacter } from '../../load/memory-budget.ts';
import { listJson } from '../../response/list-json.ts';
import { jsonResponse, type Response } from '../../response/response.ts';
import type { ServedApi } from '../../server/served-api.ts';
import type { Exchange } from '../exchange.ts';
import { requesterOf } from '../reads.ts';
import { nothingAt } from '../router.ts';
import { SqlStatements, type SentSql } from './statement.ts';

/** The most bytes of a statement with its values. */
const mostBytes = 32 * 1024 * 1024;

const statements = new WeakMap<ServedApi, SqlStatements>();
/** What readMemory knows a statement by. */
const measured = new WeakMap<Statement, { readonly rows: readonly Statement[] }>();

/** Answers SQL of own code: `POST /_sql`, which only the owner's client in process reaches. */
export async function answerSql(exchange: Exchange, caller: Caller): Promise<Result<Response>> {
  const { servedApi, method, trace, metrics, requestId } = exchange;
  if (caller.isOwner !== true || method !== 'POST') return fail(nothingAt(exchange.path));
  trace.route = '/_sql';
  trace.operation = 'sql';
  trace.enter('read_body');
  const body = await exchange.readBody(mostBytes);
  if (!body.ok) return body;
  const sent = JSON.parse(body.value.toString()) as SentSql;
  const own = getOrInsert(
    statements,
    servedApi,
    () => new SqlStatements(servedApi.database.dialect),
  );
  const { statement, bound } = own.bind(sent);
  trace.enter('sql');
  const begin = performance.now();
  try {
    const answer = await run(exchange, caller, statement, bound);
    metrics.ranCode('sql', 'done', performance.now() - begin);
    trace.enter('finalize');
    return ok(jsonResponse(200, answer, requestId));
  } catch (error) {
    metrics.ranCode('sql', 'failed', performance.now() - begin);
    if (error instanceof ApiFailure) return fail(error.error);
    if (!(error instanceof RefusedSql)) throw error;
    return fail(apiError(error.isConstraint ? 'CONFLICT' : 'INVALID_SQL', error.message));
  }
}

/** Runs the statement within the memory of responses; gives the text of the answer. */
async function run(
  exchange: Exchange,
  caller: Caller,
  statement: Statement,
  bound: readonly (null | number | bigint | string | boolean)[],
): Promise<string> {
  const { readMemory, reservation, answerLength: most, database, servedApi, trace } = exchange;
  const requester = requesterOf({ exchange, caller });
  const read = async (budget: RowBudget): Promise<string> => {
    const answer = await database.runGiven(statement, { bound, budget, requester });
    const text = await textOf(answer, budget.used);
    budget.made(text.length);
    return text;
  };
  if (database.isInTransaction === true) {
    // A statement that waited for memory would run again, and what it has written would stay.
    const budget = new RowBudget({ most, requester });
    const text = await read(budget);
    reservation.grow(budget.used * bytesPerCharacter);
    return text;
  }
  const { requestTimeout = serverDefaults.requestTimeout } = servedApi.api.settings.server ?? {};
  const request = { reservation, requester, until: trace.begin + requestTimeout, most };
  const compiled = getOrInsert(measured, statement, () => ({ rows: [statement] }));
  return readMemory.run(request, compiled, 1, read);
}

async function textOf({ columns, rows, count }: GivenAnswer, length: number): Promise<string> {
  const readers = columns.map(({ read }) => read);
  const values = readers.every((read) => read === undefined)
    ? rows
    : rows.map((row) =>
        row.map((stored, index): JsonValue => {
          const read = readers[index];
          return stored === null || read === undefined ? (stored as JsonValue) : read(stored);
        }),
      );
  const names = JSON.stringify(columns.map(({ name }) => name));
  return `{"columns":${names},"rows":${await listJson(values, length)},"count":${count}}`;
}
