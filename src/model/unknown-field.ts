import { leftInBody } from '../lib/body-bounds.ts';
import { nearest } from '../lib/text/nearest.ts';
import { unknownName } from './build/names.ts';
import { breaks, type BrokenRule } from '../problem-rules.ts';

/** The problem of a field in a body that no field is named like. */
export function unknownField(
  kind: string,
  name: string,
  candidates: Iterable<string>,
): BrokenRule & { readonly message: string } {
  const near = leftInBody.suggestions > 0 ? nearest(name, candidates) : undefined;
  leftInBody.suggestions -= 1;
  const message = unknownName(kind, name, [], near);
  return { message, ...breaks('unknown', { nearest: near, known: undefined }) };
}
