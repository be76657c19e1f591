import { ask } from '../../api.ts';
import type { ApiRecord } from '../record/draft.ts';
import { searchesOf, type Chosen, type Target } from './changes.ts';
import { download } from './copy.ts';
import type { ExportFormat } from './ExportMenu.tsx';

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

/** The chosen records as the API exports them, all of them. `order`: what the list says of sort and fields. */
async function read(
  { model, resource }: Target,
  chosen: Chosen,
  order: string,
  mediaType: string,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const searches = chosen.ids === undefined ? [chosen.search] : searchesOf(chosen, model);
  for (const search of searches) {
    const query = [search, order].filter((part) => part !== '').join('&');
    const { text } = await ask(`${model.path}/${resource.name}${query === '' ? '' : `?${query}`}`, {
      headers: { accept: mediaType },
    });
    texts.push(text);
  }
  return texts;
}

function linesOf(texts: readonly string[]): readonly string[] {
  return texts
    .join('')
    .split('\n')
    .filter((line) => line !== '');
}

/** The chosen records, those that the grid has not loaded included. */
export async function readRecords(
  target: Target,
  chosen: Chosen,
  order: string,
): Promise<readonly ApiRecord[]> {
  const texts = await read(target, chosen, order, mediaTypes.ndjson);
  return linesOf(texts).map((line) => JSON.parse(line) as ApiRecord);
}

/** Offers the chosen records as a file. */
export async function exportRecords(
  target: Target,
  chosen: Chosen,
  order: string,
  format: ExportFormat,
): Promise<void> {
  const texts = await read(target, chosen, order, mediaTypes[format === 'csv' ? 'csv' : 'ndjson']);
  // Only the first one keeps its line of names.
  const csv = texts.map((text, at) => (at === 0 ? text : text.slice(text.indexOf('\n') + 1)));
  const body = {
    csv: () => csv.join(''),
    ndjson: () => texts.join(''),
    json: () => `[\n${linesOf(texts).join(',\n')}\n]\n`,
  }[format]();
  download(`${target.resource.name}.${format}`, mediaTypes[format], [body]);
}
