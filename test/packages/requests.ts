/** A request that a provider has sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A `fetch` that writes down what it sends. */
export function watchedFetch(sent: Sent[]): typeof fetch {
  return (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    sent.push({
      method: request.method,
      path: `${pathname}${decodeURIComponent(search.replaceAll('+', ' '))}`,
      headers: request.headers,
      body: typeof init?.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    });
    return fetch(input, init);
  };
}
