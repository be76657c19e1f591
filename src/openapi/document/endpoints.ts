import type { Rule } from '../../model/access.ts';
import { commonHeaders, errorsOf } from './answers.ts';
import { pascal } from './names.ts';
import { isSimulated, securitySchemes, type OperationContext } from './operations.ts';
import { ref, type JsonSchema } from './schema.ts';

/** An endpoint of own code, as documents tell of it. */
export interface DocumentedEndpoint {
  /** `POST /orders/:id/pay`. */
  readonly name: string;
  readonly method: string;
  readonly segments: readonly (
    | { readonly kind: 'fixed'; readonly text: string }
    | { readonly kind: 'parameter'; readonly name: string }
  )[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly rules: readonly Rule[];
  readonly body: 'bytes' | 'text' | 'form' | 'multipart' | EndpointSchema | undefined;
  readonly query: EndpointSchema | undefined;
  readonly response: EndpointSchema | undefined;
}

/** A schema of an endpoint; undefined `json`: its library says nothing of it. */
export interface EndpointSchema {
  readonly json: JsonSchema | undefined;
}

/** The tag of endpoints whose path begins with no resource. */
export const endpointTag: JsonSchema = {
  name: '_endpoints',
  description: 'Endpoints of own code.',
};

/** `POST /orders/:id/pay` → `PostOrdersIdPay`. */
export function endpointTypeName({ name }: Pick<DocumentedEndpoint, 'name'>): string {
  const words = name.toLowerCase().match(/^[a-z]+/u)?.[0] ?? '';
  const path = name.slice(words.length).match(/\w+/gu) ?? [];
  return [words, ...path].map(pascal).join('');
}

/** The path of an endpoint, its operation, and the schemas that it refers to by name. */
export function endpointPath(
  endpoint: DocumentedEndpoint,
  resources: ReadonlySet<string>,
  context: OperationContext,
): {
  readonly path: string;
  readonly method: string;
  readonly operation: JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
} {
  const { api, version } = context;
  const { name, method, segments, summary, description, response } = endpoint;
  const schemas: Record<string, JsonSchema> = {};
  const typeName = endpointTypeName(endpoint);
  const schemaOf = (part: string, { json }: EndpointSchema): JsonSchema =>
    named(`_${typeName}${part}`, json ?? {}, schemas);
  const below = segments.map((one) => (one.kind === 'fixed' ? one.text : `{${one.name}}`));
  const [first = ''] = below;
  const { auth } = api.settings;
  const operation: JsonSchema = {
    operationId: typeName.charAt(0).toLowerCase() + typeName.slice(1),
    summary: summary ?? name,
    ...(description === undefined ? {} : { description }),
    tags: [resources.has(first) ? first : '_endpoints'],
    ...(version.deprecated === undefined ? {} : { deprecated: true }),
    security: securityOf(endpoint, auth),
    parameters: [
      ...segments.flatMap((one) => (one.kind === 'fixed' ? [] : [pathParameter(one.name)])),
      ...queryParameters(endpoint, (schema) => schemaOf('Query', schema)),
      ...(context.isDebugOn
        ? [ref('parameters/_trace'), ref('parameters/_verbose'), ref('parameters/Simulate')]
        : []),
      ...(context.hasSandboxes ? [ref('parameters/Sandbox')] : []),
    ],
    ...bodyOf(endpoint, (schema) => schemaOf('Body', schema)),
    responses: {
      200: {
        description: 'What the endpoint gives.',
        headers: commonHeaders(context),
        content:
          response === undefined
            ? { '*/*': {} }
            : { 'application/json': { schema: schemaOf('Response', response) } },
      },
      ...(response === undefined
        ? {
            204: { description: 'It is done.', headers: commonHeaders(context) },
            '2XX': { description: 'What the endpoint gives.' },
            '3XX': { description: 'Where the endpoint leads.' },
          }
        : {}),
      ...errorsOf(endpoint.body === undefined ? 'read' : 'replace', {
        asksWho: auth !== undefined,
        hasSunset: version.sunset !== undefined,
        isSimulated: isSimulated(context),
        isRaised: false,
        hasCode: false,
      }),
      default: ref('responses/CodeError'),
    },
  };
  const path = `${api.basePath}/v${version.number}/${below.join('/')}`;
  return { path, method: method.toLowerCase(), operation, schemas };
}

function securityOf(
  { rules }: DocumentedEndpoint,
  auth: OperationContext['api']['settings']['auth'],
): readonly JsonSchema[] {
  if (auth === undefined) return [];
  const needed = Object.keys(securitySchemes(auth)).map((scheme) => ({ [scheme]: [] }));
  return rules.some(({ role }) => role === 'public') ? [{}, ...needed] : needed;
}

function pathParameter(name: string): JsonSchema {
  return { name, in: 'path', required: true, schema: { type: 'string' } };
}

/** One parameter for each property of the schema. */
function queryParameters(
  { query }: DocumentedEndpoint,
  schemaOf: (schema: EndpointSchema) => JsonSchema,
): readonly JsonSchema[] {
  const { properties, required = [] } = query?.json ?? {};
  if (query === undefined || typeof properties !== 'object' || properties === null) return [];
  const whole = schemaOf(query);
  const isNamed = typeof whole['$ref'] === 'string';
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, schema]) => ({
      name,
      in: 'query',
      required: (required as readonly string[]).includes(name),
      schema: isNamed ? { $ref: `${String(whole['$ref'])}/properties/${name}` } : schema,
    }),
  );
}

const rawTypes = {
  bytes: '*/*',
  text: '*/*',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
} as const;

function bodyOf(
  { body }: DocumentedEndpoint,
  schemaOf: (schema: EndpointSchema) => JsonSchema,
): JsonSchema {
  if (body === undefined) return {};
  const content =
    typeof body === 'string'
      ? { [rawTypes[body]]: { schema: rawTypes[body] === '*/*' ? {} : { type: 'object' } } }
      : { 'application/json': { schema: schemaOf(body) } };
  return { requestBody: { required: true, content } };
}

/**
 * A schema as it can stand in the document. One that refers to parts of itself gets a name there, since `#` means the whole
 * document.
 */
function named(name: string, json: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  const { $schema: _, $id: __, ...schema } = json;
  let isOwn = false;
  const own = JSON.parse(JSON.stringify(schema), (key, value: unknown) => {
    if (key !== '$ref' || typeof value !== 'string' || !value.startsWith('#')) return value;
    isOwn = true;
    return `#/components/schemas/${name}${value.slice(1)}`;
  }) as JsonSchema;
  if (!isOwn) return schema;
  schemas[name] = own;
  return ref(`schemas/${name}`);
}
