import type { Position } from '../problems.ts';

/** Names and list indexes from the root of the file to a value. */
export type Path = readonly (string | number)[];

/**
 * The origin of a scalar's value: as written, only from `${NAME}`, partly from `${NAME}`, or none because a variable is
 * unset or the value is invalid (which is reported, so the value is not checked further).
 */
export type Origin = 'written' | 'variable' | 'mixed' | 'unusable';

interface Node {
  readonly position: Position;
  /** The number of values in it, including itself, with aliases expanded. */
  readonly size: number;
  /** The number of levels below it. */
  readonly height: number;
}

export interface ScalarNode extends Node {
  readonly kind: 'scalar';
  readonly value: null | boolean | number | string;
  /** The text in the file, without quotes. */
  readonly source: string;
  /** The same with its quotes. */
  readonly written: string;
  readonly plain: boolean;
  readonly origin: Origin;
}

export interface ListNode extends Node {
  readonly kind: 'list';
  readonly items: readonly SourceNode[];
}

export interface Entry {
  readonly keyPosition: Position;
  readonly keyWritten: string;
  readonly value: SourceNode;
}

export interface MapNode extends Node {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, Entry>;
}

/** A value of the file with its position; aliases and `<<` are resolved, `${NAME}` is replaced. */
export type SourceNode = ScalarNode | ListNode | MapNode;

/** A position, and the text of the scalar or key that is there; empty for a list or map, or if the path ends before it. */
export interface Place extends Position {
  readonly written: string;
}

/**
 * The position of the value at `path`: for a scalar or an item of a list its own, for a named map, list or empty
 * value that of its name. With `part: 'key'` always that of its name. If there is no such value, that of the nearest ancestor.
 */
export function positionIn(
  root: SourceNode | undefined,
  path: Path,
  part: 'key' | 'value' = 'value',
): Place {
  let node = root;
  let position = root?.position ?? { line: 1, column: 1 };
  let written = '';
  const nearest = (): Place => ({ ...position, written: '' });
  for (const step of path) {
    if (node?.kind === 'map') {
      const entry = node.entries.get(String(step));
      if (entry === undefined) return nearest();
      node = entry.value;
      const atValue = part === 'value' && node.kind === 'scalar' && node.source !== '';
      position = atValue ? node.position : entry.keyPosition;
      written = atValue ? writtenOf(node) : part === 'key' ? entry.keyWritten : '';
    } else if (node?.kind === 'list' && typeof step === 'number') {
      const item: SourceNode | undefined = node.items[step];
      if (item === undefined) return nearest();
      node = item;
      position = node.position;
      written = writtenOf(node);
    } else return nearest();
  }
  return { ...position, written };
}

/** The text of a scalar, if it is all there is to its value. */
function writtenOf(node: SourceNode): string {
  return node.kind === 'scalar' && node.origin === 'written' ? node.written : '';
}

/** The path as text: `resources.posts.unique[0][1]`. */
export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w$-]+$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** A value in words for a message; values from the environment are named, not shown. */
export function describeNode(node: SourceNode): string {
  if (node.kind === 'list') return node.items.length === 0 ? 'an empty list' : 'a list';
  if (node.kind === 'map') return node.entries.size === 0 ? 'an empty map' : 'a map';
  if (node.origin !== 'written')
    return `the value of ${quote(node.source)}${node.value === null || node.value === '' ? ', which is empty' : ''}`;
  if (node.value === null) return 'empty';
  if (typeof node.value !== 'string') return quote(node.source);
  // A database URL may contain a password, and a key may have been pasted instead of its hash.
  const shown = node.value
    .replace(/\/\/[^/@\s]+@/, '//…@')
    .replace(/\bplinth_[\w-]{16,}/, 'plinth_…');
  return shown === '' ? 'an empty string' : quote(shown);
}

/** Text in backticks, shortened to fit into a sentence. */
export function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return `\`${line.length > 60 ? `${line.slice(0, 57)}…` : line}\``;
}
