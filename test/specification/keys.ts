import { generateKeyPairSync } from 'node:crypto';
import { ecKeys, privatePem, publicPem, rsaKeys, yamlText } from '../support/keys.ts';

/** Rows for `structure.test.ts`: values as YAML text, for each key of the file outside `resources`. */
export interface KeyRow {
  readonly at: string;
  readonly good: readonly string[];
  /** Refused by the parser and by the JSON Schema. */
  readonly bad: readonly string[];
  /** Refused by the parser alone: what a JSON Schema cannot say. */
  readonly contradictions?: readonly string[];
}

export const text = {
  good: ['a', '"1"', '${NAME}'],
  bad: ['""', '1', 'true', 'null', '[a]', '{}'],
};
export const prose = { good: [...text.good, '""'], bad: ['1', 'null', '[a]'] };
export const flag = {
  good: ['true', 'false', '${YES}'],
  bad: ['yes', '"true"', '1', 'null', '{}'],
};
const positive = { good: ['1', '500', '${PORT}'], bad: ['0', '-1', '1.5', '"1"', 'a', 'null'] };
const duration = {
  good: ['1', '500ms', '10s', '5m', '24h', '"250"', '${PORT}'],
  bad: ['1.5s', '10 s', '10d', '-1', '-1s', 'soon', '1.5', 'null', '[]'],
  contradictions: ['600h', '9999999999s'],
};
const duration1 = { ...duration, bad: [...duration.bad, '0'] };
const size = {
  good: ['1', '64kb', '64KiB', '1MiB', '2gb', '12b', '${PORT}'],
  bad: ['0', '1.5kb', '1 kb', '1tb', '-1', 'big', 'null', '{}'],
};
export const names = { good: ['[]', '[a, bC]'], bad: ['a', '[1]', '[a-b]', '[""]', 'null', '{}'] };
const audience = {
  good: ['true', 'false', '{ roles: [admin] }', '${YES}'],
  bad: ['admin', '{}', '{ roles: [] }', '{ roles: admin }', '{ roles: [public] }', '1', '[a]'],
};
export const rules = {
  good: [
    'public',
    'editor',
    '[editor, { role: author, where: "authorId={user.sub}" }]',
    '{ where: "a=1" }',
    '{ role: editor }',
  ],
  bad: ['true', '[]', '[{}]', '""', '{ role: a, were: b }', '[[a]]', '[1]', 'null'],
};
const quota = {
  good: ['{ max: 10, window: 60s }', '{ max: 10 }', '{ window: 60s }'],
  bad: ['{ max: 0 }', '{ max: 0, window: 1s }', '{ window: 0 }', '{ limit: 3 }', '10', '[]'],
};
const hash = `sha256:${'0a'.repeat(32)}`;
const [rsa, ec] = [yamlText(publicPem(rsaKeys)), yamlText(publicPem(ecKeys))];
/** RFC 7518 wants 2,048 bits. */
const short = yamlText(publicPem(generateKeyPairSync('rsa', { modulusLength: 1024 })));
const secret = 's'.repeat(32);

