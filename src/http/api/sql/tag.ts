import { isPromise } from 'node:util/types';
import type { Sql, SqlName, SqlRows } from '../../../extensions/code.ts';
import type { SentSql, SqlPart } from './statement.ts';

/** An answer to SQL as it is sent. */
export interface AnsweredSql {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly count: number;
}

/** The name of a table or column in SQL. */
class Name implements SqlName {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** `sql` of the owner's client. `ask` sends the SQL. See docs/contract/10-own-code.md#sql. */
export function sqlTag(ask: (sent: SentSql) => Promise<unknown>): Sql {
  const sql = async (
    texts: TemplateStringsArray,
    ...given: readonly unknown[]
  ): Promise<unknown> => {
    if (!Array.isArray(texts) || !Array.isArray((texts as Partial<TemplateStringsArray>).raw))
      throw new TypeError(
        'sql is the tag of a template: write sql`select …`, with values as ${value}',
      );
    const parts = given.map((value, index) => partOf(value, `value ${index + 1} of the SQL`));
    return rowsOf((await ask({ texts: [...texts], parts })) as AnsweredSql);
  };
  const name = (text: string): SqlName => {
    if (typeof text !== 'string' || text === '' || text.includes('\0'))
      throw new TypeError('sql.name takes the name of a table or column');
    return new Name(text);
  };
  // A function has a name, which is not writable.
  return Object.defineProperty(sql, 'name', { value: name }) as unknown as Sql;
}

function rowsOf({ columns, rows, count }: AnsweredSql): SqlRows<object> {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, row[index]])),
  );
  return Object.defineProperty(objects, 'count', { value: count }) as unknown as SqlRows<object>;
}

function partOf(value: unknown, place: string): SqlPart {
  if (value instanceof Name) return { name: value.name };
  if (value instanceof ArrayBuffer) return { bytes: Buffer.from(value).toString('base64') };
  if (value instanceof Uint8Array)
    return {
      bytes: Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64'),
    };
  if (!Array.isArray(value)) return scalarOf(value, place);
  return { list: value.map((item, index) => scalarOf(item, `item ${index + 1} of ${place}`)) };
}

function scalarOf(
  value: unknown,
  place: string,
): null | string | number | boolean | { readonly digits: string } {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return { digits: value.toString() };
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
  throw new TypeError(`${place} is ${adviceOn(value)}`);
}

function adviceOn(value: unknown): string {
  if (value === undefined) return 'undefined. For NULL, write null';
  if (typeof value === 'number') return `${value}, which is no number of SQL`;
  if (value instanceof Date) return 'a Date without a time';
  if (isPromise(value)) {
    // It may be that of SQL, which fails by itself.
    value.catch(() => undefined);
    return 'a promise. SQL is not put together of parts: write it in one template';
  }
  if (Array.isArray(value)) return 'a list in a list. For JSON, give JSON.stringify(value)';
  if (value instanceof Name) return 'a name in a list';
  if (typeof value === 'object') return 'an object. For JSON, give JSON.stringify(value)';
  return `a ${typeof value}`;
}
