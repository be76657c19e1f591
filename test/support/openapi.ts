import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { LoadedCode } from '../../src/extensions/load.ts';
import { BoundedCache } from '../../src/lib/bounded-cache.ts';
import { anonymous, type Subject } from '../../src/model/access.ts';
import type { Api, Version } from '../../src/model/api.ts';
import { viewKey, viewOf, type View } from '../../src/model/view.ts';
import { openApiDocument, type OpenApiDocument } from '../../src/openapi/document/document.ts';
import { isParameter } from '../../src/query/request/parameters.ts';

/** A request and its answer, as the document should have them. */
export interface Exchanged {
  readonly method: string;
  readonly path: string;
  /** The text that was sent. */
  readonly sent: string | undefined;
  readonly requestType: string | undefined;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The view that a document of everything is made of: of a caller with every role where the file has `auth`. */
export function fullView(api: Api, version: Version): View {
  const subject =
    api.settings.auth === undefined ? anonymous : { authenticated: true, roles: api.roles };
  return viewOf(api, version, subject);
}

type Members = Readonly<Record<string, unknown>>;

interface Checker {
  readonly document: OpenApiDocument;
  /** The validator of a schema in the document, by its pointer. */
  readonly validator: (pointer: string) => ValidateFunction;
}

const checkers = new WeakMap<Version, Map<string, Checker>>();

/** The same document is made by every file of tests that serves the same specification: those used last, by their text. */
const checkersByText = new BoundedCache<Checker>(64);

function checkerOf(
  api: Api,
  version: Version,
  subject: Subject | undefined,
  endpoints: LoadedCode['endpoints'] = [],
): Checker {
  const ofVersion = checkers.get(version) ?? new Map<string, Checker>();
  checkers.set(version, ofVersion);
  const key = subject === undefined ? 'full' : viewKey(api, version, subject);
  const known = ofVersion.get(key);
  if (known !== undefined) return known;
  const view = subject === undefined ? fullView(api, version) : viewOf(api, version, subject);
  const document = openApiDocument(view, { isDebugOn: true, endpoints });
  const text = JSON.stringify(document);
  const checker = checkersByText.get(text) ?? makeChecker(document);
  ofVersion.set(key, checker);
  checkersByText.set(text, checker);
  return checker;
}

function makeChecker(document: OpenApiDocument): Checker {
  // Formats are notes in 2020-12: what the types promise is the tests' own matter.
  const ajv = new Ajv2020({
    strict: false,
    validateFormats: false,
    addUsedSchema: false,
    ownProperties: true,
    // Most schemas check a few answers: to make their code shorter, or one function of several, takes longer than it saves.
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addSchema(document, 'api');
  const validators = new Map<string, ValidateFunction>();
  const validator = (pointer: string): ValidateFunction => {
    const compiled = validators.get(pointer) ?? ajv.compile({ $ref: `api#${pointer}` });
    validators.set(pointer, compiled);
    return compiled;
  };
  return { document, validator };
}

/** A JSON pointer in a URI fragment. */
export function pointerOf(...parts: readonly string[]): string {
  return parts
    .map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');
}

/** Headers that the document leaves to HTTP. */
const ordinary = new Set([
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'x-debug',
  'strict-transport-security',
]);

/**
 * Says what an answer has that the OpenAPI document does not tell of; undefined where all is as documented. It is the
 * document of `subject`, or of everything.
 */
export function undocumented(
  api: Api,
  exchanged: Exchanged,
  subject?: Subject,
  code?: LoadedCode,
): string | undefined {
  const [path = '', query = ''] = exchanged.path.split('?');
  if (
    (path.startsWith('/_') && !isOfAudit(path)) ||
    /^(?:\/\w+)?\/v\d+\/_openapi\.json$/u.test(path) ||
    exchanged.method === 'OPTIONS'
  )
    return undefined;
  const found = operationOf(api, path, exchanged.method.toLowerCase(), subject, code);
  if (found === undefined) {
    // Nothing is there, or not this: that much an error says everywhere.
    const [version] = api.versions.values();
    if (version === undefined || exchanged.method === 'HEAD') return undefined;
    if (exchanged.status < 400) return `${exchanged.method} ${path} is not documented`;
    const pointer = pointerOf('components', 'schemas', 'Error');
    return bodyProblem(checkerOf(api, version, undefined).validator(pointer), exchanged);
  }
  return (
    answerProblem(found, exchanged) ??
    (exchanged.status < 300 && !found.isEndpoint
      ? requestProblem(found, exchanged, query)
      : undefined)
  );
}

interface Found {
  readonly checker: Checker;
  readonly pointer: readonly string[];
  readonly operation: Members;
  readonly shared: readonly unknown[];
  /** It may answer with any status and headers. */
  readonly isEndpoint: boolean;
}

/** Whether a path is that of the audit log, or of a change in it. */
function isOfAudit(path: string): boolean {
  return /^\/_audit(?:\/[\w-]+)?$/u.test(path);
}

function operationOf(
  api: Api,
  path: string,
  method: string,
  subject: Subject | undefined,
  code: LoadedCode | undefined,
): Found | undefined {
  if (isOfAudit(path)) {
    const [version] = api.versions.values();
    const template = path === '/_audit' ? path : '/_audit/{id}';
    return version && operationAt(checkerOf(api, version, subject), template, method);
  }
  if (!path.startsWith(`${api.basePath}/`)) return undefined;
  const parts = path
    .slice(api.basePath.length + 1)
    .split('/')
    .map(decoded);
  const isVersioned = /^v[1-9]\d*$/u.test(parts[0] ?? '');
  if (!isVersioned && !api.unversioned) return undefined;
  const number = isVersioned ? Number(parts[0]?.slice(1)) : api.defaultVersion;
  const version = api.versions.get(number);
  const [resource = '', id, ...rest] = isVersioned ? parts.slice(1) : parts;
  if (version === undefined) return undefined;
  const endpoint = code?.routes?.find(isVersioned ? parts.slice(1) : parts)?.byMethod;
  const known = endpoint?.get(method.toUpperCase())?.endpoint;
  if (known === undefined && (rest.length > 0 || id === '')) return undefined;
  const checker = checkerOf(api, version, subject, code?.endpoints);
  const below =
    known?.segments.map((one) => (one.kind === 'fixed' ? one.text : `{${one.name}}`)).join('/') ??
    `${resource}${id === undefined ? '' : '/{id}'}`;
  return operationAt(checker, `${api.basePath}/v${number}/${below}`, method, known !== undefined);
}

function operationAt(
  checker: Checker,
  template: string,
  method: string,
  isEndpoint = false,
): Found | undefined {
  const item = checker.document.paths[template];
  const name = method === 'head' ? 'get' : method;
  const operation = item?.[name];
  if (item === undefined || operation === undefined || name === 'parameters') return undefined;
  return {
    checker,
    pointer: ['paths', template, name],
    operation,
    shared: (item['parameters'] as unknown as readonly unknown[] | undefined) ?? [],
    isEndpoint,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows a reference into the components, with where it leads. */
function followed(
  { document }: Checker,
  part: Members,
  pointer: readonly string[],
): { readonly part: Members; readonly pointer: readonly string[] } {
  const { $ref } = part;
  if (typeof $ref !== 'string') return { part, pointer };
  const [section = '', name = ''] = $ref.slice('#/components/'.length).split('/');
  const target = document.components[section]?.[name];
  if (target === undefined) throw new Error(`${$ref} leads nowhere`);
  return { part: target, pointer: ['components', section, name] };
}

function answerProblem(
  { checker, operation, pointer, isEndpoint }: Found,
  exchanged: Exchanged,
): string | undefined {
  const { status, headers, method, text } = exchanged;
  const responses = operation['responses'] as Readonly<Record<string, Members>>;
  // Only an error that is simulated, or that own code answers with, may have any status.
  const isOfCode = responses['default']?.['$ref'] === '#/components/responses/CodeError';
  const isOther = isEndpoint || isOfCode || text.includes('"code":"SIMULATED_ERROR"');
  const range = `${Math.floor(status / 100)}XX`;
  const other = range in responses ? range : 'default';
  const key = String(status) in responses || !isOther ? String(status) : other;
  const documented = responses[key];
  if (documented === undefined) return `the status ${status} is not documented`;
  const response = followed(checker, documented, [...pointer, 'responses', key]);
  const known = (response.part['headers'] ?? {}) as Readonly<Record<string, Members>>;
  for (const [name, header] of Object.entries(known)) {
    const { part } = followed(checker, header, []);
    const value = headers.get(name);
    if (value === null && part['required'] === true) return `the header ${name} is missing`;
    const { type } = part['schema'] as { readonly type: string };
    if (value !== null && type === 'integer' && !/^\d+$/u.test(value))
      return `the header ${name} is no integer: ${value}`;
  }
  const names = new Set(Object.keys(known).map((name) => name.toLowerCase()));
  for (const [name] of headers)
    if (!isEndpoint && !names.has(name) && !ordinary.has(name))
      return `the header ${name} is not documented`;
  const content = response.part['content'] as Readonly<Record<string, Members>> | undefined;
  if (method === 'HEAD') return undefined;
  if (text === '')
    return content === undefined || headers.has('preference-applied') || !isJson(headers)
      ? undefined
      : 'there is no body';
  const type = (headers.get('content-type') ?? '').split(';', 1)[0] ?? '';
  if (content !== undefined && '*/*' in content) return undefined;
  if (content?.[type] === undefined) return `a body of type ${type} is not documented`;
  if (type !== 'application/json') return undefined;
  const schema = pointerOf(...response.pointer, 'content', type, 'schema');
  return (
    bodyProblem(checker.validator(schema), exchanged) ?? wholeProblem(checker, operation, exchanged)
  );
}

function isJson(headers: Headers): boolean {
  return headers.get('content-type')?.startsWith('application/json') === true;
}

/** A plain read of one record shows all of it. */
function wholeProblem(
  { document, validator }: Checker,
  operation: Members,
  exchanged: Exchanged,
): string | undefined {
  if (exchanged.status !== 200 || /[?&](?:fields|exclude|_\w+)=/u.test(exchanged.path))
    return undefined;
  const [, name] = /^(?:get|replace|update)(\w+)$/u.exec(String(operation['operationId'])) ?? [];
  if (name === undefined || document.components['schemas']?.[name] === undefined) return undefined;
  return bodyProblem(validator(pointerOf('components', 'schemas', name)), exchanged);
}

function bodyProblem(validate: ValidateFunction, { text }: Exchanged): string | undefined {
  return problemOf(validate, JSON.parse(text) as unknown, 'the body');
}

/** To compare items with each other, ajv calls what they have as `toString` or `valueOf`, members too: of these nothing is said. */
function isValid(validate: ValidateFunction, value: unknown): boolean {
  try {
    return validate(value);
  } catch (error) {
    if (error instanceof TypeError && /(?:toString|valueOf) is not a function/u.test(error.message))
      return true;
    throw error;
  }
}

function problemOf(validate: ValidateFunction, value: unknown, what: string): string | undefined {
  if (isValid(validate, value)) return undefined;
  const errors = (validate.errors ?? [])
    .slice(0, 4)
    .map(
      ({ instancePath, message, params }) =>
        `${instancePath} ${message ?? ''} ${JSON.stringify(params)}`,
    );
  return `${what} is not as documented: ${errors.join('; ')}`;
}

/** What was taken has to be documented too: its body, and every parameter by name. */
function requestProblem(found: Found, exchanged: Exchanged, query: string): string | undefined {
  const { checker, operation, pointer, shared } = found;
  const own = [...shared, ...(operation['parameters'] as readonly unknown[])].map(
    (one) => followed(checker, one as Members, []).part,
  );
  const names = new Set(
    own.filter((one) => one['in'] === 'query').flatMap((one) => sentNames(checker, one)),
  );
  for (const name of new URLSearchParams(query).keys()) {
    // Longer paths are described in words; and what makes no difference is let pass.
    const isKnown = names.has(name) || name.includes('.') || isParameter(name) || name === '';
    if (!isKnown) return `the parameter ${name} is not documented`;
  }
  const content = (operation['requestBody'] as Members | undefined)?.['content'] as
    | Members
    | undefined;
  if (content === undefined || exchanged.sent === undefined) return undefined;
  const type = (exchanged.requestType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (content[type] === undefined) return `a request of type ${type} is not documented`;
  const schema = pointerOf(...pointer, 'requestBody', 'content', type, 'schema');
  const body = withoutReadOnly(
    checker,
    content[type],
    JSON.parse(exchanged.sent.replace(/^\uFEFF/u, '')) as unknown,
  );
  return problemOf(checker.validator(schema), body, 'what was sent');
}

/** What a parameter is sent by: the members of an object that is sent as members, else its name. */
function sentNames(checker: Checker, { name, schema }: Members): readonly string[] {
  const { allOf } = schema as { readonly allOf?: readonly Members[] };
  const { part } = followed(checker, allOf?.[0] ?? (schema as Members), []);
  return part['type'] === 'object' ? Object.keys(part['properties'] as object) : [String(name)];
}

/** A body without the members that are not even looked at. */
function withoutReadOnly(checker: Checker, media: unknown, body: unknown): unknown {
  const { part } = followed(checker, (media as Members)['schema'] as Members, []);
  const properties = (part['properties'] ?? {}) as Readonly<Record<string, Members>>;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => properties[name]?.['readOnly'] !== true),
  );
}
