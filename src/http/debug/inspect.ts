import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Generator } from '../../generate/generator.ts';
import type { RecordValue } from '../../records/serialize/record.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Call, Watching } from '../api/exchange.ts';
import type { ServedApi } from '../server/served-api.ts';
import { isHonoured } from '../edge/honoured.ts';

/** The generators of models, made when the first request needs one. */
const generators = new WeakMap<ServedApi, Promise<Generator | undefined>>();

/** The generator of a generation's model; undefined where its file asks for what cannot be had. */
export function generatorOf(servedApi: ServedApi): Promise<Generator | undefined> {
  return getOrInsert(generators, servedApi, async ({ api, folder }) => {
    const { makeGenerator } = await import('../../generate/generator.ts');
    const made = await makeGenerator(api, folder);
    return made.ok ? made.generator : undefined;
  });
}

/**
 * Finds out what `_inspect=data` adds to an answer that shows these records, where it is asked for. All that generates
 * is loaded by then: a server that only serves starts without it.
 */
export function inspectShown(call: Call, records: readonly RecordValue[]): MaybePromise<void> {
  const { exchange, caller } = call;
  const { watching } = exchange;
  return watching?.wish.inspectData === true && isHonoured(exchange, caller)
    ? inspect(call, records, watching)
    : undefined;
}

async function inspect(
  { exchange: { servedApi }, resourceView }: Call,
  records: readonly RecordValue[],
  watching: Watching,
): Promise<void> {
  const { inspectRecords } = await import('../../generate/inspect.ts');
  const generator = await generatorOf(servedApi);
  watching.inspected = inspectRecords(servedApi.api, resourceView, records, generator);
}
