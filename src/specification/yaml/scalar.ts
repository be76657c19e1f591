import type { Scalar } from 'yaml';
import type { ProblemRule } from '../problems.ts';
import { replaceVariables, type Environment } from './environment.ts';
import { quote, type ScalarNode } from './node.ts';

const coreTags = new Set(
  ['str', 'int', 'float', 'bool', 'null'].map((name) => `tag:yaml.org,2002:${name}`),
);

interface ScalarResult extends Pick<ScalarNode, 'value' | 'origin'> {
  readonly problems: readonly { readonly message: string; readonly rule: ProblemRule }[];
  /** Problems of variables that are not set. */
  readonly unset?: readonly string[];
}

/** The value of a scalar with its variables replaced, and its problems. */
export function readScalar(scalar: Scalar, source: string, environment: Environment): ScalarResult {
  const { value, tag } = scalar;
  if (tag !== undefined && !coreTags.has(tag)) {
    return unusable('tags such as `!!binary` are not supported; leave the tag out');
  }
  if (value === null || typeof value === 'boolean')
    return { value, origin: 'written', problems: [] };
  if (typeof value === 'string') return readString(value, environment);
  if (typeof value !== 'number') return unusable(`${quote(source)} cannot be written in JSON`);
  if (!Number.isFinite(value))
    return unusable(`${quote(source)} is a number that JSON cannot hold`);
  if (isRounded(source, value)) {
    return unusable(
      `${quote(source)} has more digits than a number holds exactly; shorten it, or put it in quotes where text is taken`,
    );
  }
  return { value, origin: 'written', problems: [] };
}

function readString(value: string, environment: Environment): ScalarResult {
  const { text, whole, changed, problems, unset } = replaceVariables(value, environment);
  const replaced = whole ? 'variable' : changed ? 'mixed' : 'written';
  const isUnusable = problems.length + unset.length > 0;
  return {
    value: text,
    origin: isUnusable ? 'unusable' : replaced,
    problems: problems.map((message) => ({ message, rule: 'variable' })),
    unset,
  };
}

function unusable(message: string): ScalarResult {
  return { value: null, origin: 'unusable', problems: [{ message, rule: 'value' }] };
}

/** Whether a decimal number changes as a double. */
function isRounded(source: string, value: number): boolean {
  const match = /^([-+]?)0*(\d+)(?:\.(\d*))?$/.exec(source);
  if (match === null) return false;
  const [, sign, whole, fraction = ''] = match;
  if (fraction === '') return !Number.isSafeInteger(value);
  const written = `${sign === '-' ? '-' : ''}${whole}.${fraction}`;
  const zero = /^-?0\.0*$/.test(written);
  return !zero && value.toFixed(Math.min(fraction.length, 100)) !== written;
}

const numeric = /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/;

/** The number or boolean that a text from the environment means; otherwise the text itself. */
export function readVariable(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!numeric.test(text)) return text;
  const value = Number(text);
  return Number.isFinite(value) && !isRounded(text, value) ? value : text;
}
