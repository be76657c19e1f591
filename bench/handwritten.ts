/**
 * The measure: a server for the blog written by hand, on Fastify and better-sqlite3 or postgres, with the same
 * answers and headers as Plinth. Run as `node bench/handwritten.ts DATABASE PORT`; the database is a file or the URL
 * of a PostgreSQL database. With a SECRET behind them that is not empty a post is read only with a token that is signed with it, has the role
 * of a clerk, and whose `sub` is at most the post's id.
 */
import { hash } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { answer, fail } from './handwritten/answer.ts';
import { credentials } from './handwritten/credentials.ts';
import { commentProblem, noteProblem, postProblem } from './handwritten/bodies.ts';
import { parseCommentQuery, parseListQuery } from './handwritten/query.ts';
import type { Page, Soon, Written } from './handwritten/store.ts';

const [database = '', port = '0', secret = '', pool = '10'] = process.argv.slice(2);

const { openStore } = database.startsWith('postgres:')
  ? await import('./handwritten/postgres/store.ts')
  : await import('./handwritten/sqlite/store.ts');
const store = openStore(database, Number(pool));
const callerOf = secret === '' ? undefined : credentials(secret);
const wholeNumber = /^[1-9]\d{0,15}$/;

type WithId = FastifyRequest<{ Params: { id: string }; Body: unknown }>;

/** Answers with a value, at once where it is there. */
function when<Value>(value: Soon<Value>, reply: FastifyReply, use: (value: Value) => void): void {
  if (value instanceof Promise) value.then(use, (error: Error) => reply.send(error));
  else use(value);
}

function answerList<Query>(
  request: FastifyRequest,
  reply: FastifyReply,
  query: Query | string,
  read: (query: Query) => Soon<Page>,
): void {
  if (typeof query === 'string') fail(request, reply, 400, 'INVALID_PARAMETER', query);
  else when(read(query), reply, ({ body, headers }) => answer(request, reply, 200, body, headers));
}

/** `path`: of the list that a new record is in. */
function answerWrite(
  request: FastifyRequest,
  reply: FastifyReply,
  write: Soon<Written>,
  path = '/v1/comments',
): void {
  when(write, reply, (written) => {
    if ('status' in written) {
      fail(request, reply, written.status, written.code, written.message);
    } else if (request.method === 'POST') {
      answer(request, reply, 201, written.body, ['Location', `${path}/${written.id}`]);
    } else {
      answer(request, reply, 200, written.body);
    }
  });
}

function asObject(body: unknown): Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : { body };
}

const server = fastify({ logger: false, onProtoPoisoning: 'remove' });
server.setErrorHandler<Error & { statusCode?: number }>((error, request, reply) => {
  const status = error.statusCode ?? 500;
  fail(request, reply, status, status < 500 ? 'INVALID_BODY' : 'INTERNAL_ERROR', 'Not possible');
});
server.setNotFoundHandler((request, reply) => {
  fail(request, reply, 404, 'UNKNOWN_RESOURCE', 'No such path');
});

server.get('/_ready', (_request, reply) => reply.send({ status: 'ok' }));

server.get('/v1/posts/:id', (request: WithId, reply) => {
  const { id } = request.params;
  let least: number | undefined;
  if (callerOf !== undefined) {
    const caller = callerOf(request.headers.authorization);
    if (caller === undefined)
      return fail(request, reply, 401, 'UNAUTHENTICATED', 'This needs credentials');
    if (!caller.roles.includes('clerk'))
      return fail(request, reply, 403, 'FORBIDDEN', 'This is not allowed');
    least = caller.sub;
  }
  const found = wholeNumber.test(id) ? store.post(Number(id), least) : undefined;
  when(found, reply, (body) => {
    if (body === undefined) fail(request, reply, 404, 'RESOURCE_NOT_FOUND', 'No such record');
    else answer(request, reply, 200, body);
  });
});

server.get('/v1/posts', (request, reply) => {
  answerList(request, reply, parseListQuery(request.url), store.posts);
});

server.get('/v1/comments', (request, reply) => {
  answerList(request, reply, parseCommentQuery(request.url), store.comments);
});

server.post('/v1/comments', (request, reply) => {
  const body = asObject(request.body);
  const key = request.headers['idempotency-key'];
  const create = (): Soon<Written> =>
    key === undefined
      ? store.createComment(body)
      : store.createKeyed(body, {
          scope: hash('sha256', `${request.url} ${String(key)}`, 'base64url'),
          request: hash('sha256', JSON.stringify(body), 'base64url'),
        });
  answerWrite(request, reply, commentProblem(body) ?? create());
});

server.post('/v1/notes', (request, reply) => {
  const body = asObject(request.body);
  answerWrite(request, reply, noteProblem(body) ?? store.createNote(body), '/v1/notes');
});

server.patch('/v1/posts/:id', (request: WithId, reply) => {
  const { id } = request.params;
  const number = wholeNumber.test(id) ? Number(id) : 0;
  const body = asObject(request.body);
  const ifMatch = request.headers['if-match'];
  answerWrite(request, reply, postProblem(body) ?? store.patchPost(number, body, ifMatch));
});

async function stop(): Promise<void> {
  await server.close();
  await store.close();
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
await server.listen({ host: '127.0.0.1', port: Number(port) });
