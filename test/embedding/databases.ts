import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'vitest';
import { createDatabase } from '../support/postgres.ts';

/** A test on each kind of database, which is empty, by its URL. */
export function atDatabase(name: string, work: (url: string) => Promise<void>): void {
  test(`${name}, in memory`, () => work('sqlite::memory:'));
  test(`${name}, in a file`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'plinth-embed-'));
    try {
      await work(`sqlite:${join(folder, 'own.db')}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  test(`${name}, on PostgreSQL`, async () => {
    const made = await createDatabase();
    try {
      await work(made.url);
    } finally {
      await made.drop();
    }
  });
}
