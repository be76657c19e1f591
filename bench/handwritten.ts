/**
 * The measure: a server for the blog written by hand, on Fastify and better-sqlite3, with the same
 * answers and headers as Plinth. Run as `node bench/handwritten.ts DATABASE PORT`.
 */
import Database from 'better-sqlite3';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { answer, fail } from './handwritten/answer.ts';
import { postReads } from './handwritten/posts.ts';
import { parseListQuery } from './handwritten/query.ts';
import { writes, type Written } from './handwritten/writes.ts';

const [file = '', port = '0'] = process.argv.slice(2);

const database = new Database(file, { fileMustExist: true });
database.pragma('journal_mode = WAL');
database.pragma('synchronous = FULL');
database.pragma('foreign_keys = ON');
database.pragma('busy_timeout = 5000');
// Not `mmap_size`: each mapped page is looked up in the WAL again, so reads after writes are slow.
database.pragma('cache_size = -131072');

const posts = postReads(database);
const { createComment, patchPost } = writes(database);
const wholeNumber = /^[1-9]\d{0,15}$/;

type WithId = FastifyRequest<{ Params: { id: string }; Body: unknown }>;

function answerWrite(request: FastifyRequest, reply: FastifyReply, written: Written): void {
  if ('status' in written) {
    fail(request, reply, written.status, written.code, written.message);
  } else if (request.method === 'POST') {
    answer(request, reply, 201, written.body, ['Location', `/v1/comments/${written.id}`]);
  } else {
    answer(request, reply, 200, written.body);
  }
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
  const body = wholeNumber.test(id) ? posts.one(Number(id)) : undefined;
  if (body === undefined) fail(request, reply, 404, 'RESOURCE_NOT_FOUND', 'No such record');
  else answer(request, reply, 200, body);
});

server.get('/v1/posts', (request, reply) => {
  const query = parseListQuery(request.url);
  if (typeof query === 'string') {
    fail(request, reply, 400, 'INVALID_PARAMETER', query);
    return;
  }
  const page = posts.page(query);
  answer(request, reply, 200, page.body, page.headers);
});

server.post('/v1/comments', (request, reply) => {
  answerWrite(request, reply, createComment(asObject(request.body)));
});

server.patch('/v1/posts/:id', (request: WithId, reply) => {
  const { id } = request.params;
  const number = wholeNumber.test(id) ? Number(id) : 0;
  answerWrite(request, reply, patchPost(number, asObject(request.body)));
});

async function stop(): Promise<void> {
  await server.close();
  database.close();
}
process.once('SIGTERM', () => void stop());
process.once('SIGINT', () => void stop());
await server.listen({ host: '127.0.0.1', port: Number(port) });
