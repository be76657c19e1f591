import { sqliteDay } from '../../model/field-types/moments/date.ts';
import type { FieldTypes } from '../../model/api.ts';
import { datetimeType } from '../../model/field-types/moments/datetime.ts';
import { fieldTypes } from '../../model/field-types/registry.ts';
import Driver from 'better-sqlite3';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import { quote } from '../../sql/dialect.ts';
import { foldName } from '../../databases/sqlite/existing/dialect.ts';
import { servicePrefix } from '../../model/service-table.ts';
import {
  pairOf,
  type ActualColumn,
  type ActualTable,
} from '../../databases/existing/actual-schema.ts';
import type { RecordRow } from '../../databases/existing/schema-record.ts';
import { readMade, readTables, rowKeyName } from '../../databases/sqlite/catalog.ts';
import { affinityOf } from '../../databases/sqlite/existing/affinity.ts';
import { sqlite } from '../../databases/sqlite/dialect.ts';
import { keyType } from '../attributes.ts';
import { boundsOf, checksIn, type Bounds } from '../../databases/existing/expressions.ts';
import { momentRanges } from '../../databases/existing/stored-forms.ts';
import type { StoredAs } from '../../specification/specification.ts';
import { momentTexts, wordForms } from '../../specification/stored-forms.ts';
import { hintsOf, momentIn } from '../forms.ts';
import { kindsQuery } from '../morphs.ts';
import {
  declaredDigits,
  servedType,
  sqliteType,
  type Stored,
  type StoredForms,
  type Recognised,
} from './types.ts';
import { distinctQuery, guessedKey, isLikelyKey, linkGuess, viewGuess } from '../keys/guessed.ts';
import {
  recordedType,
  uniqueColumns,
  type ColumnType,
  type FoundColumn,
  type FoundDatabase,
  type FoundTable,
} from '../table.ts';

/** Reads the tables of a SQLite file and their values. Changes nothing. Throws errors of SQLite. */
export function readSqlite(
  file: string,
  isManaged = false,
  types: FieldTypes = fieldTypes,
): FoundDatabase {
  const driver = new Driver(file, { readonly: true, fileMustExist: true });
  try {
    return { ...readAll(driver, types, isManaged), isManaged };
  } finally {
    driver.close();
  }
}

function readAll(
  driver: Driver.Database,
  types: FieldTypes,
  isManaged: boolean,
): Omit<FoundDatabase, 'isManaged'> {
  const names = driver
    .prepare<[], { type: string; name: string; sql: string | null }>(
      `SELECT type, name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid`,
    )
    .all();
  const tables = readTables(driver, !isManaged);
  const record = readMade(driver);
  const found: FoundTable[] = [];
  const left: string[] = [];
  const virtual = names.filter(({ sql }) => /^\s*CREATE\s+VIRTUAL/iu.test(sql ?? ''));
  for (const { type, name, sql } of names) {
    if (foldName(name).startsWith(servicePrefix)) continue;
    const owner = virtual.find((one) => one.name !== name && name.startsWith(`${one.name}_`));
    if (type === 'view' && isManaged) left.push(`View ${name} is left out: views are not served.`);
    else if (virtual.some((one) => one.name === name))
      left.push(`Table ${name} is left out: it is virtual.`);
    // The shadow tables of a virtual table.
    else if (owner === undefined) {
      const actual = tables.get(foldName(name))?.();
      if (actual !== undefined)
        found.push(
          readTable(
            driver,
            actual,
            sql ?? '',
            record.filter((row) => foldName(row.table) === foldName(name)),
            types,
            { isManaged, isView: type === 'view' },
          ),
        );
    }
  }
  return {
    tables: withKeyTypes(driver, withMomentForms(driver, found)),
    left,
    otherSchemas: [],
    types,
    fold: foldName,
  };
}

