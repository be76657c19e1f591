import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import { apiError, fail, ok, type Result } from '../../errors.ts';
import { packageFile } from '../../lib/modules/package-files.ts';
import { compressedFile } from '../response/compression.ts';
import { jsonResponse, type Response } from '../response/response.ts';
import { dashboardPath } from './dashboard.ts';
import { nothingAt } from '../api/router.ts';

const decompress = promisify(brotliDecompress);

/** Where the build puts the page. */
const folder = fileURLToPath(packageFile('dist/dashboard/'));

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

/** The pages that are built, by the path that each is at. Both load their scripts from below their own path. */
const pages = { '/_dashboard': '/index.html', '/_docs': '/reference.html' } as const;

let loaded: Promise<ReadonlyMap<string, string | Buffer>> | undefined;

/** The dashboard or one of its files; 404 if unknown or not built. */
export async function dashboardFile(
  path: string,
  requestId: string,
  acceptEncoding: string | undefined,
): Promise<Result<Response>> {
  return pageFile(dashboardPath, path, requestId, acceptEncoding);
}

/** A page or one of its files; 404 if unknown or not built. `written` completes the text of the page. */
export async function pageFile(
  page: keyof typeof pages,
  path: string,
  requestId: string,
  acceptEncoding: string | undefined,
  written: (html: string) => string = (html) => html,
): Promise<Result<Response>> {
  loaded ??= readFiles();
  const files = await loaded.catch(() => undefined);
  if (files === undefined) {
    loaded = undefined;
    const message = 'The page has not been built; run "npm run build:dashboard"';
    return fail(apiError('UNKNOWN_RESOURCE', message));
  }
  const name = path.slice(page.length);
  const isPage = name === '' || name === '/' || name === pages[page];
  const content = files.get(isPage ? pages[page] : name);
  if (content === undefined || (!isPage && name.endsWith('.html'))) return fail(nothingAt(path));
  if (isPage) {
    // Its URLs are relative to the path without a slash at the end.
    const html =
      name === '' ? String(content) : String(content).replaceAll(`"${page.slice(1)}/`, '"');
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      ...pageHeaders,
    };
    return ok(jsonResponse(200, written(html), requestId, headers));
  }
  const headers = {
    'content-type': mediaTypes[extname(name)] ?? 'application/octet-stream',
    // The names of other files contain a hash of their content.
    'cache-control': 'public, max-age=31536000, immutable',
  };
  if (typeof content !== 'string')
    return ok({ ...jsonResponse(200, '', requestId, headers), body: content });
  const response = jsonResponse(200, content, requestId, headers);
  return ok(await compressedFile(`${page}${name}`, response, acceptEncoding));
}

/** All files of the page, read once. */
async function readFiles(): Promise<ReadonlyMap<string, string | Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const read = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name);
    const relative = path.slice(folder.length).replaceAll('\\', '/');
    const bytes = await readFile(path);
    // The package has its scripts and styles compressed.
    const isPacked = name.endsWith('.br');
    const content = isBinary(name) ? bytes : String(isPacked ? await decompress(bytes) : bytes);
    return [`/${isPacked ? relative.slice(0, -'.br'.length) : relative}`, content] as const;
  });
  const contents = new Map<string, string | Buffer>(await Promise.all(read));
  if (Object.values(pages).some((page) => !contents.has(page)))
    throw new Error('A page is missing');
  return contents;
}
