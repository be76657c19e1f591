import type * as http from 'node:http';
import process from 'node:process';

/**
 * `node:http`. Importing it would read every export at once, among them a WebSocket that loads a whole HTTP client: a
 * tenth of what starting takes.
 */
export const nodeHttp: typeof http = process.getBuiltinModule('node:http');
