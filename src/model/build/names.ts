import { lost } from '../../specification/parsers/left-out.ts';
import { nearest } from '../../lib/text/nearest.ts';
import type { Report } from '../../specification/problems.ts';

/** "there is no field titel; did you mean title?" */
export function unknownName(
  kind: string,
  name: string,
  candidates: Iterable<string>,
  guess = nearest(name, candidates),
): string {
  if (name === '') return `the name of a ${kind} is missing`;
  return `there is no ${kind} ${name}${guess === undefined ? '' : `; did you mean ${guess}?`}`;
}

/**
 * Reports a name that none of the candidates has, unless what has it was not understood. `otherwise` is what to do if no
 * name is near.
 */
export function reportUnknown(
  path: Parameters<Report>[0],
  kind: string,
  name: string,
  candidates: Iterable<string>,
  report: Report,
  otherwise = '',
): void {
  const near = nearest(name, candidates);
  const advice = near === undefined ? otherwise : '';
  const message = `${unknownName(kind, name, candidates, near)}${advice}`;
  report(path, message, 'error', [lost.name(name)], {
    rule: 'unknown-name',
    instead: near === undefined ? undefined : { of: name, by: near },
  });
}
