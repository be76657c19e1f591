import type * as http from 'node:http';
import process from 'node:process';

/** `node:http`. An import reads every export, among them a WebSocket that loads a whole HTTP client: a tenth of the start-up time. */
export const nodeHttp: typeof http = process.getBuiltinModule('node:http');
