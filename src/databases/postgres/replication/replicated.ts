import type { Api } from '../../../model/api.ts';
import type { SessionSettings } from '../../../model/session.ts';
import type { Values } from '../../../sql/statement.ts';
import {
  DatabaseFailure,
  type Database,
  type Replication,
  type ServerState,
} from '../../database.ts';
import { unreachable, type Position } from '../../position.ts';
import {
  readPostgresUrl,
  type PostgresAddress,
  type Surroundings,
} from '../connections/address.ts';
import { poolOptions, PostgresDatabase, type PostgresOptions } from '../database.ts';
import { isLoss } from '../errors.ts';
import { LogHistory } from './log-history.ts';
import { WatchedPrimary } from './primary.ts';
import { RememberedPositions } from './remembered.ts';
import { Replica } from './replica.ts';

/** How often each server is asked for its position, in ms, and how soon if a read has found a replica behind. */
const interval = 1_000;
const soon = 50;
/** For how much longer than the largest lag the positions of the primary are kept, in ms. */
const margin = 60_000;

export interface ReplicaOptions extends PostgresOptions {
  /** The largest lag of a replica that is used, in ms. */
  readonly mostLag: number;
  /** Receives a line whenever a replica is left or taken again. */
  readonly report: (line: string) => void;
}

/** Reads the URL of a replica. Its sessions are with a standby, or refused. */
export function readReplicaUrl(url: string, surroundings: Surroundings): PostgresAddress {
  return { ...readPostgresUrl(url, surroundings), sessions: 'standby' };
}

/** Serves reads from replicas of a database. Replicas that cannot be reached are looked for from `serve` on. */
export function withReplicas(
  primary: PostgresDatabase,
  addresses: readonly PostgresAddress[],
  options: ReplicaOptions,
): Database {
  const databases = addresses.map((address) => new PostgresDatabase(address, poolOptions(options)));
  return new ReplicatedDatabase(primary, databases, options);
}

/**
 * A primary with its replicas. Each server is asked once a second for its position in the log, so that a read costs no
 * further round trip: it goes to a replica that is known to have replayed what it must see. See
 * docs/contract/6-operation.md#replicas.
 */
class ReplicatedDatabase implements Database {
  readonly asksAtOnce = true;
  readonly all: Database['all'];
  readonly page: Database['page'];
  readonly count: Database['count'];
  readonly runGiven: Database['runGiven'];
  readonly stream: Database['stream'];
  readonly write: Database['write'];
  readonly writeOne: Database['writeOne'];
  readonly ping: Database['ping'];
  readonly connections: NonNullable<Database['connections']>;
  readonly replication: Replication;
  private readonly primary: PostgresDatabase;
  private readonly watched: WatchedPrimary;
  private readonly replicas: readonly Replica[];
  private readonly readers: ReadonlyMap<Replica, Database>;
  private readonly remembered = new RememberedPositions();
  /** What every read must see: everything before the served Api, such as its migration. */
  private least: Position = unreachable;
  /** How often an Api has begun to be served. */
  private version = 0;
  private turn = 0;
  private primaryReads = 0;
  private timer: NodeJS.Timeout | undefined;
  private isAskedSoon = false;

  constructor(
    primary: PostgresDatabase,
    databases: readonly PostgresDatabase[],
    { mostLag, report, session }: ReplicaOptions,
  ) {
    this.primary = primary;
    this.all = (statement, values) => primary.all(statement, values);
    this.page = (statement, values) => primary.page(statement, values);
    this.count = (statement, values) => primary.count(statement, values);
    this.runGiven = (statement, values) => primary.runGiven(statement, values);
    this.stream = (...request) => primary.stream(...request);
    this.write = (...request) => primary.write(...request);
    this.writeOne = (...request) => primary.writeOne(...request);
    this.ping = () => primary.ping();
    this.connections = () => primary.connections();
    const history = new LogHistory(mostLag + margin);
    this.watched = new WatchedPrimary(primary, history, (end) => {
      this.remembered.rewind(end);
      this.least = Math.min(this.least, end);
    });
    const identity = (): string | undefined => this.watched.identity;
    const original = { history, identity, mostLag, report };
    this.replicas = databases.map(
      (database, index) => new Replica(`replica ${index + 1}`, database, original, session),
    );
    this.readers = new Map(
      this.replicas.map((replica) => [replica, readerOf(replica, replica.database, this)]),
    );
    this.replication = {
      reader: (after) => {
        const replica = this.choose(after);
        return replica === undefined ? this : (this.readers.get(replica) ?? this);
      },
      position: () => this.watched.position(),
      remember: (caller, position) => this.remembered.set(caller, position),
      remembered: (caller) => this.remembered.get(caller),
      servers: () => this.servers(),
    };
  }

