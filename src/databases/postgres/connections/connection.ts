import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import driver from 'postgres';
import type { SqlValue } from '../../../model/values.ts';
import type { RowCounter } from '../../../sql/statement.ts';
import type { Row, Take } from '../../database.ts';
import {
  driverCheck,
  defaultPort,
  sessionMismatch,
  type PostgresAddress,
  type SessionKind,
  type ReportedSession,
} from './address.ts';
import { encrypted, type Encryption } from './encryption.ts';
import { isAborted, isFull, isLoss, isReadOnly, OutdatedSession } from '../errors.ts';

export interface ConnectionOptions {
  /** The deadline of a statement, in ms. */
  readonly statementTimeout: number;
  /** Whether a pooler shares sessions by transaction, so that nothing outlives one. */
  readonly isPooled: boolean;
}

/** A column as the server describes it: the oid of its type, and the table and number of the column that it is, or 0. */
export interface ServerColumn {
  readonly name: string;
  readonly type: number;
  readonly table: number;
  readonly number: number;
}

/** Rows as arrays, and the number of rows read or changed. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly count: number;
  /** Undefined for a statement that returns no rows. */
  readonly columns: readonly ServerColumn[] | undefined;
}

/** Rows as the driver returns them. */
type Result = Row[] & Pick<Rows, 'count' | 'columns'>;

/** Takes the rows out of a result, for the reason given at `RowCollector`. */
function drain(result: Result): readonly Row[] {
  // On the driver's subclass of Array, `splice` is several times slower.
  const rows: Row[] = [];
  for (const row of result) rows.push(row);
  result.length = 0;
  return rows;
}

/**
 * The rows of a statement as they arrive. The driver's results refer to each other until the next full garbage
 * collection, so rows left in them would be promoted to the old generation.
 */
class RowCollector {
  readonly rows: Row[] = [];
  /** Why the row budget rejected them. */
  refusal: unknown;
  private readonly budget: RowCounter | undefined;
  private readonly onRefusal: () => void;

  constructor(budget: RowCounter | undefined, onRefusal: () => void) {
    this.budget = budget;
    this.onRefusal = onRefusal;
  }

  /** Must not throw: the exception would surface in the driver's socket handler. Rows after a refusal are skipped. */
  take(row: Row): void {
    if (this.refusal !== undefined) return;
    try {
      if (this.budget?.take(row) !== false) this.rows.push(row);
    } catch (error) {
      this.refusal = error;
      this.rows.length = 0;
      this.onRefusal();
    }
  }
}

/** The connection timeout, in ms. */
const connectTimeout = 5_000;
/** How long a session that was given up may take to answer, in ms. */
const answeredWithin = 1_000;

/** The error for a server that does not respond in time. */
export function noAnswer(where: string): Error {
  return Object.assign(new Error(`It does not answer: ${where}`), { code: 'CONNECT_TIMEOUT' });
}

/** A session younger than this, in ms, is with the server that the host name means now. */
const freshFor = 1_000;

/** The rows in one portion of a stream. */
const streamedRows = 5_000;

/** Overrides the defaults of the role and the database in every session. */
function sessionSettings({ statementTimeout }: ConnectionOptions): Record<string, string | number> {
  return {
    application_name: 'plinth',
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: Math.max(60_000, 2 * statementTimeout),
    // If the session ended by itself just when a write is sent, the outcome of the write would be unknown.
    idle_session_timeout: '0',
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    IntervalStyle: 'iso_8601',
    extra_float_digits: 1,
    standard_conforming_strings: 'on',
    array_nulls: 'on',
    default_transaction_isolation: 'read committed',
    // Compiling a statement with many subqueries took a minute, running it a second.
    jit: 'off',
  };
}

/**
 * Cancels a query on the server. The driver's own `cancel` drops the promise, and its rejection would end the
 * process.
 */
interface Cancellable {
  canceller?: ((query: Cancellable) => Promise<unknown>) | null;
}

/** A query of the driver, with its internal state. */
interface Sent<Answer> extends PromiseLike<Answer> {
  cancelled: unknown;
  /** Whether its prepared statement is outdated. */
  isOutdated?: boolean;
  readonly reject: (error: unknown) => void;
}

