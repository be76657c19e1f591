import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous, type Subject } from '../../src/model/access.ts';
import type { OpenApiDocument } from '../../src/openapi/document/document.ts';
import { serveApi } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { pointerOf } from '../support/openapi.ts';
import { at, documentOf, servedDocumentOf } from './documents.ts';
import { generated } from '../generate/generate.ts';
import { serveSandboxes, type SandboxedApi } from '../sandboxes/sandboxes.ts';
import { everything, guarded, versioned } from './specifications.ts';
import { world } from '../query/world.ts';

const exampleFile = (name: string): string =>
  readFileSync(new URL(`../../examples/${name}/plinth.yaml`, import.meta.url), 'utf8');
const [blog, shop, media, chinook] = ['blog', 'shop', 'media', 'chinook'].map(exampleFile) as [
  string,
  string,
  string,
  string,
];

/** The pointers of everything in a document that has both a schema and an example, with the example. */
function* shownExamples(
  part: unknown,
  path: readonly string[] = [],
): Generator<readonly [schema: readonly string[], example: unknown]> {
  if (typeof part !== 'object' || part === null) return;
  if ('schema' in part && 'example' in part) yield [[...path, 'schema'], part.example];
  for (const [name, below] of Object.entries(part))
    if (name !== 'example') yield* shownExamples(below, [...path, name]);
}

const editor: Subject = { authenticated: true, roles: new Set(['editor']) };

describe('every example is valid by the schema beside it', () => {
  test.each<[string, string, Subject | undefined, number?]>([
    ['a version with names of its own', versioned, undefined, 1],
    ['the shop', shop, undefined],
    ['media', media, undefined],
    ['the blog', blog, undefined],
    ['Chinook', chinook, undefined],
    ['every type and relation', everything, undefined],
    ['relations with names of their own', world, undefined],
    ['auth, all of it', guarded, undefined],
    ['auth, for nobody', guarded, anonymous],
    ['auth, for an editor', guarded, editor],
  ])('%s', async (_, text, subject, number) => {
    const document = await servedDocumentOf(text, subject, { number });
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(document, 'api');
    const bad: unknown[] = [];
    let count = 0;
    for (const [pointer, example] of shownExamples(document)) {
      const validate = ajv.compile({ $ref: `api#${pointerOf(...pointer)}` });
      count += 1;
      if (!validate(example)) bad.push([pointer.join(' '), example, validate.errors]);
    }
    expect(bad).toEqual([]);
    expect(count).toBeGreaterThan(8);
  });
});

/** The examples of an operation: of its body, and of the answer. */
function examplesAt(
  document: OpenApiDocument,
  pointer: string,
): { body: unknown; answer: unknown } {
  const content = 'content application/json example';
  const status = pointer.endsWith(' post') ? 201 : 200;
  return {
    body:
      at(document, `${pointer} requestBody`) && at(document, `${pointer} requestBody ${content}`),
    answer: at(document, `${pointer} responses ${status} ${content}`),
  };
}

/** Resources that have a record for each of another one, so that there is no room for one more. */
const full = new Set(['/v1/profiles', '/v1/addresses']);

