import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Api } from '../../model/api.ts';
import type { ResourceView, View } from '../../model/view.ts';
import { commonHeaders, errorResponses, errorSchema, responseHeaders } from './answers.ts';
import { paramsSchema, ruleSchema } from './problem-rules.ts';
import type { Operation } from '../../model/access.ts';
import { batchPath, batchTag } from './batch.ts';
import { endpointPath, endpointTag, type DocumentedEndpoint } from './endpoints.ts';
import type { ExampleRows } from './example.ts';
import { filterSchemas } from './parameters/filter-families.ts';
import { typeNames } from './names.ts';
import { isSimulated, pathsOf, securitySchemes, type OperationContext } from './operations.ts';
import { headerParameters, reservedParameters } from './parameters/parameters.ts';
import { increment, nameOf, recordSchemas } from './records.ts';
import { totalsSchema } from './parameters/totals.ts';
import type { JsonSchema } from './schema.ts';

/** An OpenAPI 3.1 document. */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: JsonSchema;
  readonly servers: readonly JsonSchema[];
  readonly tags: readonly JsonSchema[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;
}

export interface DocumentOptions {
  /** Whether the caller may use debug parameters; no, unless said otherwise. */
  readonly isDebugOn?: boolean;
  /** Whether requests may name a sandbox; no, unless said otherwise. */
  readonly hasSandboxes?: boolean;
  /** What examples are made of; without it of the types alone. */
  readonly rows?: ExampleRows | undefined;
  /** Where the API is served; `server.publicUrl` or `/`, unless said otherwise. */
  readonly server?: string;
  /** The endpoints of own code that the caller may use. */
  readonly endpoints?: readonly DocumentedEndpoint[];
  /**
   * Leaves the operations of this tag alone, or of the first one if it is empty. All tags stay in the list. Schemas of
   * other resources are named, without their content.
   */
  readonly tag?: string | undefined;
}

/**
 * The API as a view shows it, as OpenAPI 3.1, without what the caller may do nothing with. The same view always gives
 * the same document. See docs/contract/7-data-debug-dashboard.md#openapi.
 */
