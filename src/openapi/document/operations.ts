import { decide, type Operation } from '../../model/access.ts';
import type { Api, Version } from '../../model/api.ts';
import { recordName } from '../../lib/text/singular.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { fieldNameIn, type ResourceView } from '../../model/view.ts';
import type { RequestKind } from '../../query/request/parameters.ts';
import { commonHeaders, errorsOf, headerRef } from './answers.ts';
import { debugMembers } from './debug.ts';
import { examplesOf, type ExampleRows, type Examples } from './example.ts';
import { readSchema } from './field-schemas.ts';
import { pascal } from './names.ts';
import { parametersOf, pathNotes } from './parameters/parameters.ts';
import { hasObjects, nameOf, shown, type Naming } from './records.ts';
import { ref, type JsonSchema } from './schema.ts';

/** What the operations of one document are made with. */
export interface OperationContext extends Naming {
  readonly api: Api;
  readonly version: Version;
  /** Whether the caller may use debug parameters. */
  readonly isDebugOn: boolean;
  readonly hasSandboxes: boolean;
  readonly rows: ExampleRows | undefined;
}

interface Kind {
  readonly kind: RequestKind;
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly right: Operation;
  readonly on: 'collection' | 'record';
  readonly verb: string;
  readonly summary: (name: string, resource: string) => string;
}

const kinds: readonly Kind[] = [
  {
    kind: 'list',
    method: 'get',
    right: 'read',
    on: 'collection',
    verb: 'list',
    summary: (_, many) => `List ${many}`,
  },
  {
    kind: 'create',
    method: 'post',
    right: 'create',
    on: 'collection',
    verb: 'create',
    summary: (_, many) => `Create records of ${many}`,
  },
  {
    kind: 'updateMany',
    method: 'patch',
    right: 'update',
    on: 'collection',
    verb: 'updateMany',
    summary: (_, many) => `Change all of ${many} that match`,
  },
  {
    kind: 'deleteMany',
    method: 'delete',
    right: 'delete',
    on: 'collection',
    verb: 'deleteMany',
    summary: (_, many) => `Delete all of ${many} that match`,
  },
  {
    kind: 'read',
    method: 'get',
    right: 'read',
    on: 'record',
    verb: 'get',
    summary: (_, many) => `Get one of ${many}`,
  },
  {
    kind: 'replace',
    method: 'put',
    right: 'update',
    on: 'record',
    verb: 'replace',
    summary: (_, many) => `Replace one of ${many}`,
  },
  {
    kind: 'update',
    method: 'patch',
    right: 'update',
    on: 'record',
    verb: 'update',
    summary: (_, many) => `Change one of ${many}`,
  },
  {
    kind: 'delete',
    method: 'delete',
    right: 'delete',
    on: 'record',
    verb: 'delete',
    summary: (_, many) => `Delete one of ${many}`,
  },
];

/** Whether the records of a request are chosen by filters, which nobody has on what it cannot read. */
function needsFilters(kind: RequestKind): boolean {
  return kind === 'updateMany' || kind === 'deleteMany';
}

/** The path items of a resource: its collection and its records, with the operations that this caller may do. */
export function pathsOf(
  resourceView: ResourceView,
  collection: string,
  context: OperationContext,
): Readonly<Record<string, JsonSchema>> {
  const { hasKey } = resourceView.resource;
  const isReadable = resourceView.rules.read.length > 0;
  const open = kinds.filter(
    ({ kind, right, on }) =>
      resourceView.offered.has(right) &&
      (hasKey || on === 'collection') &&
      (isReadable || !needsFilters(kind)),
  );
  const examples = examplesOf(resourceView, context.rows);
  const shownId = examples.record?.[idName(resourceView)];
  const itemOf = (on: Kind['on']): JsonSchema =>
    Object.fromEntries(
      open
        .filter((kind) => kind.on === on)
        .map((kind) => [kind.method, operation(kind, resourceView, examples, context)]),
    );
  const id = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the record.',
    schema: readSchema(resourceView.resource.id, resourceView.view),
    ...(shownId === undefined ? {} : { example: shownId }),
  };
  const items: readonly (readonly [string, JsonSchema, JsonSchema])[] = [
    [collection, itemOf('collection'), {}],
    [`${collection}/{id}`, itemOf('record'), { parameters: [id] }],
  ];
  return Object.fromEntries(
    items.flatMap(([path, item, more]) =>
      Object.keys(item).length === 0 ? [] : [[path, { ...more, ...item }]],
    ),
  );
}

/** The other formats of a list. */
const streams = {
  'text/csv': { schema: { type: 'string' } },
  'application/x-ndjson': { schema: { type: 'string' } },
};

