import type { Field, JsonForm } from '../../model/api.ts';
import { isDecimalText, isFineMoment } from '../../model/indexes.ts';
import { operators, type Comparison } from '../../model/operators.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { momentTexts } from '../../specification/stored-forms.ts';
import type { SqlValue } from '../../model/values.ts';
import { orderKeySql } from '../../model/field-types/numbers/any-decimal.ts';
import { anyMember, parseNumber } from '../../model/field-types/json.ts';
import { heldAs, momentBounds } from '../../model/field-types/stored-as.ts';
import { aggregates } from './aggregates.ts';
import { equalsText, isMixed, nativeCodec, textOf } from './existing/mixed-values.ts';
import { indexedSearch } from './search/index-upkeep.ts';
import { jsonGuard } from './json-guard.ts';
import { isComposite, partsOf } from '../../model/field-types/composite-id.ts';
import { keyColumns, whole } from '../../sql/key.ts';
import {
  exactNumberOf,
  isEitherLong,
  markedNumber,
  mayHoldLong,
  numberOf,
  orderOf,
} from './json-numbers.ts';
import {
  codecOf,
  literal,
  quote,
  quoteTable,
  rowOf,
  inMicroseconds,
  wantedValues,
  type Dialect,
} from '../../sql/dialect.ts';

/** A comparison of a scalar with one bound value. See docs/contract/2-reading.md#filters. */
function condition(
  operator: Comparison,
  column: string,
  parameter: string,
  held?: (item: string) => string,
): string {
  const sql = operators[operator].sql?.sqlite;
  if (sql === undefined) throw new TypeError(`SQLite does not compare scalars by ${operator}`);
  return sql.condition(column, parameter, held);
}

/** The bytes of hexadecimal digits. */
const unhex = (digits: string): string => `unhex(${digits})`;

/** A comparison of bytes with hexadecimal digits, or a list of them. */
function compareBytes(column: string, operator: Comparison, parameter: string): string {
  return operators[operator].operand === 'list'
    ? condition(operator, column, parameter, unhex)
    : condition(operator, column, unhex(parameter));
}

function isBytes(field: Field): boolean {
  return codecOf(sqlite, field).isBytes === true;
}

const listItems = (placeholder: string): string => `(SELECT value FROM json_each(${placeholder}))`;

/** What an item of an array is compared as; JSON of any type by the type found, so that 1 is not true. */
function itemValue(field: Field): string {
  return field.items?.type.json === 'any'
    ? "CASE WHEN item.type IN ('true', 'false') THEN item.type" +
        ` WHEN item.type IN ('integer', 'real') AND ${mayHoldLong('item.json')}` +
        ` THEN ${exactNumberOf('(item.json -> item.fullkey)')}` +
        " WHEN item.type NOT IN ('object', 'array') THEN item.value END"
    : 'item.value';
}

/**
 * The parameter is a list of what is wanted, each of them the list of values that will do; null is one for which none
 * will.
 */
function compareArray(column: string, isAll: boolean, parameter: string, field: Field): string {
  const found = (wanted: string): string =>
    `EXISTS (SELECT 1 FROM json_each(${column}) AS item WHERE ${itemValue(field)} IN ${wanted})`;
  return isAll
    ? `(${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM json_each(coalesce(${parameter}, '[[]]')) AS wanted` +
        ` WHERE NOT ${found(listItems('wanted.value'))}))`
    : found(
        `(SELECT one.value FROM json_each(${parameter}) AS wanted, json_each(wanted.value) AS one)`,
      );
}

/** The values that an item may have to be the wanted one: text of no type may be that of a number. */
function alternatives(wanted: JsonValue, field: Field): readonly JsonValue[] {
  return field.items?.type.json === 'any' ? numberAlternatives(wanted).map(markedNumber) : [wanted];
}

function numberAlternatives(wanted: JsonValue): readonly JsonValue[] {
  const number = parseNumber(String(wanted));
  return number === undefined ? [wanted] : [wanted, number];
}

function sqliteText(text: string): string {
  return literal(text, (hex) => `CAST(x'${hex}' AS TEXT)`);
}

/** The types of JSON in which values of a form stand there. */
const jsonTypes: Readonly<Record<JsonForm, string>> = {
  number: `'integer', 'real'`,
  integer: `'integer', 'real'`,
  boolean: `'true', 'false'`,
  array: `'array'`,
  string: `'text'`,
  object: `'object'`,
  any: `'true', 'false', 'integer', 'real', 'text', 'array', 'object'`,
};

