import { createServer, type PlinthServer } from 'plinth';

// Next loads modules again while one works on them. The server stays.
const kept = globalThis as { plinth?: Promise<PlinthServer> };

/** The API, made with the first request. In production: a database, and `npx plinth migrate` before the start. */
export function api(): Promise<PlinthServer> {
  kept.plinth ??= createServer({ file: 'plinth.yaml', mode: 'dev' });
  return kept.plinth;
}
