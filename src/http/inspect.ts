import type { Inspection } from '../generate/inspect.ts';
import type { Generator } from '../generate/generator.ts';
import type { RecordValue } from '../shape/record.ts';
import type { Call } from './exchange.ts';
import type { Generation } from './generation.ts';

/** The generators of models, made when the first request needs one. */
const generators = new WeakMap<Generation, Promise<Generator | undefined>>();

/** The generator of a generation's model; undefined where its file asks for what cannot be had. */
export function generatorOf(generation: Generation): Promise<Generator | undefined> {
  let generator = generators.get(generation);
  if (generator === undefined) {
    const make = async (): Promise<Generator | undefined> => {
      const { makeGenerator } = await import('../generate/generator.ts');
      const made = await makeGenerator(generation.api, generation.folder);
      return made.ok ? made.generator : undefined;
    };
    generator = make();
    generators.set(generation, generator);
  }
  return generator;
}

/**
 * What `_inspect=data` adds to the answer of a read that shows these records. All that generates is loaded when that is
 * asked for: a server that only serves starts without it.
 */
export async function inspectData(
  { exchange: { generation }, face }: Call,
  records: readonly RecordValue[],
): Promise<Inspection> {
  const { inspectRecords } = await import('../generate/inspect.ts');
  return inspectRecords(generation.api, face, records, await generatorOf(generation));
}