function readTable(
  driver: Driver.Database,
  actual: ActualTable,
  sql: string,
  record: readonly RecordRow[],
  types: FieldTypes,
  { isManaged, isView }: { readonly isManaged: boolean; readonly isView: boolean },
): FoundTable {
  const recorded = new Map(record.map((row) => [row.column, row]));
  const checks = boundsOf(checksIn(sql));
  const declared = driver
    .prepare<[string], string>('SELECT name FROM pragma_table_xinfo(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(actual.name);
  const unique = isManaged ? pairOf(actual, foldName) : uniqueColumns(actual);
  const own = declared.length > 0 ? declared : (unique ?? []);
  const guess = isView ? viewGuess('View', actual) : linkGuess(actual);
  const guessed =
    own.length > 0 || isManaged
      ? undefined
      : guess.candidates.find((list) =>
          isLikelyKey(
            list,
            driver.prepare<[], number[]>(distinctQuery(actual, list)).raw().get() ?? [],
          ),
        );
  // SQLite lets a primary key be null, and such a row has no id.
  const isWhole = isManaged || own.every((name) => !hasNull(driver, actual, name));
  const keys = guessed ?? (isWhole ? own : []);
  // A table with a primary key of several columns may have a generated row key, which is not a field.
  const hasRowKey =
    own.length > 1 &&
    actual.columns.get(rowKeyName)?.isPrimary === true &&
    !own.some((name) => foldName(name) === rowKeyName);
  const columns = [...actual.columns.values()].filter(
    ({ name }) => !hasRowKey || name !== rowKeyName,
  );
  return {
    actual,
    types,
    primary: keys,
    isKeyDrawn: isView || isDrawn(driver, actual, actual.columns.get(foldName(keys[0] ?? ''))),
    rowKey: hasRowKey ? rowKeyName : undefined,
    record: recorded,
    comment: undefined,
    closed: isView ? ['create', 'update', 'delete'] : [],
    isView,
    notes: guessed === undefined ? [] : [guessedKey(guess, guessed)],
    columns: columns.map((column) => {
      const row = recorded.get(column.name);
      const known = recordedType(row, /CHAR|TEXT|JSON/iu.test(column.type), types);
      return {
        actual: column,
        type:
          known === undefined
            ? columnType(
                driver,
                actual,
                column,
                checks.get(column.name) ?? {},
                row,
                types,
                isManaged,
              )
            : { attributes: known, notes: [] },
        bounds: checks.get(column.name) ?? {},
        comment: undefined,
        kinds: kindsIn(driver, actual, column),
      };
    }),
  };
}

/** Whether a row can be inserted without this key: SQLite counts it, it has a default, or it takes a UUID. */
function isDrawn(
  driver: Driver.Database,
  { name }: ActualTable,
  column: ActualColumn | undefined,
): boolean {
  if (column === undefined || column.fills || affinityOf(column.type) !== 'INTEGER') return true;
  const isRowKey = driver
    .prepare<[string], number>('SELECT wr = 0 FROM pragma_table_list WHERE name = ?')
    .pluck()
    .get(name);
  return column.type === 'INTEGER' && column.isPrimary && isRowKey === 1;
}

function kindsIn(
  driver: Driver.Database,
  table: ActualTable,
  column: ActualColumn,
): readonly string[] {
  const query = kindsQuery(table, column);
  return query === undefined ? [] : driver.prepare(query).pluck().all().map(String);
}

/** Forms that one program may mix, since it omits zero parts. */
const mixable: ReadonlySet<StoredAs | undefined> = new Set([
  'sqlText',
  'sqlMicroseconds',
  'sqlMixed',
]);

/**
 * Gives datetimes the form that other programs will write: one that all columns with the same declaration have in common,
 * or for a column without values, that of its default or of those columns.
 */
function withMomentForms(
  driver: Driver.Database,
  tables: readonly FoundTable[],
): readonly FoundTable[] {
  const isOpen = ({ actual, record }: FoundTable, { actual: column, type }: FoundColumn): boolean =>
    !('left' in type) &&
    type.attributes.type === datetimeType.name &&
    type.attributes.storedAs === undefined &&
    record.get(column.name)?.isMade !== true &&
    isEmpty(driver, actual, column);
  const open = new Set(
    tables.flatMap((table) => table.columns.filter((column) => isOpen(table, column))),
  );
  const forms = new Map<string, Set<StoredAs | undefined>>();
  for (const column of tables.flatMap(({ columns }) => columns)) {
    const { actual, type } = column;
    if ('left' in type || type.attributes.type !== datetimeType.name || open.has(column)) continue;
    getOrInsert(forms, actual.type, () => new Set()).add(type.attributes.storedAs);
  }
  const isMixed = (declared: string): boolean => {
    const found = [...(forms.get(declared) ?? [])];
    const areAlike = /DATE|TIME/iu.test(declared) && found.every((form) => mixable.has(form));
    return areAlike && (found.length > 1 || found.includes('sqlMixed'));
  };
  const formOf = (column: FoundColumn): StoredAs | undefined => {
    const {
      actual: { default: value = '', type },
    } = column;
    const own = 'left' in column.type ? undefined : column.type.attributes.storedAs;
    if (isMixed(type) && (open.has(column) || mixable.has(own))) return 'sqlMixed';
    if (!open.has(column)) return undefined;
    const [form, ...others] = forms.get(type) ?? [];
    if (/^(?:CURRENT_TIMESTAMP|datetime\('now'\))$/iu.test(value)) return 'sqlText';
    return others.length === 0 ? form : undefined;
  };
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => {
      const form = formOf(column);
      return form === undefined
        ? column
        : { ...column, type: { attributes: momentIn(form), notes: [] } };
    }),
  }));
}

