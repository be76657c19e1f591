import { readFile } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

/** How a session with PostgreSQL is encrypted, in the words of libpq, and by which files. */
export interface Encryption {
  readonly mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** Who has to have signed the certificate of the server; those whom Node trusts if undefined. */
  readonly authority: string | undefined;
  /** What the service shows of itself. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: string | undefined;
}

/** What a client sends to ask whether the server speaks TLS: the length of the message, and a version that is none. */
const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Codes that begin as those of lost connections do: there is no session, and the next request tries again. */
export function encryptionFailure(
  kind: 'FILE' | 'MISSING' | 'REFUSED',
  message: string,
  cause?: unknown,
): Error {
  return Object.assign(new Error(message, { cause }), { code: `CONNECTION_TLS_${kind}` });
}

/** Makes a connection with the server `host` a private one, as far as is wished. */
export async function encrypted(socket: Socket, host: string, wish: Encryption): Promise<Socket> {
  if (wish.mode === 'disable') return socket;
  const files = await readFiles(wish);
  if (!(await speaksTls(socket))) {
    if (wish.mode === 'prefer') return socket;
    throw encryptionFailure('MISSING', `It speaks no TLS, and sslmode is ${wish.mode}`);
  }
  const isVerified = wish.mode === 'verify-ca' || wish.mode === 'verify-full';
  return new Promise((resolve, reject) => {
    const refuse = (error: Error): void =>
      reject(encryptionFailure('REFUSED', error.message, error));
    let secure: TLSSocket | undefined;
    try {
      secure = connect({
        socket,
        ...files,
        rejectUnauthorized: isVerified,
        // An address is no name to ask for, but what the certificate has to be for.
        host,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(wish.mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
      });
    } catch (error) {
      return refuse(error as Error);
    }
    const done = secure;
    const ended = (): void => refuse(new Error('It closed the connection'));
    done.once('error', refuse).once('close', ended);
    done.once('secureConnect', () => {
      done.off('error', refuse).off('close', ended);
      resolve(done);
    });
  });
}

function speaksTls(socket: Socket): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(encryptionFailure('MISSING', 'It closed the connection'));
    if (socket.destroyed) return ended();
    socket.once('error', reject).once('close', ended);
    socket.once('data', (answer: Buffer) => {
      socket.off('error', reject).off('close', ended);
      // What comes with the answer was put there by somebody in between.
      if (answer.length === 1) resolve(answer[0] === 83);
      else reject(encryptionFailure('REFUSED', 'Its answer is no yes or no'));
    });
    socket.write(request);
  });
}

/** Read each time, so that a certificate may be renewed while the service runs. */
async function readFiles(wish: Encryption): Promise<ConnectionOptions> {
  const read = async (name: string, path: string | undefined): Promise<Buffer | undefined> => {
    try {
      return path === undefined ? undefined : await readFile(path);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      throw encryptionFailure('FILE', `${name} ${path} cannot be read: ${code}`, error);
    }
  };
  const [ca, cert, key] = await Promise.all([
    read('sslrootcert', wish.authority),
    read('sslcert', wish.certificate),
    read('sslkey', wish.key),
  ]);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(wish.passphrase === undefined ? {} : { passphrase: wish.passphrase }),
  };
}
