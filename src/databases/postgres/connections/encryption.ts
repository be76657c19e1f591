import { readFile } from 'node:fs/promises';
import { isIP, type Socket } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

/** The TLS settings of a session, in libpq's terms. */
export interface Encryption {
  readonly mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full';
  /** The file of the root certificate; undefined for the defaults of Node. */
  readonly authority: string | undefined;
  /** The file of the client certificate. */
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly passphrase: string | undefined;
}

/** The SSLRequest message of the protocol: its length and a reserved version number. */
const request = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * An error with a code of the same family as lost connections: there is no session, and the next request tries again.
 */
export function encryptionFailure(
  kind: 'FILE' | 'MISSING' | 'REFUSED',
  message: string,
  cause?: unknown,
): Error {
  return Object.assign(new Error(message, { cause }), { code: `CONNECTION_TLS_${kind}` });
}

/** Encrypts a connection to the server `host` as its settings demand. */
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
        // A certificate is checked against an IP address too, but SNI allows only names.
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
      // Bytes after the response would have been injected before encryption.
      if (answer.length === 1) resolve(answer[0] === 83);
      else reject(encryptionFailure('REFUSED', 'Its answer is no yes or no'));
    });
    socket.write(request);
  });
}

/** Reads the files for each session, so that certificates can be renewed while the service runs. */
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