describe('in dev the examples are what is there', () => {
  const apis = new Map<string, SandboxedApi>();
  beforeAll(async () => {
    for (const [name, text] of Object.entries({ shop, media, blog }))
      apis.set(name, await serveSandboxes(text));
  });
  afterAll(async () => {
    for (const api of apis.values()) await api.stop();
  });

  test.each(['shop', 'media', 'blog'])('%s', async (name) => {
    const api = apis.get(name);
    if (api === undefined) throw new Error('It is not served');
    const { body } = await api.get('/_openapi.json');
    const document = body as OpenApiDocument;
    const wrong: unknown[] = [];
    let count = 0;
    const ask = async (method: string, path: string, sent: unknown, type?: string) => {
      const sandbox = `s${(count += 1)}`;
      const headers = { 'x-sandbox': sandbox, ...(type && { 'content-type': type }) };
      const answer = await api.send(method, path, sent, headers);
      await api.send('DELETE', `/_sandboxes/${sandbox}`);
      return answer;
    };
    for (const path of Object.keys(document.paths)) {
      if (path.endsWith('/_batch')) {
        const { body: sent } = examplesAt(document, `paths ${path} post`);
        const { status, body: made } = await ask('POST', path, sent);
        const statuses = (made as { readonly status: number }[]).map((one) => one.status);
        expect([path, status, statuses]).toEqual([path, 200, [201, 200]]);
        continue;
      }
      if (!path.endsWith('{id}')) {
        const { body: sent, answer: shown } = examplesAt(document, `paths ${path} post`);
        expect([path, sent === undefined]).toEqual([path, full.has(path)]);
        if (sent === undefined) continue;
        const { status, body: made } = await ask('POST', path, sent);
        // The service sets times, and knows nothing of what generated rows would have.
        const plain = (record: unknown): object => ({
          ...(record as object),
          createdAt: 0,
          updatedAt: 0,
        });
        if (status !== 201 || JSON.stringify(plain(made)) !== JSON.stringify(plain(shown)))
          wrong.push([path, status, sent, made, shown]);
        continue;
      }
      const id = String(at(document, `paths ${path} parameters 0 example`));
      const real = path.replace('{id}', id);
      const there = (await api.get(real)).body as object;
      expect(examplesAt(document, `paths ${path} get`).answer).toEqual(there);
      const put = examplesAt(document, `paths ${path} put`);
      expect(put.answer).toEqual(there);
      const merge = `paths ${path} patch requestBody content application/merge-patch+json example`;
      for (const [method, sent, type] of [
        ['PUT', put.body, 'application/json'],
        ['PATCH', examplesAt(document, `paths ${path} patch`).body, 'application/json'],
        ['PATCH', at(document, merge), 'application/merge-patch+json'],
      ] as const) {
        const answer = await ask(method, real, sent, type);
        if (answer.status !== 200) wrong.push([method, real, sent, answer.text]);
      }
    }
    expect(wrong).toEqual([]);
    expect(count).toBeGreaterThan(10);
  });

  test('requests may name a sandbox, and a network', async () => {
    const { body } = (await apis.get('media')?.get('/_openapi.json')) ?? {};
    const parameters = at(body as OpenApiDocument, 'paths /v1/authors/{id} patch parameters');
    expect(parameters).toEqual(
      expect.arrayContaining([
        { $ref: '#/components/parameters/Simulate' },
        { $ref: '#/components/parameters/Sandbox' },
      ]),
    );
    const error = at(body as OpenApiDocument, 'paths /v1/authors/{id} patch responses');
    const simulated = await apis.get('media')?.get('/v1/authors', { 'x-simulate': 'error=503' });
    expect(simulated?.body).toMatchObject({ status: 503, code: 'SIMULATED_ERROR' });
    expect(error).toHaveProperty('default', { $ref: '#/components/responses/SimulatedError' });
  });
});

test('the same file always has the same examples', async () => {
  expect(await servedDocumentOf(shop)).toEqual(await servedDocumentOf(shop));
});

test('what cannot be generated is made of types', async () => {
  const text = `resources:
  codes:
    fields:
      name: { type: string, required: true, pattern: "^[ab]+$", generator: internet.email }
      count: { type: integer, required: true, minimum: 7 }\n`;
  const api = await serveApi(text);
  const { body, status } = await api.get('/_openapi.json');
  expect(status).toBe(200);
  expect(
    at(
      body as OpenApiDocument,
      'paths /v1/codes post requestBody content application/json example',
    ),
  ).toBeUndefined();
  await api.stop();
});

