import { numericOf } from '../../model/field-types/numbers/decimal.ts';
import { operators, type Comparison } from '../../model/operators.ts';
import type { Field } from '../../model/api.ts';
import { isDecimalText, isFineMoment } from '../../model/indexes.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { momentTexts } from '../../specification/stored-forms.ts';
import { isComposite, partsOf } from '../../model/field-types/composite-id.ts';
import { anyMember, parseNumber } from '../../model/field-types/json.ts';
import { momentBounds } from '../../model/field-types/stored-as.ts';
import {
  codecOf,
  encodeValue,
  literal,
  quote,
  quoteTable,
  inMicroseconds,
  wantedValues,
  type Dialect,
} from '../../sql/dialect.ts';
import { keyColumns, whole } from '../../sql/key.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import { aggregates } from './aggregates.ts';
import { arrayText, nativeCodec, nativeSql } from './native-types.ts';
import { indexedSearch } from './search/search.ts';

/**
 * Whether nobody but the database gives values to a column of pg_attribute: it computes them, or counts what is no key.
 * Of a view that takes all writes (28), those are the columns that are no plain column of its table.
 */
export const isComputed =
  `(attgenerated <> '' OR (attidentity = 'a' AND NOT EXISTS (SELECT 1 FROM pg_index` +
  ` WHERE indrelid = attrelid AND indisprimary AND attnum = ANY (indkey::int[])))` +
  ` OR ((SELECT relkind = 'v' FROM pg_class WHERE pg_class.oid = attrelid)` +
  ` AND pg_relation_is_updatable(attrelid, true) = 28 AND NOT pg_column_is_updatable(attrelid, attnum, true)))`;

/**
 * A comparison with one bound value. See docs/contract/2-reading.md#filters. PostgreSQL gives the parameter the type of the column, or of a
 * list of it; text columns are all of collation "C".
 */
function condition(operator: Comparison, column: string, parameter: string): string {
  const { sql } = operators[operator];
  if (sql === undefined) throw new TypeError(`${operator} is no comparison`);
  return sql.postgres.condition(column, parameter);
}

/** Of JSON of any type: a list of what is wanted, each of them the list of values that will do. */
function containsAllOf(column: string, parameter: string): string {
  return (
    `(${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(${parameter}) AS wanted` +
    ` WHERE NOT EXISTS (SELECT 1 FROM jsonb_array_elements(wanted.value) AS one WHERE ${column} @> one.value)))`
  );
}

function hasUntypedItems({ items }: Field): boolean {
  return items?.type.json === 'any';
}

/**
 * Comparisons of a member that nothing declares, as the JSON found: the parameter is a list of what the operand may
 * mean, its text and the number or boolean that it reads as.
 */
function compareAny(json: string, operator: Comparison, parameter: string): string {
  const text = (of: string): string => `((${of}) COLLATE "C")`;
  const { undeclared, isNegated = false } = operators[operator];
  switch (undeclared) {
    case 'list':
      return condition(isNegated ? 'nin' : 'in', json, `${parameter}::jsonb[]`);
    case 'text':
      return condition(
        operator,
        text(`CASE jsonb_typeof(${json}) WHEN 'string' THEN ${json} #>> '{}' END`),
        parameter,
      );
    case 'each': {
      const number = `(${json} #>> '{}')::numeric`;
      return (
        `EXISTS (SELECT 1 FROM jsonb_array_elements(${parameter}::jsonb) AS operand` +
        ` WHERE jsonb_typeof(operand.value) = jsonb_typeof(${json}) AND CASE jsonb_typeof(${json})` +
        ` WHEN 'string' THEN ${condition(operator, text(`${json} #>> '{}'`), "(operand.value #>> '{}')")}` +
        ` WHEN 'number' THEN ${condition(operator, number, "(operand.value #>> '{}')::numeric")} END)`
      );
    }
    case undefined:
      throw new TypeError(`${operator} of an undeclared member`);
    default:
      return undeclared satisfies never;
  }
}

