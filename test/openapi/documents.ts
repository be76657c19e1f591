import type { Subject } from '../../src/model/access.ts';
import { viewOf } from '../../src/model/view.ts';
import {
  openApiDocument,
  type DocumentOptions,
  type OpenApiDocument,
} from '../../src/openapi/document/document.ts';
import { exampleRows } from '../../src/generate/examples.ts';
import { buildValid } from '../support/api.ts';
import { fullView } from '../support/openapi.ts';
import { generatorOf } from '../generate/generate.ts';

/** The OpenAPI document of a version of a specification, of everything or as a caller gets it. */
export function documentOf(text: string, number?: number, subject?: Subject): OpenApiDocument {
  const api = buildValid(text);
  const version = api.versions.get(number ?? api.defaultVersion);
  if (version === undefined) throw new Error(`There is no version ${number}`);
  return openApiDocument(
    subject === undefined ? fullView(api, version) : viewOf(api, version, subject),
  );
}

/** As `documentOf`, with examples of generated rows, as it is served. */
export async function servedDocumentOf(
  text: string,
  subject?: Subject,
  { number, ...options }: DocumentOptions & { readonly number?: number | undefined } = {},
): Promise<OpenApiDocument> {
  const { api, generator } = await generatorOf(text);
  const version = api.versions.get(number ?? api.defaultVersion);
  if (version === undefined) throw new Error('There is no such version');
  const view = subject === undefined ? fullView(api, version) : viewOf(api, version, subject);
  return openApiDocument(view, { ...options, rows: exampleRows(generator) });
}

/** What stands at a pointer of a document: names parted by blanks, references followed. */
export function at(document: OpenApiDocument, pointer: string): unknown {
  return pointer.split(' ').reduce<unknown>((part, name) => {
    const members = part as Readonly<Record<string, unknown>> | undefined;
    const { $ref } = members ?? {};
    const whole =
      typeof $ref === 'string' && name !== '$ref'
        ? at(document, $ref.slice(2).replaceAll('/', ' '))
        : members;
    return (whole as Readonly<Record<string, unknown>> | undefined)?.[name];
  }, document);
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of an operation as they are sent, references followed: each member of an object that is sent as members
 * is a parameter too.
 */
export function sentParameters(document: OpenApiDocument, pointer: string): readonly Parameter[] {
  const list = at(document, `${pointer} parameters`) as readonly object[];
  const found = list.flatMap((_, index) => {
    const part = (name: string): unknown => at(document, `${pointer} parameters ${index} ${name}`);
    const one = Object.fromEntries(
      ['name', 'in', 'description', 'style', 'explode', 'schema'].flatMap((name) => {
        const value = part(name);
        return value === undefined ? [] : [[name, value]];
      }),
    ) as unknown as Parameter;
    const properties = (part('schema properties') ?? part('schema allOf 0 properties')) as
      | Readonly<Record<string, Parameter['schema']>>
      | undefined;
    if (properties === undefined) return [one];
    return Object.entries(properties).map(([name, schema]) => ({ name, in: one.in, schema }));
  });
  // A filter of its own says more than the same one among all.
  const byName = new Map(found.toReversed().map((one) => [`${one.in} ${one.name}`, one]));
  return [...byName.values()].toReversed();
}

/** The schema of one value: of an operator with a list, which is a text, that of the operator with one value. */
export function valueSchemaOf(
  { name, schema }: Parameter,
  all: readonly Parameter[],
): Parameter['schema'] {
  const single = name.replace(/_n?in$/u, '_eq').replace(/_contains(?:All|Any)$/u, '_contains');
  return all.find((one) => one.name === single)?.schema ?? schema;
}
