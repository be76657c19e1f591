import type { Code } from '../../src/extensions/code.ts';
import { buildValid, type Records, type ServeOptions } from './api.ts';
import { serveBoth, type Both } from './both.ts';

/** An API with own code, on SQLite and PostgreSQL. */
export interface Own extends Both {
  /** The messages of the unforeseen errors since the last call. */
  readonly taken: () => readonly string[];
}

/** Serves a specification with own code over both databases. */
export async function serveOwn(
  specification: string,
  code: Code,
  records: Records = {},
  options: ServeOptions = {},
): Promise<Own> {
  const api = buildValid(`code: ./api.ts\n${specification}`);
  const own = { ...options, code };
  const both = await serveBoth(api, records, () => new Date(), own);
  return {
    ...both,
    taken: () =>
      both.sides.flatMap(({ failures }) =>
        failures.splice(0).map((error) => (error instanceof Error ? error.message : String(error))),
      ),
  };
}
