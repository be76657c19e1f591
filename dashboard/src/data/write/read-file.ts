import type { FieldInfo, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { isFree, readDraft, type ApiRecord } from '../record/draft.ts';

/** A record of a file, with what is wrong with it. */
export interface FileRecord {
  /** In the file, the first one being 1. */
  readonly number: number;
  readonly body: ApiRecord;
  /** By field; the empty name is the record as a whole. */
  readonly problems: ReadonlyMap<string, string>;
}

/** What a file holds for a resource. */
export interface FileContent {
  readonly columns: readonly string[];
  /** Columns that are no fields to be created. */
  readonly left: readonly string[];
  readonly records: readonly FileRecord[];
}

/** Cells of a CSV file (RFC 4180); an empty one without quotes is null. Throws with the line of what is wrong. */
export function parseCsv(text: string): readonly (readonly (string | null)[])[] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let position = text.startsWith('\uFEFF') ? 1 : 0;
  while (position <= text.length) {
    let cell: string | null = null;
    if (text[position] === '"') {
      cell = '';
      for (;;) {
        const end = text.indexOf('"', position + 1);
        if (end === -1)
          throw new Error(`Record ${rows.length + 1}: a value in quotes is not closed`);
        cell += text.slice(position + 1, end);
        position = end + 1;
        if (text[position] !== '"') break;
        cell += '"';
      }
    } else {
      const begin = position;
      while (position < text.length && !',\r\n'.includes(text.charAt(position))) position += 1;
      const written = text.slice(begin, position);
      cell = written === '' ? null : written;
    }
    row.push(cell);
    const next = text[position];
    if (next === ',') {
      position += 1;
      continue;
    }
    if (next !== undefined && next !== '\r' && next !== '\n')
      throw new Error(`Record ${rows.length + 1}: a comma must follow a closing quote`);
    if (row.length > 1 || row[0] !== null) rows.push(row);
    row = [];
    if (next === undefined) break;
    position += next === '\r' && text[position + 1] === '\n' ? 2 : 1;
  }
  return rows;
}

/** Reads a file of CSV, NDJSON or JSON. Throws where it is none. */
export function readFile(name: string, text: string, resource: ResourceInfo): FileContent {
  const creatable = new Map(
    resource.fields.filter(({ isCreatable }) => isCreatable).map((field) => [field.name, field]),
  );
  if (/\.csv$/iu.test(name)) {
    const [columns = [], ...rows] = parseCsv(text);
    const names = columns.map((one) => (one ?? '').trim());
    return {
      columns: names.filter((one) => creatable.has(one)),
      left: names.filter((one) => !creatable.has(one)),
      records: rows.map((cells, index) => fromCells(index + 1, names, cells, creatable)),
    };
  }
  const values = /\.json$/iu.test(name) ? jsonRecords(text) : ndjsonRecords(text);
  const all = [...new Set(values.flatMap(({ body }) => Object.keys(body)))];
  return {
    columns: all.filter((one) => creatable.has(one)),
    left: all.filter((one) => !creatable.has(one)),
    records: values.map(({ number, body, problem }) => {
      const own = Object.fromEntries(Object.entries(body).filter(([one]) => creatable.has(one)));
      const problems = new Map<string, string>(problem === undefined ? [] : [['', problem]]);
      check(own, creatable, problems);
      return { number, body: own, problems };
    }),
  };
}

interface Parsed {
  readonly number: number;
  readonly body: ApiRecord;
  readonly problem?: string;
}

function jsonRecords(text: string): readonly Parsed[] {
  const value = JSON.parse(text) as unknown;
  if (!Array.isArray(value)) throw new Error('A JSON file has an array of records');
  return value.map((one, index) => asRecord(one, index + 1));
}

function ndjsonRecords(text: string): readonly Parsed[] {
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    try {
      return asRecord(JSON.parse(line), index + 1);
    } catch {
      return { number: index + 1, body: {}, problem: 'is not valid JSON' };
    }
  });
}

function asRecord(value: unknown, number: number): Parsed {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { number, body: value as ApiRecord }
    : { number, body: {}, problem: 'is not an object' };
}

type Fields = ReadonlyMap<string, FieldInfo>;

function fromCells(
  number: number,
  names: readonly string[],
  cells: readonly (string | null)[],
  fields: Fields,
): FileRecord {
  const problems = new Map<string, string>();
  if (cells.length !== names.length)
    problems.set('', `has ${cells.length} values for ${names.length} columns`);
  const entries = names.flatMap((name, index): readonly (readonly [string, unknown])[] => {
    const field = fields.get(name);
    const cell = cells[index];
    if (field === undefined || cell === undefined) return [];
    // What is empty is null where that is a value, and otherwise left to the default.
    if (cell === null) return field.isNullable ? [[name, null]] : [];
    return [[name, valueOfCell(field, cell, problems)]];
  });
  const body = Object.fromEntries(entries);
  check(body, fields, problems);
  return { number, body, problems };
}

function valueOfCell(field: FieldInfo, cell: string, problems: Map<string, string>): unknown {
  const isJson = isFree(field) || field.items !== undefined || field.properties !== undefined;
  if (!isJson) {
    const text = field.type === 'datetime' ? cell.replace(/Z$/u, '') : cell;
    return readDraft(field, { kind: 'text', text }, field.name, problems);
  }
  try {
    return JSON.parse(cell) as unknown;
  } catch {
    problems.set(field.name, 'is not valid JSON');
    return cell;
  }
}

const numbers: ReadonlySet<string> = new Set(['integer', 'number']);
const texts: ReadonlySet<string> = new Set([
  'string',
  'text',
  'email',
  'url',
  'uuid',
  'date',
  'time',
  'datetime',
]);

/** What can be said of a record before the server has seen it. */
function check(body: ApiRecord, fields: Fields, problems: Map<string, string>): void {
  for (const [name, field] of fields) {
    if (problems.has(name)) continue;
    const value = Object.hasOwn(body, name) ? body[name] : undefined;
    const problem = problemOf(value, field);
    if (problem !== undefined) problems.set(name, problem);
  }
}

function problemOf(value: unknown, field: FieldInfo): string | undefined {
  const { type, isRequired, isNullable, values, constraints } = field;
  if (value === undefined) return isRequired ? 'is missing' : undefined;
  if (value === null) return isNullable ? undefined : 'must not be null';
  if (values !== null && !values.includes(value)) return `is none of ${values.join(', ')}`;
  if (numbers.has(type) && constraints['format'] === undefined && typeof value !== 'number')
    return 'is not a number';
  if (type === 'boolean' && typeof value !== 'boolean') return 'is neither true nor false';
  if (texts.has(type) && typeof value !== 'string') return 'is not a text';
  const { maxLength, minLength, minimum, maximum } = constraints;
  const isNumber = numbers.has(type) || type === 'decimal';
  if (isNumber && typeof minimum === 'number' && Number(value) < minimum)
    return `is less than ${minimum}`;
  if (isNumber && typeof maximum === 'number' && Number(value) > maximum)
    return `is more than ${maximum}`;
  if (typeof value !== 'string') return undefined;
  if (typeof maxLength === 'number' && charactersIn(value) > maxLength)
    return `has more than ${maxLength} characters`;
  if (typeof minLength === 'number' && charactersIn(value) < minLength)
    return `has fewer than ${minLength} characters`;
  return undefined;
}

/** As the server counts them: by code points. */
function charactersIn(text: string): number {
  return Array.from(text).length;
}
