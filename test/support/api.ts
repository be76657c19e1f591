import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../src/execute/sqlite-schema.ts';
import { openSqlite } from '../../src/execute/sqlite.ts';
import { Generation } from '../../src/http/generation.ts';
import { startServer } from '../../src/http/server.ts';
import { uuidv7 } from '../../src/http/uuid.ts';
import type { Api } from '../../src/model/api.ts';
import { buildApi } from '../../src/model/build.ts';
import { collectProblems, inOrder } from '../../src/spec/collector.ts';
import { loadSpecification } from '../../src/spec/load.ts';
import type { Problem } from '../../src/spec/problems.ts';

/** What the parser and the model say of a specification. */
export function build(text: string): { api: Api | undefined; problems: readonly Problem[] } {
  const loaded = loadSpecification({ file: 'plinth.yaml', text, environment: {} });
  const model = collectProblems(loaded.file, loaded.positionOf);
  const api = loaded.specification && buildApi(loaded.specification, model.report);
  const problems = inOrder([...loaded.problems, ...model.problems()]);
  const failed = problems.some(({ severity }) => severity === 'error');
  return { api: failed ? undefined : api, problems };
}

/** The Api of a specification that has to be right. */
export function buildValid(text: string): Api {
  const { api, problems } = build(text);
  if (api === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return api;
}

/** One answer, with its body read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined where there is none. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
  readonly body: any;
}

/** A server of its own over a database of its own, asked over real HTTP. */
export interface TestApi {
  readonly url: string;
  readonly generation: Generation;
  /** Unforeseen errors that the server has met; a test that has looked at them takes them out. */
  readonly failures: unknown[];
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  readonly stop: () => Promise<void>;
}

/**
 * Serves a specification with records: a resource's name → its records, written through the API in that order.
 * `now` is the clock of the server.
 */
export async function serveApi(
  specification: string,
  data: Readonly<Record<string, readonly object[]>> = {},
  now: () => Date = () => new Date(),
): Promise<TestApi> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const database = openSqlite(join(folder, 'test.db'), 'temporary');
  const generation = new Generation(buildValid(specification), database);
  await migrate(database.schemaConnection, generation.api);
  const failures: unknown[] = [];
  const server = await startServer(() => generation, {
    host: '127.0.0.1',
    port: 0,
    draw: { now, uuid: uuidv7 },
    trace: (event) => failures.push(event.error),
  });
  const url = `http://127.0.0.1:${server.port}`;
  const send: TestApi['send'] = async (method, path, body, headers = {}) => {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
    };
  };
  const api: TestApi = {
    url,
    generation,
    failures,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    stop: async () => {
      await server.close();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (const [resource, records] of Object.entries(data)) {
    for (const record of records) {
      const answer = await send('POST', `/v1/${resource}`, record);
      if (answer.status !== 201) throw new Error(`${resource}: ${answer.text}`);
    }
  }
  return api;
}