/** How a declared member's value is read. */
function jsonValue(json: string, form: JsonForm): string {
  if (form === 'array') return json;
  return form === 'number' ? asDouble(`${json} ->> '$'`) : `${json} ->> '$'`;
}

/** In JSON a large number may look like a 64-bit integer, which is not the same number as the double. */
function asDouble(number: string): string {
  return `CAST(${number} AS REAL)`;
}

/**
 * Comparisons of a member that nothing declares, as the JSON found: the parameter is a list of what the operand may
 * mean, its text and the number that it reads as.
 */
function compareAny(json: string, operator: Comparison, parameter: string): string {
  const value =
    `CASE WHEN json_type(${json}) IN ('true', 'false') THEN json_type(${json})` +
    ` WHEN json_type(${json}) IN ('integer', 'real') THEN ${numberOf(json, `${json} ->> '$'`)}` +
    ` WHEN json_type(${json}) = 'text' THEN ${json} ->> '$' END`;
  const { undeclared, isNegated = false } = operators[operator];
  switch (undeclared) {
    case 'list':
      return condition(isNegated ? 'nin' : 'in', `(${value})`, parameter);
    case 'text': {
      const text = `(CASE json_type(${json}) WHEN 'text' THEN ${json} ->> '$' END)`;
      return condition(operator, text, parameter);
    }
    case 'each': {
      const number = '(operand.json -> operand.fullkey)';
      const isLong = `json_type(${json}) <> 'text' AND ${isEitherLong(json, number)}`;
      const isOperand =
        `json_type(${json}) IN ('integer', 'real', 'text')` +
        ` AND (json_type(${json}) = 'text') = (operand.type = 'text')` +
        ` AND CASE WHEN ${isLong} THEN ${condition(operator, orderOf(json, number), '0')}` +
        ` ELSE ${condition(operator, `(${json} ->> '$')`, 'operand.value')} END`;
      return `EXISTS (SELECT 1 FROM json_each(${parameter}) AS operand WHERE ${isOperand})`;
    }
    case undefined:
      throw new TypeError(`${operator} of an undeclared member`);
    default:
      return undeclared satisfies never;
  }
}

const orders: ReadonlySet<string> = new Set<Comparison>(['gt', 'gte', 'lt', 'lte']);

/** What of a column is sorted. */
function ordered(column: string, field: Field): string {
  return field.type.kind === 'numeric' && field.items === undefined
    ? orderKeySql(column)
    : compared(column, field);
}

/** What of a column is compared. */
function compared(column: string, field: Field): string {
  if (isMixed(field)) return textOf(column);
  if (isFineMoment(field)) return inMicroseconds(column);
  return isDecimalText(field) ? asDouble(column) : column;
}

function isInteger(part: Field | undefined): boolean {
  return part?.type.json === 'integer' || part?.type.kind === 'bigint';
}

function selectComposite(column: string, id: Field): string {
  const parts = partsOf(id);
  const values = keyColumns(column, id).map((one, index) =>
    isInteger(parts[index]) ? `CAST(${one} AS TEXT)` : one,
  );
  return whole(`json_array(${values.join(', ')})`, column, id);
}

/** The columns of a composite id compared with a `keyText`, or with a list of them, so that an index of them serves. */
export function compareComposite(
  columns: readonly string[],
  operator: Comparison,
  placeholder: string,
  id: Field,
): string {
  const parts = partsOf(id);
  const values = parts.map((part, index) => {
    const text = `key.value ->> '$[${index}]'`;
    return isInteger(part) ? `CAST(${text} AS INTEGER)` : text;
  });
  const { isNegated = false, operand } = operators[operator];
  const list =
    operand === 'list' ? `json_each(${placeholder})` : `(SELECT ${placeholder} AS value)`;
  const own = columns.map((one, index) => {
    const part = parts[index];
    return part === undefined ? one : compared(one, part);
  });
  return `${rowOf(own)} ${isNegated ? 'NOT ' : ''}IN (SELECT ${values.join(', ')} FROM ${list} AS key)`;
}

/** JSON text of a list for `json_each`; integers beyond a double are written digit by digit. */
function listOf(values: readonly SqlValue[]): string {
  return values.every(isPlain) ? JSON.stringify(values) : `[${values.map(itemOf).join(',')}]`;
}

