import type { Code } from '../../src/extensions/code.ts';
import type { CodeNote, TraceReader } from '../../src/observability/events.ts';
import { buildValid, type Records, type ServeOptions } from './api.ts';
import { serveBoth, type Both } from './both.ts';

/** An API with own code, on SQLite and PostgreSQL. */
export interface Own extends Both {
  /** The messages of the unforeseen errors since the last call. */
  readonly taken: () => readonly string[];
}

/** Reads what the log has of own code. */
export function readerOf(noted: (line: CodeNote) => void): TraceReader {
  return { wantsSteps: false, wantsBodies: false, ended: () => undefined, noted };
}

/** Whether a line tells that the event loop was held, which a test may do itself. */
export function isHold({ message }: CodeNote): boolean {
  return message.includes('the event loop for') || message.startsWith('The event loop was held');
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