function operation(
  { kind, right, verb, summary }: Kind,
  resourceView: ResourceView,
  examples: Examples,
  context: OperationContext,
): JsonSchema {
  const { api, version } = context;
  const name = nameOf(resourceView, context);
  const about = pathNotes(kind, resourceView, api.limits);
  const isDeprecated = version.deprecated !== undefined;
  const isRead = kind === 'list' || kind === 'read';
  return {
    operationId: `${verb}${kind === 'list' ? listName(resourceView, name) : name}`,
    summary: summary(name, resourceView.name),
    ...(about === '' || !(isRead || resourceView.rules.read.length > 0)
      ? {}
      : { description: about }),
    tags: [resourceView.name],
    ...(isDeprecated ? { deprecated: true } : {}),
    ...securityOf(api, resourceView, right),
    parameters: parametersOf(kind, resourceView, context),
    ...bodyOf(kind, resourceView, examples, context),
    responses: {
      ...successes(kind, resourceView, examples, context),
      ...errorsOf(kind, {
        asksWho: api.settings.auth !== undefined,
        hasSunset: version.sunset !== undefined,
        isSimulated: isSimulated(context),
        isRaised: api.settings.database?.messages === true,
        hasCode: api.settings.code !== undefined,
        mayLackKeys: kind === 'create' && api.settings.database?.managed === false,
      }),
    },
  };
}

/** Whether requests may meet errors of a simulated network: by the file, by the dashboard, or when they ask for it. */
export function isSimulated({
  api: { settings },
  isDebugOn,
}: Pick<OperationContext, 'api' | 'isDebugOn'>): boolean {
  return (
    isDebugOn ||
    settings.network !== undefined ||
    Object.values(settings.resources).some(({ network }) => network !== undefined)
  );
}

/** `listPosts`; where another resource has that name, after what one record is called. */
function listName(resourceView: ResourceView, name: string): string {
  return name === pascal(recordName(resourceView.name)) ? pascal(resourceView.name) : `${name}List`;
}

/** Without `auth` nothing is asked; with it, what a rule for everyone leaves open may still be sent credentials. */
function securityOf({ settings }: Api, { rules }: ResourceView, right: Operation): JsonSchema {
  if (settings.auth === undefined) return { security: [] };
  const needed = Object.keys(securitySchemes(settings.auth)).map((scheme) => ({ [scheme]: [] }));
  const isOpen = rules[right].some(({ role }) => role === 'public');
  return { security: isOpen ? [{}, ...needed] : needed };
}

/** The ways to say who one is. */
export function securitySchemes(
  auth: NonNullable<Api['settings']['auth']>,
): Readonly<Record<string, JsonSchema>> {
  return {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      ...(auth.jwt === undefined ? {} : { bearerFormat: 'JWT' }),
      description: auth.jwt === undefined ? 'An API key.' : 'A JSON Web Token or an API key.',
    },
    ...(auth.apiKeys === undefined
      ? {}
      : {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
        }),
  };
}

function bodyOf(
  kind: RequestKind,
  resourceView: ResourceView,
  examples: Examples,
  context: OperationContext,
): JsonSchema {
  const name = nameOf(resourceView, context);
  const media = (schema: JsonSchema, example?: unknown): JsonSchema => ({
    schema,
    ...(example === undefined ? {} : { example }),
  });
  const body = (content: JsonSchema): JsonSchema => ({ requestBody: { required: true, content } });
  switch (kind) {
    case 'create': {
      const one = ref(`schemas/${name}Create`);
      const many = { type: 'array', items: one, maxItems: context.api.limits.batchItems };
      return body({ 'application/json': media({ anyOf: [one, many] }, examples.create) });
    }
    case 'replace':
      return body({ 'application/json': media(ref(`schemas/${name}Replace`), examples.replace) });
    case 'update':
    case 'updateMany':
      return body({
        'application/json': media(ref(`schemas/${name}Update`), examples.update),
        'application/merge-patch+json': media(
          ref(`schemas/${name}${hasObjects(resourceView) ? 'MergePatch' : 'Update'}`),
          examples.merge,
        ),
      });
    case 'list':
    case 'read':
    case 'delete':
    case 'deleteMany':
      return {};
    default:
      return kind satisfies never;
  }
}