function isPlain(value: SqlValue): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function itemOf(value: SqlValue): string {
  if (typeof value === 'bigint') return value.toString();
  const text = JSON.stringify(value);
  // Digits alone would be read as a 64-bit integer, which is not the same number as the double.
  return Number.isInteger(value) && !Number.isSafeInteger(value) && !text.includes('e')
    ? `${text}.0`
    : text;
}

/** The member of an `unwrittenItem` that has the value of the field at `index`. */
const unwritten = (index: number): string => `v${index}`;

/** The first word of a column's definition: its type. */
function columnType(field: Field): string {
  return field.type.sqlite.column(field).split(' ', 1)[0] ?? '';
}

/** A pattern of GLOB for so many digits. */
const digits = (count: number): string => '[0-9]'.repeat(count);

const isWritten =
  (as: string) =>
  (column: string): string =>
    `strftime('${as}', ${column}) IS ${column}`;
const isMilliseconds = isWritten('%Y-%m-%d %H:%M:%f');
const isSecond = isWritten('%Y-%m-%d %H:%M:%S');
const isMicroseconds = (column: string): string =>
  `(substr(${column}, 20) GLOB '.${digits(6)}' AND ${isSecond(`substr(${column}, 1, 19)`)})`;

/** Whether a text that begins with a day is a moment in a form. */
const isMoment: Readonly<Record<(typeof momentTexts)[number], (column: string) => string>> = {
  isoText: isWritten('%Y-%m-%dT%H:%M:%fZ'),
  isoSeconds: isWritten('%Y-%m-%dT%H:%M:%SZ'),
  isoOffset: isWritten('%Y-%m-%dT%H:%M:%f+00:00'),
  sqlText: (column) =>
    `(${isSecond(column)} OR (${isMilliseconds(column)} AND ${column} NOT GLOB '*.000'))`,
  sqlMicroseconds: isMicroseconds,
  sqlMixed: (column) =>
    `(${isSecond(column)} OR ${isMilliseconds(column)} OR ${isMicroseconds(column)})`,
  sqlUtc: isWritten('%Y-%m-%d %H:%M:%fZ'),
  sqlOffset: isWritten('%Y-%m-%d %H:%M:%f +00:00'),
};

