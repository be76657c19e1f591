import type { RecordValue } from '../shape/record.ts';

/**
 * Records as CSV (RFC 4180) with the names of their members above them. Null and what is not there are empty, an empty
 * text is `""`; objects and arrays are JSON.
 */
export async function* csv(
  portions: AsyncIterable<readonly RecordValue[]>,
  names: readonly string[],
): AsyncIterable<string> {
  let header = line(names);
  for await (const records of portions) {
    const lines = records.map((record) => line(names.map((name) => record[name])));
    yield `${header}${lines.join('')}`;
    header = '';
  }
  if (header !== '') yield header;
}

function line(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === '' || /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
