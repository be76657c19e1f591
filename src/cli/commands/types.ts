import { clientSource } from '../../openapi/client.ts';
import type { Context } from '../context.ts';
import { wholeView, writeDocument, type DocumentFlags } from '../files/document.ts';
import { requireSpecification } from '../files/specification.ts';

/** `plinth types [file]`: a TypeScript client of a version with everything in it. */
export function types(context: Context, flags: DocumentFlags): void {
  const { api } = requireSpecification(context, flags, { isOnlyRead: true });
  writeDocument(context, clientSource(wholeView(api, flags)), flags.out);
}
