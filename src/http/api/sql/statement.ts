import { BoundedCache } from '../../../lib/bounded-cache.ts';
import type { SqlValue } from '../../../model/values.ts';
import { quote, type Dialect, type GivenValue } from '../../../sql/dialect.ts';
import type { Statement } from '../../../sql/statement.ts';

/** What stands between two texts of SQL: a value, a list that is one value, or the name of a table or column. */
export type SqlPart =
  | null
  | string
  | number
  | boolean
  | { readonly digits: string }
  | { readonly bytes: string }
  | { readonly list: readonly (null | string | number | boolean | { readonly digits: string })[] }
  | { readonly name: string };

/** SQL of own code as it is sent: a part follows each text but the last. */
export interface SentSql {
  readonly texts: readonly string[];
  readonly parts: readonly SqlPart[];
}

/** A statement with its values. */
interface BoundSql {
  readonly statement: Statement;
  readonly bound: readonly SqlValue[];
}

/** How many statements are kept, and the characters of all of them. */
const keptStatements = 500;
const keptLength = 1024 * 1024;

/** The statements of one database. The same SQL is the same statement, which the database prepares once. */
export class SqlStatements {
  private readonly dialect: Dialect;
  private readonly kept = new BoundedCache<Statement>(keptStatements, keptLength);

  constructor(dialect: Dialect) {
    this.dialect = dialect;
  }

  /** No value becomes a part of the text: each is bound. */
  bind({ texts, parts }: SentSql): BoundSql {
    const bound: SqlValue[] = [];
    let sql = texts[0] ?? '';
    for (const [index, part] of parts.entries()) {
      if (isName(part)) sql += quote(part.name);
      else {
        bound.push(this.valueOf(part));
        sql += this.dialect.placeholder(bound.length, bound.length - 1);
      }
      sql += texts[index + 1] ?? '';
    }
    let statement = this.kept.get(sql);
    if (statement === undefined) {
      statement = { sql, parameters: bound.map((_, index) => index), isGiven: true };
      this.kept.set(sql, statement);
    }
    return { statement, bound };
  }

  private valueOf(part: Exclude<SqlPart, { readonly name: string }>): SqlValue {
    const { dialect } = this;
    if (typeof part === 'object' && part !== null && 'list' in part)
      return dialect.keys(part.list.map((item) => dialect.bound(givenOf(item))));
    return dialect.bound(givenOf(part));
  }
}

function givenOf(
  part: Exclude<SqlPart, { readonly name: string } | { readonly list: unknown }>,
): GivenValue {
  if (typeof part !== 'object' || part === null) return part;
  return 'digits' in part ? BigInt(part.digits) : Buffer.from(part.bytes, 'base64');
}

function isName(part: SqlPart): part is { readonly name: string } {
  return typeof part === 'object' && part !== null && 'name' in part;
}
