import type { Recording, Step } from '../../observability/recording.ts';
import type { Response } from './response.ts';

/**
 * Members that debug parameters add to an answer, in their order. See
 * docs/contract/7-data-debug-dashboard.md#debug-parameters.
 */
export interface DebugMembers {
  readonly _debug?: unknown;
  readonly _trace?: unknown;
  readonly _network?: unknown;
  readonly _inspect?: unknown;
  readonly _verbose?: unknown;
}

/** Times are told in hundredths of a ms. */
function hundredths(ms: number): number {
  return Math.round(ms * 100);
}

function written(hundredthsOfMs: number): string {
  return `${(hundredthsOfMs / 100).toFixed(2)}ms`;
}

/** A duration as debug output has it: `"12.41ms"`. */
export function durationText(ms: number): string {
  return written(hundredths(ms));
}

/** `timing` of `_debug`: the two parts are the total. */
export function timingOf({ total, databaseTime }: Recording): object {
  const [all, database] = [hundredths(total), hundredths(databaseTime)];
  return {
    total: written(all),
    database: written(database),
    processing: written(all - database),
  };
}

/** `_trace`: the steps with when they began and how long they took; the durations add up to the total. */
export function stepsOf(
  recording: Recording,
  detailsOf: (step: Step) => Readonly<Record<string, unknown>>,
): readonly object[] {
  const at = (time: number): number => hundredths(time - recording.begin);
  return recording.steps.map((step) => {
    const details = detailsOf(step);
    return {
      stage: step.stage,
      time: new Date(recording.wallTime(step.begin)).toISOString(),
      duration: written(at(step.end) - at(step.begin)),
      ...(Object.keys(details).length === 0 ? {} : { details }),
    };
  });
}

/**
 * An answer with debug members: beside what an error or the page of a cursor says, else beside `data`. It has no
 * entity tag: no two of them are equal. One without a body stays as it is.
 */
export function withMembers(response: Response, members: DebugMembers): Response {
  const { body, status } = response;
  const added = JSON.stringify(members);
  if (typeof body !== 'string' || added === '{}') return response;
  const { etag: _, ...headers } = response.headers;
  const begin = status >= 400 || response.hasData === true ? body.slice(0, -1) : `{"data":${body}`;
  return { ...response, headers, body: `${begin},${added.slice(1)}` };
}