/** The driver's queries with what this changes of them: a prototype, as properties of each query would cost more than it. */
let ownQueries: object | undefined;

/**
 * Prevents the driver's retry of an outdated prepared statement. The driver would send it among the statements of
 * other callers on the same connection and mix up their rows. The query fails instead, after the driver has forgotten
 * the name. `origin`: the driver keeps that of each failed query in a map that is never emptied.
 */
function askedOnce<Answer>(query: unknown): Sent<Answer> {
  ownQueries ??= Object.create(Object.getPrototypeOf(query) as object, {
    retried: {
      set(this: Sent<unknown>, error: unknown) {
        this.isOutdated = true;
        this.cancelled = true;
        this.reject(error);
      },
    },
    origin: { value: '' },
  }) as object;
  return Object.setPrototypeOf(query, ownQueries) as Sent<Answer>;
}

function lost(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}

/**
 * One session, opened by the first statement and held by one caller at a time. A lost one is thrown away, because the
 * driver would silently open another, outside of the transaction, and report the last session's error first.
 */
export class Connection {
  /** Since when it waits for a response; undefined if it does not. */
  waitingSince: number | undefined;
  /** Whether the session is open, and when it last responded, on the clock of `performance.now()`. */
  isOpen = false;
  answeredAt = Number.NEGATIVE_INFINITY;
  isLost = false;
  readonly openedAt = performance.now();
  private readonly client: driver.Sql;
  private readonly encryption: Encryption;
  private readonly sessions: SessionKind;
  private readonly reported: ReportedSession = {};
  private pending: Cancellable | undefined;
  private socket: Socket | undefined;
  private mayConnect = true;
  /**
   * Whether the session was begun, and whether it ended for good, which the driver does not track while it connects.
   */
  private hasBegun = false;
  private isEnded = false;
  /** The queries that have no response yet. */
  private readonly unanswered = new Set<Sent<unknown>>();

  constructor(
    { target, sessions, encryption, settings }: PostgresAddress,
    options: ConnectionOptions,
  ) {
    this.encryption = encryption;
    this.sessions = sessions;
    const own = options.isPooled ? { application_name: 'plinth' } : sessionSettings(options);
    this.client = createClient({
      ...target,
      target_session_attrs: driverCheck[sessions],
      ssl: false,
      max: 1,
      fetch_types: false,
      prepare: !options.isPooled,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: connectTimeout / 1000,
      connection: { ...own, ...settings },
      onnotice: (notice: driver.Notice) => this.checkNotice(notice),
      onclose: () => this.lose(),
      onparameter: (name: string, value: string) => this.checkParameter({ [name]: value }),
      socket: (address: Address) => this.openSocket(address),
    });
  }

  /** `database on host:port`, for messages. */
  get name(): string {
    const { host, port, database } = this.client.options;
    const [endpoint = ''] = host;
    return `${database} on ${endpoint.includes(':') ? `[${endpoint}]` : endpoint}:${port[0]}`;
  }

  /**
   * Runs one statement. `isNamed` keeps it prepared on the server; `budget` counts its rows as they arrive. `following`:
   * how many further requests are sent with it without waiting for its response. Such a statement is never sent again,
   * since the transaction around it may have ended.
   */
  async query(
    sql: string,
    parameters: readonly SqlValue[],
    isNamed: boolean,
    budget?: RowCounter,
    following?: number,
  ): Promise<Rows> {
    budget?.check();
    const collected = new RowCollector(budget, () => {
      // Statements of other callers on this connection must not be cancelled with it.
      if (this.unanswered.size === 1 + (following ?? 0)) this.giveUp();
    });
    this.requireOpen();
    const asked = this.client.unsafe(sql, parameters.map(sent), {
      prepare: isNamed,
      simple: false,
    } as { prepare: boolean });
    const query = askedOnce<Result>(
      asked.values().forEach((row: unknown) => collected.take(row as Row)),
    );
    const pending = query as unknown as Cancellable;
    this.pending = pending;
    try {
      const { count, columns } = await this.answer(query);
      if (this.pending === pending) this.pending = undefined;
      if (collected.refusal !== undefined) throw collected.refusal;
      return { rows: collected.rows, count, columns };
    } catch (error) {
      if (collected.refusal !== undefined) throw collected.refusal;
      budget?.release(collected.rows);
      if (query.isOutdated !== true || following !== undefined) throw error;
      try {
        return await this.query(sql, parameters, false, budget);
      } catch (again) {
        throw isAborted(again) ? error : again;
      }
    }
  }

