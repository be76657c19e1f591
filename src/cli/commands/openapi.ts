import { exampleRows } from '../../generate/examples.ts';
import { makeGenerator } from '../../generate/generator.ts';
import { openApiDocument } from '../../openapi/document/document.ts';
import type { Context } from '../../server/context.ts';
import { documentedOf } from '../../server/files/code.ts';
import { wholeView, writeDocument, type DocumentFlags } from '../files/document.ts';
import { requireSpecification } from '../../server/files/specification.ts';

/** `plinth openapi [file]`: the OpenAPI document of a version with everything in it. */
export async function openapi(context: Context, flags: DocumentFlags): Promise<void> {
  const specification = requireSpecification(context, flags, { isOnlyRead: true });
  const made = await makeGenerator(specification.api, specification.folder);
  const rows = made.ok ? exampleRows(made.generator) : undefined;
  const { api, endpoints } = await documentedOf(context, specification);
  const document = openApiDocument(wholeView(api, flags), { rows, endpoints });
  writeDocument(context, `${JSON.stringify(document, undefined, 2)}\n`, flags.out);
}
