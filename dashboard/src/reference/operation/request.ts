import type { Sendable } from '../../requests/copy/commands.ts';
import type { Operation, Parameter } from '../document.ts';

/** A parameter with the value that somebody typed. */
export interface Filled {
  readonly name: string;
  readonly value: string;
}

/** A filter as it is put together. */
export interface FilledFilter {
  readonly path: string;
  readonly suffix: string;
  readonly value: string;
}

/** What was filled in for an operation. Nothing else is sent. */
export interface Draft {
  /** By the place of a parameter and its name. */
  readonly values: Readonly<Record<string, string>>;
  readonly filters: readonly FilledFilter[];
  readonly body: string;
}

export const emptyFilter: FilledFilter = { path: '', suffix: '', value: '' };

export function keyOf({ in: place, name }: Pick<Parameter, 'in' | 'name'>): string {
  return `${place} ${name}`;
}

/** An empty draft, with the examples of the body and of path parameters. */
export function firstDraft({ parameters, body }: Operation): Draft {
  const needed = parameters.filter(({ required, in: place }) => required && place === 'path');
  return {
    values: Object.fromEntries(needed.map((one) => [keyOf(one), exampleText(one.example)])),
    filters: [emptyFilter],
    body: body?.example === undefined ? '' : JSON.stringify(body.example, undefined, 2),
  };
}

function exampleText(example: unknown): string {
  return example === undefined ? '' : String(example);
}

/** The request that a draft is. */
export function requestOf(operation: Operation, draft: Draft): Sendable {
  const value = (one: Parameter): string => draft.values[keyOf(one)] ?? '';
  const at = (place: Parameter['in']): readonly Parameter[] =>
    operation.parameters.filter((one) => one.in === place && value(one) !== '');
  let { path } = operation;
  for (const one of at('path'))
    path = path.replace(`{${one.name}}`, encodeURIComponent(value(one)));
  const query = [
    ...at('query').map((one): Filled => ({ name: one.name, value: value(one) })),
    ...draft.filters.flatMap(({ path: filtered, suffix, value: wanted }) =>
      filtered === '' || wanted === '' ? [] : [{ name: filtered + suffix, value: wanted }],
    ),
  ];
  const hasBody = operation.body !== undefined && draft.body.trim() !== '';
  return {
    method: operation.method,
    path,
    query: query.map(({ name, value: text }) => `${encoded(name)}=${encoded(text)}`).join('&'),
    requestHeaders: {
      ...Object.fromEntries(at('header').map((one) => [one.name.toLowerCase(), value(one)])),
      ...(hasBody ? { 'content-type': operation.bodyType } : {}),
    },
    requestBody: hasBody ? { text: draft.body } : null,
  };
}

/** Commas and colons part what a value has, and are read more easily as they are. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',').replaceAll('%3A', ':');
}

/** The parameters of the path that still need a value. */
export function missing({ parameters }: Operation, draft: Draft): readonly string[] {
  return parameters
    .filter((one) => one.in === 'path' && (draft.values[keyOf(one)] ?? '') === '')
    .map(({ name }) => name);
}
