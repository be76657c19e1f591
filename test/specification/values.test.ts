import { describe, expect, test } from 'vitest';
import { collectProblems } from '../../src/specification/parsers/collector.ts';
import { expectProblems, fields, good, load, withFields } from './problems.ts';

describe('variables', () => {
  const rows: readonly (readonly [string, string, unknown])[] = [
    ['text', 'name: ${HOST}', { name: 'example.org' }],
    ['several in a text', 'name: ${HOST}:${PORT}/x', { name: 'example.org:8080/x' }],
    ['empty', 'description: "a${EMPTY}"', { description: 'a' }],
    ['an escape', 'name: "$${HOST} ${HOST}"', { name: '${HOST} example.org' }],
    ['a dollar sign', 'name: $HOST $1 {HOST}', { name: '$HOST $1 {HOST}' }],
    ['a number', 'server:\n  port: ${PORT}', { server: { port: 8080 } }],
    ['a number in quotes', 'server: { port: "${PORT}" }', { server: { port: 8080 } }],
    ['a boolean', 'debug: ${YES}', { debug: true }],
    ['digits where text is wanted', 'name: ${DIGITS}', { name: '1234' }],
    ['a duration', 'server: { drainDelay: "${DIGITS}ms" }', { server: { drainDelay: 1234 } }],
    [
      'a word of a list',
      'logging: { excludeHeaders: ["x-${HOST}"] }',
      { logging: { excludeHeaders: ['x-example.org'] } },
    ],
  ];
  test.each(rows)('%s', (_, text, expected) => {
    const { specification, problems } = load(`${text}\n${good}`);
    expect(problems).toEqual([]);
    expect(specification).toMatchObject(expected as object);
  });

  test('where any value may stand, plain ones are numbers and quoted ones text', () => {
    const { specification } = load(
      withFields(
        'a:',
        '  type: json',
        '  default: [',
        '    x,',
        '    "${PORT}" ]',
        '  example:',
        '    - ${PORT}',
        '    - ${YES}',
        '    - ${HOST}',
        '    - a${PORT}',
      ),
    );
    expect(specification?.resources['posts']?.fields['a']).toEqual({
      type: 'json',
      default: ['x', '8080'],
      example: [8080, true, 'example.org', 'a8080'],
    });
  });

  expectProblems([
    [
      'unset ones, each with its place',
      `${good}\nname: \${ONE} and \${TWO}\nserver:\n  port: \${ONE}`,
      '2:7 name: the environment variable `ONE` is not set; set it, or write `$${ONE}` if the text itself is meant',
      '2:7 name: the environment variable `TWO` is not set; set it, or write `$${TWO}` if the text itself is meant',
      '4:9 server.port: the environment variable `ONE` is not set; set it, or write `$${ONE}` if the text itself is meant',
    ],
    [
      'an unset one in the only way of two to say it',
      `${good}\nauth: { jwt: { secret: "\${ONE}" } }\nrateLimit: false`,
      '2:24 auth.jwt.secret: the environment variable `ONE` is not set; set it, or write `$${ONE}` if the text itself is meant',
    ],
    [
      'an unset one among the values of an enum',
      'resources: { posts: { fields: { a: { type: enum, values: ["${ONE}"] } } } }',
      '1:59 resources.posts.fields.a.values[0]: the environment variable `ONE` is not set; set it, or write `$${ONE}` if the text itself is meant',
    ],
    [
      'names that objects inherit',
      `${good}\nname: \${constructor}`,
      '2:7 name: the environment variable `constructor` is not set; set it, or write `$${constructor}` if the text itself is meant',
    ],
    [
      'other forms',
      `${good}\nname: "\${A:-b}"`,
      '2:7 name: `${A:-b}` is not `${NAME}`; write `$${` for the characters themselves',
    ],
    [
      'a value is named, not shown',
      `${good}\nserver:\n  port: \${HOST}`,
      '3:9 server.port: `port` must be a whole number from 0 to 65535, not the value of `${HOST}`',
    ],
    [
      'empty where text is wanted',
      `${good}\nname: \${EMPTY}`,
      '2:7 name: `name` must be text, not the value of `${EMPTY}`, which is empty',
    ],
  ]);
});

