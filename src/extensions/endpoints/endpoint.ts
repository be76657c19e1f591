import { getOrInsert } from '../../lib/get-or-insert.ts';
import { messageOf } from '../../lib/message-of.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { accessOf, type Operation, type Rule } from '../../model/access.ts';
import type { Api } from '../../model/api.ts';
import { readDuration, readSize } from '../../specification/parsers/scalars.ts';
import { readPattern, resourceAt, shapeOf, type Pattern } from './pattern.ts';
import type { ReportMember } from '../check.ts';
import { readSchema } from './read-schema.ts';
import type { Schema, Side } from './schema.ts';

/** Bodies that are given as they came, in place of a schema. */
export const rawBodies = ['bytes', 'text', 'form', 'multipart'] as const;
export type RawBody = (typeof rawBodies)[number];

/** An endpoint of own code, checked. */
export interface Endpoint extends Pattern {
  readonly summary: string | undefined;
  readonly description: string | undefined;
  /** Who may call it. */
  readonly rules: readonly Rule[];
  /** Whether `access` of the endpoint or of the file says so. */
  readonly isAccessSaid: boolean;
  /** In ms; undefined for that of the server. */
  readonly timeout: number | undefined;
  /** In bytes; undefined for that of the server. */
  readonly bodyLimit: number | undefined;
  readonly body: RawBody | Schema | undefined;
  readonly query: Schema | undefined;
  readonly response: Schema | undefined;
  readonly handler: (context: never) => unknown;
}

const known = [
  'access',
  'summary',
  'description',
  'timeout',
  'bodyLimit',
  'body',
  'query',
  'response',
  'handler',
] as const;

type Members = Readonly<Partial<Record<(typeof known)[number], unknown>>>;

/** Reads the endpoints that own code gives, and reports all that is wrong with them. */
export async function readEndpoints(
  given: unknown,
  api: Api,
  report: ReportMember,
): Promise<readonly Endpoint[]> {
  // What is no object was reported.
  if (typeof given !== 'object' || given === null) return [];
  const endpoints: Endpoint[] = [];
  const shapes = new Map<string, Pattern[]>();
  for (const [name, definition] of Object.entries(given)) {
    const tell: ReportMember = (path, message, severity) =>
      report(['endpoints', name, ...path], message, severity);
    const pattern = readPattern(name);
    if (typeof pattern === 'string') {
      tell([], pattern);
      continue;
    }
    const conflict = conflictOf(pattern, api) ?? doubleOf(pattern, shapes);
    if (conflict !== undefined) tell([], conflict);
    const endpoint = await readEndpoint(pattern, definition, api, tell);
    if (endpoint !== undefined) endpoints.push(endpoint);
  }
  return endpoints;
}

/** Why a path is taken by a resource; undefined if it is free. */
function conflictOf(pattern: Pattern, api: Api): string | undefined {
  const taken = resourceAt(pattern, api);
  if (taken === undefined) return undefined;
  const { resource, isRecord } = taken;
  const path = isRecord ? `/${resource.name}/:id` : `/${resource.name}`;
  return `the resource ${resource.name} answers ${path}; take another path, such as \`${pattern.method} ${path}/…\`, or a hook`;
}

/** Whether an endpoint is there twice, or its path with other names of parameters, which OpenAPI does not take. */
function doubleOf(pattern: Pattern, known: Map<string, Pattern[]>): string | undefined {
  const others = getOrInsert(known, shapeOf(pattern), (): Pattern[] => []);
  const same = others.find(({ method }) => method === pattern.method);
  const pathOf = ({ name }: Pattern): string => name.slice(name.indexOf(' '));
  const unlike = others.find((other) => pathOf(other) !== pathOf(pattern));
  others.push(pattern);
  if (same !== undefined) return `it is the same as \`${same.name}\``;
  return unlike === undefined
    ? undefined
    : `its parameters are named otherwise in \`${unlike.name}\`; name them alike`;
}