export const sqlite: Dialect = {
  name: 'sqlite',
  aggregates,
  // It sorts into a tree on disk then, for one of a million rows 4 to 7 times as long.
  limitSlowsSort: true,
  // It would look each group up in a table of its own.
  groupsRelated: false,
  // For several it writes every page down that it changes, to be able to take back some of them: a third of the time.
  recordsAnInsert: 1,
  // A bare `?` makes SQLite plan the statement anew whenever its value changes: a third of the time of a page.
  placeholder: (_count, parameter) =>
    parameter === 'limit' || parameter === 'offset' || parameter === 'cap' ? '(? + 0)' : '+?',
  storage: (field) => field.type.sqlite,
  nativeCodec,
  // As text an integer keeps all digits.
  textBytes: (column) => `hex(CAST(${column} AS BLOB))`,
  indexedSearch,
  keyText: (values, parts) =>
    `[${values.map((value, index) => itemOf(isInteger(parts[index]) ? String(value) : value)).join(',')}]`,
  sortOperand: (placeholder) => placeholder,
  assigned: (placeholder, field) => (isBytes(field) ? unhex(placeholder) : placeholder),
  select: (column, field) => {
    if (isComposite(field)) return selectComposite(column, field);
    if (isBytes(field)) return `CASE WHEN ${column} IS NOT NULL THEN hex(${column}) END`;
    if (isMixed(field)) return textOf(column);
    return codecOf(sqlite, field).readAsText?.(field) === true ? `CAST(${column} AS TEXT)` : column;
  },
  sortKey: (column, field) => {
    const { items } = field;
    if (items === undefined) return ordered(column, field);
    return (
      items.type.sqlite.itemOrder?.(`json_extract(${column}, '$[0]')`) ??
      sqlite.memberValue(`(${column} -> '$[0]')`, items)
    );
  },
  nulls: (placed) => (placed === 'first' ? ' NULLS FIRST' : ' NULLS LAST'),
  text: sqliteText,
  compare: (column, operator, placeholder, field) =>
    isComposite(field)
      ? compareComposite(keyColumns(column, field), operator, placeholder, field)
      : field.type === anyMember
        ? compareAny(column, operator, placeholder)
        : operators[operator].items !== undefined
          ? compareArray(column, operators[operator].items === 'all', placeholder, field)
          : isBytes(field)
            ? compareBytes(column, operator, placeholder)
            : ((isMixed(field) ? equalsText(column, operator, placeholder) : undefined) ??
              condition(
                operator,
                orders.has(operator) ? ordered(column, field) : compared(column, field),
                placeholder,
              )),
  member: (column, members) =>
    `(${column} -> ${sqliteText(`$${members.map((name) => `.${JSON.stringify(name)}`).join('')}`)})`,
  memberValue: (json, leaf) => {
    if (leaf.type === anyMember) return json;
    const form = leaf.type.json;
    return `(CASE WHEN json_type(${json}) IN (${jsonTypes[form]}) THEN ${jsonValue(json, form)} END)`;
  },
  objectItems: (column, members, field, alias) => {
    const json = members.length === 0 ? column : sqlite.member(column, members, field);
    return {
      from: `json_each(CASE json_type(${json}) WHEN 'array' THEN ${json} END) AS ${alias}`,
      // What is no object is no JSON text either, which `->` would fail at.
      item: `(CASE ${alias}.type WHEN 'object' THEN ${alias}.value END)`,
      where: `${alias}.type = 'object'`,
    };
  },
  joined: (texts, between) =>
    `(CASE WHEN coalesce(${[...texts, 'NULL'].join(', ')}) IS NOT NULL THEN concat_ws(${[sqliteText(between), ...texts].join(', ')}) END)`,
  memberIsNull: (json) => `coalesce(json_type(${json}), 'null') = 'null'`,
  decodeMember: (leaf) => codecOf(sqlite, leaf).decode,
  explain: {
    sql: (sql) => `EXPLAIN QUERY PLAN ${sql}`,
    lines: (rows) => {
      const depths = new Map<SqlValue, number>();
      return rows.map(([id = null, parent = null, , detail]) => {
        const depth = (depths.get(parent) ?? -1) + 1;
        depths.set(id, depth);
        return `${'  '.repeat(depth)}${String(detail)}`;
      });
    },
    scans: (lines) => lines.some((line) => /^ *SCAN t(?: |$)/u.test(line)),
    sorts: (lines) => lines.some((line) => /USE TEMP B-TREE FOR .*ORDER BY/u.test(line)),
  },
  // Where no table counts its ids there is no table of what was given out.
  restartIds: (table) => {
    const forget = `DELETE FROM sqlite_sequence WHERE name = ${sqliteText(table)} COLLATE NOCASE`;
    return `SELECT ${sqliteText(forget)} FROM sqlite_schema WHERE name = 'sqlite_sequence'`;
  },
  computedColumns: (table, columns) =>
    `SELECT asked.value FROM json_each(${columns()}) AS asked JOIN pragma_table_xinfo(${sqliteText(table)}) ON name = asked.value COLLATE NOCASE WHERE hidden > 1`,
  guard: (field) => (field.type.sqlite.form === 'jsonText' ? jsonGuard(field.column) : undefined),
  // Writes come one after the other.
  forUpdate: '',
  forUpdateMany: '',
  forKeyShare: '',
  textType: 'TEXT',
  isStoredAs: (column, form, { precision, scale }) => {
    const sort = heldAs[form];
    const moment = momentTexts.find((one) => one === form);
    if (moment !== undefined) {
      const day = `${digits(4)}-${digits(2)}-${digits(2)}`;
      return `(typeof(${column}) = 'text' AND ${column} GLOB '${day}*' AND ${isMoment[moment](column)})`;
    }
    if (form === 'scaled') {
      const most = '9'.repeat(precision);
      return `(typeof(${column}) = 'integer' AND ${column} BETWEEN -${most} AND ${most})`;
    }
    if (form === 'text') {
      const number = `iif(${column} GLOB '-*', substr(${column}, 2), ${column})`;
      const places = `(instr(${number}, '.') = 0 OR length(${number}) - instr(${number}, '.') <= ${scale})`;
      return (
        `(typeof(${column}) = 'text' AND ${number} GLOB '[0-9]*' AND ${number} GLOB '*[0-9]'` +
        ` AND ${number} NOT GLOB '*[^0-9.]*' AND ${number} NOT GLOB '*.*.*' AND ${places}` +
        ` AND instr(ltrim(${number}, '0') || '.', '.') - 1 <= ${precision - scale})`
      );
    }
    if (form === 'real')
      return (
        `(typeof(${column}) IN ('integer', 'real') AND abs(${column} + 0.0) < 1e${precision - scale}` +
        // With all digits that a double has: else it writes 16 of them.
        ` AND CAST(printf('%!.${scale}f', ${column}) AS REAL) = ${column})`
      );
    if (form === 'unixSeconds' || form === 'unixMilliseconds')
      return `(typeof(${column}) = 'integer' AND ${column} BETWEEN ${momentBounds[form].join(' AND ')})`;
    const words = form.split('/').map((word) => (sort === 'integer' ? word : sqliteText(word)));
    return `(typeof(${column}) = '${sort === 'integer' ? 'integer' : 'text'}' AND ${column} IN (${words.join(', ')}))`;
  },
  // It keeps no statistics, and would as soon find all rows with a value of which there are many, for each parent.
  joinEach: 'CROSS JOIN',
  // TRUE would be the column of that name, where a table of the statement has one.
  onlyAsked: (condition) => `(${condition}) IS 1`,
  looksUp: () => true,
  exists: (select) => `EXISTS (${select})`,
  convertKey: (column, from, to) => {
    const [type, wanted] = [columnType(from), columnType(to)];
    if (type === wanted) return column;
    return wanted === 'INTEGER'
      ? `(CASE WHEN CAST(CAST(${column} AS INTEGER) AS TEXT) = ${column} THEN CAST(${column} AS INTEGER) END)`
      : `CAST(${column} AS TEXT)`;
  },
  operand: (value, operator, field) => {
    const { comparesWith, items, sql } = operators[operator];
    if (comparesWith === 'part') return sql?.sqlite?.operand?.(String(value)) ?? String(value);
    if (field.type === anyMember) {
      const all = wantedValues(value).flatMap(numberAlternatives);
      return JSON.stringify(
        operators[operator].undeclared === 'list' ? all.map(markedNumber) : all,
      );
    }
    if (items !== undefined) {
      return JSON.stringify(wantedValues(value).map((item) => alternatives(item, field)));
    }
    const { comparand, encode } = codecOf(sqlite, field);
    const one = (item: JsonValue): SqlValue =>
      comparand?.(item, operator, field) ?? encode?.(item, field) ?? (item as SqlValue);
    return Array.isArray(value) ? listOf(value.map(one)) : one(value);
  },
  operandField: () => undefined,
  listTable: (placeholder) => `json_each(${placeholder})`,
  // The driver binds numbers as doubles, has no booleans, and takes bytes as they are.
  bound: (value) => {
    if (typeof value === 'boolean') return value ? 1n : 0n;
    if (Number.isSafeInteger(value)) return BigInt(value as number);
    return value as SqlValue;
  },
  keys: listOf,
  // SQLite reads the shortest digits of a double as that double.
  unwrittenRows: ({ table, id: key }, fields, list, id) => {
    const values = fields.map((field, index) => {
      const name = `'$.${unwritten(index)}'`;
      const [column, type] = [quote(field.column), columnType(field)];
      const given = `given.value ->> ${name}`;
      const value = isBytes(field) ? unhex(given) : `CAST(${given} AS ${type})`;
      const kept = `CASE WHEN json_type(given.value, ${name}) IS NULL THEN base.${column} ELSE ${value} END`;
      return `${id === undefined ? value : kept} AS ${column}`;
    });
    const select = `SELECT ${values.length === 0 ? '1' : values.join(', ')} FROM json_each(${list}) AS given`;
    if (id === undefined) return select;
    const isNamed = sqlite.compare(`base.${quote(key.column)}`, 'eq', id, key);
    return `${select} CROSS JOIN ${quoteTable(table)} AS base WHERE ${isNamed}`;
  },
  unwrittenItem: (fields, row) => {
    const members = fields.flatMap((field, index) => {
      const value = row.get(field);
      return value === undefined ? [] : [`"${unwritten(index)}":${itemOf(value)}`];
    });
    return `{${members.join(',')}}`;
  },
  ruleText: (_rule, table) =>
    `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ${table()}`,
  createsWhole: false,
  firstOfEach: (list, from, row, first) =>
    `${list} AS parent CROSS JOIN ${from} WHERE ${rowOf(row)} IN (${first})`,
};
