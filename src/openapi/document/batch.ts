import { fieldNameIn, type ResourceView } from '../../model/view.ts';
import { commonHeaders, errorsOf } from './answers.ts';
import { examplesOf, type ExampleRows } from './example.ts';
import { isSimulated, securitySchemes, type OperationContext } from './operations.ts';
import { ref, type JsonSchema } from './schema.ts';

/** The tag of the operation, which no resource can have as its name. */
export const batchTag: JsonSchema = {
  name: '_batch',
  description: 'Several writes in one transaction.',
};

const headers: JsonSchema = { type: 'object', additionalProperties: { type: 'string' } };

const operation: JsonSchema = {
  type: 'object',
  properties: {
    method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
    path: {
      type: 'string',
      pattern: '^/',
      description:
        'POST of a resource, else one record. A segment such as {order.id} is a field of an earlier answer.',
    },
    headers: { ...headers, description: 'If-Match, If-None-Match, Prefer and Content-Type.' },
    body: {
      description:
        'The body as it would be alone. A text "{order.id}" is a field of an earlier answer.',
    },
    as: {
      type: 'string',
      pattern: String.raw`^[A-Za-z_]\w*$`,
      description: 'The name by which later operations refer to the answer of this one.',
    },
  },
  required: ['method', 'path'],
  additionalProperties: false,
};

const answer: JsonSchema = {
  type: 'object',
  properties: { status: { type: 'integer' }, headers, body: {} },
  required: ['status', 'headers', 'body'],
  additionalProperties: false,
};

/**
 * Two operations on the first resource that this caller can create and read records of; or one, if it cannot change them.
 * Undefined if there is no example of either.
 */
function exampleOf(resourceViews: readonly ResourceView[], rows?: ExampleRows): unknown {
  for (const resourceView of resourceViews) {
    const { name, offered, fields, resource } = resourceView;
    const id = fieldNameIn(fields.values(), resource.id);
    if (!offered.has('create') || !offered.has('read') || id === undefined) continue;
    const { create, merge } = examplesOf(resourceView, rows);
    if (create === undefined) continue;
    const made = { method: 'POST', path: `/${name}`, body: create, as: 'made' };
    const isChanged = offered.has('update') && merge !== undefined;
    const change = {
      method: 'PATCH',
      path: `/${name}/{made.${id}}`,
      headers: { 'Content-Type': 'application/merge-patch+json' },
      body: merge,
    };
    return isChanged ? [made, change] : [made];
  }
  return undefined;
}

/** The path of batches, and its item. */
export function batchPath(
  resourceViews: readonly ResourceView[],
  context: OperationContext,
): readonly [path: string, item: Readonly<Record<string, JsonSchema>>] {
  const { api, version } = context;
  const { auth, code, database } = api.settings;
  const example = exampleOf(resourceViews, context.rows);
  const schemes = auth === undefined ? [] : Object.keys(securitySchemes(auth));
  const post = {
    operationId: 'writeBatch',
    summary: 'Write several records, all or none',
    tags: ['_batch'],
    ...(version.deprecated === undefined ? {} : { deprecated: true }),
    security: auth === undefined ? [] : [{}, ...schemes.map((scheme) => ({ [scheme]: [] }))],
    parameters: [
      ref('parameters/IdempotencyKey'),
      ...(context.isDebugOn ? [ref('parameters/Simulate')] : []),
      ...(context.hasSandboxes ? [ref('parameters/Sandbox')] : []),
    ],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'array',
            items: operation,
            minItems: 1,
            maxItems: api.limits.batchItems,
          },
          ...(example === undefined ? {} : { example }),
        },
      },
    },
    responses: {
      200: {
        description: 'The answers, in the order of the operations.',
        headers: commonHeaders(context),
        content: { 'application/json': { schema: { type: 'array', items: answer } } },
      },
      ...errorsOf('replace', {
        mayLackKeys: database?.managed === false,
        asksWho: auth !== undefined,
        hasSunset: version.sunset !== undefined,
        isSimulated: isSimulated(context),
        isRaised: database?.messages === true,
        hasCode: code !== undefined,
      }),
    },
  };
  return [`${api.basePath}/v${version.number}/_batch`, { post }];
}
