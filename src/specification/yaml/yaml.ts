import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  type Document,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Collector } from '../parsers/collector.ts';
import type { Position, Problem, ProblemRule, Replacement } from '../problems.ts';
import type { Environment } from './environment.ts';
import { quote, type Entry, type Path, type SourceNode } from './node.ts';
import { readScalar } from './scalar.ts';
import { explainFaults } from './syntax-errors.ts';

/** The most values that aliases may add. More is an attack or a mistake. */
const aliasLimit = 100_000;
const depthLimit = 100;

/** Reports a problem of the text. `written` is what stands at the position. */
type ReportText = (
  position: Position,
  path: Path,
  message: string,
  rule?: ProblemRule,
  more?: {
    readonly severity?: Problem['severity'];
    readonly written?: string;
    readonly instead?: Replacement;
  },
) => void;

interface ReadState {
  readonly text: string;
  readonly lines: LineCounter;
  readonly environment: Environment;
  readonly mayBeUnset: (path: Path) => boolean;
  readonly reportAt: ReportText;
  readonly anchors: Map<string, SourceNode>;
  /** Anchors of the enclosing collections. */
  readonly open: Set<string>;
  added: number;
}

/**
 * Parses YAML (and JSON, which is YAML) into nodes with positions. Reports problems; the result is
 * undefined if nothing is left to check: a syntax error, an empty file, several documents. If an unset
 * variable `mayBeUnset`, that is a warning.
 */
