import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Certificate, ServerTls } from '../../http/server/listener.ts';
import type { ServerSpecification } from '../../specification/specification.ts';
import type { Context } from '../context.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { makeFolderOf, ownFolder } from '../files/own-folder.ts';
import { watchFiles } from '../dev/watch.ts';
import { makeCertificate } from './self-signed.ts';

/** What a process that serves with others shares of a certificate. */
export interface SharedCertificate {
  /** Whether this process tells the user what comes of the files. */
  readonly isReporter: boolean;
  /** The certificate of the others, for a process that starts while the files are not valid. */
  readonly certificate: Certificate | undefined;
  readonly keepCertificate: (certificate: Certificate) => void;
}

/** The certificate of a server. `close` stops watching its files. */
export interface OpenTls extends ServerTls {
  readonly isSelfSigned: boolean;
  readonly close: () => void;
}

/** How often the files are checked, and how long after a change both are read, in ms. */
const checkInterval = { every: 1_000, settling: 250, filling: 1_000 };
/** The lifetime of a self-signed certificate, in ms. It is replaced in its last day. */
const day = 24 * 60 * 60 * 1000;
const lifetime = 365 * day;

/**
 * Opens the certificate of `server.tls`: files, which are read again when they change, or a self-signed one. `folder` is
 * that of the specification; `host` is the one to listen on. Fails with one sentence about an invalid file, unless this is a
 * replacement worker, which takes the certificate that the others use.
 */
export async function openTls(
  context: Context,
  server: ServerSpecification,
  folder: string,
  host: string,
  worker?: SharedCertificate,
): Promise<OpenTls | undefined> {
  const { tls } = server;
  if (tls === undefined) return undefined;
  if (tls !== 'self-signed') return openFiles(context, tls, folder, worker);
  return {
    certificate: selfSigned(context, join(folder, `${ownFolder}/self-signed.pem`), [
      ...new Set(namesOf(server, host)),
    ]),
    isSelfSigned: true,
    onRenewal: () => undefined,
    close: () => undefined,
  };
}

interface Files {
  readonly cert: string;
  readonly key: string;
}

function openFiles(
  { output, clockAndIds }: Context,
  names: Files,
  folder: string,
  worker: SharedCertificate | undefined,
): OpenTls {
  const report = (line: string): void => {
    if (worker?.isReporter !== false) output.note(line);
  };
  const paths: Files = { cert: resolve(folder, names.cert), key: resolve(folder, names.key) };
  const warnOfEnd = ({ cert }: Certificate): void => {
    const { validTo, validToDate } = new X509Certificate(cert);
    if (validToDate.getTime() < clockAndIds.now().getTime())
      report(`Warning: the certificate ${names.cert} ended on ${validTo}.`);
  };
  const found = readFiles(names, paths);
  const first = typeof found === 'string' ? worker?.certificate : found;
  if (first === undefined) throw new CommandFailure(`${String(found)}.`);
  warnOfEnd(first);
  worker?.keepCertificate(first);
  let current = first;
  let isBad = false;
  const appliers: ((certificate: Certificate) => void)[] = [];
  const renew = (): void => {
    const next = readFiles(names, paths);
    const wasBad = isBad;
    isBad = typeof next === 'string';
    if (typeof next === 'string') report(`${next}. The certificate from before stays in use.`);
    else if (next.cert !== current.cert || next.key !== current.key) {
      current = next;
      for (const apply of appliers) apply(next);
      worker?.keepCertificate(next);
      report(`The certificate ${names.cert} was renewed.`);
      warnOfEnd(next);
    } else if (wasBad) report(`The certificate ${names.cert} is as it was before, and in use.`);
  };
  const watch = watchFiles([paths.cert, paths.key], renew, checkInterval);
  return {
    certificate: first,
    isSelfSigned: false,
    onRenewal: (apply) => void appliers.push(apply),
    close: () => watch.close(),
  };
}

/** The content of both files, or, as a sentence without its full stop, why it cannot be used. */
function readFiles(names: Files, paths: Files): Certificate | string {
  const read = { cert: '', key: '' };
  for (const part of ['cert', 'key'] as const)
    try {
      read[part] = readFileSync(paths[part], 'utf8');
    } catch (error) {
      const reason = fileReason(error);
      if (reason === undefined) throw error;
      return `The file ${names[part]} of server.tls cannot be read: ${reason}`;
    }
  return problemOf(read, names) ?? read;
}

function problemOf({ cert, key }: Certificate, names: Files): string | undefined {
  for (const [part, name, what] of [
    [{ cert }, names.cert, 'a certificate'],
    [{ key }, names.key, 'a private key without a password'],
  ] as const)
    if (!isUsable(part)) return `The file ${name} of server.tls is not a PEM file with ${what}`;
  // A context accepts a key of another type than that of the certificate, and then every handshake fails.
  return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
    ? undefined
    : `The private key ${names.key} of server.tls does not belong to the certificate ${names.cert}`;
}

function isUsable(part: Partial<Certificate>): boolean {
  try {
    createSecureContext(part);
    return Object.values(part).every((text) => text.trim() !== '');
  } catch {
    return false;
  }
}

/** The names that clients use for the server: those of this machine and of the specification. */
function namesOf({ publicUrl, allowedHosts = [] }: ServerSpecification, host: string): string[] {
  const url = publicUrl === undefined ? null : URL.parse(publicUrl);
  const named = [...allowedHosts, ...(url === null ? [] : [url.hostname])].map((name) =>
    name
      .replace(/:\d+$/u, '')
      .replace(/^\[(.*)\]$/u, '$1')
      .toLowerCase(),
  );
  const isEverywhere = host === '0.0.0.0' || host === '::';
  return [
    'localhost',
    '*.localhost',
    '127.0.0.1',
    '::1',
    ...(isEverywhere ? [] : [host]),
    ...named,
  ];
}

/**
 * A certificate for development. It is kept beside the development database, so that the user tells a browser only once
 * to trust it. If the file cannot be written, the certificate lasts as long as the process.
 */
function selfSigned(
  { output, clockAndIds }: Context,
  path: string,
  names: readonly string[],
): Certificate {
  const now = clockAndIds.now();
  const kept = readKept(path);
  if (kept !== undefined && isGood(kept, names, now)) return kept;
  const made = makeCertificate(names, {
    // The clocks of clients may be behind.
    from: new Date(now.getTime() - day),
    to: new Date(now.getTime() + lifetime),
  });
  try {
    makeFolderOf(path);
    writeFileSync(path, `${made.key.trim()}\n${made.cert.trim()}\n`, { mode: 0o600 });
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    output.note(
      `The self-signed certificate is valid for this run only: ${path} cannot be written, ${reason}.`,
    );
  }
  return made;
}

function readKept(path: string): Certificate | undefined {
  try {
    const text = readFileSync(path, 'utf8');
    return isUsable({ cert: text, key: text }) ? { cert: text, key: text } : undefined;
  } catch {
    return undefined;
  }
}

function isGood({ cert }: Certificate, names: readonly string[], now: Date): boolean {
  const certificate = new X509Certificate(cert);
  const covers = (name: string): boolean =>
    (isIP(name) > 0 ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return certificate.validToDate.getTime() - now.getTime() > day && names.every(covers);
}