/** Gives keys without values the type of their target, if it is stored alike. */
function withKeyTypes(
  driver: Driver.Database,
  tables: readonly FoundTable[],
): readonly FoundTable[] {
  const isNamed = (name: string, other: string): boolean => foldName(name) === foldName(other);
  const typeOfKey = (
    table: FoundTable,
    column: FoundColumn,
    passed: readonly FoundColumn[],
  ): ColumnType => {
    const { actual, type } = column;
    const key = table.actual.references.find((one) => isNamed(one.column, actual.name));
    const target = tables.find((one) => isNamed(one.actual.name, key?.table ?? ''));
    const name = key?.target ?? target?.primary[0] ?? '';
    const there = target?.columns.find((one) => isNamed(one.actual.name, name));
    const [only = '', ...others] = table.primary;
    const isId = others.length === 0 && isNamed(only, actual.name);
    const isMade = table.record.get(actual.name)?.isMade === true;
    if (
      'left' in type ||
      isId ||
      isMade ||
      target === undefined ||
      there === undefined ||
      passed.includes(there)
    )
      return type;
    const led = typeOfKey(target, there, [...passed, column]);
    const isOther =
      !('left' in led) &&
      keyType(led.attributes, table.types) !== keyType(type.attributes, table.types);
    return isOther &&
      affinityOf(actual.type) === affinityOf(there.actual.type) &&
      isEmpty(driver, table.actual, actual)
      ? { attributes: led.attributes, notes: [] }
      : type;
  };
  return tables.map((table) => ({
    ...table,
    columns: table.columns.map((column) => ({ ...column, type: typeOfKey(table, column, []) })),
  }));
}

function hasNull(driver: Driver.Database, { name }: ActualTable, column: string): boolean {
  const one = `SELECT 1 FROM ${quote(name)} WHERE ${quote(column)} IS NULL LIMIT 1`;
  return driver.prepare(one).get() !== undefined;
}

function isEmpty(
  driver: Driver.Database,
  { name }: ActualTable,
  { name: column }: ActualColumn,
): boolean {
  const one = `SELECT 1 FROM ${quote(name)} WHERE ${quote(column)} IS NOT NULL LIMIT 1`;
  return driver.prepare(one).get() === undefined;
}

const digit = '[0-9]';
const day = sqliteDay;
const clock = `${digit.repeat(2)}:${digit.repeat(2)}:${digit.repeat(2)}`;

/** Counts the values of a column by their form. */
const questions: Readonly<Record<keyof Stored, string>> = {
  rows: 'count(*)',
  values: 'count(c)',
  integers: `total(typeof(c) = 'integer')`,
  unsafe: `total(typeof(c) = 'integer' AND c NOT BETWEEN -9007199254740991 AND 9007199254740991)`,
  booleans: `total(typeof(c) = 'integer' AND c IN (0, 1))`,
  endless: `total(typeof(c) = 'real' AND c IN (9e999, -9e999))`,
  reals: `total(typeof(c) = 'real')`,
  texts: `total(typeof(c) = 'text')`,
  dates: `total(typeof(c) = 'text' AND c GLOB '${day}' AND date(c) IS c)`,
  sqlMoments: `total(typeof(c) = 'text' AND c GLOB '${day}[ T]${digit}${digit}:*')`,
  times: `total(typeof(c) = 'text' AND c GLOB '${clock}' AND time(c) IS c)`,
  sqlTimes: `total(typeof(c) = 'text' AND c GLOB '${digit}${digit}:${digit}${digit}*' AND time(c) IS NOT c)`,
  jsons: `total(typeof(c) = 'text' AND json_valid(c))`,
  longest: `coalesce(max(CASE WHEN typeof(c) = 'text' THEN length(c) END), 0)`,
};