function successes(
  kind: RequestKind,
  resourceView: ResourceView,
  examples: Examples,
  context: OperationContext,
): Readonly<Record<string, JsonSchema>> {
  const name = nameOf(resourceView, context);
  const mayRead = resourceView.rules.read.length > 0;
  const { record } = examples;
  const common = commonHeaders(context);
  const headers = (...names: readonly (readonly [string, string])[]): JsonSchema => ({
    ...common,
    ...Object.assign({}, ...names.map(([header, component]) => headerRef(header, component))),
  });
  const json = (schema: JsonSchema, shownExample?: unknown): JsonSchema => ({
    'application/json': {
      schema: enveloped(schema, context),
      ...(shownExample === undefined ? {} : { example: shownExample }),
    },
  });
  const etag = ['ETag', 'ETag'] as const;
  const applied = ['Preference-Applied', 'PreferenceApplied'] as const;
  const unchanged = {
    304: { description: 'It is still what If-None-Match names.', headers: headers(etag) },
  };
  const minimal = (description: string): Readonly<Record<string, JsonSchema>> => ({
    204: { description, headers: headers(...(mayRead ? [etag] : []), applied) },
  });
  const upserted = (): Readonly<Record<string, JsonSchema>> => ({
    200: {
      description: 'With onConflict: the record that was there, or all records of an array.',
      headers: headers(etag, applied),
      ...(mayRead
        ? { content: json({ anyOf: [...anyOf(shown(name)), ref(`schemas/${name}List`)] }, record) }
        : {}),
    },
  });
  switch (kind) {
    case 'list': {
      const paging = [
        ['X-Limit', 'PageLimit'],
        ['X-Page', 'PageNumber'],
        ['X-Total-Count', 'TotalCount'],
        ['X-Total-Pages', 'TotalPages'],
        ['X-Next-Cursor', 'NextCursor'],
        ['Link', 'Link'],
      ] as const;
      return {
        200: {
          description:
            'The records: a list, or a page behind a cursor. With group or aggregate, groups.',
          headers: headers(...paging, etag, applied),
          content: {
            ...json(
              {
                anyOf: [
                  ref(`schemas/${name}List`),
                  ref(`schemas/${name}Page`),
                  ref('schemas/Totals'),
                ],
              },
              listExample(resourceView, record),
            ),
            ...(resourceView.resource.hasKey ? streams : {}),
          },
        },
        304: {
          description: unchanged[304].description,
          headers: headers(...paging, etag, applied),
        },
      };
    }
    case 'read':
      return {
        200: {
          description: 'The record.',
          headers: headers(etag),
          content: json(shown(name), record),
        },
        ...unchanged,
      };
    case 'create':
      return {
        ...upserted(),
        201: {
          description:
            'The new record, or all new records of an array. Without a body where Prefer says return=minimal.',
          headers: headers(['Location', 'Location'], etag, applied),
          content: mayRead
            ? json({ anyOf: [...anyOf(shown(name)), ref(`schemas/${name}List`)] }, examples.created)
            : json({
                anyOf: [
                  ref(`schemas/${name}Id`),
                  { type: 'array', items: ref(`schemas/${name}Id`) },
                ],
              }),
        },
      };
    case 'replace':
    case 'update':
      return mayRead
        ? {
            ...(kind === 'replace' && isClientKeyed(resourceView)
              ? {
                  201: {
                    description: 'The new record, made under If-None-Match: *.',
                    headers: headers(['Location', 'Location'], etag, applied),
                    content: json(shown(name), record),
                  },
                }
              : {}),
            200: {
              description: 'The record as it is now.',
              headers: headers(etag, applied),
              content: json(shown(name), kind === 'update' ? examples.updated : record),
            },
            ...minimal(
              decide(resourceView.rules.read).allowed === 'all'
                ? 'It is done; Prefer says return=minimal.'
                : 'It is done; Prefer says return=minimal, or this caller may not read the result.',
            ),
          }
        : minimal('It is done.');
    case 'delete':
      return { 204: { description: 'It is gone.', headers: common } };
    case 'updateMany':
    case 'deleteMany':
      return {
        200: {
          description:
            'How many records were changed or deleted. Where Prefer says return=representation, the records: of a delete as they were.',
          headers: headers(applied),
          content: json(
            mayRead ? { anyOf: [affected, ref(`schemas/${name}List`)] } : affected,
            record === undefined ? undefined : { count: 1 },
          ),
        },
        204: { description: 'It is done; Prefer says return=minimal.', headers: headers(applied) },
      };
    default:
      return kind satisfies never;
  }
}

/** Whether a PUT may create a record of this resource under an id of the client. */
function isClientKeyed({ resource, offered }: ResourceView): boolean {
  return offered.has('create') && !isGenerated(resource.id);
}

/** The answer of a change of many. */
const affected: JsonSchema = {
  type: 'object',
  properties: { count: { type: 'integer', minimum: 0 } },
  required: ['count'],
  additionalProperties: false,
};

/** A list as a plain request gets it: behind a cursor where the resource is paged so. */
function listExample({ resource }: ResourceView, record: unknown): unknown {
  if (record === undefined) return undefined;
  return resource.pagination === 'cursor' ? { data: [record], next_cursor: null } : [record];
}

/** What the id is called in this version. */
function idName({ fields, resource }: ResourceView): string {
  return fieldNameIn(fields.values(), resource.id) ?? 'id';
}

function anyOf(schema: JsonSchema): readonly JsonSchema[] {
  return schema['anyOf'] as readonly JsonSchema[];
}

/**
 * With debug parameters the answer becomes a member of an object. See
 * docs/contract/7-data-debug-dashboard.md#debug-parameters, rule 2.
 */
function enveloped(schema: JsonSchema, { isDebugOn }: OperationContext): JsonSchema {
  if (!isDebugOn) return schema;
  const envelope = {
    type: 'object',
    description: 'With a debug parameter.',
    properties: { data: schema, next_cursor: { type: ['string', 'null'] }, ...debugMembers },
    required: ['data'],
    additionalProperties: false,
  };
  const alternatives = Array.isArray(schema['anyOf']) ? anyOf(schema) : [schema];
  return { anyOf: [...alternatives, envelope] };
}
