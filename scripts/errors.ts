import { errorTable, type ErrorCode } from '../src/errors.ts';
import { ruleTable } from '../src/problem-rules.ts';

interface Group {
  readonly heading: string;
  readonly about: string;
  readonly cures: Partial<Readonly<Record<ErrorCode, string>>>;
}

/** What a caller can do about each error, in the order of the page. */
const groups: readonly Group[] = [
  {
    heading: 'The query string',
    about: '`validationErrors` names each parameter that is wrong.',
    cures: {
      INVALID_PARAMETER:
        'Correct the name as the message suggests. Names with brackets (`a[]`) are unknown: join lists with commas.',
      INVALID_FILTER:
        'Use a value of the type of the field, and an operator that the message lists.',
      INVALID_SORT: 'Sort by a field with single values, and name each key once.',
      INVALID_CURSOR:
        'Begin again with `cursor=`. A cursor is valid only for its resource, version and sort.',
      PAGINATION_CONFLICT: 'Use `page`, `offset` or `cursor`, and leave the others out.',
      FIELDS_CONFLICT: 'Use `fields` or `exclude`.',
      LIMIT_EXCEEDED:
        'Ask for less, page by page. The operator can raise the limit that the message names.',
      DATABASE_REFUSED: 'The message is that of a rule in the database. Change what it names.',
      DEPTH_EXCEEDED: 'Expand fewer levels, or add `maxDepth` up to its maximum.',
    },
  },
  {
    heading: 'The body',
    about: 'A 400 lists the fields in `validationErrors`, a 422 in `errors`.',
    cures: {
      INVALID_JSON:
        'Correct the JSON at the line and column of the message. Send UTF-8, and no member twice.',
      INVALID_BODY: 'Send one object, or an array of objects to create several records.',
      VALIDATION_FAILED:
        'Correct the fields that are listed. A field that you cannot write may be `readOnly`, or closed to you.',
      INVALID_VALUE: 'Correct the values that are listed; show each message beside its input.',
      UNSUPPORTED_MEDIA_TYPE: 'Send `Content-Type: application/json`, without `Content-Encoding`.',
      BODY_TOO_LARGE: 'Send less at once. The operator can raise `server.bodyLimit`.',
    },
  },
  {
    heading: 'Who you are',
    about: 'A 401 asks for another credential; a 403 says that this one is not enough.',
    cures: {
      UNAUTHENTICATED: 'Send `Authorization: Bearer …` or `X-API-Key: …`.',
      INVALID_CREDENTIALS:
        'Send one credential, of the right issuer and audience. The answer never says what is wrong with it; `plinth token` makes a valid one to compare.',
      TOKEN_EXPIRED: 'Get a new token, and repeat the request.',
      FORBIDDEN:
        'Ask for a role that may do this: `GET /_permissions` tells what you may do. Without `auth`, the operator has to open the operation.',
      HTTPS_REQUIRED:
        'Use `https://`. As the operator: name your proxy in `server.trustProxy`, or set `server.tls`.',
      HOST_NOT_ALLOWED:
        'Use a host name that is served. As the operator: add it to `server.allowedHosts`.',
    },
  },
  {
    heading: 'The address',
    about: '',
    cures: {
      RESOURCE_NOT_FOUND: 'The record was deleted, never existed, or is one that you may not see.',
      UNKNOWN_RESOURCE: 'Check the spelling, upper and lower case, and slashes at the end.',
      UNKNOWN_VERSION: 'Use a version that is served, or the path without one.',
      VERSION_SUNSET: 'Move to the next version. `Link` names it.',
      METHOD_NOT_ALLOWED: 'Use a method that `Allow` lists.',
      NOT_ACCEPTABLE:
        'Accept `application/json`; lists also come as `text/csv` and `application/x-ndjson`.',
      URI_TOO_LONG: 'Shorten the URL: split a long `_in` list into several requests.',
    },
  },
  {
    heading: 'Conflicts with other records or requests',
    about: '',
    cures: {
      HAS_DEPENDENTS:
        'Delete the records that `dependents` counts, or set `onDelete: cascade` or `setNull` at their key.',
      DELETE_TOO_LARGE: 'Delete what belongs to the record first, in parts.',
      TOO_MANY_AFFECTED:
        'Narrow the filters, or raise `max-affected` in `Prefer`, up to `limits.bulkItems`.',
      PRECONDITION_FAILED: 'Read the record again, apply your change to it, and repeat.',
      IDEMPOTENCY_MISMATCH: 'Use a new `Idempotency-Key` for each different request.',
      IDEMPOTENCY_IN_PROGRESS: 'Wait a moment, and repeat with the same key.',
    },
  },
  {
    heading: 'Too much at once',
    about: '`Retry-After` says after how many seconds to repeat the request.',
    cures: {
      RATE_LIMITED: 'Wait. `RateLimit` tells what is left of your quota.',
      OVERLOADED: 'Wait and repeat. As the operator: see [Operate](operate.md).',
      SANDBOXES_FULL: 'Delete sandboxes at the end of their tests: `DELETE /_sandboxes/<name>`.',
    },
  },
  {
    heading: 'The server and its database',
    about: 'Repeat the request after a while. As the operator, look up `requestId` in the log.',
    cures: {
      DATABASE_UNAVAILABLE:
        'As the operator: check that the database runs, that its tables are up to date (`plinth migrate`), and what the log says.',
      DATABASE_BUSY:
        'Repeat. If it lasts: look for slow statements, or give `database.poolSize` more.',
      QUERY_TIMEOUT:
        'Filter and sort by fields with an index. [`_debug=plan`](debug.md) names the one that is missing.',
      OUTCOME_UNKNOWN:
        'Read the record to see whether it was written. With an `Idempotency-Key`, repeat the request.',
      KEYS_UNAVAILABLE: 'Repeat. As the operator: check that `auth.jwt.jwksUri` can be reached.',
      NOT_SUPPORTED: 'Send the body with `Content-Length`, or with `Transfer-Encoding: chunked`.',
      INTERNAL_ERROR:
        'Look at the log. If it names `ownCode`, mend that; otherwise report it, with what the log says under the request id.',
      SIMULATED_ERROR: 'It was asked for, by `network` of the file or by `X-Simulate`.',
    },
  },
  {
    heading: 'Own code',
    about: 'The functions of the module that `code` names answer with these.',
    cures: {
      CONFLICT:
        'Read `message`: the module refuses this change now. With `Retry-After`, others changed the record at the same time: send the request again.',
      REFUSED: 'Read `message`, which the module wrote, and look at its `fail`.',
      INVALID_SQL:
        'No client gets this, only the module: correct its `sql` where the message tells.',
      HOOK_DEPTH:
        'Look at the log: a hook writes what calls the same hook. Test for it in the hook.',
      HANDLER_TIMEOUT:
        'Make the function faster or pass `signal` on to what it waits for, or raise `timeout` of the endpoint or `server.requestTimeout`.',
    },
  },
  {
    heading: 'HTTP itself',
    about: 'Clients and proxies rarely cause these.',
    cures: {
      MALFORMED_REQUEST: 'Check what sits between client and server.',
      REQUEST_TIMEOUT: 'Send the request faster, or raise `server.requestTimeout`.',
      HEADERS_TOO_LARGE: 'Send fewer or shorter headers; cookies are the usual cause.',
    },
  },
];