describe('a file that is only read, with a variable that is not set', () => {
  test.each<readonly [severity: 'warning' | 'error', path: string, text: string]>([
    ['warning', 'database', 'database: "${NOPE}"'],
    ['warning', 'database.url', 'database: { url: "${NOPE}" }'],
    ['warning', 'server.port', 'server: { port: "${NOPE}" }'],
    ['warning', 'server.tls.key', 'server: { tls: { cert: a, key: "${NOPE}" } }'],
    ['warning', 'logging.level', 'logging: { level: "${NOPE}" }'],
    ['warning', 'rateLimit.store', 'rateLimit: { store: "redis://:${NOPE}@a" }'],
    ['warning', 'auth.jwt.secret', 'auth: { jwt: { secret: "${NOPE}" } }'],
    [
      'warning',
      'auth.jwt.audience[0]',
      'auth: { jwt: { jwksUri: "https://a", audience: ["${NOPE}"] } }',
    ],
    [
      'warning',
      'auth.jwt.keys[0].secret',
      'auth: { jwt: { keys: [{ kid: a, alg: HS256, secret: "${NOPE}" }] } }',
    ],
    // What documents of the API say, or would.
    ['error', 'server.publicUrl', 'server: { publicUrl: "${NOPE}" }'],
    ['error', 'auth.apiKeys[0].hash', 'auth: { apiKeys: [{ name: a, hash: "${NOPE}" }] }'],
    ['error', 'name', 'name: "${NOPE}"'],
    ['error', 'api.basePath', 'api: { basePath: "${NOPE}" }'],
    ['error', 'access', 'access: "${NOPE}"'],
    ['error', 'rateLimit', 'rateLimit: "${NOPE}"'],
    ['error', 'server.host', 'server: { host: &host "${NOPE}" }'],
    ['error', 'server.host', 'server: &server { host: "${NOPE}" }'],
  ])('%s: %s', (severity, path, text) => {
    const whole = `${good}\n${text}`;
    expect(load(whole, undefined, true).problems).toMatchObject([{ severity, path }]);
    expect(load(whole).problems).toMatchObject([{ severity: 'error', path }]);
  });

  test('is wrong where it is, whatever is not set', () => {
    const text = `${good}\nserver: { port: "\${NOPE}", hots: a }\ndatabase: "\${A-b}"`;
    expect(load(text, undefined, true).problems).toMatchObject([
      { severity: 'warning', path: 'server.port' },
      { severity: 'error', path: 'server.hots' },
      { severity: 'error', path: 'database' },
    ]);
  });
});

describe('numbers', () => {
  expectProblems([
    [
      'an integer that a number cannot hold',
      withFields('a: { type: integer, maximum: 9007199254740993 }'),
      `4:36 ${fields}.a.maximum: \`9007199254740993\` has more digits than a number holds exactly; shorten it, or put it in quotes where text is taken`,
    ],
    [
      'a decimal that a number cannot hold',
      withFields('a: { type: decimal, default: 99999999999999.9999 }'),
      `4:36 ${fields}.a.default: \`99999999999999.9999\` has more digits than a number holds exactly; shorten it, or put it in quotes where text is taken`,
    ],
    ['a decimal as text', withFields('a: { type: decimal, default: "99999999999999.9999" }')],
    [
      'decimals',
      withFields('a: { type: number, values: [0.1, 0.10, -0.00, 3.141592653589793, 1e300] }'),
    ],
    [
      'no number of JSON',
      withFields('a: { type: number, default: .inf, example: -.nan, values: [.NaN] }'),
      `4:35 ${fields}.a.default: \`.inf\` is a number that JSON cannot hold`,
      `4:66 ${fields}.a.values[0]: \`.NaN\` is a number that JSON cannot hold`,
    ],
  ]);

  test('durations are read as ms and sizes as bytes', () => {
    const { specification } = load(
      `${good}
database: { url: "sqlite:a", statementTimeout: 500ms }
server: { requestTimeout: 10s, drainDelay: 24h, bodyLimit: 64kb }
rateLimit: { window: 5m, failures: { max: 1, window: 250 } }
limits: { urlLength: 16KiB }
network: { throttling: { rate: 1mb }, latency: { min: 5, max: 1s } }`,
    );
    expect(specification).toMatchObject({
      database: { url: 'sqlite:a', statementTimeout: 500 },
      server: { requestTimeout: 10_000, drainDelay: 86_400_000, bodyLimit: 65_536 },
      rateLimit: { window: 300_000, failures: { max: 1, window: 250 } },
      limits: { urlLength: 16_384 },
      network: { throttling: { rate: 1_048_576 }, latency: { min: 5, max: 1000 } },
    });
  });

  test('a database URL alone is short for an object with it', () => {
    expect(load(`${good}\ndatabase: sqlite:a`).specification?.database).toEqual({
      url: 'sqlite:a',
    });
  });
});

