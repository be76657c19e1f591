import { connect, type Socket } from 'node:net';
import type driver from 'postgres';
import type { SqlValue } from '../../model/values.ts';
import type { RowCounter } from '../../sql/statement.ts';
import type { Row, Take } from '../database.ts';
import { defaultPort, type PostgresAddress } from './address.ts';
import { clientOf } from './client.ts';
import { encrypted, type Encryption } from './encryption.ts';
import { isAborted, isFull, isLoss, isReadOnly, OutdatedSession } from './errors.ts';
import { askedByDriver, whyUnfit, type SessionKind, type ToldSession } from './sessions.ts';

export interface ConnectionOptions {
  /** The deadline of a statement, in ms. */
  readonly statementTimeout: number;
  /** Between this service and the server, something shares connections by transaction: nothing outlives one. */
  readonly isPooled: boolean;
}

/** Rows as arrays, with the number of rows that were read or changed. */
export interface Rows {
  readonly rows: readonly Row[];
  readonly count: number;
}

/** Rows as the driver gives them. */
type Result = Row[] & { readonly count: number };

/** The rows of a result, which has none afterwards, for the reason of `RowsTaken`. */
function takenFrom(result: Result): readonly Row[] {
  // Of an array of a class of its own, `splice` is several times as dear.
  const rows: Row[] = [];
  for (const row of result) rows.push(row);
  result.length = 0;
  return rows;
}

/**
 * The rows of a statement as they come. They are not left to the driver, whose results hang together until the next full
 * collection of garbage, and all that they still held would grow old with them.
 */
class RowsTaken {
  readonly rows: Row[] = [];
  /** Why there is no room for them. */
  refusal: unknown;
  private readonly budget: RowCounter | undefined;
  private readonly onRefusal: () => void;

  constructor(budget: RowCounter | undefined, onRefusal: () => void) {
    this.budget = budget;
    this.onRefusal = onRefusal;
  }

  /** What is thrown in here would come out in the driver's reading of its socket; so what comes after it goes by. */
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

/** How long connecting may take, in ms. */
const connectTimeout = 5_000;

/** What is said of a server from which nothing has come for too long. */
export function noAnswer(where: string): Error {
  return Object.assign(new Error(`It does not answer: ${where}`), { code: 'CONNECT_TIMEOUT' });
}

/** A session that is younger than this, in ms, leads where the name of the server does. */
const freshFor = 1_000;

/** How many rows of a stream come at a time. */
const streamedRows = 5_000;

/** What every session is set to, whatever the role's or the database's defaults are. */
function sessionSettings({ statementTimeout }: ConnectionOptions): Record<string, string | number> {
  return {
    application_name: 'plinth',
    statement_timeout: statementTimeout,
    idle_in_transaction_session_timeout: Math.max(60_000, 2 * statementTimeout),
    // A write that is sent just when its session is ended may have happened or not.
    idle_session_timeout: '0',
    TimeZone: 'UTC',
    DateStyle: 'ISO',
    extra_float_digits: 1,
    standard_conforming_strings: 'on',
    array_nulls: 'on',
    default_transaction_isolation: 'read committed',
    // To compile a statement of many subqueries takes a minute, to run it a second.
    jit: 'off',
  };
}

/** What stops a query on the server. The driver's own `cancel` drops the promise, and a failure would end the process. */
interface Cancellable {
  canceller?: ((query: Cancellable) => Promise<unknown>) | null;
}

/** A query as the driver keeps it. */
interface Sent {
  cancelled: unknown;
  readonly reject: (error: unknown) => void;
}

/**
 * Keeps the driver from asking a query once more where a statement with a name is out of date. It would write that among what
 * others ask on the same connection meanwhile, and take the rows of one for those of another. It is refused instead, when
 * the driver has forgotten the name; gives whether it was.
 */
function askedOnce(query: Sent): () => boolean {
  let isOutdated = false;
  Object.defineProperty(query, 'retried', {
    set: (error: unknown) => {
      isOutdated = true;
      query.cancelled = true;
      query.reject(error);
    },
  });
  return () => isOutdated;
}

function lost(message: string): Error {
  return Object.assign(new Error(message), { code: 'CONNECTION_CLOSED' });
}

/**
 * One session, made with the first question and held by one caller at a time. Once it is lost it is of no use: the
 * driver would open another without a word, outside of the transaction, with the error of the last one for its first
 * answer.
 */
export class Connection {
  /** Since when it waits for the next answer; undefined when it does not. */
  waitingSince: number | undefined;
  /** Whether it has answered, and when last, on the clock of `performance.now()`. */
  isOpen = false;
  answeredAt = Number.NEGATIVE_INFINITY;
  isLost = false;
  readonly openedAt = performance.now();
  private readonly client: driver.Sql;
  private readonly encryption: Encryption;
  private readonly sessions: SessionKind;
  private readonly told: ToldSession = {};
  private pending: Cancellable | undefined;
  private socket: Socket | undefined;
  private mayConnect = true;
  /** Whether its session was begun, and whether it is over for good, which the driver forgets while it connects. */
  private isBegun = false;
  private isEnded = false;
  /** How those who wait for an answer are told that none will come. */
  private readonly unanswered = new Set<(error: Error) => void>();

