import { ask } from '../../api.ts';
import { searchesOf, type Chosen, type Target } from './changes.ts';
import { download } from './copy.ts';

export const exportFormats = ['csv', 'ndjson', 'json'] as const;
export type ExportFormat = (typeof exportFormats)[number];

const mediaTypes: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

/** Asks for the chosen records as a file. `order`: what the list says of sort and fields. */
export async function exportRecords(
  { model, resource }: Target,
  chosen: Chosen,
  order: string,
  format: ExportFormat,
): Promise<void> {
  const texts: string[] = [];
  const searches = chosen.ids === undefined ? [chosen.search] : searchesOf(chosen, model);
  for (const search of searches) {
    const query = [search, order].filter((part) => part !== '').join('&');
    const { text } = await ask(`${model.path}/${resource.name}${query === '' ? '' : `?${query}`}`, {
      headers: { accept: format === 'csv' ? mediaTypes.csv : mediaTypes.ndjson },
    });
    // Only the first one keeps its line of names.
    texts.push(format === 'csv' && texts.length > 0 ? text.slice(text.indexOf('\n') + 1) : text);
  }
  const whole = texts.join('');
  const lines = whole.split('\n').filter((line) => line !== '');
  const body = format === 'json' ? `[\n${lines.join(',\n')}\n]\n` : whole;
  download(`${resource.name}.${format}`, mediaTypes[format], [body]);
}
