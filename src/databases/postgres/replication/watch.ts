import type { SqlValue } from '../../../model/values.ts';
import type { Row } from '../../database.ts';
import { noAnswer, type Connection } from '../connections/connection.ts';

/** How long a server may take to respond before it counts as lost, in ms. */
const longestAnswer = 2_000;

/** A connection for questions about a server, beside its pool, so that they never wait for requests. */
export class Watch {
  private readonly open: () => Connection;
  private connection: Connection | undefined;
  private isEnded = false;

  constructor(open: () => Connection) {
    this.open = open;
  }

  /** The row that a statement gives. Rejects if the server is lost, or does not respond in time. */
  async ask(sql: string): Promise<Row> {
    const connection = this.connect();
    const timer = setTimeout(() => connection.lose(noAnswer(connection.name)), longestAnswer);
    try {
      const { rows } = await connection.query(sql, [], false);
      return rows[0] ?? noValues;
    } catch (error) {
      this.drop(connection);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  private connect(): Connection {
    if (this.isEnded) throw new Error('The database is closed.');
    if (this.connection?.isLost === true) this.drop(this.connection);
    return (this.connection ??= this.open());
  }

  private drop(connection: Connection): void {
    if (this.connection === connection) this.connection = undefined;
    void connection.end();
  }

  end(): void {
    this.isEnded = true;
    if (this.connection !== undefined) this.drop(this.connection);
  }
}

const noValues: readonly SqlValue[] = [];
