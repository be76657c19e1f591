import { describe, expect, test } from 'vitest';
import { fields, good, load, withFields } from './problems.ts';

/** The messages about a file, each behind its path. */
function messagesIn(text: string): readonly string[] {
  return load(text).problems.map(({ path, message }) => `${path}: ${message}`);
}

const posts = 'resources.posts';
const resourceWith = (line: string): string =>
  `${withFields('title: { type: string }')}\n    ${line}`;

describe('a key that stands in the wrong place', () => {
  test.each<readonly [name: string, text: string, at: string, place: string]>([
    ['of the server, in the file', `${good}\nport: 8080`, 'port', 'server.port'],
    ['of CORS, in the file', `${good}\norigins: ["*"]`, 'origins', 'server.cors.origins'],
    ['of limits', `${good}\nmaxLimit: 10`, 'maxLimit', 'limits.maxLimit'],
    [
      'of a map that may be a word',
      `${good}\nstatementTimeout: 1s`,
      'statementTimeout',
      'database.statementTimeout',
    ],
    ['of the API', `${good}\nbasePath: /api`, 'basePath', 'api.basePath'],
    [
      'of the file, in a part',
      `${good}\nserver: { rateLimit: false }`,
      'server.rateLimit',
      'rateLimit',
    ],
    ['of another part', `${good}\napi: { port: 1 }`, 'api.port', 'server.port'],
    [
      'of a part above others of the name',
      `${good}\nlatency: { min: 1 }`,
      'latency',
      'network.latency',
    ],
    [
      'of the part that it stands in',
      `${good}\nnetwork: { rate: 9 }`,
      'network.rate',
      'network.throttling.rate',
    ],
    [
      'of the file, in a resource',
      resourceWith('rateLimit: false'),
      `${posts}.rateLimit`,
      'rateLimit',
    ],
    [
      'of a field, in its resource',
      resourceWith('required: [title]'),
      `${posts}.required`,
      `${fields}.<field>.required`,
    ],
    [
      'of a field, in the file',
      `${good}\nminLength: 1`,
      'minLength',
      'resources.<resource>.fields.<field>.minLength',
    ],
    ['of a resource, in the file', `${good}\nfields: {}`, 'fields', 'resources.<resource>.fields'],
    [
      'of a resource, in a field',
      withFields('a: { type: string, timestamps: true }'),
      `${fields}.a.timestamps`,
      `${posts}.timestamps`,
    ],
    [
      'of a field, in what allows it',
      withFields('a: { type: string, access: { required: true } }'),
      `${fields}.a.access.required`,
      `${fields}.a.required`,
    ],
  ])('%s', (_, text, at, place) => {
    const name = at.split('.').at(-1);
    expect(messagesIn(text)).toEqual([
      name === place
        ? `${at}: unknown key \`${name}\`; it belongs at the top of the file`
        : `${at}: unknown key \`${name}\`; did you mean \`${place}\`?`,
    ]);
  });

  test.each<readonly [name: string, text: string, message: string]>([
    [
      'a switch of the resource',
      withFields('timestamps: true'),
      `${fields}.timestamps: \`timestamps\` must be a definition such as { type: string }, not \`true\`; did you mean \`${posts}.timestamps\`?`,
    ],
    [
      'a list of the resource',
      withFields('unique: [[a, b]]'),
      `${fields}.unique: \`unique\` must be a definition such as { type: string }, not a list; did you mean \`${posts}.unique\`?`,
    ],
    [
      'a text of the resource',
      withFields('table: Posts'),
      `${fields}.table: \`table\` must be a definition such as { type: string }, not \`Posts\`; did you mean \`${posts}.table\`?`,
    ],
    [
      'a word of the file',
      'resources: { posts: { fields: {} }, access: public }',
      'resources.access: `access` must be a map with `fields`, not `public`; did you mean `access`?',
    ],
  ])('%s among what the user names', (_, text, message) => {
    expect(messagesIn(text)).toEqual([message]);
  });

  test.each<readonly [name: string, text: string, message: string]>([
    ['several have it', `${good}\ntype: [a]`, 'type: unknown key `type`'],
    ['two are as near', `${good}\nserver: { seed: 1 }`, 'server.seed: unknown key `seed`'],
    [
      'another form of its name is here',
      resourceWith('index: [[title]]'),
      `${posts}.index: unknown key \`index\`; did you mean \`indexes\`?`,
    ],
    ['none has it', `${good}\nfoo: 1`, 'foo: unknown key `foo`'],
    [
      'one here is written nearly so',
      `${good}\nservers: {}`,
      'servers: unknown key `servers`; did you mean `server`?',
    ],
    [
      'a field has the name of a key far above',
      withFields('port: 1'),
      `${fields}.port: \`port\` must be a definition such as { type: string }, not \`1\``,
    ],
  ])('is told nothing of where %s', (_, text, message) => {
    expect(messagesIn(text)).toEqual([message]);
  });

  test('means nothing to what has the name of its own', () => {
    const text = withFields(
      'timestamps: { type: boolean }',
      'unique: { type: string }',
      'port: { type: integer }',
    );
    expect(messagesIn(text)).toEqual([]);
  });
});

describe('a type by another name', () => {
  test.each([
    ['varchar(255)', 'did you mean `string`?'],
    ['VARCHAR (80)', 'did you mean `string`?'],
    ['decimal(10,2)', 'did you mean `decimal`?'],
    ['timestamptz', 'did you mean `datetime`?'],
    ['serial', 'did you mean `integer`?'],
    ['Text', 'did you mean `text`?'],
    ['bool', 'did you mean `boolean`?'],
    ['dict', 'did you mean `object`?'],
    ['string[]', 'write { type: array, items: { type: string } }'],
    ['int[]', 'write { type: array, items: { type: integer } }'],
  ])('%s', (type, advice) => {
    expect(messagesIn(withFields(`a: { type: "${type}" }`))).toEqual([
      `${fields}.a.type: unknown type \`${type}\`; ${advice}`,
    ]);
  });

  test.each(['slug', 'hostname', 'ipv4', 'ipv6'])('%s, which is a format', (format) => {
    expect(messagesIn(withFields(`a: { type: ${format} }`))).toEqual([
      `${fields}.a.type: \`${format}\` is a format of strings: write { type: string, format: ${format} }`,
    ]);
  });
});