/** Whose records are hidden from others, with a password that nobody reads. */
const members = `${withTokens}
access: { read: authenticated, write: authenticated }
generate: { count: 30 }
resources:
  members:
    access:
      read: [{ role: authenticated, where: "id={user.sub}" }, { role: admin }]
    fields:
      name: { type: string, required: true }
      email: { type: email, unique: true }
      password: { type: string, writeOnly: true, minLength: 8 }
      salary: { type: integer, access: { read: admin, write: admin } }
  files:
    access: { read: admin, write: admin }
    fields: { name: { type: string } }
  marks:
    fields:
      aboutType: { type: string, required: true }
      aboutId: { type: integer, required: true }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
`
  .replace(
    '      salary',
    '      marks: { type: relation, relation: morphMany, resource: marks, typeField: aboutType, idField: aboutId, typeValue: member }\n      salary',
  )
  .replace(
    '{ name: { type: string } }',
    '{ name: { type: string }, marks: { type: relation, relation: morphMany, resource: marks, typeField: aboutType, idField: aboutId, typeValue: secret-file } }',
  );

test('a key to records that are not there for the caller is left null in what it creates', async () => {
  const document = await servedDocumentOf(
    `
auth: { jwt: { secret: "01234567890123456789012345678901", algorithms: [HS256] } }
access: { read: public, write: public }
resources:
  letters:
    fields:
      text: { type: string, required: true }
      boxId: { type: integer, reference: boxes.id }
      senderId: { type: integer, reference: senders.id }
  boxes: { access: { read: editor }, fields: { name: { type: string } } }
  senders: { fields: { name: { type: string } } }
`,
    anonymous,
  );
  const [sent, made] = ['requestBody', 'responses 201'].map((part) =>
    at(document, `paths /v1/letters post ${part} content application/json example`),
  );
  expect(sent).toMatchObject({ boxId: null, senderId: expect.any(Number) });
  expect(made).toMatchObject({ boxId: null, senderId: expect.any(Number) });
});

describe('nothing is shown that the caller may not read', () => {
  let api: SandboxedApi;
  beforeAll(async () => {
    api = await serveSandboxes(members);
  });
  afterAll(() => api.stop());
  const documentFor = async (roles: readonly string[]): Promise<OpenApiDocument> =>
    (await api.get('/_openapi.json', caller({ sub: '1', roles }))).body as OpenApiDocument;
  const ofMember = 'paths /v1/members/{id} get responses 200 content application/json example';

  test('records that rules hide', async () => {
    const all = await api.get('/v1/members?limit=100', caller({ sub: '1', roles: ['admin'] }));
    const names = new Set(
      (all.body as { name: string; email: string }[]).map(({ email }) => email),
    );
    expect(names.size).toBe(30);
    const { email, id } = at(await documentFor([]), ofMember) as { email: string; id: number };
    expect([names.has(email), id]).toEqual([false, 31]);
    const own = at(await documentFor(['admin']), ofMember) as { email: string; id: number };
    expect([names.has(own.email), own.id]).toEqual([true, 1]);
  });

  test('fields', async () => {
    expect(JSON.stringify(await documentFor([]))).not.toContain('salary');
    expect(at(await documentFor(['admin']), ofMember)).toHaveProperty('salary');
  });

  test('what is only written, though a body has it', async () => {
    const text = JSON.stringify(await documentFor(['admin']));
    const stored = await passwords();
    expect(text).toContain('"password":"password example"');
    expect(stored).toHaveLength(30);
    expect(stored.filter((password) => text.includes(password))).toEqual([]);
  });

  test('the names of resources', async () => {
    const text = JSON.stringify(await documentFor([]));
    expect(text).toContain('aboutType');
    expect(text).not.toContain('secret-file');
    expect(JSON.stringify(await documentFor(['admin']))).toContain('secret-file');
  });
});

/** The passwords of all members, as they are generated. */
async function passwords(): Promise<readonly string[]> {
  const { members: rows = [] } = await generated(members);
  return rows.flatMap(({ password }) => (typeof password === 'string' ? [password] : []));
}

test('the document of everything and of one version have no header that is not honoured', () => {
  const text = JSON.stringify([documentOf(everything), documentOf(versioned, 1)]);
  expect(text).not.toMatch(/X-Sandbox|X-Simulate|_debug/u);
  expect(text).toContain('X-Debug');
});
