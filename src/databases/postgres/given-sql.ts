import type { Api, Field } from '../../model/api.ts';
import {
  fromTimestamp,
  fromTimestamptz,
  milliseconds,
} from '../../model/field-types/moments/datetime.ts';
import { parseExactly } from '../../model/exact-number.ts';
import type { SqlValue } from '../../model/values.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { quoteTable, type Dialect } from '../../sql/dialect.ts';
import type { Transaction } from '../database.ts';
import {
  checkNames,
  fieldReader,
  fieldsByColumn,
  placeIn,
  RefusedSql,
  type GivenAnswer,
  type GivenColumn,
} from '../given-sql.ts';
import type { Rows, ServerColumn } from './connections/connection.ts';
import { isPassing } from './errors.ts';

const finite = (stored: SqlValue): JsonValue =>
  Number.isFinite(stored) ? (stored as number) : String(stored);
const json = (stored: SqlValue): JsonValue => parseExactly(String(stored)) as JsonValue;

/** How values are read that are not those of a field, by the oid of their type. Others are texts, or exact as they are. */
const readers: ReadonlyMap<number, GivenColumn['read']> = new Map([
  [17, (stored: SqlValue) => Buffer.from(String(stored).slice(2), 'hex').toString('base64')],
  [114, json],
  [3802, json],
  [700, finite],
  [701, finite],
  [1114, (stored: SqlValue) => fromTimestamp(String(stored), milliseconds)],
  [1184, (stored: SqlValue) => fromTimestamptz(String(stored), milliseconds)],
]);

/** The columns of the tables that are served. */
const servedColumns = `
  SELECT name, attname, attrelid::text, attnum FROM unnest($1::text[]) AS name
  JOIN pg_attribute ON attrelid = to_regclass(name) WHERE attnum > 0 AND NOT attisdropped`;

const keyOf = (table: string, column: string): string => `${quoteTable(table)} ${column}`;

/** Reads answers to SQL of own code: the columns of served fields as the API shows them. */
export class GivenReader {
  private readonly api: Api;
  private readonly dialect: Dialect;
  /** The fields by the oid of the table and the number of the column. */
  private fields: ReadonlyMap<string, Field> | undefined;

  constructor(api: Api, dialect: Dialect) {
    this.api = api;
    this.dialect = dialect;
  }

  /** `service`: of the transaction that the rows were read in. */
  async read(
    { rows, count, columns = [] }: Rows,
    { all }: Transaction['service'],
  ): Promise<GivenAnswer> {
    checkNames(columns);
    const fields = columns.some(({ table }) => table !== 0)
      ? (this.fields ??= await this.find(all))
      : undefined;
    return { rows, count, columns: columns.map((column) => this.readerOf(column, fields)) };
  }

  private async find(all: Transaction['all']): Promise<ReadonlyMap<string, Field>> {
    const { api, dialect } = this;
    const tables = [...api.resources.values()].map(({ table }) => quoteTable(table));
    const statement = { sql: servedColumns, parameters: [0] };
    const rows = await all(statement, { bound: [dialect.keys(tables)] });
    const byName = fieldsByColumn(api, keyOf);
    return new Map(
      rows.flatMap(([table, column, oid, number]) => {
        const field = byName.get(`${String(table)} ${String(column)}`);
        return field === undefined ? [] : [[`${String(oid)} ${String(number)}`, field] as const];
      }),
    );
  }

  private readerOf(
    { name, type, table, number }: ServerColumn,
    fields: ReadonlyMap<string, Field> | undefined,
  ): GivenColumn {
    const field = fields?.get(`${table} ${number}`);
    const own = field && fieldReader(field, this.dialect);
    return { name, read: own ?? readers.get(type) };
  }
}

/** The error of a statement of own code that is wrong, or that a constraint refuses; undefined for any other. */
export function refusalOf(error: unknown, sql: string): RefusedSql | undefined {
  if (error instanceof RefusedSql) return error;
  const { severity, code, message, hint, position } = (error ?? {}) as Readonly<
    Partial<Record<string, string>>
  >;
  // Also what the role may not do, what the server does not support, and what functions raise.
  if (severity !== 'ERROR' || !/^(?:0A|2[123]|3[89]|4[24]|54|P[0T])/u.test(code ?? ''))
    return undefined;
  if (code === undefined || isPassing(error)) return undefined;
  // In characters, from 1.
  const offset = Array.from(sql)
    .slice(0, Number(position) - 1)
    .join('').length;
  const place = position === undefined ? '' : ` (${placeIn(sql, offset)})`;
  const help = hint === undefined ? '' : `. ${hint}`;
  const told = `${message ?? code}${place}${help}`;
  return new RefusedSql(told, code.startsWith('23'), { cause: error });
}