export function openApiDocument(view: View, options: DocumentOptions = {}): OpenApiDocument {
  const steps = documentSteps(view, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** What stands for every tag that is not there: no resource has a name without a letter. */
const noTag = '_';

/**
 * The tag that a document is asked for, with one name for all that a view does not have: their documents are equal, so that
 * a cache needs only one.
 */
export function knownTag(view: View, tag: string | undefined): string | undefined {
  if (tag === undefined || tag === '') return tag;
  const isThere =
    tag === batchTag['name'] ||
    tag === endpointTag['name'] ||
    [...view.resourceViews(), ...auditOf(view)].some(({ name }) => name === tag);
  return isThere ? tag : noTag;
}

/** The same, made a resource at a time, between which others have their turn: of a large API it takes seconds. */
export async function openApiInTurns(
  view: View,
  options: DocumentOptions,
): Promise<OpenApiDocument> {
  const steps = documentSteps(view, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await nextTurn();
  }
}

/** Makes the document; what it yields parts its work. */
function* documentSteps(
  view: View,
  {
    isDebugOn = false,
    hasSandboxes = false,
    rows,
    server = '',
    endpoints = [],
    tag,
  }: DocumentOptions,
): Generator<undefined, OpenApiDocument> {
  const { api, version } = view;
  const log = auditOf(view);
  const names = typeNames(view, log);
  const context: OperationContext = { api, version, names, isDebugOn, hasSandboxes, rows };
  const resourceViews = view.resourceViews();
  const paths: Record<string, OpenApiDocument['paths'][string]> = {};
  const schemas: Record<string, JsonSchema> = {};
  const components = {
    schemas,
    parameters: { ...reservedParameters(api.limits), ...headerParameters },
    headers: responseHeaders,
    responses: errorResponses(
      commonHeaders(context),
      isSimulated(context),
      api.settings.database?.messages === true,
      api.settings.code !== undefined,
    ),
  };
  const prefix = `${api.basePath}/v${version.number}/`;
  const shownTag = tag === '' ? (resourceViews[0]?.name ?? '') : tag;
  const isShown = (name: string): boolean => shownTag === undefined || shownTag === name;
  for (const resourceView of resourceViews) {
    if (!isShown(resourceView.name)) continue;
    Object.assign(paths, pathsOf(resourceView, `${prefix}${resourceView.name}`, context));
    Object.assign(schemas, recordSchemas(resourceView, context), filtersIn(resourceView, context));
    yield;
  }
  for (const resourceView of log) {
    if (!isShown(resourceView.name)) continue;
    const unversioned = { ...version, deprecated: undefined, sunset: undefined };
    // Data is generated for resources alone.
    const ofLog = { ...context, version: unversioned, rows: undefined };
    Object.assign(paths, pathsOf(resourceView, `/${resourceView.name}`, ofLog));
    Object.assign(schemas, recordSchemas(resourceView, ofLog), filtersIn(resourceView, ofLog));
  }
  const isWritable = resourceViews.some(({ offered }) =>
    ['create', 'update', 'delete'].some((right) => offered.has(right as Operation)),
  );
  if (isWritable && isShown(String(batchTag['name']))) {
    const [path, item] = batchPath(resourceViews, context);
    paths[path] = item;
  }
  const resourceNames = new Set(resourceViews.map(({ name }) => name));
  for (const endpoint of endpoints) {
    const { path, method, operation, ...own } = endpointPath(endpoint, resourceNames, context);
    if (!(operation['tags'] as readonly string[]).some(isShown)) continue;
    paths[path] = { ...paths[path], [method]: operation };
    Object.assign(schemas, own.schemas);
  }
  schemas['Error'] = errorSchema(isDebugOn, api.settings.code !== undefined);
  schemas['ProblemRule'] = ruleSchema;
  schemas['ProblemParams'] = paramsSchema(api.settings.code !== undefined);
  schemas['Increment'] = increment;
  schemas['Totals'] = totalsSchema;
  const used = new Set<string>();
  if (shownTag !== undefined) Object.assign(schemas, named(paths, schemas));
  for (const path of Object.values(paths)) {
    addUsed(path, components, used);
    yield;
  }
  const { auth } = api.settings;
  const hasOwnTag = endpoints.some(
    ({ segments: [first] }) => first?.kind !== 'fixed' || !resourceNames.has(first.text),
  );
  const endpointTags = hasOwnTag ? [endpointTag] : [];
  return {
    openapi: '3.1.1',
    info: {
      title: api.name,
      version: String(version.number),
      ...(api.description === undefined ? {} : { description: api.description }),
      // The file says nothing of a licence; this is SPDX for just that.
      license: { name: 'Not stated', identifier: 'NOASSERTION' },
    },
    servers: [{ url: server === '' ? serverOf(api) : server }],
    tags: [
      ...[...resourceViews, ...log].map(tagOf),
      ...(isWritable ? [batchTag] : []),
      ...endpointTags,
    ],
    paths,
    components: {
      ...only(used, components),
      ...(auth === undefined ? {} : { securitySchemes: securitySchemes(auth) }),
    },
  };
}

/** The audit log, if the caller may read it. It is the same in all versions. */
function auditOf(view: View): readonly ResourceView[] {
  const log = view.audit();
  return log?.offered.has('read') === true ? [log] : [];
}

function filtersIn(
  resourceView: ResourceView,
  context: OperationContext,
): Readonly<Record<string, JsonSchema>> {
  return filterSchemas(resourceView, nameOf(resourceView, context), context.api.limits);
}

function serverOf({ settings }: Api): string {
  return settings.server?.publicUrl ?? '/';
}

function tagOf({ name, resource }: ResourceView): JsonSchema {
  return { name, description: resource.description ?? `The records of ${name}.` };
}

/** Of schemas that a part of a document refers to, but that are not in it: that there is something. */
function named(
  paths: OpenApiDocument['paths'],
  schemas: Readonly<Record<string, JsonSchema>>,
): Readonly<Record<string, JsonSchema>> {
  const text = JSON.stringify([paths, schemas]);
  return Object.fromEntries(
    [...text.matchAll(/"#\/components\/schemas\/([^"/]+)/gu)].flatMap(([, name = '']) =>
      Object.hasOwn(schemas, name) ? [] : [[name, { description: `${name}, of another tag.` }]],
    ),
  );
}

type Components = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

/** Adds the components that a part of the document refers to, itself or through others, as `section/name`. */
function addUsed(part: unknown, all: Components, used: Set<string>): void {
  // A schema of an endpoint refers to parts of itself, behind a further slash.
  for (const [, name = ''] of JSON.stringify(part).matchAll(
    /"#\/components\/([^"/]+\/[^"/]+)[^"]*"/gu,
  )) {
    if (used.has(name)) continue;
    used.add(name);
    const [section = '', key = ''] = name.split('/');
    addUsed(all[section]?.[key] ?? {}, all, used);
  }
}

function only(used: ReadonlySet<string>, all: Components): Components {
  return Object.fromEntries(
    Object.entries(all).flatMap(([section, parts]) => {
      const kept = Object.entries(parts).filter(([key]) => used.has(`${section}/${key}`));
      return kept.length === 0 ? [] : [[section, Object.fromEntries(kept)]];
    }),
  );
}
