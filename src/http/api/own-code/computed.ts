import type { OwnField } from '../../../extensions/computed.ts';
import { messageOf } from '../../../lib/message-of.ts';
import type { Caller } from '../../../model/access.ts';
import { readValue } from '../../../model/validation/read-value.ts';
import type { Requester } from '../../../sql/statement.ts';
import type { CodeRun, Exchange } from '../exchange.ts';
import { OwnCodeContext } from './context.ts';
import { codeCall, codeRunOf, runCode } from './run.ts';

type OwnValues = NonNullable<Requester['ownValues']>;
type Needed = Parameters<OwnValues>[1];

/** Computes the fields of own code for a request; undefined if there are none. `runOf`: the run for each page of records. */
export function ownValuesOf(
  exchange: Exchange,
  caller: Caller,
  runOf: (exchange: Exchange) => CodeRun = codeRunOf,
): OwnValues | undefined {
  const { code } = exchange.servedApi;
  if (code === undefined || code.computed.size === 0) return undefined;
  // The answer of a write is made while it holds its records.
  const holding: Exchange = { ...exchange, holdsTurns: true };
  return (field, needed) => {
    const own = code.computed.get(field);
    return own === undefined
      ? Promise.resolve([])
      : valuesOf(own, needed, holding, caller, runOf(holding));
  };
}

/** The values of a page of records. What cannot be computed is null, and the log tells why. */
async function valuesOf(
  { field, compute }: OwnField,
  needed: Needed,
  exchange: Exchange,
  caller: Caller,
  run: CodeRun,
): Promise<readonly unknown[]> {
  const place = `computed ${field.name} of ${field.resource.name}`;
  const call = codeCall(exchange, run, place);
  const context = new OwnCodeContext(call, caller);
  const refused = (error: unknown): void =>
    exchange.note({
      level: 'error',
      requestId: exchange.requestId,
      message: `${place}: ${messageOf(error)}`,
      error,
    });
  const each = async (record: Needed[number]): Promise<unknown> => {
    try {
      return await compute.value?.(record, context);
    } catch (error) {
      refused(error);
      return null;
    }
  };
  const all = async (): Promise<readonly unknown[]> => {
    if (compute.values === undefined) return Promise.all(needed.map(each));
    const values: unknown = await compute.values(needed, context);
    if (Array.isArray(values) && values.length === needed.length) return values as unknown[];
    throw new TypeError(`it gave no list of ${needed.length} values, one for each record`);
  };
  const given = await runCode(call, async () => {
    try {
      return await all();
    } catch (error) {
      refused(error);
      return [];
    }
  });
  if (!given.ok) return [];
  return given.value.map((value) => {
    const plain: unknown = value instanceof Date ? value.toISOString() : value;
    if (plain === undefined || plain === null) return null;
    const read = readValue(plain, field);
    if (read.ok) return read.value;
    refused(new TypeError(read.issues.map(({ message }) => message).join('; ')));
    return null;
  });
}