function columnType(
  driver: Driver.Database,
  table: ActualTable,
  column: ActualColumn,
  bounds: Bounds,
  row: RecordRow | undefined,
  types: FieldTypes,
  isManaged: boolean,
): ColumnType {
  const isKey =
    column.isPrimary ||
    table.references.some((one) => foldName(one.column) === foldName(column.name));
  const stored = storedIn(driver, table, column);
  if (isManaged && column.isPrimary && stored.rows > stored.values)
    return { left: 'it is null in some rows; give each one a key' };
  const forms = formsIn(driver, table, column);
  const recognised = recognisedIn(driver, table, column, types);
  const hints = hintsOf(column.name, bounds, isKey);
  // A migration would convert a column that it has recorded with another kind.
  const isJson = hints.isJson && (row === undefined || row.kind === 'json');
  const type = sqliteType(column.type, stored, forms, { ...hints, isJson }, recognised);
  return isManaged ? type : servedType(type, column.type, stored);
}

/** The types of which all values are, by the declared type and by the texts. */
function recognisedIn(
  driver: Driver.Database,
  { name }: ActualTable,
  { name: column, type: declared }: ActualColumn,
  types: FieldTypes,
): Recognised {
  const asked = Object.values(types).flatMap((type) => {
    const sqlite = type.recognition?.sqlite;
    return sqlite === undefined ? [] : [{ name: type.name, ...sqlite }];
  });
  const counts = asked.map(({ condition }) => `total(typeof(c) = 'text' AND ${condition})`);
  const [values = 0, ...found] =
    driver
      .prepare<[], number[]>(
        `SELECT ${['count(c)', ...counts].join(', ')} FROM (SELECT ${quote(column)} AS c FROM ${quote(name)})`,
      )
      .raw()
      .get() ?? [];
  const whole = asked.filter((_, index) => found[index] === values);
  return {
    declared: whole.find((type) => type.declared?.test(declared) === true)?.name,
    texts: values === 0 ? undefined : whole.find(({ isOfTexts }) => isOfTexts)?.name,
  };
}

function formsIn(
  driver: Driver.Database,
  { name }: ActualTable,
  { name: column, type }: ActualColumn,
): StoredForms {
  const digits = declaredDigits(type);
  const none = { precision: 1, scale: 0 };
  const conditions = [
    ...[...momentTexts, ...wordForms].map(
      (form) => [form, sqlite.isStoredAs('c', form, none)] as const,
    ),
    ...(['unixSeconds', 'unixMilliseconds'] as const).map(
      (form) =>
        [form, `typeof(c) = 'integer' AND c BETWEEN ${momentRanges[form].join(' AND ')}`] as const,
    ),
    ...(digits === undefined ? [] : [['real', sqlite.isStoredAs('c', 'real', digits)] as const]),
  ];
  const asked = conditions.map(([form, condition]) => `total(${condition}) AS ${quote(form)}`);
  return (
    driver
      .prepare<[], StoredForms>(
        `SELECT ${asked.join(', ')} FROM (SELECT ${quote(column)} AS c FROM ${quote(name)})`,
      )
      .get() ?? {}
  );
}

function storedIn(driver: Driver.Database, { name }: ActualTable, column: ActualColumn): Stored {
  const asked = Object.entries(questions).map(([key, sql]) => `${sql} AS ${quote(key)}`);
  const row = driver
    .prepare<[], Stored>(
      `SELECT ${asked.join(', ')} FROM (SELECT ${quote(column.name)} AS c FROM ${quote(name)})`,
    )
    .get();
  if (row === undefined) throw new TypeError('A count has no row');
  return row;
}