async function readEndpoint(
  pattern: Pattern,
  definition: unknown,
  api: Api,
  report: ReportMember,
): Promise<Endpoint | undefined> {
  const isHandler = typeof definition === 'function';
  if (!isHandler && (typeof definition !== 'object' || definition === null)) {
    report([], 'it takes a function, or an object with `handler`');
    return undefined;
  }
  const members = (isHandler ? { handler: definition } : definition) as Members;
  for (const name of Object.keys(members)) {
    if (known.some((one) => one === name)) continue;
    const near = nearest(name, known);
    report([name], `unknown key${near === undefined ? '' : `; did you mean ${near}?`}`);
  }
  const { handler, summary, description } = members;
  if (typeof handler !== 'function') {
    report(['handler'], 'it is missing; write a function that answers the request');
    return undefined;
  }
  const text = (name: 'summary' | 'description', value: unknown): string | undefined => {
    if (value !== undefined && typeof value !== 'string') report([name], 'it takes a text');
    return typeof value === 'string' ? value : undefined;
  };
  const schema = async (
    name: 'body' | 'query' | 'response',
    side: Side,
  ): Promise<Schema | undefined> => {
    if (members[name] === undefined) return undefined;
    try {
      const read = await readSchema(members[name], side, name === 'query');
      if (read.json === undefined)
        report(
          [name],
          'its library gives no JSON Schema, so OpenAPI and the typed client know nothing of it; write `{ schema, jsonSchema }`',
          'warning',
        );
      return read;
    } catch (error) {
      report([name], messageOf(error));
      return undefined;
    }
  };
  return {
    ...pattern,
    summary: text('summary', summary),
    description: text('description', description),
    ...readRules(pattern, members.access, api, report),
    timeout: amount('timeout', members.timeout, readDuration, 'a duration such as 20s', report),
    bodyLimit: amount('bodyLimit', members.bodyLimit, readSize, 'a size such as 5MiB', report),
    body: await readBody(pattern, members.body, () => schema('body', 'input'), report),
    query: await schema('query', 'input'),
    response: await schema('response', 'output'),
    handler: handler as Endpoint['handler'],
  };
}

async function readBody(
  { method }: Pattern,
  body: unknown,
  schema: () => Promise<Schema | undefined>,
  report: ReportMember,
): Promise<Endpoint['body']> {
  if (body !== undefined && (method === 'GET' || method === 'DELETE')) {
    report(['body'], `${method} has no body; take POST, PUT or PATCH`);
    return undefined;
  }
  if (typeof body !== 'string') return schema();
  const raw = rawBodies.find((one) => one === body);
  if (raw === undefined)
    report(
      ['body'],
      `it takes a schema or one of ${rawBodies.map((one) => `'${one}'`).join(', ')}`,
    );
  return raw;
}

function amount(
  name: 'timeout' | 'bodyLimit',
  value: unknown,
  read: (value: unknown) => number | undefined,
  expects: string,
  report: ReportMember,
): number | undefined {
  if (value === undefined) return undefined;
  const found = read(value);
  if (found === undefined || found < 1) report([name], `it takes ${expects}`);
  return found;
}

const operationOfMethod: Readonly<Record<string, Operation>> = {
  GET: 'read',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The rules of an endpoint: its own, else those of the API for the operation that its method is. */
function readRules(
  { method }: Pattern,
  access: unknown,
  { settings }: Api,
  report: ReportMember,
): Pick<Endpoint, 'rules' | 'isAccessSaid'> {
  const own = access === undefined ? undefined : [access].flat();
  if (own !== undefined) {
    const isRole = (role: unknown): role is string =>
      typeof role === 'string' && /^\S(?:.*\S)?$/u.test(role);
    if (own.length > 0 && own.every(isRole))
      return { rules: own.map((role) => ruleFor(role)), isAccessSaid: true };
    report(['access'], "it takes 'public', 'authenticated', 'none', a role, or a list of these");
    return { rules: [], isAccessSaid: true };
  }
  const shared = accessOf(settings.access, ['access'])[operationOfMethod[method] ?? 'read'];
  if (shared === undefined)
    return {
      rules: [ruleFor(settings.auth === undefined ? 'public' : 'authenticated')],
      isAccessSaid: false,
    };
  // A row rule speaks of records, of which an endpoint has none.
  if (shared.some(({ where }) => where !== undefined))
    report(
      ['access'],
      'the `access` of the file has a `where`, which only records take; say here who may call it',
    );
  return { rules: shared.filter(({ where }) => where === undefined), isAccessSaid: true };
}

function ruleFor(role: string): Rule {
  return { role, where: undefined, path: ['access'] };
}
