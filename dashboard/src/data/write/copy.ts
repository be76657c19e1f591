import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { asCurl } from '../../requests/copy/commands.ts';
import type { CopyFormat } from '../grid/GridMenu.tsx';
import { memberOf, type ApiRecord } from '../record/draft.ts';

/** A value as a cell of CSV, as the API writes it: null is empty, an empty text is `""`. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Records as CSV with a first line of names. */
export function asCsv(names: readonly string[], records: readonly ApiRecord[]): string {
  return [
    names.map(csvCell).join(','),
    ...records.map((record) => names.map((name) => csvCell(memberOf(record, name))).join(',')),
  ].join('\r\n');
}

/** Records as text for the clipboard. */
export function copied(
  records: readonly ApiRecord[],
  format: CopyFormat,
  names: readonly string[],
  { model, resource }: { readonly model: Model; readonly resource: ResourceInfo },
  search: string,
): string {
  const [only] = records;
  switch (format) {
    case 'json':
      return JSON.stringify(records.length === 1 ? only : records, undefined, 2);
    case 'csv':
      return asCsv(names, records);
    case 'curl': {
      const path = `${model.path}/${resource.name}`;
      const isOne = records.length === 1 && only !== undefined;
      return asCurl(
        {
          method: 'GET',
          path: isOne ? `${path}/${encodeURIComponent(String(only['id']))}` : path,
          query: isOne ? '' : search,
          requestHeaders: {},
          requestBody: null,
        },
        location.origin,
      );
    }
    default:
      return format satisfies never;
  }
}

/** Offers a text as a file. */
export function download(name: string, type: string, parts: readonly BlobPart[]): void {
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