  /** Runs one statement with a cursor of the driver; `take` receives each portion of rows. */
  async stream(sql: string, parameters: readonly SqlValue[], take: Take): Promise<void> {
    this.requireOpen();
    const asked = this.client.unsafe(sql, parameters.map(sent), { prepare: false });
    this.pending = asked as unknown as Cancellable;
    let [failure, isWanted]: [unknown, boolean] = [undefined, true];
    // Must not throw: the exception would surface in the driver's socket handler. The return value may close the
    // cursor.
    const takeSafely = (rows: unknown): object | undefined => {
      try {
        // The driver delivers the last portion again when the cursor is closed.
        if (isWanted) isWanted = take(drain(rows as Result));
      } catch (error) {
        [failure, isWanted] = [error, false];
      }
      return isWanted ? undefined : this.client.CLOSE;
    };
    await this.answer(askedOnce(asked.values().cursor(streamedRows, takeSafely)));
    this.pending = undefined;
    if (failure !== undefined) throw failure;
  }

  /** Runs a command without parameters and returns its tag, such as `COMMIT`. */
  async command(sql: string): Promise<string> {
    this.requireOpen();
    const { command } = await this.answer(askedOnce<driver.RowList<[]>>(this.client.unsafe(sql)));
    return command;
  }

  /** Asks the server to cancel the current statement. */
  cancel(): void {
    const query = this.pending;
    this.pending = undefined;
    // The cancel request opens a second socket.
    this.mayConnect = true;
    query?.canceller?.(query).catch(() => undefined);
  }

  /**
   * Cancels the current statement and gives up the session: the server may apply the cancel request to a later
   * statement. After a second without an answer its statements are rejected: the driver can lose one that it cancels before
   * sending it.
   */
  giveUp(): void {
    this.cancel();
    this.abandon();
    setTimeout(() => this.lose(), answeredWithin).unref();
  }

  /** Ends the session: at once, or after pending responses, which have at most `seconds`. */
  end(seconds = 0): Promise<void> {
    const ended = this.client.end({ timeout: seconds }).finally(() => {
      this.isEnded = true;
      // The driver waits for the server to close its end, which an unresponsive one never does.
      this.socket?.destroySoon();
      setTimeout(() => this.socket?.destroy(), connectTimeout).unref();
    });
    if (seconds === 0) this.isEnded = true;
    return ended;
  }

  /** Whether the session crosses a network without encryption. */
  get isExposed(): boolean {
    const { remoteAddress, encrypted = false } = (this.socket ?? {}) as Partial<TLSSocket>;
    if (remoteAddress === undefined || encrypted) return false;
    return !/^(?:::ffff:)?127\.|^::1$/u.test(remoteAddress);
  }

  /** Whether it has run a statement: without one, the session was perhaps refused. */
  get hasAnswered(): boolean {
    return this.answeredAt > Number.NEGATIVE_INFINITY;
  }

  /** A statement on a lost session must not be sent: the driver would open another for it. */
  private requireOpen(): void {
    if (this.isLost) throw lost('The session was lost');
  }

  private answer<Answer>(query: Sent<Answer>): PromiseLike<Answer> {
    this.waitingSince ??= performance.now();
    this.unanswered.add(query);
    return query.then(
      (answer) => {
        this.isOpen = true;
        this.answeredAt = performance.now();
        this.forget(query);
        return answer;
      },
      (error: unknown) => {
        this.forget(query);
        if (isLoss(error) || isFull(error)) this.lose();
        if (!isReadOnly(error) || performance.now() - this.openedAt < freshFor) throw error;
        this.abandon();
        throw new OutdatedSession((error as Error).message, { cause: error });
      },
    );
  }

  private forget(query: Sent<unknown>): void {
    this.unanswered.delete(query);
    // Other statements may still be pending.
    this.waitingSince = this.unanswered.size > 0 ? performance.now() : undefined;
  }

