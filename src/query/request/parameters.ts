import type { reservedParameters } from '../../specification/reserved.ts';

/** The kind of a request: what a method does at a collection or at one record. */
export type RequestKind =
  | 'list'
  | 'read'
  | 'create'
  | 'replace'
  | 'update'
  | 'delete'
  | 'updateMany'
  | 'deleteMany';

/** Kinds of request whose filters choose the records of a resource. */
const choosing: readonly RequestKind[] = ['list', 'updateMany', 'deleteMany'];

interface ParameterDefinition {
  /** The kinds of request that accept it. */
  readonly on: readonly RequestKind[];
  /**
   * `plan`: its text is part of the plan key. `bound`: its value is only bound to the compiled statements. `debug`: it
   * affects neither the plan nor the statements. `write`: it affects the write, not the read of its answer.
   */
  readonly part: 'plan' | 'bound' | 'debug' | 'write';
}

const answering: readonly RequestKind[] = [
  'list',
  'read',
  'create',
  'replace',
  'update',
  'updateMany',
  'deleteMany',
];
const all: readonly RequestKind[] = [...answering, 'delete'];

/** The reserved query parameters; every other parameter is a filter. See docs/contract/2-reading.md#query-string. */
export const parameters = {
  page: { on: ['list'], part: 'bound' },
  limit: { on: ['list'], part: 'bound' },
  offset: { on: ['list'], part: 'bound' },
  cursor: { on: ['list'], part: 'bound' },
  search: { on: choosing, part: 'bound' },
  sort: { on: ['list', 'read'], part: 'plan' },
  nulls: { on: answering, part: 'plan' },
  fields: { on: answering, part: 'plan' },
  exclude: { on: answering, part: 'plan' },
  expand: { on: answering, part: 'plan' },
  maxDepth: { on: answering, part: 'plan' },
  onConflict: { on: ['create'], part: 'write' },
  group: { on: ['list'], part: 'plan' },
  aggregate: { on: ['list'], part: 'plan' },
  having: { on: ['list'], part: 'plan' },
  _and: { on: choosing, part: 'plan' },
  _or: { on: choosing, part: 'plan' },
  _not: { on: choosing, part: 'plan' },
  _debug: { on: all, part: 'debug' },
  _trace: { on: all, part: 'debug' },
  _verbose: { on: all, part: 'debug' },
  _inspect: { on: all, part: 'debug' },
  _inspectNetwork: { on: all, part: 'debug' },
} as const satisfies Record<(typeof reservedParameters)[number], ParameterDefinition>;

/**
 * The parameters of one expanded collection, after its path: `comments.limit=5`. See
 * docs/contract/2-reading.md#expanded-collections, rule 1.
 */
export const collectionParameters = ['page', 'limit', 'offset', 'sort'] as const;

export type ParameterName = keyof typeof parameters;

/** The parameters that take a group of conditions, and the kind of each. See docs/contract/2-reading.md#groups. */
export const groupParameters = { _and: 'and', _or: 'or', _not: 'not' } as const;

export function isGroupParameter(name: string): name is keyof typeof groupParameters {
  return Object.hasOwn(groupParameters, name);
}

export const parameterNames = Object.keys(parameters) as readonly ParameterName[];

/** Whether this kind of request accepts a parameter. */
export function isOn(name: ParameterName, kind: RequestKind): boolean {
  const { on }: ParameterDefinition = parameters[name];
  return on.includes(kind);
}

/** Whether a parameter chooses the records that a request is about, so that a change of many takes it as a list does. */
export function isChoosing(name: ParameterName): boolean {
  return isOn(name, 'deleteMany') && !isOn(name, 'read');
}

/** Whether filters choose the records that this kind of request is about. */
export function isOfMany(kind: RequestKind): boolean {
  return choosing.includes(kind);
}

/** Whether the name of a query parameter is a reserved one. */
export function isParameter(name: string): name is ParameterName {
  return Object.hasOwn(parameters, name);
}
