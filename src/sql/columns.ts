import type { Field } from '../model/api.ts';
import { shortest } from '../model/field-types/plain.ts';
import { quote, type SqlSyntax } from './dialect.ts';
import type { Add, RowLength } from './statement.ts';

/** The columns of one SELECT, each only once. */
export class ColumnList {
  private readonly dialect: SqlSyntax;
  private readonly alias: string;
  private readonly texts: string[] = [];
  /** How those are written that ask for parameters. */
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

  /** The position of any expression, which gives a value of `field`; `write` writes one that asks for parameters. */
  expression(text: string, field: Field, write?: (add: Add) => string): number {
    const known = this.texts.indexOf(text);
    if (known !== -1) return known;
    const position = this.texts.push(text) - 1;
    const longest = longestText(field);
    this.mostCharacters += longest;
    if (longest > shortest) this.longTexts.push(position);
    if (write !== undefined) this.writers.set(position, write);
    return position;
  }

  get rowLength(): RowLength {
    return { most: this.mostCharacters, texts: this.longTexts };
  }

  /** The list for SELECT; of a record of which nothing is shown a number stands for its being there. */
  sql(add: Add): string {
    if (this.texts.length === 0) return '1';
    return this.texts.map((text, position) => this.writers.get(position)?.(add) ?? text).join(', ');
  }
}

/** The most characters that a value of a field has in a row, as strings of JavaScript count them; Infinity without a bound. */
function longestText(field: Field): number {
  const { type, values } = field;
  if (values !== undefined) return Math.max(...values.map((value) => String(value).length));
  return type.longest(field);
}
