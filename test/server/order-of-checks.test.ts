import { afterAll, beforeAll, describe } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveExchanges, testExchanges } from './exchanges.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveExchanges();
});
afterAll(() => api.stop());

const large = JSON.stringify({ title: 'x'.repeat(3000) });

/** Requests that break two or more steps at once: the first step answers. */
describe('the order of checks', () => {
  const longQuery = `?x=${'a'.repeat(8192)}`;
  const html = { accept: 'text/html', 'content-type': 'text/plain' };
  testExchanges(
    () => api,
    [
      {
        name: '414 before 404',
        request: `GET /nope${longQuery}`,
        status: 414,
        code: 'URI_TOO_LONG',
      },
      { name: '404 before 405', request: 'PUT /v1/nope', status: 404, code: 'UNKNOWN_RESOURCE' },
      {
        name: '404 before 406',
        request: 'GET /v1/nope',
        headers: html,
        status: 404,
        code: 'UNKNOWN_RESOURCE',
      },
      {
        name: '404 before 415',
        request: 'POST /v1/nope',
        body: 'x',
        headers: html,
        status: 404,
        code: 'UNKNOWN_RESOURCE',
      },
      {
        name: '404 before 413',
        request: 'POST /v1/nope',
        body: large,
        status: 404,
        code: 'UNKNOWN_RESOURCE',
      },
      {
        name: '405 before 406',
        request: 'PUT /v1/posts',
        body: 'x',
        headers: html,
        status: 405,
        code: 'METHOD_NOT_ALLOWED',
      },
      {
        name: '406 before 415',
        request: 'POST /v1/posts',
        body: 'x',
        headers: html,
        status: 406,
        code: 'NOT_ACCEPTABLE',
      },
      {
        name: '415 before 413',
        request: 'POST /v1/posts',
        body: large,
        headers: { 'content-type': 'text/plain' },
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      },
      {
        name: '415 before 400',
        request: 'POST /v1/posts?nope=1',
        body: '{',
        headers: { 'content-type': 'text/plain' },
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
      },
      {
        name: '413 before 400 of the query',
        request: 'POST /v1/posts?nope=1',
        body: large,
        status: 413,
        code: 'BODY_TOO_LARGE',
      },
      {
        name: '413 before 404 of the record',
        request: 'PUT /v1/posts/99',
        body: large,
        status: 413,
        code: 'BODY_TOO_LARGE',
      },
      {
        name: '400 of the query before 404 of the record',
        request: 'GET /v1/posts/99?nope=1',
        status: 400,
        code: 'INVALID_PARAMETER',
      },
      {
        name: '400 of the query before 404 of the record, DELETE',
        request: 'DELETE /v1/posts/99?nope=1',
        status: 400,
        code: 'INVALID_PARAMETER',
      },
      {
        name: '400 of the query before 404 of the record, PATCH',
        request: 'PATCH /v1/posts/99?nope=1',
        body: {},
        status: 400,
        code: 'INVALID_PARAMETER',
      },
      {
        name: '400 of the body before 404 of the record',
        request: 'PATCH /v1/posts/99',
        body: { nope: 1 },
        status: 400,
        code: 'VALIDATION_FAILED',
      },
      {
        name: '400 of the JSON before 404 of the record',
        request: 'PATCH /v1/posts/abc',
        body: '{',
        status: 400,
        code: 'INVALID_JSON',
      },
      {
        name: '422 of a value before 404 of the record',
        request: 'PATCH /v1/posts/99',
        body: { userId: 1.5 },
        status: 422,
        code: 'INVALID_VALUE',
      },
      {
        name: '404 of the record before 422 of a reference',
        request: 'PATCH /v1/posts/99',
        body: { userId: 99 },
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
      {
        name: '404 of the record before 422 of uniqueness',
        request: 'PATCH /v1/posts/99',
        body: { title: 'one' },
        status: 404,
        code: 'RESOURCE_NOT_FOUND',
      },
      {
        name: '400 of an immutable field before 422 of a reference',
        request: 'PATCH /v1/posts/2',
        body: { kept: 'other', userId: 99 },
        status: 400,
        code: 'VALIDATION_FAILED',
      },
      {
        name: 'references and uniqueness together',
        request: 'PATCH /v1/posts/2',
        body: { title: 'one', userId: 99 },
        status: 422,
        code: 'INVALID_VALUE',
        problems: [
          'userId: there is no record in users with id 99',
          'title: is taken: it must be unique',
        ],
      },
      {
        name: '409 at the end',
        request: 'DELETE /v1/users/1',
        status: 409,
        code: 'HAS_DEPENDENTS',
        shows: { dependents: [{ resource: 'posts', count: 1 }] },
      },
    ],
  );
});
