import { readFileSync } from 'node:fs';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { anonymous, type Subject } from '../../src/model/access.ts';
import type { OpenApiDocument } from '../../src/openapi/document/document.ts';
import { at, documentOf, sentParameters, servedDocumentOf } from './documents.ts';
import { oddSpecifications } from './odd-specifications.ts';
import { everything, guarded, versioned } from './specifications.ts';
import { world } from '../query/world.ts';

const chinook = readFileSync(
  new URL('../../examples/chinook/plinth.yaml', import.meta.url),
  'utf8',
);
const [blog, shop, media] = ['blog', 'shop', 'media'].map((name) =>
  readFileSync(new URL(`../../examples/${name}/plinth.yaml`, import.meta.url), 'utf8'),
) as [string, string, string];
const editor: Subject = { authenticated: true, roles: new Set(['editor']) };
const someone: Subject = { authenticated: true, roles: new Set() };

describe('the recommended rules of redocly lint', () => {
  test.each<[string, string, (number | undefined)?, Subject?]>([
    ['Chinook', chinook],
    ['the blog', blog],
    ['the shop', shop],
    ['media', media],
    ['every type and relation', everything],
    ['relations with names of their own', world],
    ['auth', guarded],
    ['auth, for nobody', guarded, undefined, anonymous],
    ['auth, for somebody', guarded, undefined, someone],
    ['auth, for an editor', guarded, undefined, editor],
    ['a deprecated version', versioned, 1],
    ['a version that is not', versioned, 2],
    ['a hidden resource', versioned, 3],
    ['a version, for nobody', versioned, 1, anonymous],
    ...Object.entries(oddSpecifications).map(
      ([name, { text }]) => [name, text] as [string, string],
    ),
  ])('%s: nothing to say', async (_, text, number, subject) => {
    const options = { number, isDebugOn: true, hasSandboxes: true };
    const source = JSON.stringify(await servedDocumentOf(text, subject, options));
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    expect(
      problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]),
    ).toEqual([]);
  });

  test('they do find what is wrong', async () => {
    const source = JSON.stringify({ ...documentOf(blog), servers: [] });
    const config = await createConfig({ extends: ['recommended'] });
    expect(await lintFromString({ source, absoluteRef: '/openapi.json', config })).not.toEqual([]);
  });
});

