import { exposedHeaders, sendableHeaders } from '../../src/http/edge/cors.ts';
import { code, table } from './markdown.ts';

const requestTexts: Readonly<Record<(typeof sendableHeaders)[number], string>> = {
  Authorization: '`Bearer <token or API key>`: who the caller is.',
  'X-API-Key': 'An API key, in place of `Authorization`.',
  Accept: 'The format of a list: `application/json`, `text/csv` or `application/x-ndjson`.',
  'Content-Type':
    '`application/json`; for a PATCH that merges into objects, `application/merge-patch+json`.',
  'If-Match': 'The `ETag` that the record must have for PUT, PATCH or DELETE; else 412.',
  'If-None-Match': 'The `ETag` that the client has: 304 if nothing has changed.',
  'Idempotency-Key': 'Makes a POST safe to repeat for 24 h: 1 to 255 visible ASCII characters.',
  Prefer:
    '`count=none`, `count=estimated`, `return=minimal`, `return=representation`, `max-affected=N`, `resolution=ignore-duplicates`.',
  'Plinth-Position':
    'A position that the answer has to include, from an earlier response; with `database.replicas` only.',
  'X-Sandbox': 'The sandbox to use, in `dev` on SQLite: 1 to 64 letters, digits, `-`, `_`.',
  'X-Simulate':
    '`latency=200,error=503`: a wait in ms and an error for this request, where debug is on.',
  'X-Request-Id': 'Has no effect: the server makes an id of its own and sends it back.',
  'X-Requested-With': 'Has no effect; accepted because libraries send it.',
  traceparent: 'The OpenTelemetry trace that this request belongs to.',
  tracestate: 'Goes with `traceparent`.',
  baggage: 'Has no effect; accepted because instrumented pages send it.',
};

const responseTexts: Readonly<Record<(typeof exposedHeaders)[number], string>> = {
  'X-Total-Count': 'Records that match, on lists with pages or offsets.',
  'X-Total-Pages': 'Pages of that many records.',
  'X-Page': 'The page shown, from 1.',
  'X-Limit': 'Records of a page.',
  'X-Next-Cursor': 'The cursor behind the last record shown, if there are more.',
  Link: '`first`, `prev`, `next` and `last` page; for a deprecated version also `deprecation` and `successor-version`.',
  ETag: 'The version of the record or list shown.',
  Location: 'The path of the record that was created.',
  Allow: 'The methods of the path, on 405 and OPTIONS.',
  'Preference-Applied': 'The preferences of `Prefer` that were followed.',
  'Retry-After': 'Seconds after which to try again, on 429, 503 and 504.',
  RateLimit: 'Requests that are left, and seconds until the window ends.',
  'RateLimit-Policy': 'Requests that are allowed in a window of so many seconds.',
  'WWW-Authenticate': 'The credentials that are accepted, on 401.',
  Deprecation: 'Since when this version is deprecated.',
  Sunset: 'When this version ends.',
  'X-Request-Id': 'The id of the request, as in the log.',
  'X-Debug': '`disabled`: the request asked for debug output, which is off for this caller.',
  'Plinth-Position':
    'The position of a write in the log of PostgreSQL; with `database.replicas` only.',
};

/** The headers of requests and responses as Markdown. */
export function headerReference(): string {
  return [
    '# Headers',
    '',
    '<!-- Made from src/http/edge/cors.ts by `npm run documents`. -->',
    '',
    '## Requests',
    '',
    ...table(
      ['header', 'what it does'],
      sendableHeaders.map((name) => [code(name), requestTexts[name]]),
    ),
    'Behind a proxy that `server.trustProxy` names, `X-Forwarded-For`, `X-Forwarded-Proto` and `X-Forwarded-Host` say who the',
    'client is ([proxies](../contract/6-operation.md#proxies)). With `Accept-Encoding`, bodies over 1 KiB are compressed',
    'with brotli or gzip.',
    '',
    '## Responses',
    '',
    'Scripts of other origins that CORS allows may read all of these.',
    '',
    ...table(
      ['header', 'what it tells'],
      exposedHeaders.map((name) => [code(name), responseTexts[name]]),
    ),
    'Every response also has `Cache-Control: private, no-cache`, `X-Content-Type-Options: nosniff`,',
    '`Cross-Origin-Resource-Policy: same-origin` and `Vary`. In `start`, responses over HTTPS have',
    '`Strict-Transport-Security`.',
    '',
  ].join('\n');
}