  constructor(
    { target, sessions, encryption, settings }: PostgresAddress,
    options: ConnectionOptions,
  ) {
    this.encryption = encryption;
    this.sessions = sessions;
    const own = options.isPooled ? { application_name: 'plinth' } : sessionSettings(options);
    this.client = clientOf({
      ...target,
      target_session_attrs: askedByDriver[sessions],
      ssl: false,
      max: 1,
      fetch_types: false,
      prepare: !options.isPooled,
      idle_timeout: 0,
      max_lifetime: null,
      connect_timeout: connectTimeout / 1000,
      connection: { ...own, ...settings },
      onnotice: (notice: driver.Notice) => this.heed(notice),
      onclose: () => this.lose(),
      onparameter: (name: string, value: string) => this.learn({ [name]: value }),
      socket: (address: Address) => this.openSocket(address),
    });
  }

  /** `database on host:port`, for messages. */
  get name(): string {
    const { host, port, database } = this.client.options;
    const [place = ''] = host;
    return `${database} on ${place.includes(':') ? `[${place}]` : place}:${port[0]}`;
  }

  /** Runs one statement; `isNamed` keeps it prepared on the server, `room` counts its rows as they come. */
  async query(
    sql: string,
    parameters: readonly SqlValue[],
    isNamed: boolean,
    budget?: RowCounter,
  ): Promise<Rows> {
    budget?.check();
    const query = this.client.unsafe(sql, parameters.map(sent), {
      prepare: isNamed,
      simple: false,
    } as { prepare: boolean });
    const isOutdated = isNamed ? askedOnce(query as unknown as Sent) : undefined;
    this.pending = query as unknown as Cancellable;
    const taken = new RowsTaken(budget, () => {
      // Others that have been asked on this connection are not to be stopped with it.
      if (this.unanswered.size === 1) this.giveUp();
    });
    try {
      const { count } = await this.answer(query, () =>
        query.values().forEach((row: unknown) => taken.take(row as Row)),
      );
      this.pending = undefined;
      if (taken.refusal !== undefined) throw taken.refusal;
      return { rows: taken.rows, count };
    } catch (error) {
      if (taken.refusal !== undefined) throw taken.refusal;
      budget?.leave(taken.rows);
      if (isOutdated?.() !== true) throw error;
      try {
        return await this.query(sql, parameters, false, budget);
      } catch (again) {
        throw isAborted(again) ? error : again;
      }
    }
  }

  /** Runs one statement with a cursor of the driver: `take` has each portion of its rows as it comes. */
  async stream(sql: string, parameters: readonly SqlValue[], take: Take): Promise<void> {
    const query = this.client.unsafe(sql, parameters.map(sent), { prepare: false });
    this.pending = query as unknown as Cancellable;
    let [failure, isWanted]: [unknown, boolean] = [undefined, true];
    // What is thrown in here would come out in the driver's reading of its socket. What it gives ends the cursor.
    const takeSafely = (rows: unknown): object | undefined => {
      try {
        // The driver hands the last portion over once more when the cursor is closed.
        if (isWanted) isWanted = take(takenFrom(rows as Result));
      } catch (error) {
        [failure, isWanted] = [error, false];
      }
      return isWanted ? undefined : this.client.CLOSE;
    };
    await this.answer(query, () => query.values().cursor(streamedRows, takeSafely));
    this.pending = undefined;
    if (failure !== undefined) throw failure;
  }

  /** Runs a command without parameters and gives its tag, such as `COMMIT`. */
  async command(sql: string): Promise<string> {
    const query = this.client.unsafe(sql);
    const { command } = await this.answer(query, () => query);
    return command;
  }