  get dialect(): Database['dialect'] {
    return this.primary.dialect;
  }

  readonly inSession = (settings: SessionSettings): Database => {
    const primary = this.primary.inSession(settings);
    const own: Database = {
      ...primary,
      replication: {
        ...this.replication,
        reader: (after) => {
          const replica = this.choose(after);
          if (replica === undefined) return own;
          return readerOf(replica, replica.database.inSession(settings), primary);
        },
      },
    };
    return own;
  };

  serve(api: Api): void {
    this.primary.serve(api);
    for (const { database } of this.replicas) database.serve(api);
    this.least = unreachable;
    this.version += 1;
    this.timer ??= setInterval(() => this.lookAtAll(), interval).unref();
    this.lookAtAll();
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.watched.end();
    await Promise.all([this.primary.close(), ...this.replicas.map((replica) => replica.close())]);
  }

  /** The replicas that may answer a read take turns; undefined if none may. */
  private choose(after: Position): Replica | undefined {
    const position = Math.max(after, this.least);
    this.turn += 1;
    for (let index = 0; index < this.replicas.length; index += 1) {
      const replica = this.replicas[(this.turn + index) % this.replicas.length];
      if (replica?.answers(position) === true) {
        replica.reads += 1;
        return replica;
      }
    }
    this.primaryReads += 1;
    if (position !== unreachable) this.lookSoon();
    return undefined;
  }

  private servers(): readonly ServerState[] {
    const { isUp } = this.watched;
    return [
      { server: 'primary', use: isUp ? 'used' : 'lost', lag: 0, reads: this.primaryReads },
      ...this.replicas.map(({ server, use, lag, reads }) => ({ server, use, lag, reads })),
    ];
  }

  private lookAtAll(): void {
    for (const replica of this.replicas) void replica.look();
    void this.lookAtPrimary();
  }

  private async lookAtPrimary(): Promise<void> {
    const { version } = this;
    const settle = this.remembered.settling();
    const replayed = this.replicas.map((replica) => replica.replayed);
    const position = await this.watched.position();
    settle(position);
    if (position === unreachable) return;
    if (this.least === unreachable && version === this.version) this.least = position;
    for (const [index, replica] of this.replicas.entries())
      replica.compare(position, replayed[index] ?? 0);
  }

  /** A replica may have replayed meanwhile what a caller waits to see. */
  private lookSoon(): void {
    if (this.isAskedSoon) return;
    this.isAskedSoon = true;
    setTimeout(() => {
      this.isAskedSoon = false;
      for (const replica of this.replicas) if (replica.use !== 'lost') void replica.look();
    }, soon).unref();
  }
}

/** Reads from a replica, and from the primary what the replica fails to answer. Writes to the primary. */
function readerOf(replica: Replica, own: Database, primary: Database): Database {
  const answered = async <Answer>(
    values: Values,
    ask: (database: Database) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    try {
      return await ask(own);
    } catch (error) {
      if (!(error instanceof DatabaseFailure) || error.kind === 'timeout') throw error;
      if (isLoss(error.cause)) replica.leave(error);
      const { trace } = values.requester ?? {};
      if (trace !== undefined) trace.server = 'primary';
      return ask(primary);
    }
  };
  const { page, runGiven, write, writeOne, ping, close } = primary;
  return {
    dialect: primary.dialect,
    server: replica.server,
    asksAtOnce: true,
    isOfCaller: primary.isOfCaller === true,
    all: (statement, values) => answered(values, (database) => database.all(statement, values)),
    count: (statement, values) => answered(values, (database) => database.count(statement, values)),
    ...(page && {
      page: (statement, values) =>
        answered(values, (database) => (database.page ?? page)(statement, values)),
    }),
    // Who has got rows already cannot get them again: exports begin again themselves.
    stream: async (...request) => {
      try {
        await own.stream(...request);
      } catch (error) {
        if (error instanceof DatabaseFailure && isLoss(error.cause)) replica.leave(error);
        throw error;
      }
    },
    runGiven,
    write,
    writeOne,
    ping,
    close,
  };
}
