import { fail, ok, type Result } from '../../errors.ts';
import { itemEnd, readItem } from './text.ts';

/** How the parts of a group hold together: all of them, at least one, none. */
export type GroupKind = 'and' | 'or' | 'not';

export const groupKinds: readonly GroupKind[] = ['and', 'or', 'not'];

/** A group of conditions, with further groups in it. `Leaf` is one condition, at any stage of its resolution. */
export interface Group<Leaf extends object> {
  readonly kind: GroupKind;
  readonly parts: readonly (Leaf | Group<Leaf>)[];
}

/** One pair of a group: the filter's name and its value's text. */
export interface Pair {
  readonly name: string;
  readonly value: string;
}

/** Why the text of a group is rejected. */
export interface GroupProblem {
  readonly code: 'INVALID_FILTER' | 'LIMIT_EXCEEDED';
  readonly message: string;
  /** What a limit allows. */
  readonly max?: number | undefined;
}

/** How deep groups may be nested, the outermost counting as one. See docs/contract/2-reading.md#groups, rule 9. */
const deepest = 5;

export function isGroup<Leaf extends object>(part: Leaf | Group<Leaf>): part is Group<Leaf> {
  return 'parts' in part;
}

/** All conditions of a group, those of nested groups included. */
export function leavesOf<Leaf extends object>({ parts }: Group<Leaf>): readonly Leaf[] {
  return parts.flatMap((part) => (isGroup(part) ? leavesOf(part) : [part]));
}

/**
 * Parses the text of a group: a comma list of `name:value` pairs and nested `and(…)`, `or(…)` and `not(…)`. It is the
 * syntax of `_and`, `_or` and `_not`. Names are not resolved. See docs/contract/2-reading.md#groups.
 */
export function parseGroup(kind: GroupKind, text: string): Result<Group<Pair>, GroupProblem> {
  const read = readGroup(kind, text, 0, 1);
  return read.ok ? ok(read.value.part) : read;
}

/** A part of a group, and the position after it. */
interface Read<Part> {
  readonly part: Part;
  readonly end: number;
}

/** Reads the parts of a group up to the end of the text, or up to the parenthesis that closes a nested one. */
function readGroup(
  kind: GroupKind,
  text: string,
  start: number,
  depth: number,
): Result<Read<Group<Pair>>, GroupProblem> {
  const isNested = depth > 1;
  const parts: (Pair | Group<Pair>)[] = [];
  let position = start;
  for (;;) {
    const nested = groupKinds.find((one) => text.startsWith(`${one}(`, position));
    if (nested !== undefined && depth === deepest)
      return fail({
        code: 'LIMIT_EXCEEDED',
        message: `groups are nested at most ${deepest} deep, the parameter counting as one`,
        max: deepest,
      });
    const read =
      nested === undefined
        ? readPair(text, position)
        : readGroup(nested, text, position + nested.length + 1, depth + 1);
    if (!read.ok) return read;
    parts.push(read.value.part);
    const { end } = read.value;
    const next = text[end];
    if (next === ',') {
      position = end + 1;
      continue;
    }
    if (isNested && next === ')') return ok({ part: { kind, parts }, end: end + 1 });
    if (next === undefined && !isNested) return ok({ part: { kind, parts }, end });
    if (next === undefined)
      return invalid(`${kind}( is not closed; write ${kind}(field:value,field:value)`);
    if (nested !== undefined || text[end - 1] === '"')
      return invalid(
        `a comma must follow ${nested === undefined ? 'a closing quote' : `a closing parenthesis`}`,
      );
    return invalid(
      `a value with a parenthesis is written in double quotes: ${text.slice(position, text.lastIndexOf(':', end))}:"…"`,
    );
  }
}

/** What ends an item of a group. */
const ends = ',()';

function readPair(text: string, start: number): Result<Read<Pair>, GroupProblem> {
  const end = itemEnd(text, start, ends);
  const quote = text.indexOf('"', start);
  const colon = text.lastIndexOf(':', (quote >= 0 && quote < end ? quote : end) - 1);
  const written = text.slice(start, end);
  if (colon < start) {
    if (text[end] === '(')
      return invalid(
        `${written}( is not a group; groups are and(…), or(…) and not(…), each a list of field:value`,
      );
    const [, name, value] = /^([\w.]+)=(.+)$/u.exec(written) ?? [];
    const meant = name === undefined ? '' : `; write ${name}:${value}`;
    return invalid(`"${written}" is not field:value${meant}`);
  }
  const value = readItem(text, colon + 1, ends);
  if (!value.ok) return invalid(value.error);
  return ok({
    part: { name: text.slice(start, colon), value: value.value.text },
    end: value.value.end,
  });
}

function invalid(message: string): Result<never, GroupProblem> {
  return fail({ code: 'INVALID_FILTER', message });
}
