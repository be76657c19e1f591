import { deepPage } from './cursors.ts';
import { send, type Answer } from './http.ts';
import { knownFor } from './known.ts';
import { drawRequests, type LoadRequest, type Shape } from './shapes.ts';

const samples = 12;
const seed = 4_711;
/**
 * Headers of which only the presence is compared: their values are each server's own. Cursors are not of one length,
 * and the bodies are compared themselves.
 */
const ownValues = new Set(['content-length', 'date', 'etag', 'x-next-cursor', 'x-request-id']);
/** Cursors in bodies and links, which are each server's own too. */
const cursors = /(?<="next_cursor":"|[?&]cursor=)[\w-]+/g;
/** Headers of the connection, not of the answer. */
const ignored = new Set(['connection', 'keep-alive']);
const strongTag = /^"[^"]+"$/;

/** Pages at the edges, which random requests seldom meet. */
const edges: readonly string[] = [
  '/v1/posts',
  '/v1/posts?limit=7',
  '/v1/posts?page=2500',
  '/v1/posts?page=2501',
  '/v1/posts?page=3&limit=1000&expand=tags,comments',
  '/v1/posts?status=draft&views_gte=100000&sort=-views',
  '/v1/posts?views_gte=99990&status=published&sort=-views&page=1',
  '/v1/posts?expand=comments,author',
];

/** What is not the same in two answers: a header's name, `status` or `body`, and how it differs. */
type Difference = { readonly what: string; readonly detail: string };

/** Sends the same requests to both servers; gives a line for each kind of difference. */
export async function differences(
  first: string,
  second: string,
  shapes: readonly Shape[],
): Promise<string[]> {
  const requestsTo = async (url: string): Promise<LoadRequest[]> => {
    const drawn: LoadRequest[] = edges.map((path) => ({ method: 'GET', path }));
    for (const shape of shapes)
      drawn.push(...drawRequests(shape, seed, samples, await knownFor(shape, url, deepPage)));
    return drawn;
  };
  const requests = await requestsTo(first);
  const twins = await requestsTo(second);
  const found = new Map<string, { readonly example: string; count: number }>();
  for (const [index, request] of requests.entries()) {
    const twin = twins[index] ?? request;
    const [one, other] = await Promise.all([send(first, request), send(second, twin)]);
    for (const { what, detail } of compareAnswers(one, other)) {
      const example = `${request.method} ${request.path}: ${detail}`;
      const known = found.get(what);
      if (known === undefined) found.set(what, { example, count: 1 });
      else known.count += 1;
    }
  }
  return [...found].map(
    ([what, { example, count }]) =>
      `${what}, in ${count} of ${requests.length} answers: ${example}`,
  );
}

function compareAnswers(one: Answer, other: Answer): Difference[] {
  if (one.status !== other.status || one.status >= 300) {
    return [{ what: 'status', detail: `${one.status} / ${other.status}` }];
  }
  const [body, otherBody] = [withoutCursors(one.body), withoutCursors(other.body)];
  if (body !== otherBody) return [{ what: 'body', detail: excerpt(body, otherBody) }];
  const names = new Set([...one.headers.keys(), ...other.headers.keys()]).difference(ignored);
  return [...names].flatMap((name) => {
    const [left, right] = [shown(name, one.headers), shown(name, other.headers)];
    return left === right ? [] : [{ what: name, detail: excerpt(left, right) }];
  });
}

function shown(name: string, headers: Answer['headers']): string {
  const value = headers.get(name);
  if (value === undefined) return '(none)';
  if (name === 'etag') return strongTag.test(value) ? '(strong)' : value;
  return ownValues.has(name) ? '(some)' : withoutCursors(value);
}

function withoutCursors(text: string): string {
  return text.replaceAll(cursors, '(some)');
}

function excerpt(a: string, b: string): string {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  const from = Math.max(0, index - 20);
  return `${JSON.stringify(a.slice(from, index + 60))} / ${JSON.stringify(b.slice(from, index + 60))}`;
}
