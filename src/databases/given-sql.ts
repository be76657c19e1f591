import type { Api, Field } from '../model/api.ts';
import { isComposite } from '../model/field-types/composite-id.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../specification/specification.ts';
import { codecOf, quote, type Dialect } from '../sql/dialect.ts';

// SQL that own code has written. See docs/contract/10-own-code.md#sql.

/** A column of an answer. `read`: its value on the wire, of one that is not null; absent: the value itself. */
export interface GivenColumn {
  readonly name: string;
  readonly read: ((stored: SqlValue) => JsonValue) | undefined;
}

/** `count`: how many rows were read or changed. */
export interface GivenAnswer {
  readonly columns: readonly GivenColumn[];
  readonly rows: readonly (readonly SqlValue[])[];
  readonly count: number;
}

/** The database refuses SQL of own code: it is wrong, or a constraint refuses what it writes. */
export class RefusedSql extends Error {
  override readonly name = 'RefusedSql';
  readonly isConstraint: boolean;

  constructor(message: string, isConstraint: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isConstraint = isConstraint;
  }
}

const taken = ['SELECT', 'VALUES', 'WITH', 'INSERT', 'UPDATE', 'DELETE', 'REPLACE', 'MERGE'];

/** Throws unless SQL reads or changes rows: the schema, transactions and settings belong to the server. */
export function checkFirstWord(sql: string): void {
  const [, word = ''] = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/)*(\w*)/u.exec(sql) ?? [];
  if (taken.includes(word.toUpperCase())) return;
  const told = word === '' ? 'The statement' : word.toUpperCase();
  throw new RefusedSql(`${told} is not taken here. Begin with one of ${taken.join(', ')}`, false);
}

/** Throws if two columns have one name: a row is an object. */
export function checkNames(columns: readonly { readonly name: string }[]): void {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name))
      throw new RefusedSql(`Two columns are named ${name}. Rename one of them with AS`, false);
    names.add(name);
  }
}

/** A place in SQL, for messages. */
export function placeIn(sql: string, offset: number): string {
  const before = sql.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** The fields of an Api by table and column, as `keyOf` names both. */
export function fieldsByColumn(
  { resources }: Api,
  keyOf: (table: string, column: string) => string,
): ReadonlyMap<string, Field> {
  const fields = [...resources.values()].flatMap(({ table, fields: own }) =>
    [...own.values()].map((field) => [keyOf(table, field.column), field] as const),
  );
  return new Map(fields);
}

/** How the values of a field's column are read; undefined if the API does not read the column as it is. */
export function fieldReader(field: Field, dialect: Dialect): GivenColumn['read'] {
  if (isComposite(field)) return undefined;
  const { decode, readAsText } = codecOf(dialect, field);
  const isText = readAsText?.(field) === true;
  if (!isText && dialect.select(quote(field.column), field) !== quote(field.column))
    return undefined;
  if (decode === undefined) return isText ? String : undefined;
  return (stored) => decode(isText ? String(stored) : stored, field);
}