const beginning = `# Errors

<!-- Made from src/errors.ts, src/problem-rules.ts and scripts/errors.ts by \`npm run documents\`. -->

Every error is JSON of one form:

\`\`\`json
{
  "status": 422,
  "error": "Unprocessable Entity",
  "message": "Some values are not allowed",
  "path": "/v1/tracks/1",
  "code": "INVALID_VALUE",
  "requestId": "2acbda8b-…",
  "errors": [
    { "field": "milliseconds", "message": "must be at least 0", "rule": "minimum", "params": { "min": 0 } }
  ]
}
\`\`\`

- Decide by \`code\`, which never changes. \`message\` is for people.
- \`requestId\` is also in the header \`X-Request-Id\` and in the log.
- A 400 names what is wrong in \`validationErrors\` (\`field\`, \`error\`), a 422 in \`errors\` (\`field\`, \`message\`), both with
  \`rule\` and \`params\` ([below](#rules-and-params)). The [typed client](clients.md#handle-errors) has both as one map.
- If you do not see why, add \`_verbose=true\` to the request while you develop ([debug](debug.md)).
`;

/** The rules of problems and their params. */
function rulesSection(): string {
  const rows = Object.entries(ruleTable).map(([rule, { params, about }]) => {
    const names = Object.entries(params).map(
      ([name, type]) => `\`${name}\`${type.endsWith('?') ? ' (not always)' : ''}`,
    );
    return `| \`${rule}\` | ${names.join(', ')} | ${about} |`;
  });
  return [
    '## Rules and params',
    '',
    'Each problem names the `rule` that is broken, and in `params` what the rule asks for, so that your program can say it',
    'in its own words or language. Rules are stable; new ones may be added.',
    '',
    '| rule | params | what is wrong |',
    '| --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

/** Every error with its cause and its cure, as Markdown. */
export function errorGuide(): string {
  const listed = new Set(groups.flatMap(({ cures }) => Object.keys(cures)));
  const missing = Object.keys(errorTable).filter((code) => !listed.has(code));
  if (missing.length > 0) throw new Error(`scripts/errors.ts lacks ${missing.join(', ')}`);
  const parts = groups.map(({ heading, about, cures }) => {
    const rows = Object.entries(cures).map(([code, cure]) => {
      const { status, about: cause } = errorTable[code as ErrorCode];
      return `| \`${code}\` | ${status} | ${cause} | ${cure} |`;
    });
    const table = ['| code | status | cause | cure |', '| --- | --- | --- | --- |', ...rows];
    return [`## ${heading}`, '', ...(about === '' ? [] : [about, '']), ...table, ''].join('\n');
  });
  return `${beginning}\n${parts.join('\n')}\n${rulesSection()}`;
}
