import type { Field } from '../../model/api.ts';
import type { RecordValue } from '../../records/serialize/record.ts';

/**
 * Records as CSV (RFC 4180) with the names of their members above them. Null and what is not there are empty, an empty
 * text is `""`; objects, arrays and whatever a `json` field holds are JSON, so that its text `"5"` and its number 5 are
 * told apart.
 */
export async function* csv(
  portions: AsyncIterable<readonly RecordValue[]>,
  columns: readonly { readonly name: string; readonly field: Field }[],
): AsyncIterable<string> {
  let header = line(columns.map(({ name }) => name));
  for await (const records of portions) {
    const lines = records.map((record) =>
      line(
        columns.map(({ name, field }) =>
          field.type.json === 'any' ? json(record[name]) : record[name],
        ),
      ),
    );
    yield `${header}${lines.join('')}`;
    header = '';
  }
  if (header !== '') yield header;
}

function line(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : json(value);
  if (text === undefined) return '';
  return text === '' || /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A value as JSON; undefined for null, what is not there, and a number that is none, which JSON has as null. */
function json(value: unknown): string | undefined {
  const isNothing = typeof value === 'number' ? !Number.isFinite(value) : value === null;
  return isNothing || value === undefined ? undefined : JSON.stringify(value);
}