describe('what is left of a file with errors', () => {
  test('attributes with errors are left out', () => {
    const { specification } = load(
      withFields('a: { type: string, maxLength: x, foo: 1, required: true }'),
    );
    expect(specification?.resources['posts']?.fields['a']).toEqual({
      type: 'string',
      required: true,
    });
  });

  test('a mistyped type is read on as what was meant, so that the rest is checked too', () => {
    const { specification, problems } = load(withFields('a: { type: strng, maxLength: 3 }'));
    expect(specification?.resources['posts']?.fields['a']?.type).toBe('string');
    expect(problems.map(({ message }) => message)).toEqual([
      'unknown type `strng`; did you mean `string`?',
    ]);
  });

  test.each([
    ['a field that is not understood', withFields('a: { type: qqqqqq }', 'b: { type: text }')],
    [
      'a relation without its resource',
      withFields('a: { type: relation, relation: hasMany }', 'b: { type: text }'),
    ],
    ['a field of a wrong name', withFields('a-b: { type: string }', 'b: { type: text }')],
    ['a name that differs in case only', withFields('b: { type: text }', 'B: { type: string }')],
    ['a resource that is not understood', `${withFields('b: { type: text }')}\n  tags: {}`],
    ['a resource of a wrong name', `${withFields('b: { type: text }')}\n  v1: { fields: {} }`],
  ])('%s is left out', (_, text) => {
    expect(load(text).specification?.resources).toEqual({
      posts: { fields: { b: { type: 'text' } } },
    });
  });

  test.each([
    ['a fault in the syntax', 'a: ['],
    ['a file without resources', 'name: a'],
  ])('nothing after %s', (_, text) => {
    expect(load(text).specification).toBeUndefined();
  });
});

describe('positions', () => {
  const text = withFields(
    'a: { type: string, reference: users.id, enum: [x, y] }',
    'b:',
    '  type: string',
  );
  const { positionOf } = load(`${text}\nserver: { drainDelay: 1s }`);
  test.each([
    ['the file', [], undefined, '1:1'],
    ['a map', ['resources', 'posts'], undefined, '2:3'],
    ['text', ['resources', 'posts', 'fields', 'a', 'reference'], undefined, '4:37'],
    ['its key', ['resources', 'posts', 'fields', 'a', 'reference'], 'key', '4:26'],
    ['a list', ['resources', 'posts', 'fields', 'a', 'enum'], undefined, '4:47'],
    ['an item', ['resources', 'posts', 'fields', 'a', 'enum', 1], undefined, '4:57'],
    [
      'an item that is not there',
      ['resources', 'posts', 'fields', 'a', 'enum', 9],
      undefined,
      '4:47',
    ],
    [
      'an attribute that is not there',
      ['resources', 'posts', 'fields', 'b', 'default'],
      undefined,
      '5:7',
    ],
    ['a resource that is not there', ['resources', 'users', 'fields'], undefined, '1:1'],
    ['below text', ['server', 'drainDelay', 'x'], undefined, '7:23'],
  ] as const)('of %s', (_, path, part, expected) => {
    const { line, column } = positionOf(path, part);
    expect(`${line}:${column}`).toBe(expected);
  });

  test('further problems are reported by path', () => {
    const collector = collectProblems('plinth.yaml', positionOf);
    collector.report(['resources', 'posts', 'fields', 'b', 'type'], 'second', 'error', {
      rule: 'value',
      instead: { by: 'string' },
    });
    collector.report(['resources', 'posts', 'unique', 0, 1], 'first', 'warning', { rule: 'index' });
    expect(collector.problems()).toEqual([
      {
        severity: 'warning',
        rule: 'index',
        file: 'plinth.yaml',
        path: 'resources.posts.unique[0][1]',
        line: 2,
        column: 3,
        message: 'first',
      },
      {
        severity: 'error',
        rule: 'value',
        file: 'plinth.yaml',
        path: 'resources.posts.fields.b.type',
        line: 6,
        column: 15,
        message: 'second',
        edit: { line: 6, column: 15, old: 'string', new: 'string' },
      },
    ]);
    expect(collector.refusals()).toBe(1);
  });
});
