/** A JSON Schema, as far as the page shows it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly pattern?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Media {
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Answer {
  readonly description?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Ref {
  readonly $ref: string;
}

interface WrittenOperation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Ref)[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, Media>>;
  };
  readonly responses?: Readonly<Record<string, Answer | Ref>>;
}

/** An OpenAPI document, as the server writes it. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Partial<Record<Method, WrittenOperation>>> & {
        readonly parameters?: readonly (Parameter | Ref)[];
      }
    >
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;
type Method = (typeof methods)[number];

export interface Operation {
  /** Its name in the URL of the page. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  /** Whether it takes a credential. */
  readonly isGuarded: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Media | undefined;
  readonly bodyType: string;
  readonly responses: readonly (readonly [string, Answer])[];
}

/** What a reference within the document leads to. */
export function resolved<Part extends object>(document: OpenApi, part: Part | Ref): Part {
  if (!('$ref' in part) || typeof part.$ref !== 'string') return part as Part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  return (document.components[kind]?.[name] ?? {}) as Part;
}

/** The name of what a schema refers to; empty if it stands where it is used. */
export function nameOf({ $ref = '' }: Schema): string {
  return $ref.split('/').at(-1) ?? '';
}

/** The operations of a document in its order, those of a list before those of a record. */
export function operationsOf(document: OpenApi): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const written = item[method];
      return written === undefined
        ? []
        : [operationOf(document, method, path, written, item.parameters)];
    }),
  );
}

function operationOf(
  document: OpenApi,
  method: Method,
  path: string,
  written: WrittenOperation,
  shared: readonly (Parameter | Ref)[] = [],
): Operation {
  const { security = [], requestBody, summary = path } = written;
  const [bodyType, body] = Object.entries(requestBody?.content ?? {})[0] ?? [''];
  return {
    id: written.operationId ?? `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    tags: written.tags ?? [],
    title: summary,
    description: written.description ?? '',
    isDeprecated: written.deprecated === true,
    isGuarded: security.length > 0 && security.every((one) => Object.keys(one).length > 0),
    parameters: [...shared, ...(written.parameters ?? [])].map((one) => resolved(document, one)),
    body,
    bodyType,
    responses: Object.entries(written.responses ?? {}).map(([status, answer]) => [
      status,
      resolved(document, answer),
    ]),
  };
}