export function readYaml(
  text: string,
  environment: Environment,
  mayBeUnset: (path: Path) => boolean,
  collector: Pick<Collector, 'reportAt'>,
): SourceNode | undefined {
  const reportAt: ReportText = (position, path, message, rule = 'syntax', more = {}) => {
    const { severity = 'error', written = '', instead } = more;
    collector.reportAt({ ...position, written }, path, message, severity, { rule, instead });
  };
  const lines = new LineCounter();
  const documents: Document.Parsed[] = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const at = (offset: number): Position => positionAt(lines, offset);
  const faults = documents.flatMap(({ errors }) => errors);
  if (faults.length > 0) {
    for (const { offset, message } of explainFaults(faults, text, (offset) => at(offset).line)) {
      reportAt(at(offset), [], message);
    }
    return undefined;
  }
  const [document, second] = documents;
  const content = document?.contents;
  if (document?.directives.yaml.version === '1.1' || document?.directives.yaml.explicit === true) {
    reportAt(
      at(0),
      [],
      'a `%YAML` line is not supported; leave it out, the file is read as YAML 1.2',
    );
    return undefined;
  }
  if (second !== undefined) {
    reportAt(
      at(second.contents?.range[0] ?? second.range[0]),
      [],
      'the file holds more than one YAML document; leave out the `---` and what follows it',
    );
    return undefined;
  }
  if (content === undefined || content === null || (isScalar(content) && content.value === null)) {
    reportAt({ line: 1, column: 1 }, [], 'the file is empty; it needs at least `resources`');
    return undefined;
  }
  const state: ReadState = {
    text,
    lines,
    environment,
    mayBeUnset,
    reportAt,
    anchors: new Map(),
    open: new Set(),
    added: 0,
  };
  return readNode(content, [], 0, state);
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

function readNode(node: ParsedNode, path: Path, depth: number, state: ReadState): SourceNode {
  const position = positionAt(state.lines, node.range[0]);
  if (isAlias(node)) return readAlias(node.source, position, path, depth, state);
  const { anchor } = node;
  if (isScalar(node)) {
    const scalar = scalarNode(node, position, path, state);
    if (anchor !== undefined) state.anchors.set(anchor, scalar);
    return scalar;
  }
  if (depth > depthLimit) {
    state.reportAt(position, path, `the file is nested deeper than ${depthLimit} levels`);
    return unusable(position);
  }
  if (node.tag !== undefined && !/^tag:yaml\.org,2002:(map|seq)$/.test(node.tag)) {
    state.reportAt(position, path, 'tags such as `!!set` are not supported; leave the tag out');
    return unusable(position);
  }
  if (anchor !== undefined) state.open.add(anchor);
  const result = isSeq(node)
    ? listNode(
        position,
        node.items.map((item, index) => readNode(item, [...path, index], depth + 1, state)),
      )
    : readMap(node, position, path, depth, state);
  if (anchor !== undefined) {
    state.open.delete(anchor);
    state.anchors.set(anchor, result);
  }
  return result;
}

function readAlias(
  name: string,
  position: Position,
  path: Path,
  depth: number,
  state: ReadState,
): SourceNode {
  const { anchors, open, reportAt } = state;
  const target = anchors.get(name);
  if (open.has(name)) {
    reportAt(
      position,
      path,
      `\`*${name}\` stands inside \`&${name}\` itself; an alias cannot hold itself`,
    );
  } else if (target === undefined) {
    reportAt(position, path, `\`*${name}\` has no \`&${name}\` before it`);
  } else if (depth + target.height > depthLimit) {
    reportAt(position, path, `with this alias the file is nested deeper than ${depthLimit} levels`);
  } else if (state.added + target.size > aliasLimit) {
    if (state.added <= aliasLimit) {
      reportAt(position, path, `the aliases blow the file up to more than ${aliasLimit} values`);
    }
    state.added = Number.POSITIVE_INFINITY;
  } else {
    state.added += target.size;
    return target;
  }
  return unusable(position);
}

function readMap(
  map: YAMLMap.Parsed,
  position: Position,
  path: Path,
  depth: number,
  state: ReadState,
): SourceNode {
  const entries = new Map<string, Entry>();
  const merged = new Set<string>();
  const template = templateIn(map);
  if (template !== undefined) {
    const message = `to YAML these braces are maps; text with {{…}} has to stand in quotes: '{{${template}}}'`;
    const written = writtenIn(state, map.range);
    state.reportAt(position, path, message, 'syntax', {
      written,
      instead: { by: `'${written}'` },
    });
    return unusable(position);
  }
  for (const { key, value } of map.items) {
    const keyPosition = positionAt(state.lines, key.range[0]);
    const name = readKey(key, keyPosition, path, state);
    const valuePath = [...path, name ?? '?'];
    const node =
      value === null ? emptyNode(keyPosition) : readNode(value, valuePath, depth + 1, state);
    if (name === undefined) continue;
    if (name === '<<' && isScalar(key) && key.type === 'PLAIN') {
      for (const [inherited, entry] of mergedEntries(node, valuePath, state)) {
        if (entries.has(inherited)) continue;
        entries.set(inherited, entry);
        merged.add(inherited);
      }
      continue;
    }
    const earlier = entries.get(name);
    if (earlier === undefined || merged.delete(name))
      entries.set(name, { keyPosition, keyWritten: writtenIn(state, key.range), value: node });
    else {
      const { line } = earlier.keyPosition;
      state.reportAt(
        keyPosition,
        valuePath,
        `duplicate key ${quote(name)} (first on line ${line})`,
        'duplicate-key',
      );
    }
  }
  return {
    kind: 'map',
    position,
    entries,
    ...measure([...entries.values()].map(({ value }) => value)),
  };
}

/** The text inside a `{{…}}` without quotes. */
function templateIn(map: YAMLMap.Parsed): string | undefined {
  const [item, other] = map.items;
  if (other !== undefined || item === undefined || item.value !== null || !isMap(item.key))
    return undefined;
  const [inner, more] = item.key.items;
  if (more !== undefined || inner?.value !== null || !isScalar(inner.key)) return undefined;
  return sourceOf(inner.key);
}

/** The members that `<<: *base` or `<<: [*one, *other]` merges; the first one with a key wins. */
function mergedEntries(node: SourceNode, path: Path, state: ReadState): readonly [string, Entry][] {
  const entries: [string, Entry][] = [];
  for (const source of node.kind === 'list' ? node.items : [node]) {
    if (source.kind === 'map') entries.push(...source.entries);
    else if (source.kind === 'list' || source.origin !== 'unusable') {
      const message = '`<<` takes in a map or a list of maps, such as `<<: *base`';
      state.reportAt(node.position, path, message);
    }
  }
  return entries;
}

/** A key as text: only text and numbers, numbers as written. */
function readKey(
  key: ParsedNode,
  position: Position,
  path: Path,
  state: ReadState,
): string | undefined {
  const report = (message: string): undefined =>
    state.reportAt(position, path, message) as undefined;
  if (isAlias(key)) {
    const target = state.anchors.get(key.source);
    if (target?.kind === 'scalar' && typeof target.value === 'string') return target.value;
    return report(
      `\`*${key.source}\` has no text with \`&${key.source}\` before it that could be a key`,
    );
  }
  if (!isScalar(key)) return report('a key has to be text, not a list or map');
  if (key.anchor !== undefined) {
    state.anchors.set(key.anchor, scalarNode(key, position, path, state));
  }
  if (typeof key.value === 'string') return key.value;
  const written = sourceOf(key);
  if (typeof key.value === 'number') return written;
  if (written === '') return report('a key is missing before the `:`');
  return report(`${quote(written)} is not text to YAML; put it in quotes to use it as a key`);
}

function scalarNode(scalar: Scalar, position: Position, path: Path, state: ReadState): SourceNode {
  const source = sourceOf(scalar);
  const { value, origin, problems, unset = [] } = readScalar(scalar, source, state.environment);
  for (const { message, rule } of problems) state.reportAt(position, path, message, rule);
  // A value with an anchor may be used elsewhere.
  const isAlone = scalar.anchor === undefined && state.open.size === 0;
  const severity = isAlone && state.mayBeUnset(path) ? 'warning' : 'error';
  for (const problem of unset) state.reportAt(position, path, problem, 'variable', { severity });
  const plain = scalar.type === 'PLAIN';
  const written = writtenIn(state, scalar.range);
  return { kind: 'scalar', position, size: 1, height: 0, value, source, written, plain, origin };
}

/** The text of a scalar or a map in braces, as it is in the file. */
function writtenIn({ text }: ReadState, range: ParsedNode['range'] | null | undefined): string {
  return text.slice(range?.[0] ?? 0, range?.[1] ?? 0);
}

function sourceOf({ source, value }: Scalar): string {
  return source ?? (typeof value === 'string' ? value : '');
}

function listNode(position: Position, items: readonly SourceNode[]): SourceNode {
  return { kind: 'list', position, items, ...measure(items) };
}

function emptyNode(position: Position): SourceNode {
  const origin = 'written';
  return {
    kind: 'scalar',
    position,
    size: 1,
    height: 0,
    value: null,
    source: '',
    written: '',
    plain: true,
    origin,
  };
}

function unusable(position: Position): SourceNode {
  return {
    ...emptyNode(position),
    kind: 'scalar',
    value: null,
    source: '?',
    written: '?',
    plain: true,
    origin: 'unusable',
  };
}

function measure(children: readonly SourceNode[]): { size: number; height: number } {
  return children.reduce(
    (sum, { size, height }) => ({
      size: sum.size + size,
      height: Math.max(sum.height, height + 1),
    }),
    { size: 1, height: 0 },
  );
}
