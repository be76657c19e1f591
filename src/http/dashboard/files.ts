import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiError, fail, ok, type Result } from '../../errors.ts';
import { compressedFile } from '../response/compression.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import { dashboardPath } from './dashboard.ts';
import { nothingAt } from '../api/router.ts';

/** Where the build puts the page: the same relative path from source and build. */
const folder = fileURLToPath(new URL('../../../dist/dashboard/', import.meta.url));

const mediaTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** Read as bytes, and sent as they are: they are compressed already. */
const isBinary = (name: string): boolean => name.endsWith('.woff2');

/**
 * The content security policy: scripts and requests of this server only, nothing inline. Inline styles are allowed, since
 * the component library sets its colours so.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
};

/** The page itself among its files, whose names begin with a slash. */
const pageName = '';

let loaded: Promise<ReadonlyMap<string, string | Buffer>> | undefined;

/** The page or one of its files; 404 if unknown or not built. */
export async function dashboardFile(
  path: string,
  requestId: string,
  acceptEncoding: string | undefined,
): Promise<Result<Response>> {
  loaded ??= readFiles();
  const files = await loaded.catch(() => undefined);
  if (files === undefined) {
    loaded = undefined;
    const message = 'The dashboard has not been built; run "npm run build:dashboard"';
    return fail(apiError('UNKNOWN_RESOURCE', message));
  }
  const name = path.slice(dashboardPath.length);
  const content = files.get(name);
  if (content === undefined) return fail(nothingAt(path));
  const isPage = name === pageName || name === '/' || name === '/index.html';
  const headers = {
    'content-type': isPage
      ? 'text/html; charset=utf-8'
      : (mediaTypes[extname(name)] ?? 'application/octet-stream'),
    // The names of other files contain a hash of their content.
    'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
    ...(isPage ? pageHeaders : {}),
  };
  if (typeof content !== 'string')
    return ok({ ...jsonResponse(200, '', requestId, headers), body: content });
  const response = jsonResponse(200, content, requestId, headers);
  return ok(await compressedFile(`${dashboardPath}${name}`, response, acceptEncoding));
}

/** All files of the page, read once. */
async function readFiles(): Promise<ReadonlyMap<string, string | Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const relative = path.slice(folder.length).replaceAll('\\', '/');
    const content = isBinary(name) ? await readFile(path) : await readFile(path, 'utf8');
    return [`/${relative}`, content] as const;
  });
  const contents = new Map<string, string | Buffer>(await Promise.all(read));
  const page = contents.get('/index.html');
  if (typeof page !== 'string') throw new Error('The page is missing');
  // Its URLs are relative to the path without a slash at the end.
  const inFolder = page.replaceAll('"_dashboard/', '"');
  return new Map<string, string | Buffer>([
    ...contents,
    [pageName, page],
    ['/', inFolder],
    ['/index.html', inFolder],
  ]);
}
