import type { Field } from '../../model/api.ts';
import type { RecordValue } from '../../records/serialize/record.ts';

/**
 * Records as CSV (RFC 4180) with a header. Null and missing values are empty, an empty text is `""`. Objects, arrays and
 * values of `json` fields are JSON, so that the text `"5"` and the number 5 differ. With `escapesFormulas` texts that a
 * spreadsheet would run get a quote before them, so the values are no longer exact. See
 * docs/contract/2-reading.md#csv-and-ndjson, rule 7.
 */
export async function* csv(
  portions: AsyncIterable<readonly RecordValue[]>,
  columns: readonly { readonly name: string; readonly field: Field }[],
  { escapesFormulas = false }: { readonly escapesFormulas?: boolean } = {},
): AsyncIterable<string> {
  const shown = escapesFormulas ? withoutFormula : (value: unknown): unknown => value;
  let header = line(columns.map(({ name }) => name));
  for await (const records of portions) {
    const lines = records.map((record) =>
      line(
        columns.map(({ name, field }) =>
          shown(field.type.json === 'any' ? json(record[name]) : record[name]),
        ),
      ),
    );
    yield `${header}${lines.join('')}`;
    header = '';
  }
  if (header !== '') yield header;
}

/** How a formula begins, in programs for any script. */
const formula = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u;
const number = /^[+-]?\d+(?:\.\d+)?$/u;

/** A text that no spreadsheet takes for a formula. Numbers stay: `-5.00` is the text of a decimal. */
function withoutFormula(value: unknown): unknown {
  return typeof value === 'string' && formula.test(value) && !number.test(value)
    ? `'${value}`
    : value;
}

function line(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : json(value);
  if (text === undefined) return '';
  return text === '' || /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A value as JSON; undefined for null, a missing value and NaN, which JSON writes as null. */
function json(value: unknown): string | undefined {
  const isNothing = typeof value === 'number' ? !Number.isFinite(value) : value === null;
  return isNothing || value === undefined ? undefined : JSON.stringify(value);
}

/** Records as newline-delimited JSON. */
export async function* ndjson(
  portions: AsyncIterable<readonly RecordValue[]>,
): AsyncIterable<string> {
  for await (const records of portions)
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** Records as one JSON array, a record a line. */
export async function* jsonList(
  portions: AsyncIterable<readonly RecordValue[]>,
): AsyncIterable<string> {
  let before = '[\n';
  for await (const records of portions) {
    if (records.length === 0) continue;
    yield `${before}${records.map((record) => JSON.stringify(record)).join(',\n')}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