  /** Marks the session as lost and rejects its pending queries, which the driver would keep forever. */
  lose(cause = lost('The session was lost')): void {
    this.abandon();
    for (const query of this.unanswered) query.reject(cause);
  }

  /**
   * Checks the parameters that the server reports at the start. That it takes no writes any more shows when it rejects
   * one; that it is no standby any more it reports.
   */
  private checkParameter(reported: ReportedSession): void {
    if (this.isLost) return;
    if (this.isOpen) {
      if (this.sessions === 'standby' && reported.in_hot_standby === 'off') this.abandon();
      return;
    }
    const reason = sessionMismatch(this.sessions, Object.assign(this.reported, reported));
    if (reason !== undefined)
      this.lose(Object.assign(new Error(reason), { code: 'CONNECTION_SESSIONS' }));
  }

  /**
   * If the wait for a synchronous standby is cancelled, the commit is reported as successful but may be lost in a
   * failover.
   */
  private checkNotice({ routine }: driver.Notice): void {
    if (routine === 'SyncRepWaitForLSN') this.lose(lost('The wait for a standby was ended'));
  }

  /** Excludes the connection from further use. */
  abandon(): void {
    this.isOpen = false;
    this.isLost = true;
  }

  /**
   * Opens the socket, once: the driver's own reconnect would retry without a pause or an end if a proxy accepts and
   * closes at once.
   */
  private async openSocket({ host, port, path }: Address): Promise<Socket> {
    const endpoint = { host: host[0] ?? 'localhost', port: port[0] ?? defaultPort };
    const isLocal = typeof path === 'string';
    const where = isLocal ? path : `${endpoint.host}:${endpoint.port}`;
    if (!this.mayConnect) throw lost(`The server closed the connection at once: ${where}`);
    this.mayConnect = false;
    // Later sockets carry a cancel request.
    const isSession = !this.hasBegun;
    this.hasBegun = true;
    const socket = isLocal ? connect(path) : connect({ ...endpoint, noDelay: true });
    const timer = setTimeout(() => socket.destroy(noAnswer(where)), connectTimeout);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.on('error', reject).once('connect', resolve);
      });
      const opened = isLocal ? socket : await encrypted(socket, endpoint.host, this.encryption);
      if (isSession && this.isEnded) throw lost('The session was ended before it had begun');
      if (isSession) this.socket = opened;
      else opened.setTimeout(connectTimeout, () => opened.destroy());
      // The driver's errors contain these properties.
      return Object.assign(opened, endpoint);
    } catch (error) {
      socket.destroy();
      // It is not retried, whatever the reason.
      if (isSession) this.lose(error as Error);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path: string | false;
}

/**
 * A value for the driver: text of unknown type, so that the server infers the type and a SQL text has one prepared
 * statement.
 */
function sent(value: SqlValue): string | null {
  return value === null ? null : String(value);
}

const text = (stored: string): string => stored;

/** A bigint as a number if that is exact; existing tables may hold more than 2⁵³. */
function readBigint(stored: string): number | string {
  const number = Number(stored);
  return Number.isSafeInteger(number) ? number : stored;
}

/** Turns off the driver's conversions: values are sent as text, and the codecs read results. */
const types = {
  text: { to: 25, from: [17, 114, 3802, 1082, 1114, 1184], serialize: text, parse: text },
  boolean: { to: 16, from: [16], serialize: text, parse: (stored: string) => stored === 't' },
  bigint: { to: 20, from: [20], serialize: text, parse: readBigint },
};

/**
 * Creates a client that ignores the driver's own environment variables. Without `target_session_attrs` the driver
 * reads PGTARGETSESSIONATTRS and rejects libpq's `any`, so the option is set and then removed again.
 */
function createClient(given: Readonly<Record<string, unknown>>): driver.Sql {
  const all = { max_pipeline: 100, keep_alive: 60, debug: false, types, ...given };
  // The driver's types lack a list of hosts, which keeps an IPv6 address from being split at its first colon.
  const client = (options: object): driver.Sql => driver(options as driver.Options<typeof types>);
  const { options } = client({ ...all, target_session_attrs: 'primary' });
  return client({ ...options, target_session_attrs: given['target_session_attrs'] });
}
