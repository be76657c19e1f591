import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Page, Request } from 'playwright-core';

/** The newest lines of a log that are kept. */
const keptLines = 60;
/** How much of the page's outline is told, in characters. */
const toldOutline = 8_000;
/** How long a page that hangs is asked for each part, in ms. */
const patience = 10_000;

/** Records what a page does, for the error of a test that fails. */
export interface Recording {
  /** What the page shows, and what has happened in it, as text. It names the file of a picture. */
  readonly report: () => Promise<string>;
}

/** Each key with what had the focus when it came, and each change of the focus, in their order. */
const trail = `(() => {
  const kept = [];
  const called = (one) => one instanceof Element
    ? one.tagName.toLowerCase() + ' ' + (one.ariaLabel || one.textContent || one.id).slice(0, 40)
    : 'document';
  const keep = (line) => {
    kept.push(Math.round(performance.now()) + ' ms ' + line);
    if (kept.length > ${keptLines}) kept.shift();
  };
  const onKey = ({ key, target }) => keep('key ' + key + ' at ' + called(target));
  addEventListener('keydown', onKey, true);
  addEventListener('focusin', ({ target }) => keep('focus ' + called(target)), true);
  Object.defineProperty(globalThis, 'testTrail', { value: kept });
})()`;

/** Begins to record a page, before it is opened. */
export async function recorded(page: Page): Promise<Recording> {
  const messages: string[] = [];
  const pending = new Set<Request>();
  const answers: string[] = [];
  const keep = (lines: string[], line: string): void => {
    lines.push(line);
    if (lines.length > keptLines) lines.shift();
  };
  page.on('console', (message) => keep(messages, `${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => keep(messages, `uncaught: ${String(error)}`));
  page.on('request', (request) => pending.add(request));
  page.on('response', (response) => {
    // Files of the page would push out all else.
    if (response.ok() && response.url().includes('/assets/')) return;
    keep(answers, `${response.status()} ${called(response.request())}`);
  });
  page.on('requestfinished', (request) => pending.delete(request));
  page.on('requestfailed', (request) => {
    pending.delete(request);
    keep(answers, `${request.failure()?.errorText ?? 'failed'} ${called(request)}`);
  });
  await page.addInitScript(trail);
  const parts: Readonly<Record<string, () => Promise<string> | string>> = {
    Picture: async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'plinth-page-')), 'page.png');
      await page.screenshot({ path });
      return path;
    },
    URL: () => page.url(),
    'Focus and keys': () => page.evaluate<string>(`testTrail.join('\\n')`),
    Console: () => messages.join('\n'),
    Answers: () => answers.join('\n'),
    'Not answered': () => [...pending].map(called).join('\n'),
    Page: async () => (await page.ariaSnapshot()).slice(0, toldOutline),
  };
  return {
    report: async () => {
      const told: string[] = [];
      for (const [name, ask] of Object.entries(parts)) {
        const asked = Promise.resolve().then(ask);
        const late = setTimeout(patience, 'no answer', { ref: false });
        const text = await Promise.race([asked, late]).catch((error: unknown) => String(error));
        told.push(`${name}: ${text.includes('\n') ? `\n${text}` : text}`);
      }
      return told.join('\n\n');
    },
  };
}

const called = (request: Request): string => `${request.method()} ${request.url()}`;
