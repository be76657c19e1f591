import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { schemaOf } from '../sql/schema.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import { DatabaseFailure, type Database } from './database.ts';

/** What was found holds for so long, in ms: whoever asks often costs the database nothing. */
const keptFor = 1_000;

/**
 * Tells whether a database still has the tables and columns of an Api. What a migration for a newer specification has
 * added does no harm: servers of the former one go on until they are replaced.
 */
export class SchemaProbe {
  private readonly database: Database;
  private readonly api: Api;
  private statements: readonly Statement[] | undefined;
  private found: Promise<boolean> | undefined;
  private until = 0;

  constructor(api: Api, database: Database) {
    this.api = api;
    this.database = database;
  }

  /** Of a database that answers. */
  fits(): Promise<boolean> {
    const now = performance.now();
    if (this.found === undefined || now >= this.until) {
      this.found = this.look();
      this.until = now + keptFor;
    }
    return this.found;
  }

  private async look(): Promise<boolean> {
    this.statements ??= this.makeStatements();
    for (const statement of this.statements)
      try {
        await this.database.all(statement, { bound: [null] });
      } catch (error) {
        // A table that this role may not read is there; a database that has gone is told of elsewhere.
        if (!(error instanceof DatabaseFailure) || error.kind === 'changed') return false;
      }
    return true;
  }

  /** They name every column, and find no row by a key. */
  private makeStatements(): readonly Statement[] {
    const { dialect } = this.database;
    return schemaOf(this.api, dialect).map(({ name, columns }) => {
      const list = columns.map((column) => `own.${quote(column.name)}`).join(', ');
      const { name: key = '' } = columns.find(({ isKey }) => isKey) ?? columns[0] ?? {};
      return buildStatement(
        dialect,
        (add) => `SELECT ${list} FROM ${quote(name)} AS own WHERE own.${quote(key)} = ${add(0)}`,
      );
    });
  }
}
