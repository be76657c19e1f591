import { openApiDocument } from '../../openapi/document.ts';
import type { Context } from '../context.ts';
import { wholeView, writeDocument, type DocumentFlags } from '../document.ts';
import { requireSpecification } from '../specification.ts';

/** `plinth openapi [file]`: the OpenAPI document of all of a version. */
export function openapi(context: Context, flags: DocumentFlags): void {
  const { api } = requireSpecification(context, flags);
  const document = openApiDocument(wholeView(api, flags));
  writeDocument(context, `${JSON.stringify(document, undefined, 2)}\n`, flags.out);
}
