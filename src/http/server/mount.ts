import type { IncomingMessage } from 'node:http';
import { splitUrl } from '../api/router.ts';

/** A request as Express, Connect and others hand it on: `url` is what follows the path of the mount. */
interface Mounted extends IncomingMessage {
  readonly originalUrl?: unknown;
}

/** The path under which an application has mounted the API, as this client used it; empty for its root. */
export function mountOf({ url = '', originalUrl }: Mounted): string {
  if (typeof originalUrl !== 'string' || originalUrl === url) return '';
  const { path } = splitUrl(url);
  const { path: original } = splitUrl(originalUrl);
  const mount = original.endsWith(path)
    ? original.slice(0, original.length - path.length)
    : original;
  // Links begin with it: `//host` would lead elsewhere.
  return mount.replace(/^\/+/u, '/').replaceAll(/[^\w\-.~!$&'()*+,;=:@/%]/gu, encodeURIComponent);
}