  /** Asks the server to give up the statement that runs. */
  cancel(): void {
    const query = this.pending;
    this.pending = undefined;
    // The request takes a socket of its own.
    this.mayConnect = true;
    query?.canceller?.(query).catch(() => undefined);
  }

  /** Stops the statement that runs, and with it the session: the server may come to it only when another runs. */
  giveUp(): void {
    this.cancel();
    this.abandon();
  }

  /** Ends it: at once, or when it has answered, after `seconds` at the latest. */
  end(seconds = 0): Promise<void> {
    const ended = this.client.end({ timeout: seconds }).finally(() => {
      this.isEnded = true;
      // The driver waits until the other side closes, too, which one that gives no sign never does, nor does it take what was
      // sent.
      this.socket?.destroySoon();
      setTimeout(() => this.socket?.destroy(), connectTimeout).unref();
    });
    if (seconds === 0) this.isEnded = true;
    return ended;
  }

  private async answer<Answer>(query: object, ask: () => PromiseLike<Answer>): Promise<Answer> {
    if (this.isLost) throw lost('The session was lost');
    // The driver keeps where each failed query came from, for good: a map that would grow with every refused write.
    Object.defineProperty(query, 'origin', { value: '' });
    this.waitingSince ??= performance.now();
    let refuse: (error: Error) => void = () => undefined;
    try {
      const answer = await new Promise<Answer>((resolve, reject) => {
        refuse = reject;
        this.unanswered.add(reject);
        ask().then(resolve, reject);
      });
      this.isOpen = true;
      this.answeredAt = performance.now();
      return answer;
    } catch (error) {
      if (isLoss(error) || isFull(error)) this.lose();
      if (!isReadOnly(error) || performance.now() - this.openedAt < freshFor) throw error;
      this.abandon();
      throw new OutdatedSession((error as Error).message, { cause: error });
    } finally {
      this.unanswered.delete(refuse);
      // Others may have gone out behind it.
      this.waitingSince = this.unanswered.size > 0 ? performance.now() : undefined;
    }
  }

  /** The session has ended: what the driver has not sent yet it would keep for ever. */
  lose(cause = lost('The session was lost')): void {
    this.abandon();
    for (const refuse of this.unanswered) refuse(cause);
  }

  /** The server tells of itself. What it becomes later is found out by what it refuses. */
  private learn(told: ToldSession): void {
    if (this.isOpen || this.isLost) return;
    const reason = whyUnfit(this.sessions, Object.assign(this.told, told));
    if (reason !== undefined)
      this.lose(Object.assign(new Error(reason), { code: 'CONNECTION_SESSIONS' }));
  }

  /** A commit whose wait for a standby was ended, as by `cancel`, is answered as any other, but is gone with this server. */
  private heed({ routine }: driver.Notice): void {
    if (routine === 'SyncRepWaitForLSN') this.lose(lost('The wait for a standby was ended'));
  }

  /** Nobody shall use it again. */
  abandon(): void {
    this.isOpen = false;
    this.isLost = true;
  }

  /**
   * Connects once. The driver's own connecting would try again without end or pause where something accepts and
   * closes at once, as a proxy does before the server is up.
   */
  private async openSocket({ host, port, path }: Address): Promise<Socket> {
    const place = { host: host[0] ?? 'localhost', port: port[0] ?? defaultPort };
    const isLocal = typeof path === 'string';
    const where = isLocal ? path : `${place.host}:${place.port}`;
    if (!this.mayConnect) throw lost(`The server closed the connection at once: ${where}`);
    this.mayConnect = false;
    // Later ones carry no session, but the wish to stop a statement.
    const isSession = !this.isBegun;
    this.isBegun = true;
    const socket = isLocal ? connect(path) : connect({ ...place, noDelay: true });
    const timer = setTimeout(() => socket.destroy(noAnswer(where)), connectTimeout);
    try {
      await new Promise<void>((resolve, reject) => {
        socket.on('error', reject).once('connect', resolve);
      });
      const opened = isLocal ? socket : await encrypted(socket, place.host, this.encryption);
      if (isSession && this.isEnded) throw lost('The session was ended before it had begun');
      if (isSession) this.socket = opened;
      else opened.setTimeout(connectTimeout, () => opened.destroy());
      // The driver's errors name what it finds there.
      return Object.assign(opened, place);
    } catch (error) {
      socket.destroy();
      // It is not tried again, whatever has hindered it.
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

/** A value as the driver sends it: as text of no type, so that the server finds the type and one text is one shape. */
function sent(value: SqlValue): string | null {
  return value === null ? null : String(value);
}
