import type {
  FieldInfo,
  FilterInfo,
  OperatorInfo,
} from '../../../../src/http/dashboard/wire-model.ts';
import { decoded } from '../../words.ts';
import { bodyText, type Sendable } from './commands.ts';

/** Parameters that the typed client takes as options of their own. */
const lists: ReadonlySet<string> = new Set(['sort', 'expand', 'fields', 'exclude']);
const numbers: ReadonlySet<string> = new Set(['limit', 'page', 'offset']);
const texts: ReadonlySet<string> = new Set(['cursor', 'nulls', 'count']);

/** What a call has to know of an API; the model of the dashboard is one. */
export interface CalledApi {
  /** Where the resources are. */
  readonly path: string;
  readonly operators: readonly Pick<OperatorInfo, 'suffix'>[];
  readonly resources: readonly CalledResource[];
}

interface CalledResource {
  readonly name: string;
  readonly filters: readonly Pick<FilterInfo, 'path'>[];
  readonly fields: readonly Pick<FieldInfo, 'name' | 'type'>[];
}

/**
 * The call of the typed client (`plinth types`) that sends a request; undefined if it is none of a resource. Parameters
 * that the types do not know are in `query`.
 */
export function asClientCall(
  request: Sendable,
  called: CalledApi,
  origin: string,
): string | undefined {
  const { method, path, query } = request;
  const [, name = '', id, ...more] = path.startsWith(`${called.path}/`)
    ? path.slice(called.path.length).split('/')
    : [];
  const resource = called.resources.find((one) => one.name === decoded(name));
  if (resource === undefined || more.length > 0) return undefined;
  const api = /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(resource.name)
    ? `api.${resource.name}`
    : `api[${JSON.stringify(resource.name)}]`;
  const options = optionsOf(query, resource, called);
  const target = id === undefined ? undefined : idText(decoded(id), resource);
  const body = bodyText(request);
  const call = callOf(method, target, body === undefined ? undefined : readable(body), options);
  if (call === undefined) return undefined;
  const begin = `import { createClient } from './client.ts';\n\nconst api = createClient({ baseUrl: ${JSON.stringify(origin)} });`;
  return `${begin}\n\nconst answer = await ${api}.${call};`;
}

function callOf(
  method: string,
  id: string | undefined,
  body: string | undefined,
  options: Readonly<Record<string, unknown>>,
): string | undefined {
  const told = Object.keys(options).length === 0 ? [] : [JSON.stringify(options, undefined, 2)];
  const call = (name: string, ...args: (string | undefined)[]): string | undefined =>
    args.includes(undefined) ? undefined : `${name}(${[...args, ...told].join(', ')})`;
  switch (method) {
    case 'GET':
      return id === undefined ? call('list') : call('get', id);
    case 'POST':
      if (id !== undefined) return undefined;
      return call(body?.startsWith('[') === true ? 'createMany' : 'create', body);
    case 'PATCH':
      return id === undefined ? undefined : call('update', id, body);
    case 'PUT':
      return id === undefined ? undefined : call('replace', id, body);
    case 'DELETE':
      return id === undefined ? undefined : call('delete', id);
    default:
      return undefined;
  }
}

function optionsOf(
  query: string,
  { filters }: CalledResource,
  { operators }: Pick<CalledApi, 'operators'>,
): Readonly<Record<string, unknown>> {
  const suffixes = operators.map(({ suffix }) => suffix).filter((suffix) => suffix !== '');
  const paths = new Set(filters.map(({ path }) => path));
  const isFilter = (name: string): boolean => {
    const suffix = suffixes.find((one) => name.endsWith(one)) ?? '';
    return paths.has(name) || paths.has(name.slice(0, name.length - suffix.length));
  };
  const options: Record<string, unknown> = {};
  const [where, others]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const [name, value] of new URLSearchParams(query)) {
    if (lists.has(name)) options[name] = value.split(',');
    else if (numbers.has(name) && /^\d+$/u.test(value)) options[name] = Number(value);
    else if (texts.has(name)) options[name] = value;
    else {
      const into = isFilter(name) ? where : others;
      const before = into[name];
      into[name] = before === undefined ? value : [before, value].flat();
    }
  }
  return {
    ...(Object.keys(where).length === 0 ? {} : { where }),
    ...options,
    ...(Object.keys(others).length === 0 ? {} : { query: others }),
  };
}

function idText(text: string, { fields }: CalledResource): string {
  const type = fields.find((field) => field.name === 'id')?.type ?? '';
  return /^(?:id|integer)$/u.test(type) && /^\d{1,15}$/u.test(text) ? text : JSON.stringify(text);
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), undefined, 2);
  } catch {
    return body;
  }
}
