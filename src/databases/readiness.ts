import { setTimeout as delay } from 'node:timers/promises';
import type { Api } from '../model/api.ts';
import { isComposite } from '../model/field-types/composite-id.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import { schemaOf } from '../sql/schema/schema.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import { DatabaseFailure, type Database } from './database.ts';

/** How long a result is cached, in ms, so that frequent probes cost the database nothing. */
const keptFor = 1_000;
/** How long the database may take to respond, in ms. */
const longestAnswer = 2_000;
/**
 * How long to wait for one locked table, and for all, in ms: the default timeout of a Kubernetes probe is one second.
 */
const longestLook = 500;

/** The same list each time, as the settings of sessions are known by it. */
const withoutPolicies = ['row_security'];

/**
 * Checks that the database responds and still has the tables and columns of an Api. Additions by a migration for a
 * newer specification do no harm: servers of the previous one run until they are replaced. However many probes come,
 * one check runs at a time.
 */
export class ReadinessProbe {
  private readonly database: Database;
  private readonly api: Api;
  private statements: readonly Statement[] | undefined;
  private ping: Promise<boolean> | undefined;
  private looking: Promise<boolean> | undefined;
  /** The last result. */
  private fits = true;
  private until = 0;

  constructor(api: Api, database: Database) {
    this.api = api;
    const { session } = api.settings.database ?? {};
    // Policies may need settings that only callers have. Without them PostgreSQL refuses a table with policies, which is
    // there then.
    this.database =
      (session && database.inSession?.({ names: withoutPolicies, values: ['off'] })) ?? database;
  }

  async isReady(): Promise<boolean> {
    this.ping ??= this.database
      .ping()
      .catch(() => false)
      .finally(() => (this.ping = undefined));
    if (!(await within(this.ping, longestAnswer, () => false))) return this.hasReplica;
    if (performance.now() < this.until) return this.fits;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    // A table locked by another session, for example during ALTER TABLE, keeps its last result.
    return within(this.looking, longestLook, () => this.fits);
  }

  /** Whether a replica answers reads. */
  private get hasReplica(): boolean {
    const servers = this.database.replication?.servers() ?? [];
    return servers.some(({ server, use }) => server !== 'primary' && use === 'used');
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
        // A table that this role may not read still exists; the ping detects a lost database.
        if (late.aborted) found = this.fits;
        else if (!(error instanceof DatabaseFailure) || error.kind === 'changed') return false;
      }
    }
    return found;
  }

  private async ask(statement: Statement, late: AbortSignal): Promise<void> {
    const { database } = this;
    const values = { bound: [] };
    // On PostgreSQL, a stream can be ended, and a locked table would otherwise hold a connection until the statement
    // timeout.
    if (database.asksAtOnce) await database.stream(statement, values, late, () => true);
    else await database.all(statement, values);
  }

  /** They name every column, and read no row. */
  private makeStatements(): readonly Statement[] {
    const { dialect } = this.database;
    const managed = schemaOf(this.api, dialect)
      .filter(({ isExtra }) => isExtra !== true)
      .map(({ name, columns }) => ({
        table: quoteTable(name),
        columns: columns.map((column) => column.name),
      }));
    const unmanaged = [...this.api.resources.values()]
      .filter(({ isManaged }) => !isManaged)
      .map(({ table, fields }) => ({
        table: quoteTable(table),
        columns: [...fields.values()]
          .filter((field) => !isComposite(field))
          .map(({ column }) => column),
      }));
    return [...managed, ...unmanaged].map(({ table, columns }) => {
      const list = columns.map((column) => `own.${quote(column)}`).join(', ');
      return buildStatement(dialect, () => `SELECT ${list} FROM ${table} AS own WHERE 1 = 0`);
    });
  }
}

/** The value of `work`, or of `otherwise` if it takes longer than `time` ms. */
function within<Value>(work: Promise<Value>, time: number, otherwise: () => Value): Promise<Value> {
  return Promise.race([work, delay(time, undefined, { ref: false }).then(otherwise)]);
}
