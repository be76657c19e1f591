import type { ServerUse } from '../../database.ts';
import { readPosition, type Position } from '../../position.ts';
import type { PostgresDatabase } from '../database.ts';
import { isOfOtherKind, openFailure } from '../errors.ts';
import { identity } from './identity.ts';
import type { LogHistory } from './log-history.ts';
import { Watch } from './watch.ts';

const question = `SELECT pg_is_in_recovery(), pg_last_wal_replay_lsn()::text, ${identity}`;

/** What a replica is compared with. */
export interface Original {
  readonly history: LogHistory;
  /** What tells the database from all others; undefined until it is known. */
  readonly identity: () => string | undefined;
  /** The largest lag of a replica that is used, in ms. */
  readonly mostLag: number;
  /** Receives a line whenever a replica is left or taken again. */
  readonly report: (line: string) => void;
}

/** A replica: what it has replayed, and whether reads go there. */
export class Replica {
  /** `replica 1`, … */
  readonly server: string;
  readonly database: PostgresDatabase;
  use: ServerUse = 'lost';
  lag: number | undefined;
  /** The position up to which it has replayed the log. */
  replayed: Position = 0;
  reads = 0;
  private readonly name: string;
  private readonly original: Original;
  private readonly session: Readonly<Record<string, string>> | undefined;
  private readonly watch: Watch;
  private looking: Promise<void> | undefined;
  /** Whether its settings and its version were found good. */
  private isChecked = false;
  /** Why it is not used, as last reported. */
  private reported: string | undefined;

  constructor(
    server: string,
    database: PostgresDatabase,
    original: Original,
    session: Readonly<Record<string, string>> | undefined,
  ) {
    this.server = server;
    this.name = database.name;
    this.database = database;
    this.original = original;
    this.session = session;
    this.watch = new Watch(() => database.beside());
  }

  /** Whether it may answer a read that must see everything up to a position. */
  answers(after: Position): boolean {
    return this.use === 'used' && this.replayed >= after;
  }

  /** Asks it how it is. One question is on the way at a time. */
  look(): Promise<void> {
    this.looking ??= this.ask().finally(() => (this.looking = undefined));
    return this.looking;
  }

  /** Reads go elsewhere from now on, also those that it has not answered yet. */
  leave(error: unknown): void {
    const { cause = error } = error as Error;
    if (isOfOtherKind(cause)) this.refuse('takes writes, so it is no replica');
    else this.lose(openFailure(this.name, cause).message);
  }

  /** The log of the primary ends before what it had replayed: it has another past. */
  compare(end: Position, replayed: Position): void {
    if (this.use !== 'lost' && replayed > end)
      this.refuse('has replayed what the primary does not have');
  }

  private refuse(reason: string): void {
    this.lose(`The database ${this.name} ${reason}.`);
  }

  private lose(reason: string): void {
    this.stopUsing('lost', reason);
    this.lag = undefined;
    this.database.leave();
  }

  private async ask(): Promise<void> {
    const { history, identity: expected, mostLag, report } = this.original;
    try {
      const [isStandby, replayed, found] = await this.watch.ask(question);
      if (isStandby !== true || typeof replayed !== 'string')
        return this.refuse('takes writes, so it is no replica');
      const original = expected();
      if (original === undefined) return;
      if (found !== original) return this.refuse('is no replica of this database');
      this.database.resume();
      if (!this.isChecked) await this.database.check(this.session);
      this.isChecked = true;
      this.replayed = readPosition(replayed);
      this.lag = history.lagOf(this.replayed);
      if (this.lag === undefined) return;
      if (this.lag > mostLag)
        return this.stopUsing('behind', `The database ${this.name} is behind the primary.`);
      this.use = 'used';
      if (this.reported === undefined) return;
      this.reported = undefined;
      report(`Reads go to ${this.server} again.`);
    } catch (error) {
      this.leave(error);
    }
  }

  private stopUsing(use: ServerUse, reason: string): void {
    this.use = use;
    if (this.reported === reason) return;
    this.reported = reason;
    this.original.report(`No reads go to ${this.server}: ${reason.replace('The', 'the')}`);
  }

  async close(): Promise<void> {
    this.watch.end();
    await this.database.close();
  }
}
