import type { Api } from '../model/api.ts';
import type { ResourceView, View } from '../model/view.ts';
import { commonHeaders, errorResponses, errorSchema, responseHeaders } from './answers.ts';
import type { ExampleRows } from './example.ts';
import { typeNames } from './names.ts';
import { isSimulated, pathsOf, securitySchemes, type OperationContext } from './operations.ts';
import { headerParameters, reservedParameters } from './parameters.ts';
import { recordSchemas } from './records.ts';
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
}

/**
 * The API as a view shows it, as OpenAPI 3.1: what the caller may do nothing with is not in it. The same view always
 * gives the same document. Contract 4, OpenAPI.
 */
export function openApiDocument(
  view: View,
  { isDebugOn = false, hasSandboxes = false, rows }: DocumentOptions = {},
): OpenApiDocument {
  const { api, version } = view;
  const names = typeNames(view);
  const context: OperationContext = { api, version, names, isDebugOn, hasSandboxes, rows };
  const faces = view.resourceNames().flatMap((name) => view.resource(name) ?? []);
  const paths = Object.assign(
    {},
    ...faces.map((face) => pathsOf(face, context)),
  ) as OpenApiDocument['paths'];
  const { auth } = api.settings;
  const components = {
    schemas: {
      ...Object.assign({}, ...faces.map((face) => recordSchemas(face, context))),
      Error: errorSchema(isDebugOn),
    } as Record<string, JsonSchema>,
    parameters: { ...reservedParameters(api.limits), ...headerParameters },
    headers: responseHeaders,
    responses: errorResponses(commonHeaders(context), isSimulated(context)),
  };
  return {
    openapi: '3.1.1',
    info: {
      title: api.name,
      version: String(version.number),
      ...(api.description === undefined ? {} : { description: api.description }),
      // The file says nothing of a licence; this is SPDX for just that.
      license: { name: 'Not stated', identifier: 'NOASSERTION' },
    },
    servers: [{ url: serverOf(api) }],
    tags: faces.map(tagOf),
    paths,
    components: {
      ...onlyUsed(paths, components),
      ...(auth === undefined ? {} : { securitySchemes: securitySchemes(auth) }),
    },
  };
}

function serverOf({ settings }: Api): string {
  return settings.server?.publicUrl ?? '/';
}

function tagOf({ name, resource }: ResourceView): JsonSchema {
  return { name, description: resource.description ?? `The records of ${name}.` };
}

type Components = Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>;

/** The components that something refers to, itself used. */
function onlyUsed(paths: OpenApiDocument['paths'], all: Components): Components {
  const used = new Set<string>();
  const look = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/([^"]+)"/gu)) {
      if (used.has(name)) continue;
      used.add(name);
      const [section = '', key = ''] = name.split('/');
      look(all[section]?.[key] ?? {});
    }
  };
  look(paths);
  return Object.fromEntries(
    Object.entries(all).flatMap(([section, parts]) => {
      const kept = Object.entries(parts).filter(([key]) => used.has(`${section}/${key}`));
      return kept.length === 0 ? [] : [[section, Object.fromEntries(kept)]];
    }),
  );
}
