import type { Field } from '../model/api.ts';
import { shortest } from '../model/field-types/plain.ts';
import { quote, type SqlSyntax } from './dialect.ts';
import type { Add, RowLength } from './statement.ts';

/** The distinct columns of one SELECT. */
export class ColumnList {
  private readonly dialect: SqlSyntax;
  private readonly alias: string;
  private readonly texts: string[] = [];
  /** What tells expressions apart, by position. */
  private readonly identities: string[] = [];
  /** Writers of expressions with parameters, by their key. */
  private readonly writers = new Map<number, (add: Add) => string>();
  private mostCharacters = 0;
  private readonly longTexts: number[] = [];

  constructor(dialect: SqlSyntax, alias: string) {
    this.dialect = dialect;
    this.alias = alias;
  }

  position(field: Field, alias = this.alias): number {
    return this.expression(this.dialect.select(`${alias}.${quote(field.column)}`, field), field);
  }

  /**
   * The position of an expression that yields a value of `field`; `write` writes one that has parameters. The same text
   * with other parameters needs an `identity`.
   */
  expression(text: string, field: Field, write?: (add: Add) => string, identity = text): number {
    const known = this.identities.indexOf(identity);
    if (known !== -1) return known;
    const position = this.texts.push(text) - 1;
    this.identities.push(identity);
    const longest = longestText(field);
    this.mostCharacters += longest;
    if (longest > shortest) this.longTexts.push(position);
    if (write !== undefined) this.writers.set(position, write);
    return position;
  }

  get rowLength(): RowLength {
    return { most: this.mostCharacters, texts: this.longTexts };
  }

  /** The list for SELECT; `1` if no column is selected. */
  sql(add: Add): string {
    if (this.texts.length === 0) return '1';
    return this.texts.map((text, position) => this.writers.get(position)?.(add) ?? text).join(', ');
  }
}

/** The most UTF-16 units of a field's value in a row; Infinity if it is unbounded. */
function longestText(field: Field): number {
  const { type, values } = field;
  if (values !== undefined) return Math.max(...values.map((value) => String(value).length));
  return type.longest(field);
}
