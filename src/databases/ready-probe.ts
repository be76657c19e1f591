import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../model/api.ts';
import { quote } from '../sql/dialect.ts';
import { schemaOf } from '../sql/schema/schema.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import { DatabaseFailure, type Database } from './database.ts';

/** What was found holds for so long, in ms: whoever asks often costs the database nothing. */
const keptFor = 1_000;
/** How long a database may take to answer, in ms. */
const longestAnswer = 2_000;
/** How long a table is waited for, and all of them, in ms: Kubernetes waits a second if nobody says otherwise. */
const longestLook = 500;

/**
 * Tells whether a database answers, and still has the tables and columns of an Api. What a migration for a newer
 * specification has added does no harm: servers of the former one go on until they are replaced. However many ask, the
 * database is asked by one at a time, and nobody waits for long.
 */
export class ReadyProbe {
  private readonly database: Database;
  private readonly api: Api;
  private statements: readonly Statement[] | undefined;
  private ping: Promise<boolean> | undefined;
  private looking: Promise<boolean> | undefined;
  /** What was found last. */
  private fits = true;
  private until = 0;

  constructor(api: Api, database: Database) {
    this.api = api;
    this.database = database;
  }

  async isReady(): Promise<boolean> {
    this.ping ??= this.database
      .ping()
      .catch(() => false)
      .finally(() => (this.ping = undefined));
    if (!(await within(this.ping, longestAnswer, () => false))) return false;
    if (performance.now() < this.until) return this.fits;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    // A table that another one holds, as while it is altered, is taken to be as it was.
    return within(this.looking, longestLook, () => this.fits);
  }

  private async look(): Promise<boolean> {
    this.fits = await this.findAll();
    this.until = performance.now() + keptFor;
    return this.fits;
  }

  private async findAll(): Promise<boolean> {
    this.statements ??= this.makeStatements();
    let found = true;
    for (const statement of this.statements) {
      const late = AbortSignal.timeout(longestLook);
      try {
        await this.ask(statement, late);
      } catch (error) {
        // A table that this role may not read is there; a database that has gone is told of elsewhere.
        if (late.aborted) found = this.fits;
        else if (!(error instanceof DatabaseFailure) || error.kind === 'changed') return false;
      }
    }
    return found;
  }

  private async ask(statement: Statement, late: AbortSignal): Promise<void> {
    const { database } = this;
    const values = { bound: [null] };
    // On a server, a table that another one holds would keep a connection from others until the deadline.
    if (database.asksAtOnce) await database.stream(statement, values, late, () => true);
    else await database.all(statement, values);
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

/** What `work` gives, or what it is taken to give where that takes longer than `time` ms. */
function within<Value>(work: Promise<Value>, time: number, otherwise: () => Value): Promise<Value> {
  return Promise.race([work, delay(time, undefined, { ref: false }).then(otherwise)]);
}
