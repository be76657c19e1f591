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
};

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

let loaded: Promise<ReadonlyMap<string, string>> | undefined;

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
  const text = files.get(name);
  if (text === undefined) return fail(nothingAt(path));
  const isPage = name === pageName || name === '/' || name === '/index.html';
  const response = jsonResponse(200, text, requestId, {
    'content-type': isPage
      ? 'text/html; charset=utf-8'
      : (mediaTypes[extname(name)] ?? 'application/octet-stream'),
    // The names of other files contain a hash of their content.
    'cache-control': isPage ? 'no-cache' : 'public, max-age=31536000, immutable',
    ...(isPage ? pageHeaders : {}),
  });
  return ok(await compressedFile(`${dashboardPath}${name}`, response, acceptEncoding));
}

/** All files of the page, read once. */
async function readFiles(): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const relative = path.slice(folder.length).replaceAll('\\', '/');
    return [`/${relative}`, await readFile(path, 'utf8')] as const;
  });
  const texts = new Map(await Promise.all(read));
  const page = texts.get('/index.html');
  if (page === undefined) throw new Error('The page is missing');
  // Its URLs are relative to the path without a slash at the end.
  const inFolder = page.replaceAll('"_dashboard/', '"');
  return new Map([...texts, [pageName, page], ['/', inFolder], ['/index.html', inFolder]]);
}
