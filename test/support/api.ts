import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authenticator } from '../../src/auth/authenticator.ts';
import { readCredential } from '../../src/auth/credential.ts';
import { migrate } from '../../src/migrations/sqlite/schema.ts';
import type { Database } from '../../src/databases/database.ts';
import { openSqlite, type SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import type { Code } from '../../src/extensions/code.ts';
import { ServedApi } from '../../src/http/server/served-api.ts';
import { readCode, type LoadedCode } from '../../src/extensions/load.ts';
import type { Sandboxes } from '../../src/http/sandboxes/sandboxes.ts';
import {
  startServer,
  type RunningServer,
  type ServerOptions,
} from '../../src/http/server/server.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { anonymous, type Subject } from '../../src/model/access.ts';
import type { Api, FieldTypes } from '../../src/model/api.ts';
import { buildApi } from '../../src/model/build/api.ts';
import type { ClockAndIds } from '../../src/query/write/defaults.ts';
import { checkQueries } from '../../src/query/check.ts';
import { collectProblems, inOrder } from '../../src/specification/parsers/collector.ts';
import { loadSpecification } from '../../src/model/load-specification.ts';
import type { Problem } from '../../src/specification/problems.ts';
import type { DependencyEvent, TraceReader } from '../../src/observability/events.ts';
import { fetched, fetchedFrom, hangUp } from './http.ts';
import { undocumented } from './openapi.ts';
import { sendRaw, type RawAnswer, type RawOptions } from './raw.ts';

/** What the parser and the model say of a specification. */
export function build(
  text: string,
  types?: FieldTypes,
): { api: Api | undefined; problems: readonly Problem[] } {
  const loaded = loadSpecification({ file: 'plinth.yaml', text, environment: {} }, types);
  const model = collectProblems(loaded.file, loaded.positionOf);
  const { specification, leftOut } = loaded;
  const api =
    specification &&
    buildApi(specification, model.report, {
      leftOut,
      check: checkQueries,
      ...(types === undefined ? {} : { types }),
    });
  const problems = inOrder([...loaded.problems, ...model.problems()]);
  const failed = problems.some(({ severity }) => severity === 'error');
  return { api: failed ? undefined : api, problems };
}

/** The Api of a specification that has to be right. */
export function buildValid(text: string, types?: FieldTypes): Api {
  const { api, problems } = build(text, types);
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
  readonly servedApi: ServedApi;
  /** Unforeseen errors that the server has met; a test that has looked at them takes them out. */
  readonly failures: unknown[];
  /** What the server has told of what it depends on. */
  readonly dependencies: readonly DependencyEvent[];
  /** Who reads its requests. */
  readonly readers: readonly TraceReader[];
  readonly dashboardLink: RunningServer['dashboardLink'];
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  /** As `send`, but the request does not cross the network: that takes a third of the time. */
  readonly sendInProcess: TestApi['send'];
  /** Asks for a path that `fetch` would encode or normalise. */
  readonly raw: (path: string, options?: RawOptions) => Promise<RawAnswer>;
  /** As an application in the same process asks. */
  readonly fetch: RunningServer['fetch'];
  readonly handler: RunningServer['handler'];
  /** Resolves when every `afterCommit` is done. */
  readonly settled: RunningServer['settled'];
  readonly stop: () => Promise<void>;
}

/** Records that are written through the API, in that order: a resource's name → its records. */
export type Records = Readonly<Record<string, readonly object[]>>;

/** A database file in a folder of its own, with the tables of a model. */
export async function makeSqlite(
  model: Api,
): Promise<{ database: SqliteDatabase; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-test-'));
  const database = openSqlite(join(folder, 'test.db'), 'temporary');
  await migrate(database.schemaConnection, model);
  return { database, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Serves a specification over SQLite, with records. `now` is the clock of the server. */
export async function serveApi(
  specification: string,
  records: Records = {},
  now: () => Date = () => new Date(),
  options: ServeOptions = {},
): Promise<TestApi> {
  const model = buildValid(specification);
  const { database, remove } = await makeSqlite(model);
  const api = await serve(model, database, { now, uuid: uuidv7 }, [], options);
  await fill(api, records);
  return {
    ...api,
    stop: async () => {
      await api.stop();
      remove();
    },
  };
}

/** A test sends more requests than a caller may: there is no quota where the model says nothing of one. */
export function withoutQuota({ settings, ...rest }: Api): Api {
  return { ...rest, settings: { rateLimit: false, ...settings } };
}

/** What a test server may have beside what a server has. */
export type ServeOptions = Partial<ServerOptions> & {
  readonly sandboxes?: Sandboxes;
  /** What the module of `code` exports. */
  readonly code?: Code;
  /** Its answers have to be those of another server, which are held against the document. */
  readonly isCompared?: boolean;
};

/** Own code that fits an Api. */
export async function codeFor(code: Code, api: Api): Promise<LoadedCode> {
  const problems: string[] = [];
  const report = (path: readonly string[], message: string, severity = 'error'): void => {
    if (severity === 'error') problems.push(`${path.join('.')}: ${message}`);
  };
  const loaded = await readCode(code, api, 'api.ts', report, report);
  if (loaded === undefined || problems.length > 0) throw new Error(problems.join('\n'));
  return loaded;
}

/** Serves a model over a database that has its tables; stopping closes the database too. */
export async function serve(
  model: Api,
  database: Database,
  clockAndIds: ClockAndIds,
  failures: unknown[],
  { sandboxes, code, isCompared = false, ...options }: ServeOptions = {},
): Promise<TestApi> {
  const loaded = code && (await codeFor(code, model));
  const servedApi = new ServedApi(withoutQuota(model), database, undefined, sandboxes, loaded);
  const dependencies: DependencyEvent[] = [];
  const server = await startServer(() => servedApi, {
    host: '127.0.0.1',
    port: 0,
    clockAndIds,
    // The tests keep the event loop busy themselves.
    maxDelay: Infinity,
    trace: (event) => {
      if (event.kind === 'failure') failures.push(event.error);
      else dependencies.push(event);
    },
    ...options,
  });
  const url = `http://127.0.0.1:${server.port}`;
  const { auth } = model.settings;
  const now = (): number => clockAndIds.now().getTime();
  // As tests count.
  const authenticator =
    auth === undefined || auth.jwt?.jwksUri !== undefined
      ? undefined
      : new Authenticator(auth, {
          now,
          useOf: () => ({ at: 0 }),
          keysAt: (): never => {
            throw new Error('The server alone asks for keys');
          },
        });
  const callerOf = async (headers: Record<string, string>): Promise<Subject | undefined> => {
    if (authenticator === undefined) return undefined;
    const credential = readCredential(Object.entries(headers).flat());
    const found = credential?.ok ? await authenticator.identify(credential.value) : undefined;
    return found?.ok ? found.value : anonymous;
  };
  const asked =
    (ask: typeof fetched): TestApi['send'] =>
    async (method, path, body, headers = {}) => {
      const isRaw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const answer = await ask(
        `${url}${path}`,
        method,
        { ...type, ...headers },
        isRaw ? body : JSON.stringify(body),
      );
      const { text } = answer;
      const exchanged = {
        method,
        path,
        sent: textOf(body),
        requestType: headers['content-type'] ?? 'application/json',
        ...answer,
      };
      const unlike = isCompared
        ? undefined
        : undocumented(servedApi.api, exchanged, await callerOf(headers), loaded);
      if (unlike !== undefined)
        throw new Error(`${method} ${path}: ${unlike}\n${text.slice(0, 500)}`);
      const isJson = /[/+]json\b/u.test(answer.headers.get('content-type') ?? '');
      return {
        ...answer,
        body: isJson && text !== '' ? (JSON.parse(text) as unknown) : undefined,
      };
    };
  const send = asked(fetched);
  return {
    url,
    servedApi,
    failures,
    dependencies,
    readers: server.readers,
    dashboardLink: server.dashboardLink,
    send,
    sendInProcess: asked((...request) => fetchedFrom(server.fetch, ...request)),
    get: (path, headers) => send('GET', path, undefined, headers),
    raw: (path, options) => sendRaw(url, path, options),
    fetch: server.fetch,
    handler: server.handler,
    settled: server.settled,
    stop: async () => {
      await hangUp(url);
      await server.close();
      await database.close();
    },
  };
}

/** The same, but only every eighth request crosses the network: for tests that ask thousands of times. */
export function mostlyInProcess<Api extends TestApi>(api: Api): Api {
  let count = 0;
  const send: TestApi['send'] = (...request) => {
    count += 1;
    return count % 8 === 0 ? api.send(...request) : api.sendInProcess(...request);
  };
  return { ...api, send, get: (path, headers) => send('GET', path, undefined, headers) };
}

/** The text of a body. */
function textOf(body: unknown): string | undefined {
  if (typeof body === 'string' || body === undefined) return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString() : JSON.stringify(body);
}

/** Writes records through an API. */
export async function fill(api: TestApi, records: Records): Promise<void> {
  for (const [resource, list] of Object.entries(records)) {
    for (const record of list) {
      const answer = await api.send('POST', `/v1/${resource}`, record);
      if (answer.status !== 201) throw new Error(`${resource}: ${answer.text}`);
    }
  }
}
