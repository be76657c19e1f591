import { inspectRecords, type Inspection } from '../generate/inspect.ts';
import { makeGenerator, type Generator } from '../generate/generator.ts';
import type { RecordValue } from '../shape/record.ts';
import type { Call } from './exchange.ts';
import type { Generation } from './generation.ts';

/** The generators of models, made when the first request looks into one. */
const generators = new WeakMap<Generation, Promise<Generator | undefined>>();

function generatorOf(generation: Generation): Promise<Generator | undefined> {
  let generator = generators.get(generation);
  if (generator === undefined) {
    generator = makeGenerator(generation.api, generation.folder).then((made) =>
      made.ok ? made.generator : undefined,
    );
    generators.set(generation, generator);
  }
  return generator;
}

/** What `_inspect=data` adds to the answer of a read that shows these records. */
export async function inspectData(
  { exchange: { generation }, face }: Call,
  records: readonly RecordValue[],
): Promise<Inspection> {
  return inspectRecords(generation.api, face, records, await generatorOf(generation));
}