/** The values that an item may have to be the wanted one: text of no type may be that of a number or a boolean. */
function alternatives(wanted: JsonValue, field: Field): readonly JsonValue[] {
  if (!hasUntypedItems(field)) return [wanted];
  return anyAlternatives(wanted);
}

function anyAlternatives(wanted: JsonValue): readonly JsonValue[] {
  const text = String(wanted);
  if (text === 'true' || text === 'false') return [wanted, text === 'true'];
  const number = parseNumber(text);
  return number === undefined ? [wanted] : [wanted, number];
}

function arrayOperand(value: JsonValue, operator: Comparison, field: Field): string {
  const wanted = wantedValues(value);
  const each = wanted.map((item) => alternatives(item, field));
  if (operators[operator].items !== 'all')
    return arrayText(each.flat().map((item) => JSON.stringify(item)));
  return JSON.stringify(hasUntypedItems(field) ? each : wanted);
}

/** The type that a column's values compare as, without what else its definition says. */
function valueType(field: Field): string {
  const native = nativeSql(field);
  if (native !== undefined) return native.operand;
  const [type = ''] = /^[\w ]*?(?=\(| COLLATE| GENERATED| NOT NULL| PRIMARY|$)/u.exec(
    field.type.postgres.column(field),
  ) ?? [''];
  return type;
}

/** Whether the column of a field is `json` or `jsonb`, whatever the field makes of it. */
function isJsonColumn({ native, type }: Field): boolean {
  return native === undefined
    ? type.postgres.form === 'jsonb'
    : native.items === undefined && /^jsonb?$/u.test(native.type);
}

/** A text as a literal of PostgreSQL. */
export function postgresText(text: string): string {
  return literal(text, (hex) => `convert_from(decode('${hex}', 'hex'), 'UTF8')`);
}

/** A comparison of a column that is not managed, in its own type. */
function compareNative(
  column: string,
  operator: Comparison,
  placeholder: string,
  field: Field,
): string {
  const sql = nativeSql(field);
  const { items, operand, comparesWith } = operators[operator];
  if (sql === undefined) throw new TypeError(`${field.name} is managed`);
  if (sql.isArray)
    return `${sql.compared(column)} ${items === 'all' ? '@>' : '&&'} ${placeholder}::${sql.operand}`;
  if (field.items !== undefined) return condition(operator, sql.compared(column), placeholder);
  if (comparesWith === 'part') return condition(operator, sql.searched(column), placeholder);
  const type = isDecimalText(field) ? 'numeric' : sql.operand;
  return condition(
    operator,
    compared(column, field),
    `${placeholder}::${type}${operand === 'list' ? '[]' : ''}`,
  );
}

/** The items that an array of the database is asked for; null if one that it has to have is none that it can have. */
function nativeItems(value: JsonValue, operator: Comparison, items: Field): string | null {
  const { minimum = -Infinity, maximum = Infinity } = items.native?.limits ?? {};
  const wanted = wantedValues(value);
  const held = wanted.filter(
    (item) => typeof item !== 'number' || (item >= minimum && item <= maximum),
  );
  if (held.length < wanted.length && operators[operator].items === 'all') return null;
  return arrayText(held.map((item) => encodeValue(postgresAlike, item, items)));
}

/** What is bound for a part of a text. */
function partOperand(value: JsonValue, operator: Comparison): string {
  return operators[operator].sql?.postgres.operand?.(String(value)) ?? String(value);
}

/** What `anyMember` is compared with: alternatives as a list of JSON, or for an order as JSON of a list. */
function anyOperand(value: JsonValue, operator: Comparison): string {
  if (operators[operator].comparesWith === 'part') return partOperand(value, operator);
  const wanted = wantedValues(value);
  const all = wanted.flatMap((item) => anyAlternatives(item));
  return operators[operator].undeclared === 'each'
    ? JSON.stringify(all)
    : arrayText(all.map((item) => JSON.stringify(item)));
}

/** A declared member as the type of its values; in JSON all but numbers and booleans are text, as on the wire. */
function memberValue(json: string, leaf: Field): string {
  const text = `(${json} #>> '{}')`;
  const when = (type: string, value: string): string =>
    `(CASE WHEN jsonb_typeof(${json}) = '${type}' THEN ${value} END)`;
  const { json: form } = leaf.type;
  switch (form) {
    case 'integer':
    case 'number':
      return when('number', asDouble(text));
    case 'boolean':
      return when('boolean', `${text}::boolean`);
    case 'array':
    case 'object':
      return when(form, json);
    case 'string':
      return when('string', `${text} COLLATE "C"`);
    case 'any':
      return json;
    default:
      return form satisfies never;
  }
}

/**
 * A number of JSON, of which there are some that are no double: those are null. Only long ones can be such. The bounds
 * are those of what is rounded to the least and to the greatest double.
 */
function asDouble(number: string): string {
  const isDouble = `length(${number}) < 300 OR ${number}::numeric = 0 OR abs(${number}::numeric) BETWEEN 2.5e-324 AND 1.797693134862315807e308`;
  return `CASE WHEN ${isDouble} THEN ${number}::double precision END`;
}

/** The first item of an array, by what its items are; null where tables of others hold something else there. */
function firstItem(column: string, items: Field): string {
  return (
    items.type.postgres.itemOrder?.(`(${column} ->> 0)`) ?? memberValue(`(${column} -> 0)`, items)
  );
}

/** How a text is read as a key of a type, null where it is none; any type without a row is read as text. */
const keyReaders: ReadonlyMap<string, (text: string) => string> = new Map([
  [
    'bigint',
    (text) =>
      `(CASE WHEN ${text} ~ '^(0|-?[1-9][0-9]{0,18})$' THEN` +
      ` CASE WHEN ${text}::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN ${text}::bigint END END)`,
  ],
  [
    'uuid',
    (text) =>
      `(CASE WHEN ${text} ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN ${text}::uuid END)`,
  ],
]);

/** A day of the calendar, and a time of a day. */
const calendarDay = String.raw`\d{4}-((0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31|02-29)`;
const clock = String.raw`([01]\d|2[0-3])(:[0-5]\d){2}`;
/** What stands between day and time, and behind the seconds. */
const momentParts: Readonly<Record<(typeof momentTexts)[number], readonly [string, string]>> = {
  isoText: ['T', String.raw`\.\d{3}Z`],
  isoSeconds: ['T', 'Z'],
  isoOffset: ['T', String.raw`\.\d{3}\+00:00`],
  sqlText: [' ', String.raw`(\.(?!000)\d{3})?`],
  sqlMicroseconds: [' ', String.raw`\.\d{6}`],
  sqlMixed: [' ', String.raw`(\.\d{3}(\d{3})?)?`],
  sqlUtc: [' ', String.raw`\.\d{3}Z`],
  sqlOffset: [' ', String.raw`\.\d{3} \+00:00`],
};

/** What of a column is compared and sorted. */
function compared(column: string, field: Field): string {
  const native = nativeSql(field);
  if (native !== undefined) column = native.compared(column);
  if (isFineMoment(field)) return inMicroseconds(column);
  return isDecimalText(field) ? numericOf(column) : column;
}

function selectComposite(column: string, id: Field): string {
  const parts = partsOf(id);
  const texts = keyColumns(column, id).map((one, index) => {
    const part = parts[index];
    return `${part === undefined ? one : postgresAlike.select(one, part)}::text`;
  });
  const list = `json_build_array(${texts.join(', ')})::text`;
  return whole(list, column, id);
}

/** The columns of a composite id compared with a `keyText`, or with a list of them, so that an index of them serves. */
function compareComposite(
  column: string,
  operator: Comparison,
  placeholder: string,
  id: Field,
): string {
  const columns = keyColumns(column, id);
  const { isNegated = false, operand } = operators[operator];
  const own = partsOf(id).map((part, index) => compared(columns[index] ?? '', part));
  const valuesOf = (key: string): readonly string[] =>
    partsOf(id).map(
      (part, index) =>
        `(${key} ->> ${index})::${isDecimalText(part) ? 'numeric' : valueType(part)}`,
    );
  const values = valuesOf(operand === 'list' ? 'key' : `${placeholder}::text::json`);
  const isMet =
    operand === 'list'
      ? `(${own.join(', ')}) IN (SELECT ${values.join(', ')} FROM (SELECT unnest(${placeholder}::text[])::json AS key) AS keys)`
      : `(${own.map((one, index) => `${one} = ${values[index]}`).join(' AND ')})`;
  return isNegated ? `NOT ${isMet}` : isMet;
}

/**
 * What all databases that speak PostgreSQL take. Their planners guess nothing, or what has nothing to do with the rows, and
 * rows have no version there, or one on each node that has a copy: a change that asks for one would reach one copy alone.
 */
export const postgresAlike: Dialect = {
  name: 'postgresql',
  aggregates,
  limitSlowsSort: false,
  // For 10,000 records with 200,000 related ones 38 ms, with a subquery for each 205 ms.
  groupsRelated: true,
  recordsAnInsert: 100,
  placeholder: (count) => `$${count}`,
  storage: (field) => field.type.postgres,
  nativeCodec,
  // As json_build_array writes it.
  keyText: (values) => `[${values.map((value) => JSON.stringify(String(value))).join(', ')}]`,
  select: (column, field) => {
    if (isComposite(field)) return selectComposite(column, field);
    const native = nativeSql(field);
    if (native !== undefined) return native.read(column);
    // A cast alone would have the column's name, by which ORDER BY would sort texts.
    return codecOf(postgresAlike, field).readAsText?.(field) === true
      ? `(${column} || '')`
      : column;
  },
  sortKey: (column, field) => {
    if (field.items === undefined)
      return nativeSql(field)?.sorted?.value(column) ?? compared(column, field);
    const json =
      nativeSql(field)?.isArray === true ? `to_jsonb(${column})` : compared(column, field);
    return firstItem(json, field.items);
  },
  sortOperand: (placeholder, field) => {
    const native = field.items === undefined ? nativeSql(field) : undefined;
    return native === undefined
      ? placeholder
      : `${placeholder}::${native.sorted?.operand ?? native.operand}`;
  },
  assigned: (placeholder, field) => nativeSql(field)?.assigned(placeholder) ?? placeholder,
  nulls: (placed) => (placed === 'first' ? ' NULLS FIRST' : ' NULLS LAST'),
  text: postgresText,
  compare: (column, operator, placeholder, field) =>
    isComposite(field)
      ? compareComposite(column, operator, placeholder, field)
      : field.type === anyMember
        ? compareAny(column, operator, placeholder)
        : operators[operator].items === 'all' && hasUntypedItems(field)
          ? containsAllOf(column, placeholder)
          : field.native !== undefined
            ? compareNative(column, operator, placeholder, field)
            : isDecimalText(field)
              ? condition(
                  operator,
                  compared(column, field),
                  `${placeholder}::${operators[operator].operand === 'list' ? 'numeric[]' : 'numeric'}`,
                )
              : condition(operator, compared(column, field), placeholder),
  member: (column, members, field) =>
    `(${[compared(column, field), ...members.map((name) => `${postgresText(name)}::text`)].join(' -> ')})`,
  memberValue: (json, leaf) => (leaf.type === anyMember ? json : memberValue(json, leaf)),
  objectItems: (column, members, field, alias) => {
    const json =
      members.length === 0 && nativeSql(field)?.isArray === true
        ? `to_jsonb(${column})`
        : postgresAlike.member(column, members, field);
    return {
      from: `jsonb_array_elements(CASE jsonb_typeof(${json}) WHEN 'array' THEN ${json} END) AS ${alias}(item)`,
      item: `${alias}.item`,
      where: `jsonb_typeof(${alias}.item) = 'object'`,
    };
  },
  joined: (texts, between) =>
    `(CASE WHEN coalesce(${texts.join(', ')}) IS NOT NULL THEN concat_ws(${[postgresText(between), ...texts].join(', ')}) END COLLATE "C")`,
  memberIsNull: (json) => `coalesce(jsonb_typeof(${json}), 'null') = 'null'`,
  decodeMember: () => undefined,
  joinEach: 'JOIN',
  onlyAsked: (condition) => condition,
  looksUp: () => false,
  // The planner turns each into a join and tries their orders, which for many takes longer than any deadline. It leaves
  // alone what has an OFFSET.
  exists: (select, many) => `EXISTS (${select}${many ? ' OFFSET 0' : ''})`,
  convertKey: (column, from, to) => {
    const [type, wanted] = [valueType(from), valueType(to)];
    if (type === wanted) return column;
    const text = `${column}::text`;
    return keyReaders.get(wanted)?.(text) ?? text;
  },
  operand: (value, operator, field) => {
    if (field.type === anyMember) return anyOperand(value, operator);
    if (field.items !== undefined)
      return nativeSql(field)?.isArray === true
        ? nativeItems(value, operator, field.items)
        : arrayOperand(value, operator, field);
    if (operators[operator].comparesWith === 'part') return partOperand(value, operator);
    const { comparand } = codecOf(postgresAlike, field);
    const one = (item: JsonValue): SqlValue =>
      (item === null ? null : comparand?.(item, operator, field)) ??
      encodeValue(postgresAlike, item, field);
    return Array.isArray(value) ? arrayText(value.map(one)) : one(value);
  },
  operandField: (operator, field) =>
    field.type === anyMember || operators[operator].comparesWith === 'part' ? undefined : field,
  listTable: (placeholder, field) =>
    `(SELECT unnest(${placeholder}::${field === undefined ? 'text' : valueType(field)}[]) AS value)`,
  rowsOf: (fields, placeholder) =>
    `SELECT ${fields.map((field) => `unnest(${placeholder(field)}::${valueType(field)}[])`).join(', ')}`,
  bound: (value) =>
    value instanceof Uint8Array ? String.raw`\x${Buffer.from(value).toString('hex')}` : value,
  keys: arrayText,
  // Of the type of the table's rows: so each value is what the column makes of it, be it longer, finer or of another case.
  unwrittenRows: ({ table, id: key }, _fields, list, id) => {
    const base = `${quoteTable(table)} AS base`;
    const rows = `CROSS JOIN json_populate_recordset(base.*, ${list}::text::json) AS t`;
    return id === undefined
      ? `SELECT t.* FROM (SELECT 1) AS one LEFT JOIN ${base} ON false ${rows}`
      : `SELECT t.* FROM ${base} ${rows} WHERE ${postgresAlike.compare(`base.${quote(key.column)}`, 'eq', id, key)}`;
  },
  unwrittenItem: (fields, row) => {
    const members = fields.flatMap((field) => {
      const value = row.get(field);
      if (value === undefined) return [];
      const isJson =
        value !== null &&
        field.type.postgres.form === 'jsonb' &&
        nativeSql(field)?.isArray !== true;
      const item = isJson || typeof value === 'bigint' ? String(value) : JSON.stringify(value);
      // PostgreSQL cuts off names that are too long.
      return [`${JSON.stringify(cutName(field.column))}:${item}`];
    });
    return `{${members.join(',')}}`;
  },
  // Each type reads what it writes, be it one that JSON does not have.
  keptItem: (fields) => {
    const columnOf = ({ column }: Field): string => `t.${quote(column)}`;
    const nameOf = ({ column }: Field): string => postgresText(cutName(column));
    const texts = fields.filter((field) => !isJsonColumn(field));
    const names = texts.map(nameOf).join(', ');
    const values = texts.map((field) => `${columnOf(field)}::text`).join(', ');
    const others = fields
      .filter(isJsonColumn)
      .map((field) => ` || jsonb_build_object(${nameOf(field)}, ${columnOf(field)})`);
    return `(json_object(ARRAY[${names}]::text[], ARRAY[${values}]::text[])::jsonb${others.join('')})::text`;
  },
  // A correlated IN would read the whole table once for each parent.
  firstOfEach: (list, from, row, first) =>
    `${list} AS parent CROSS JOIN LATERAL (${first}) AS first(${row.map((_, index) => `row${index}`).join(', ')})` +
    ` CROSS JOIN ${from} WHERE ${row.map((column, index) => `${column} = first.row${index}`).join(' AND ')}`,
  forUpdate: ' FOR UPDATE',
  forUpdateMany: ' FOR UPDATE',
  forKeyShare: ' FOR KEY SHARE',
  givenIds: ' OVERRIDING SYSTEM VALUE',
  textType: 'text COLLATE "C"',
  // As text, whatever the type of the column.
  isStoredAs: (column, form, { precision, scale }) => {
    const text = `(${column}::text COLLATE "C")`;
    const moment = momentTexts.find((one) => one === form);
    if (moment !== undefined) {
      const [between, end] = momentParts[moment];
      // Most other texts are seen to be none without the pattern, which is slow.
      return `(${text} LIKE '____-__-__${between}%' AND ${text} ~ '^${calendarDay}${between}${clock}${end}$')`;
    }
    if (form === 'scaled') {
      const most = '9'.repeat(precision);
      return `(CASE WHEN ${text} ~ '^-?\\d{1,18}$' THEN ${text}::bigint BETWEEN -${most} AND ${most} ELSE false END)`;
    }
    if (form === 'real')
      // Small and large doubles are written with an exponent.
      return `(CASE WHEN ${text} ~ '^-?\\d+(\\.\\d+)?(e[-+]?\\d+)?$' THEN abs(${text}::numeric) < 1e${precision - scale} AND round(${text}::numeric, ${scale}) = ${text}::numeric ELSE false END)`;
    if (form === 'text')
      return `${text} ~ '^-?\\d{1,${precision - scale || 1}}${scale === 0 ? '' : `(\\.\\d{1,${scale}})?`}$'`;
    if (form === 'unixSeconds' || form === 'unixMilliseconds')
      return `(CASE WHEN ${text} ~ '^-?\\d{1,15}$' THEN ${text}::bigint BETWEEN ${momentBounds[form].join(' AND ')} ELSE false END)`;
    return `${text} IN (${form.split('/').map(postgresText).join(', ')})`;
  },
  lockTimeout: (milliseconds) => `set_config('lock_timeout', ${milliseconds}, true)`,
  explain: {
    sql: (sql) => `EXPLAIN ${sql}`,
    lines: (rows) => rows.map(([line]) => String(line)),
    scans: (lines) => {
      const start = lines.findIndex((line) => / Scan .*\bon \S+ t(?: |$)/u.test(` ${line}`));
      const next = lines.findIndex((line, index) => index > start && line.includes('->'));
      const [node = '', ...conditions] = lines.slice(start, next === -1 ? undefined : next);
      const has = (name: string): boolean =>
        conditions.some((line) => line.trimStart().startsWith(name));
      // An index that only gives the order is read from one end to the other.
      return start !== -1 && (node.includes('Seq Scan') || (has('Filter:') && !has('Index Cond:')));
    },
    sorts: (lines) => lines.some((line) => /^[ \->]*(?:Incremental )?Sort(?: |$)/u.test(line)),
  },
  // A table that is not Plinth's may have no sequence: then nothing happens. Where Citus has the table on another node, what
  // joins the catalog is worked out on this one, which is asked for the next id.
  passIds: (table, idColumn) =>
    `SELECT setval(seqrelid, last) FROM (SELECT max(${quote(idColumn)}) AS last FROM ${quoteTable(table)}) AS ids` +
    ` JOIN pg_sequence ON seqrelid = pg_get_serial_sequence(${postgresText(quoteTable(table))}, ${postgresText(idColumn)})::regclass` +
    ` WHERE last >= coalesce(pg_sequence_last_value(seqrelid), 0)` +
    // One that counts downwards or would begin anew draws taken numbers there as well; none goes beyond its end.
    ` AND seqincrement > 0 AND last <= seqmax AND NOT (seqcycle AND last = seqmax)`,
  // A name that is too long is cut off as that of its column was.
  computedColumns: (table, columns) =>
    `SELECT asked FROM jsonb_array_elements_text(${columns()}::text::jsonb) AS asked JOIN pg_attribute ON attname = asked::name` +
    ` WHERE attrelid = ${postgresText(quoteTable(table))}::regclass AND ${isComputed}`,
  // A rule of a domain speaks of VALUE: of the columns that are of it, or of a domain over it.
  ruleText: (rule, table) =>
    `SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = ${rule()} AND conrelid = to_regclass(quote_ident(${table()}))` +
    ` UNION ALL SELECT 'CHECK (' || string_agg(quote_ident(attname), ', ') || ')' FROM pg_attribute` +
    ` JOIN pg_type ON pg_type.oid = atttypid JOIN pg_constraint ON contypid IN (atttypid, nullif(typbasetype, 0))` +
    ` WHERE attrelid = to_regclass(quote_ident(${table()})) AND conname = ${rule()} HAVING count(*) > 0` +
    ` UNION ALL SELECT pg_get_indexdef(to_regclass(quote_ident(${rule()})))`,
  createsWhole: true,
  returning: (idColumn) => ` RETURNING ${idColumn}`,
};

/**
 * PostgreSQL with Citus, which takes a condition about rows of several nodes where it stands alone. What changes several
 * tables in one statement runs on the node that has them, which draws ids of its own.
 */
export const citus: Dialect = {
  ...postgresAlike,
  asksByKeys: true,
  createsWhole: false,
  forUpdateMany: '',
};

/** PostgreSQL itself. */
export const postgres: Dialect = {
  ...postgresAlike,
  indexedSearch,
  estimate: {
    sql: (select) => `EXPLAIN (FORMAT JSON) ${select}`,
    rows: (answer) => {
      const [explained] = JSON.parse(String(answer)) as { Plan: { 'Plan Rows': number } }[];
      return explained?.Plan['Plan Rows'] ?? 0;
    },
  },
  // What a statement sees is decided by its snapshot alone. On a standby the text of that leaves out transactions under way.
  // After a failover, or a crash (which resets the statistics), the same numbers may mean other transactions.
  state:
    'SELECT CASE WHEN NOT pg_is_in_recovery() THEN' +
    " concat_ws(' ', pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), pg_current_snapshot()) END",
  // Taken back with the transaction, as what setval does is not. Whose sequence it is not may not do it.
  restartIds: (table, idColumn) =>
    `SELECT 'ALTER SEQUENCE ' || name || ' RESTART' FROM pg_get_serial_sequence(${postgresText(quoteTable(table))}, ${postgresText(idColumn)}) AS name` +
    ` JOIN pg_class ON oid = name::regclass WHERE pg_has_role(relowner, 'USAGE')`,
  // The transaction that has written the row.
  rowVersion: { column: 'xmin', text: 'xmin::text' },
};
