import { mount } from './mount.ts';

const sessionKey = 'plinth-session';

/** What shows the server that the link of the developer has opened this tab. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const session = sessionStorage.getItem(sessionKey);
  return session === null ? {} : { 'x-dashboard-session': session };
}

/** Exchanges the code of a link, which is good once, for a session of this tab. It does not stay in the history. */
export async function enterByLink(): Promise<void> {
  const [, code] = /^#link=(.+)$/u.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, '', '#/');
  const headers = { 'x-dashboard-link': code };
  const sent = { method: 'POST', credentials: 'omit', headers } as const;
  try {
    const answer = await fetch(`${mount}/_dashboard/api/session`, sent);
    const { session } = (await answer.json()) as { readonly session?: string };
    if (session !== undefined) sessionStorage.setItem(sessionKey, session);
  } catch {
    // The page says that the server does not answer.
  }
}
