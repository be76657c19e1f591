import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** One answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

/** A connection to a server on which a test says every byte itself. */
export class Wire {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private ended = false;
  private wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data: Buffer) => {
      this.received = Buffer.concat([this.received, data]);
      this.wake();
    });
    // A reset is one way in which a server ends a connection.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.ended = true;
      this.wake();
    });
  }

  static open(url: string): Promise<Wire> {
    const { protocol, hostname, port } = new URL(url);
    return new Promise((resolve, reject) => {
      const opened = (): void => {
        socket.off('error', reject);
        resolve(new Wire(socket));
      };
      const to = { host: hostname, port: Number(port), noDelay: true };
      const socket =
        protocol === 'https:'
          ? connectTls({ ...to, rejectUnauthorized: false }, opened)
          : connect(to, opened);
      socket.once('error', reject);
    });
  }

  /** Writes and waits until the system has taken it, so that each call is a piece of its own. */
  send(data: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.socket.write(data, () => setImmediate(resolve));
    });
  }

  /** Writes and says with the last byte that there is nothing more to come; the answers are still read. */
  sendLast(data: string): void {
    this.socket.end(data);
  }

  /** The next answer; undefined when the connection ended without one. `bodiless`: it belongs to a HEAD. */
  async answer(bodiless = false): Promise<WireAnswer | undefined> {
    for (;;) {
      const answer = this.take(bodiless);
      if (answer !== undefined && answer.status >= 200) return answer;
      if (answer === undefined) {
        if (this.ended) return undefined;
        await this.changed();
      }
    }
  }

  /** Whatever came after the answers that were taken, once the server has ended the connection. */
  async rest(): Promise<string> {
    while (!this.ended) await this.changed();
    return this.received.toString('latin1');
  }

  /** Leaves without a word. */
  leave(): void {
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.socket.destroy();
  }

  private changed(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = resolve;
    });
  }

  private take(bodiless: boolean): WireAnswer | undefined {
    const end = this.received.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [first = '', ...lines] = this.received.subarray(0, end).toString('latin1').split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) \S/u.exec(first)?.[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
      }),
    );
    const length = bodiless ? 0 : Number(headers.get('content-length') ?? 0);
    const start = end + 4;
    if (this.received.length < start + length) return undefined;
    const text = this.received.subarray(start, start + length).toString('utf8');
    this.received = this.received.subarray(start + length);
    const isJson = headers.get('content-type')?.includes('json') === true && text !== '';
    return { status, headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined };
  }
}

const json = 'Host: x\r\nContent-Type: application/json\r\n';

/** The bytes of a GET; `more`: further header lines. */
export function getBytes(path = '/v1/posts/1', more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
}

/** The bytes of a POST with a length. */
export function postBytes(body: string, path = '/v1/posts'): string {
  return `POST ${path} HTTP/1.1\r\n${json}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The head of a POST whose body comes in chunks. */
export function chunkedHead(path = '/v1/posts'): string {
  return `POST ${path} HTTP/1.1\r\n${json}Transfer-Encoding: chunked\r\n\r\n`;
}

export function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}
