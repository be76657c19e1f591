import { expect, test } from 'vitest';
import { errorTable, type ErrorCode } from '../../src/errors.ts';
import type { Answer, TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

/** One request and what it has to be answered. */
export interface Exchange {
  readonly name: string;
  /** `POST /v1/posts?fields=title` */
  readonly request: string;
  /** Text and bytes are sent as they are, everything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly status: number;
  /** What the body has at least. */
  readonly shows?: object;
  readonly code?: ErrorCode;
  /** Every problem as `field: message`, in order. */
  readonly problems?: readonly string[];
}

export type Rows = readonly Exchange[];

/** Sends a request written as `METHOD /path`. */
export function ask(
  api: TestApi,
  request: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<Answer> {
  const [method = '', path = ''] = request.split(' ', 2);
  return api.send(method, path, body, headers);
}

/** The problems of an error body as `field: message`. */
export function problemsOf({ body, status }: Answer): readonly string[] {
  type Problem = { field: string; error?: string; message?: string };
  const list = (status === 422 ? body.errors : body.validationErrors) as Problem[] | undefined;
  return (list ?? []).map(
    ({ field, error, message }) => `${field}: ${status === 422 ? message : error}`,
  );
}

/** Checks an answer against a row; an error has to be the whole standard body. */
export function check(answer: Answer, row: Exchange): void {
  expect({ status: answer.status, code: answer.body?.code }).toEqual({
    status: row.status,
    code: row.code,
  });
  if (row.problems !== undefined) expect(problemsOf(answer)).toEqual(row.problems);
  if (row.shows !== undefined) expect(answer.body).toMatchObject(row.shows);
  if (row.code !== undefined) expectError(answer, row.code, row.request.split(/[ ?]/u)[1]);
}

/** Checks that an answer is the standard error body, and that it shows nothing of the inside. */
export function expectError(answer: Answer, code: ErrorCode, path: string | undefined): void {
  const { status } = errorTable[code];
  expect(answer.body).toMatchObject({ status, code, path });
  expect(answer.body.error).toMatch(/^[A-Z][\w -]+$/u);
  expect(answer.body.message).toMatch(/\S/u);
  expect(answer.body.requestId).toBe(answer.headers.get('x-request-id'));
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.text).not.toMatch(
    /SQLITE|SELECT |INSERT |UPDATE |DELETE FROM|node_modules|\.ts:|\/tmp\/| at \w+ \(/u,
  );
}

/** One test a row, all against one server. */
export function testExchanges(api: () => TestApi, rows: Rows): void {
  test.each(rows)('$name', async (row) => {
    check(await ask(api(), row.request, row.body, row.headers), row);
    expect(api().failures.splice(0)).toEqual([]);
  });
}

const specification = `
api: { versions: { 1: {}, 3: {} } }
server: { bodyLimit: 2kb }
resources:
  posts:
    fields:
      title: { type: string, required: true, unique: true }
      kept: { type: string, immutable: true }
      userId: { type: integer, reference: users.id, onDelete: restrict }
  users: { fields: { name: { type: string } } }
`;

/** A small API with something to refuse at every step, over both databases. */
export function serveExchanges(): Promise<TestApi> {
  return serveBoth(specification, {
    users: [{ name: 'Ada' }],
    posts: [
      { title: 'one', userId: 1 },
      { title: 'two', kept: 'k' },
    ],
  });
}
