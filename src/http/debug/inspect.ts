import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Generator } from '../../generate/generator.ts';
import type { RecordValue } from '../../records/serialize/record.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Call, Watching } from '../api/exchange.ts';
import type { ServedApi } from '../server/served-api.ts';
import { mayDebug } from './audience.ts';

/** Generators by served API, made by the first request that needs one. */
const generators = new WeakMap<ServedApi, Promise<Generator | undefined>>();

/** The generator of a served API; undefined if its file asks for data that cannot be generated. */
export function generatorOf(servedApi: ServedApi): Promise<Generator | undefined> {
  return getOrInsert(generators, servedApi, async ({ api, folder }) => {
    const { makeGenerator } = await import('../../generate/generator.ts');
    const made = await makeGenerator(api, folder);
    return made.ok ? made.generator : undefined;
  });
}

/**
 * Computes what `_inspect=data` adds to a response with these records, if the request wants it. The generator is loaded
 * only then, so that servers start without it.
 */
export function inspectShown(call: Call, records: readonly RecordValue[]): MaybePromise<void> {
  const { exchange, caller } = call;
  const { watching } = exchange;
  return watching?.options.inspectData === true && mayDebug(exchange, caller)
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
