import { ask } from '../api.ts';
import { mount } from '../mount.ts';
import type { OpenApi } from './document.ts';

/** The document of a tag, or of the first one if it is empty; without a tag, all of it. */
export async function loadDocument(version: string, tag?: string): Promise<OpenApi> {
  const query = tag === undefined ? '' : `?tag=${encodeURIComponent(tag)}`;
  return (await ask(`${mount}/${version}/_openapi.json${query}`)).body as OpenApi;
}