export const keyRows: readonly KeyRow[] = [
  { at: 'name', ...text },
  { at: 'description', ...prose },
  { at: '$schema', good: ['https://x.org/schema.json'], bad: [] },
  { at: 'data', ...text },
  ...['x-own', 'server.x-own', 'groups.x-own', 'resources.posts.x-own'].map((at): KeyRow => ({
    at,
    good: ['null', '1', '[a, { b: c }]', '{ type: nothing }'],
    bad: [],
  })),
  {
    at: 'groups',
    good: ['{}', '{ short: [id, title] }', '{ a-b_1: [] }'],
    bad: ['[a]', '{ a: title }', '{ a: [b-c] }', '{ 1a: [b] }', '{ "a b": [] }', 'null'],
  },
  {
    at: 'api.basePath',
    good: ['""', '/api', '/api/v.1/x_y~z'],
    bad: ['api', '/', '/..', '/a/./b', '/api/', '/a b', '//a', '1', 'null'],
  },
  { at: 'api.unversioned', ...flag },
  { at: 'api.pagination', good: ['page', 'cursor'], bad: ['offset', 'Page', 'true', '""'] },
  {
    at: 'api.defaultVersion',
    good: ['1'],
    bad: ['0', '-1', '1.5', '"1"', 'v1'],
    contradictions: ['2'],
  },
  {
    at: 'api.versions',
    good: [
      '{ 1: {} }',
      '{ "1": {}, 2: { deprecated: 2026-01-31, sunset: 2026-12-31, link: "https://x.org/a?b#c" } }',
      '{ 1: { resources: { posts: { fields: { headline: { from: title }, secret: false } }, drafts: false, tags: {} } } }',
    ],
    bad: [
      '{}',
      '[1]',
      '{ v1: {} }',
      '{ 0: {} }',
      '{ 1: null }',
      '{ 1: { sunset: 2026-1-1 } }',
      '{ 1: { sunset: 2026-13-01 } }',
      '{ 1: { link: docs.html } }',
      '{ 1: { resources: { posts: true } } }',
      '{ 1: { resources: { posts: { from: x } } } }',
      '{ 1: { resources: { posts: { fields: { a: true } } } } }',
      '{ 1: { resources: { posts: { fields: { a: { from: b-c } } } } } }',
      '{ 1: { resources: { posts: { fields: { a: {} } } } } }',
      '{ 1: { fields: {} } }',
    ],
    contradictions: [
      '{ 1.0: {} }',
      '{ 01: {} }',
      '{ 1: { sunset: 2026-02-30 } }',
      '{ 1: { deprecated: 2026-03-01, sunset: 2026-02-01 } }',
    ],
  },
  {
    at: 'database',
    good: [
      'sqlite:data.db',
      '"sqlite::memory:"',
      'postgres://a:b@c:5432/d',
      'postgresql://c/d',
      '${DATABASE}',
      '{ url: "sqlite:a", poolSize: 4, statementTimeout: 5s, pooler: transaction }',
      '{ poolSize: 3 }',
      '{ managed: false, collation: database }',
      '{ managed: true, collation: codePoint }',
    ],
    bad: [
      'mysql://a',
      'data.db',
      '"sqlite:"',
      '{ managed: sometimes }',
      '{ collation: nocase }',
      '{ url: "sqlite:a", pool: 3 }',
      '5',
    ],
  },
  {
    at: 'database',
    good: [
      '{ url: "sqlite:a" }',
      '{ url: "postgres://a/b", replicas: ["postgres://c/b", "postgresql://d/b"], replicaLag: 30s }',
    ],
    bad: [
      '{ url: "postgres://a/b", replicas: [] }',
      '{ url: "postgres://a/b", replicas: ["sqlite:a"] }',
      '{ url: "postgres://a/b", replicas: "postgres://c/b" }',
      '{ url: "postgres://a/b", replicas: ["postgres://c/b"], replicaLag: 10 }',
      '{ url: "sqlite:a", pooler: session }',
      '{ url: "sqlite:a", poolSize: 0 }',
      '{ url: "sqlite:a", statementTimeout: 0 }',
    ],
  },
  { at: 'server.host', ...text },
  {
    at: 'server.port',
    good: ['0', '80', '65535', '${PORT}', '"${PORT}"'],
    bad: ['-1', '65536', '1.5', '"80"', 'http', 'null'],
  },
  {
    at: 'server.tls',
    good: ['self-signed', '{ cert: a.pem, key: b.pem }'],
    bad: ['true', 'selfsigned', '{}', '{ cert: a.pem }', '{ key: b.pem }', '[a, b]'],
  },
  {
    at: 'server.trustProxy',
    good: ['[]', '[127.0.0.1, 10.0.0.0/8, "::1", "fd00::/8"]'],
    bad: ['127.0.0.1', 'true', '[localhost]', '[1]', '[""]'],
    contradictions: ['[10.0.0.0/33]', '[1.2.3]', '["fd00::/129"]', '["1::2::3"]'],
  },
  {
    at: 'server.publicUrl',
    good: ['https://api.example.com', 'http://localhost:3000/base/'],
    bad: ['example.com', 'ftp://a', 'https://', '"https://a b"', '1'],
    contradictions: ['"http://[::1"', 'https://a:99999', 'https://a/?b', '"https://a/#b"'],
  },
  {
    at: 'server.allowedHosts',
    good: ['[]', '[example.com, "localhost:80", "[::1]:3000", my_host]'],
    bad: ['example.com', '["https://a"]', '["a/b"]', '["*.a"]', '[1]', '["-a"]'],
  },
  {
    at: 'server.cors',
    good: [
      'true',
      'false',
      '{ origins: ["*"] }',
      '{ origins: ["https://a.b:8080"], credentials: true }',
    ],
    bad: [
      '"*"',
      '{}',
      '{ origins: [] }',
      '{ origins: "*" }',
      '{ origins: [a.b] }',
      '{ origins: ["https://*.a.b"] }',
      '{ credentials: true }',
    ],
    contradictions: ['{ origins: ["*"], credentials: true }'],
  },
  { at: 'server.bodyLimit', ...size },
  { at: 'server.requestTimeout', ...duration1 },
  { at: 'server.maxInFlight', ...positive },
  { at: 'server.maxConnections', ...positive },
  { at: 'server.drainDelay', ...duration, good: [...duration.good, '0'] },
  { at: 'limits.defaultLimit', ...positive, contradictions: ['1001'] },
  { at: 'limits.maxLimit', ...positive },
  {
    at: 'limits.defaultDepth',
    good: ['1', '5'],
    bad: ['0', 'a', '1.5'],
    contradictions: ['6'],
  },
  { at: 'limits.maxDepth', ...positive },
  { at: 'limits.expandedItems', ...positive },
  { at: 'limits.responseItems', ...positive },
  { at: 'limits.exportItems', ...positive },
  { at: 'limits.inItems', ...positive },
  { at: 'limits.filters', ...positive },
  { at: 'limits.sorts', ...positive },
  { at: 'limits.pathDepth', ...positive },
  { at: 'limits.urlLength', ...size },
  { at: 'limits.batchItems', ...positive },
  {
    at: 'limits',
    good: ['{}', '{ defaultLimit: 50, maxLimit: 50 }'],
    bad: ['[]', '5', '{ limit: 3 }', 'null'],
    contradictions: ['{ defaultLimit: 51, maxLimit: 50 }', '{ defaultDepth: 3, maxDepth: 2 }'],
  },
  {
    at: 'auth.apiKeys',
    good: ['[]', `[{ name: a, hash: "${hash}", roles: [admin], sub: "7" }]`],
    bad: [
      '{}',
      `[{ hash: "${hash}" }]`,
      '[{ name: a }]',
      '[{ name: a, hash: abc }]',
      `[{ name: a, hash: "${hash.toUpperCase()}" }]`,
      ...['authenticated', 'public', 'none'].map(
        (role) => `[{ name: a, hash: "${hash}", roles: [editor, ${role}] }]`,
      ),
      `[{ name: a, hash: "${hash}", roles: admin }]`,
      `[{ name: a, hash: "${hash}", sub: 7 }]`,
      `[{ name: a, hash: "${hash}", key: b }]`,
    ],
    contradictions: [
      `[{ name: a, hash: "${hash}" }, { name: a, hash: "sha256:${'1'.repeat(64)}" }]`,
      `[{ name: a, hash: "${hash}" }, { name: b, hash: "${hash}" }]`,
    ],
  },
  {
    at: 'auth.jwt',
    good: [
      `{ secret: ${secret}, algorithms: [HS256, HS512] }`,
      '{ secret: "${SECRET}" }',
      `{ secret: ${'x'.repeat(32)} }`,
      `{ secret: ${'é'.repeat(16)} }`,
      `{ publicKey: ${rsa}, algorithms: [RS256, PS512], issuer: a, audience: b, rolesClaim: c }`,
      `{ publicKey: ${ec}, algorithms: [ES256] }`,
      `{ publicKey: ${yamlText(publicPem(ecKeys).replaceAll('\n', String.raw`\n`))} }`,
      `{ keys: [{ kid: a, alg: HS256, secret: ${secret} }, { kid: b, alg: RS256, publicKey: ${rsa} }] }`,
      `{ keys: [{ kid: a, alg: ES256, publicKey: ${ec} }], algorithms: [ES256, RS256] }`,
      '{ jwksUri: "https://a.b/keys", algorithms: [RS256, ES256, EdDSA] }',
      '{ jwksUri: "https://a.b/keys", audience: [a, b] }',
      '{ jwksUri: "http://localhost:8080/keys" }',
      '{ jwksUri: "http://127.0.0.1/keys" }',
      '{ jwksUri: "http://[::1]/keys" }',
    ],
    bad: [
      '{}',
      '[]',
      `{ secret: ${secret}, publicKey: PEM }`,
      `{ secret: ${secret}, jwksUri: "https://a.b" }`,
      '{ publicKey: PEM, algorithms: [none] }',
      '{ publicKey: PEM, algorithms: [] }',
      '{ publicKey: PEM, algorithms: RS256 }',
      '{ jwksUri: "http://a.b/keys" }',
      '{ jwksUri: "http://localhost.evil.org/keys" }',
      '{ jwksUri: keys.json }',
      '{ keys: [] }',
      `{ keys: [{ kid: a, secret: ${secret} }] }`,
      '{ keys: [{ kid: a, alg: HS256 }] }',
      `{ keys: [{ kid: a, alg: HS256, secret: ${secret}, publicKey: PEM }] }`,
      `{ keys: [{ alg: HS256, secret: ${secret} }] }`,
      '{ publicKey: PEM, audience: [] }',
      '{ publicKey: PEM, audiences: a }',
    ],
    contradictions: [
      '{ secret: short }',
      `{ secret: ${'x'.repeat(31)} }`,
      // A public key in the place of a secret: whoever has it could sign.
      `{ secret: ${rsa} }`,
      `{ keys: [{ kid: a, alg: HS256, secret: ${ec} }] }`,
      `{ publicKey: ${ec}, algorithms: [HS256] }`,
      `{ publicKey: ${ec}, algorithms: [RS256] }`,
      `{ publicKey: ${rsa}, algorithms: [RS256, ES256] }`,
      '{ publicKey: PEM }',
      `{ publicKey: ${short} }`,
      `{ publicKey: ${yamlText(privatePem(ecKeys))} }`,
      '{ jwksUri: "https://a.b/keys", algorithms: [HS256] }',
      `{ keys: [{ kid: a, alg: ES384, publicKey: ${ec} }] }`,
      `{ keys: [{ kid: a, alg: ES256, publicKey: ${ec} }], algorithms: [RS256] }`,
      `{ secret: ${secret}, algorithms: [RS256] }`,
      `{ keys: [{ kid: a, alg: HS256, publicKey: ${ec} }] }`,
      `{ keys: [{ kid: a, alg: HS256, secret: ${secret} }, { kid: a, alg: HS256, secret: ${secret} }] }`,
    ],
  },
  { at: 'access', good: [...rules.good, '{}'], bad: [...rules.bad, '{ reed: public }'] },
  { at: 'access.read', ...rules },
  { at: 'access.create', ...rules },
  { at: 'access.update', ...rules },
  { at: 'access.delete', ...rules },
  { at: 'access.write', ...rules },
  {
    at: 'rateLimit',
    good: [
      'false',
      '{}',
      '{ max: 100, window: 1m }',
      '{ store: "redis://a:6379" }',
      '{ store: memory }',
      '{ store: "rediss://user:p%40ss%23%25@[::1]:6379/3" }',
    ],
    bad: ['true', '100', '{ max: 0 }', '{ window: 0 }', '{ store: redis }', '{ limit: 3 }', '[]'],
    contradictions: [
      '{ store: "redis://a:99999" }',
      '{ store: "redis://:6379" }',
      '{ store: "redis://:pass#word@a:6379" }',
      '{ store: "redis://:100%sure@a:6379" }',
      '{ store: "redis://a:6379/first" }',
    ],
  },
  { at: 'rateLimit.perKey', ...quota },
  { at: 'rateLimit.perIp', ...quota },
  { at: 'rateLimit.failures', ...quota },
  { at: 'debug', ...audience },
  { at: 'metrics', ...audience },
  { at: 'dashboard', ...audience },
  { at: 'logging.enabled', ...flag },
  {
    at: 'logging.level',
    good: ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', '${LEVEL}'],
    bad: ['warning', 'INFO', '1', 'true'],
  },
  { at: 'logging.format', good: ['json', 'pretty'], bad: ['text', 'true'] },
  { at: 'logging.includeHeaders', ...flag },
  { at: 'logging.includeBodies', ...flag },
  { at: 'logging.excludePatterns', good: ['[]', '[/_health, "/a/*"]'], bad: ['/a', '[1]', '[""]'] },
  { at: 'logging.excludeHeaders', good: ['[]', '[cookie]'], bad: ['cookie', '[1]', '{}'] },
  {
    at: 'network.latency',
    good: ['5', '500ms', '{}', '{ min: 5, max: 5 }', '{ min: 50ms, max: 1s }'],
    bad: ['-5', 'slow', '[1, 2]', '{ min: -1 }', '{ mean: 3 }'],
    contradictions: ['{ min: 2s, max: 1s }'],
  },
  { at: 'network.errorRate', good: ['0', '0.25', '1'], bad: ['-0.1', '1.1', '10%', 'true'] },
  {
    at: 'network.throttling',
    good: ['{ rate: 1000 }', '{ rate: 64kb }'],
    bad: ['{}', '64kb', '{ rate: 0 }', '{ rate: fast }'],
  },
  { at: 'network.seed', good: ['0', '-5', '42'], bad: ['1.5', 'a', '1e300'] },
  {
    at: 'network.errors',
    good: ['[{ status: 503 }]', '[{ status: 400, weight: 0.5 }, { status: 599, weight: 3 }]'],
    bad: [
      '[]',
      '503',
      '[503]',
      '[{}]',
      '[{ status: 399 }]',
      '[{ status: 600 }]',
      '[{ status: 500, weight: 0 }]',
    ],
  },
  { at: 'generate.seed', good: ['0', '-1', '7'], bad: ['1.5', 'a', 'null'] },
  {
    at: 'generate.locale',
    good: ['en', 'de_AT', 'sr_RS_latin', 'en-US'],
    bad: ['english', '1', 'e'],
  },
  {
    at: 'generate.until',
    good: ['now', '2026-06-30', '"2026-06-30T12:00:00Z"'],
    bad: ['today', '1', '30.6.2026', 'true'],
    contradictions: ['2026-13-01'],
  },
  { at: 'generate', good: ['50', '{}'], bad: ['-1', 'many', '[]'] },
  { at: 'generate.count', good: ['0', '25'], bad: ['-1', '1.5', '"25"'] },
];
