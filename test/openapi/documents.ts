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
