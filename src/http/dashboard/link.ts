import { hash, randomBytes } from 'node:crypto';
import type { Api } from '../../model/api.ts';
import type { Mode } from '../edge/edge.ts';

/** The length of a code and of a session, in bytes. */
const secretLength = 24;

const newSecret = (): string => randomBytes(secretLength).toString('base64url');
const digestOf = (secret: string): string => hash('sha256', secret);

/**
 * Whether nobody but the developer opens the dashboard, by the link that `dev` prints: with `auth`, as long as neither
 * `dashboard` nor `debug` names roles. See docs/contract/7-data-debug-dashboard.md#dashboard-access.
 */
export function opensByLink({ settings }: Pick<Api, 'settings'>, mode: Mode): boolean {
  const { auth, dashboard, debug } = settings;
  return (
    mode === 'dev' && auth !== undefined && dashboard === undefined && typeof debug !== 'object'
  );
}

/** The link that opens the dashboard once. A page exchanges its code for a session, which lasts as long as the server. */
export class DashboardLink {
  private code = newSecret();
  /** Digests, so that a comparison tells nothing by the time it takes. */
  private readonly sessions = new Set<string>();
  /** Told each link after the first one, which follows the use of the one before. */
  renewed: (hash: string) => void = () => undefined;

  /** What the link has behind the path of the dashboard. Browsers do not send it to servers. */
  get hash(): string {
    return `#link=${this.code}`;
  }

  /** The session for a code, which is used up; undefined if it is not the one of the link. */
  exchange(code: string): string | undefined {
    if (digestOf(code) !== digestOf(this.code)) return undefined;
    this.code = newSecret();
    const session = newSecret();
    this.sessions.add(digestOf(session));
    this.renewed(this.hash);
    return session;
  }

  hasSession(session: string): boolean {
    return this.sessions.has(digestOf(session));
  }
}