describe('what the document says', () => {
  const all = documentOf(everything);
  const things = 'paths /api/v1/things';
  test.each<[string, string, unknown]>([
    ['its version of OpenAPI', 'openapi', '3.1.1'],
    ['the title', 'info title', 'Everything & more <b>'],
    ['the server', 'servers', [{ url: 'https://api.example.org' }]],
    ['the description of a resource', 'components schemas Thing description', 'Of every type.'],
    [
      'a string with its rules',
      'components schemas ThingCreate properties name',
      { type: 'string', minLength: 2, maxLength: 20, pattern: '^[a-z ]+$' },
    ],
    ['no rules on what is read', 'components schemas Thing properties name', { type: 'string' }],
    [
      'a nullable enum',
      'components schemas Thing properties level',
      { type: ['string', 'null'], enum: ['low', 'high', null] },
    ],
    ['a default', 'components schemas ThingCreate properties count default', 4],
    [
      'bounds',
      'components schemas ThingCreate properties ratio',
      { type: ['number', 'null'], format: 'double', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    ],
    [
      'an array',
      'components schemas ThingCreate properties words',
      {
        type: ['array', 'null'],
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        maxItems: 3,
        uniqueItems: true,
      },
    ],
    [
      'an object of any members',
      'components schemas Thing properties free',
      { type: ['object', 'null'], additionalProperties: true },
    ],
    [
      'what may be left of an object in an object',
      'components schemas ThingSelection properties specs properties size properties width type',
      ['integer', 'null'],
    ],
    ['nothing of it', 'components schemas ThingSelection properties specs required', undefined],
    ['an address', 'components schemas Thing properties mail format', 'email'],
    ['what is needed to create', 'components schemas ThingCreate required', ['name', 'on']],
    ['what is needed to replace', 'components schemas ThingReplace required', ['name', 'on']],
    ['nothing is needed to change', 'components schemas ThingUpdate required', undefined],
    ['what is only written is not read', 'components schemas Thing properties secret', undefined],
    ['what is only written', 'components schemas ThingCreate properties secret writeOnly', true],
    [
      'what is only read is not created',
      'components schemas ThingCreate properties hits',
      undefined,
    ],
    [
      'what is only read can be sent back',
      'components schemas ThingUpdate properties hits readOnly',
      true,
    ],
    ['an id that the server gives', 'components schemas ThingCreate properties id', undefined],
    [
      'an id that a client may give',
      'components schemas OwnerCreate properties id',
      { type: 'string', format: 'uuid' },
    ],
    [
      'a to-one relation',
      'components schemas Thing properties owner',
      {
        description: 'Whose it is.',
        anyOf: [{ $ref: '#/components/schemas/Owner' }, { type: 'null' }],
      },
    ],
    [
      'a collection with what its junction says',
      'components schemas Thing properties tags items $ref',
      '#/components/schemas/ThingTagsItem',
    ],
    [
      'the pivot',
      'components schemas ThingTagsItem properties pivot properties',
      { position: { type: 'integer', format: 'int64' } },
    ],
    [
      'a collection of a junction that says nothing',
      'components schemas Thing properties labels items $ref',
      '#/components/schemas/Tag',
    ],
    [
      'a morphTo',
      'components schemas Note properties about anyOf',
      [
        { $ref: '#/components/schemas/Thing' },
        { $ref: '#/components/schemas/Owner' },
        { type: 'null' },
      ],
    ],
    [
      'links in a body',
      'components schemas ThingCreate properties tags $ref',
      '#/components/schemas/ThingTagsNewLinks',
    ],
    [
      'a resource that is called as an error is',
      'components schemas Errors properties code',
      { type: ['string', 'null'] },
    ],
    [
      'the merge patch',
      `${things}/{id} patch requestBody content application/merge-patch+json schema $ref`,
      '#/components/schemas/ThingMergePatch',
    ],
    [
      'a merge patch that is a patch',
      'paths /api/v1/tags/{id} patch requestBody content application/merge-patch+json schema $ref',
      '#/components/schemas/TagUpdate',
    ],
    ['CSV', `${things} get responses 200 content text/csv schema type`, 'string'],
    ['NDJSON', `${things} get responses 200 content application/x-ndjson schema type`, 'string'],
    ['no security without auth', `${things} get security`, []],
    [
      'codes of an error',
      'components responses PreconditionFailed content application/json schema allOf 1 properties code enum',
      ['PRECONDITION_FAILED'],
    ],
    ['an operation', `${things} post operationId`, 'createThing'],
    ['no sunset where there is none', `${things} get responses 410`, undefined],
  ])('%s', (_, pointer, expected) => {
    expect(at(all, pointer)).toEqual(expected);
  });

  const queryNames = (document: OpenApiDocument, pointer: string): readonly string[] =>
    sentParameters(document, pointer).flatMap((one) => (one.in === 'query' ? [one.name] : []));
  const filters = queryNames(all, `${things} get`);

  const presence = ['_exists', '_null'];
  const equality = ['', '_eq', '_neq', '_in', '_nin', ...presence];
  const order = [...equality, '_gt', '_gte', '_lt', '_lte'];
  const parts = ['_like', '_ilike', '_nlike', '_nilike', '_startsWith', '_endsWith', '_ieq'];
  const text = [...order, ...parts];
  test.each([
    ...['name', 'text', 'mail', 'link', 'slug'].map((field) => [field, text] as const),
    ...['ratio', 'price', 'day', 'at', 'moment', 'token', 'ownerId'].map(
      (field) => [field, order] as const,
    ),
    ['on', equality] as const,
    ...['free', 'owner', 'tags'].map((field) => [field, presence] as const),
    // What is only written can be asked for nothing.
    ['secret', []] as const,
  ])('the operators of the type of %s', (field, suffixes) => {
    const own = filters.filter((name) => name === field || name.startsWith(`${field}_`));
    expect(own.toSorted()).toEqual(suffixes.map((suffix) => `${field}${suffix}`).toSorted());
  });

  test.each([
    ['on', ['on', 'on_eq', 'on_neq', 'on_in', 'on_nin', 'on_exists', 'on_null']],
    [
      'count',
      [
        'count',
        'count_eq',
        'count_neq',
        'count_gt',
        'count_gte',
        'count_lt',
        'count_lte',
        'count_in',
        'count_nin',
        'count_exists',
        'count_null',
      ],
    ],
    [
      'words',
      ['words_exists', 'words_null', 'words_contains', 'words_containsAll', 'words_containsAny'],
    ],
    ['extra', ['extra_exists', 'extra_null']],
    ['children', ['children_exists', 'children_null']],
    // level_gt is a field, so nothing asks whether the level is greater; limit is a page's.
    [
      'level',
      ['level', 'level_eq', 'level_neq', 'level_in', 'level_nin', 'level_exists', 'level_null'],
    ],
    [
      'limit',
      [
        'limit',
        'limit_eq',
        'limit_neq',
        'limit_gt',
        'limit_gte',
        'limit_lt',
        'limit_lte',
        'limit_in',
        'limit_nin',
        'limit_exists',
        'limit_null',
      ],
    ],
  ])('the operators of %s', (field, expected) => {
    const own = filters.filter(
      (name) => name === field || (name.startsWith(`${field}_`) && !name.startsWith('level_gt')),
    );
    expect(own.toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    ['a member of an object', 'specs.weight'],
    ['a member of a member', 'specs.size.width'],
    ['a field of a related record', 'owner.name'],
    ['a pivot field', 'tags.pivot.position'],
    ['a field behind a morphMany', 'notes.text'],
    ['the page of a collection', 'children.page'],
  ])('a list takes %s', (_, name) => expect(filters).toContain(name));

  test('a single read takes filters and paging of its collections alone', () => {
    const names = queryNames(all, `${things}/{id} get`);
    expect(names).toEqual(
      expect.arrayContaining(['tags.limit', 'tags.name', 'tags.pivot.position', 'notes.text']),
    );
    expect(names.filter((name) => /^(?:owner|specs)\.|^\w+_exists$/u.test(name))).toEqual([]);
    expect(
      names.filter((name) => ['page', 'limit', 'name', 'count_gt', '_or'].includes(name)),
    ).toEqual([]);
  });

  test('names that cannot be told apart are told apart', () => {
    const fields = '{ fields: { a: { type: string } } }';
    const names = ['posts', 'post', 'post-creates', 'blog-posts', 'blog_posts', 'records', 'news'];
    const text = `resources: { ${names.map((name) => `${name}: ${fields}`).join(', ')} }`;
    const { paths, components } = documentOf(text);
    const ids = Object.values(paths).flatMap((item) =>
      Object.values(item).flatMap(({ operationId }) => operationId ?? []),
    );
    expect(new Set(ids).size).toBe(names.length * 8 + 1);
    expect(Object.keys(components['schemas'] ?? {})).toEqual(
      expect.arrayContaining([
        'Post',
        'PostRecord',
        'PostCreates',
        'BlogPost',
        'BlogPosts',
        'Records',
        'News',
      ]),
    );
  });

  test('the same file says the same', () => {
    expect(JSON.stringify(documentOf(everything))).toBe(JSON.stringify(all));
  });
});

describe('versions', () => {
  test.each<[string, number, string, unknown]>([
    [
      'names of the version',
      1,
      'components schemas Post properties headline type',
      ['string', 'null'],
    ],
    ['and not of another', 1, 'components schemas Post properties title', undefined],
    ['what is hidden', 1, 'components schemas Post properties views', undefined],
    ['a resource that is hidden', 1, 'paths /v1/drafts', undefined],
    ['a deprecated one', 1, 'paths /v1/posts get deprecated', true],
    [
      'its header',
      1,
      'paths /v1/posts get responses 200 headers Deprecation schema type',
      'string',
    ],
    [
      'its end',
      1,
      'paths /v1/posts get responses 410 content application/json schema allOf 1 properties code enum',
      ['VERSION_SUNSET', 'SIMULATED_ERROR'],
    ],
    ['no credential where there is no auth', 2, 'paths /v2/posts get responses 401', undefined],
    ['one that is not deprecated', 2, 'paths /v2/posts get deprecated', undefined],
    ['nor ends', 2, 'paths /v2/posts get responses 410', undefined],
    ['its resource', 2, 'paths /v2/drafts get operationId', 'listDrafts'],
    ['the quota', 2, 'paths /v2/posts get responses 200 headers RateLimit schema type', 'string'],
    [
      'simulated errors',
      2,
      'paths /v2/posts get responses default content application/json schema $ref',
      '#/components/schemas/Error',
    ],
    ['the number', 3, 'info version', '3'],
  ])('%s', (_, number, pointer, expected) => {
    expect(at(documentOf(versioned, number), pointer)).toEqual(expected);
  });
});

describe('what a caller may not do is not there', () => {
  const subjects: Readonly<Record<string, Subject>> = {
    nobody: anonymous,
    editor: { authenticated: true, roles: new Set(['editor']) },
    admin: { authenticated: true, roles: new Set(['admin']) },
  };
  test.each<[string, string, unknown]>([
    ['nobody', 'paths /v1/posts post', undefined],
    ['editor', 'paths /v1/posts post security', [{ bearer: [] }, { apiKey: [] }]],
    ['nobody', 'paths /v1/posts get security', [{}, { bearer: [] }, { apiKey: [] }]],
    // Of several rules one for everyone is enough.
    ['editor', 'paths /v1/posts get security', [{}, { bearer: [] }, { apiKey: [] }]],
    ['nobody', 'paths /v1/drafts', undefined],
    ['nobody', 'components schemas Post properties draft', undefined],
    ['nobody', 'components schemas Post properties draftId type', ['integer', 'null']],
    [
      'editor',
      'components schemas Post properties draft anyOf 0 $ref',
      '#/components/schemas/Draft',
    ],
    ['editor', 'components schemas Post properties cost', undefined],
    ['admin', 'components schemas Post properties cost format', 'decimal'],
    ['admin', 'paths /v1/posts post', undefined],
    ['nobody', 'paths /v1/inbox get', undefined],
    [
      'nobody',
      'paths /v1/inbox post responses 201 content application/json schema anyOf 0 $ref',
      '#/components/schemas/InboxId',
    ],
    ['nobody', 'paths /v1/inbox/{id} put responses 200', undefined],
    ['nobody', 'paths /v1/inbox/{id} delete', undefined],
    ['nobody', 'components securitySchemes bearer scheme', 'bearer'],
    ['nobody', 'components securitySchemes apiKey name', 'X-API-Key'],
  ])('for %s: %s', (who, pointer, expected) => {
    expect(at(documentOf(guarded, 1, subjects[who]), pointer)).toEqual(expected);
  });

  test('its names are nowhere in the text', () => {
    const text = JSON.stringify(documentOf(guarded, 1, anonymous));
    expect(text).not.toMatch(/cost|drafts|Drafts?"/u);
  });
});
