import { exampleRows } from '../../generate/examples.ts';
import { makeGenerator } from '../../generate/generator.ts';
import { openApiDocument } from '../../openapi/document/document.ts';
import type { Context } from '../../server/context.ts';
import { endpointsOf } from '../../server/files/code.ts';
import { wholeView, writeDocument, type DocumentFlags } from '../files/document.ts';
import { requireSpecification } from '../../server/files/specification.ts';

/** `plinth openapi [file]`: the OpenAPI document of a version with everything in it. */
export async function openapi(context: Context, flags: DocumentFlags): Promise<void> {
  const specification = requireSpecification(context, flags, { isOnlyRead: true });
  const { api, folder } = specification;
  const view = wholeView(api, flags);
  const made = await makeGenerator(api, folder);
  const rows = made.ok ? exampleRows(made.generator) : undefined;
  const document = openApiDocument(view, {
    rows,
    endpoints: await endpointsOf(context, specification),
  });
  writeDocument(context, `${JSON.stringify(document, undefined, 2)}\n`, flags.out);
}
