import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestLog } from '../../src/http/debug/logging.ts';
import { buildValid, serveApi, type Answer, type TestApi } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';
import { caller, withTokens } from '../support/callers.ts';

/**
 * Every value that somebody may not read is a canary that names who may: `canary-ann-2` is for Ann and the boss. The
 * fields and resources that are for the boss alone begin with `hush`, their numbers with 471147114711,
 * which no id has by chance.
 */
const specification = `
${withTokens}
debug: { roles: [boss] }
logging: { includeHeaders: true, includeBodies: true }
groups: { all: [title, inner, hushNote, hushCost, name, hushPay] }
access: { read: authenticated, write: boss }
resources:
  posts:
    access:
      read: [{ role: public, where: "state=shown" }, { role: author, where: "authorId={user.sub}" }, boss]
      create: [author, boss]
      write: [{ role: author, where: "authorId={user.sub}&hushNote_neq=none" }, boss]
    unique: [[title, hushNote]]
    fields:
      title: { type: string, index: true }
      state: { type: enum, values: [shown, hidden], default: hidden }
      inner: { type: string, nullable: true, access: { read: authenticated, write: public } }
      blindCode: { type: string, nullable: true, unique: true, access: { read: boss, write: [author, boss] } }
      hushNote: { type: string, nullable: true, access: boss }
      hushCost: { type: decimal, nullable: true, access: boss }
      hushData: { type: json, nullable: true, access: boss }
      authorId: { type: integer, nullable: true, reference: users.id, onDelete: restrict }
      author: { type: relation, relation: belongsTo, resource: users }
      remarks: { type: relation, relation: hasMany, resource: remarks }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [weight, memo] }
  users:
    access: { read: [{ where: "id={user.sub}" }, boss] }
    fields:
      name: { type: string }
      hushPay: { type: integer, access: boss }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
      hushVault: { type: relation, relation: hasOne, resource: hushvaults }
  remarks:
    access: { read: [{ role: public, where: "open=true" }, boss], write: [author, boss] }
    fields:
      text: { type: string }
      open: { type: boolean, default: false }
      postId: { type: integer, reference: posts.id, onDelete: restrict }
      post: { type: relation, relation: belongsTo, resource: posts }
  tags:
    access: { read: public }
    fields:
      name: { type: string }
      hushRank: { type: integer, access: boss }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags, withPivot: [weight] }
  post-tags:
    access: { read: [{ role: public, where: "weight_lt=100" }, boss], write: [author, boss] }
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      weight: { type: integer, default: 0 }
      memo: { type: string, nullable: true }
  letters:
    access: { read: boss, create: public }
    fields: { text: { type: string, nullable: true } }
  hushvaults:
    access: boss
    fields:
      code: { type: string, unique: true }
      userId: { type: integer, unique: true, reference: users.id }
`;

const callers = {
  nobody: {},
  known: caller({ sub: '9' }),
  ann: caller({ sub: '1', roles: ['author'] }),
  bob: caller({ sub: '2', roles: ['author'] }),
} as const;
type Who = keyof typeof callers;
const boss = caller({ sub: 'root', roles: ['boss'] });
/** Whose canaries each may meet. */
const seenBy: Readonly<Record<Who, readonly string[]>> = {
  nobody: [],
  known: ['known'],
  ann: ['known', 'ann'],
  bob: ['known', 'bob'],
};

let made = 0;
const canary = (who: 'known' | 'ann' | 'bob' | 'boss'): string => `canary-${who}-${(made += 1)}`;
const number = (): number => 471_147_114_711_000 + (made += 1);
const hush = (): object => ({
  blindCode: canary('boss'),
  hushNote: canary('boss'),
  hushCost: `${number()}.25`,
  hushData: { a: [canary('boss')] },
});
const records: Readonly<Record<string, readonly object[]>> = {
  users: [
    { name: canary('ann'), hushPay: number() },
    { name: canary('bob'), hushPay: number() },
  ],
  posts: [
    { title: 'a', state: 'shown', authorId: 1, inner: canary('known'), ...hush() },
    { title: canary('ann'), authorId: 1, inner: canary('ann'), ...hush() },
    { title: canary('bob'), authorId: 2, inner: canary('bob'), ...hush() },
    { title: 'd', state: 'shown', authorId: 2, inner: canary('known'), ...hush() },
  ],
  remarks: [
    { text: 'fine', open: true, postId: 1 },
    { text: canary('boss'), postId: 1 },
    { text: 'well', open: true, postId: 3 },
  ],
  tags: [
    { name: 'x', hushRank: number() },
    { name: 'y', hushRank: number() },
  ],
  'post-tags': [
    { postId: 1, tagId: 1, weight: 1, memo: 'm' },
    { postId: 1, tagId: 2, weight: 500, memo: canary('boss') },
    { postId: 3, tagId: 2, weight: 2, memo: 'n' },
  ],
  letters: [{ text: canary('boss') }],
  hushvaults: [{ code: canary('boss'), userId: 1 }],
};
const canaries = new Set(JSON.stringify(records).match(/canary-\w+-\d+|471147114711\d+/gu));

const fill = async (api: TestApi): Promise<void> => {
  for (const [name, list] of Object.entries(records)) {
    const { status, text } = await api.send('POST', `/v1/${name}`, list, boss);
    expect(status, text).toBe(201);
  }
};

/** All that an answer shows: a cursor holds values in another writing. */
function shown({ headers, text }: Answer): string {
  const cursor = headers.get('x-next-cursor') ?? '';
  const lines = [...headers].map(([name, value]) => `${name}: ${value}`);
  return [...lines, text, Buffer.from(cursor, 'base64url').toString()].join('\n');
}

/** What this caller may not see and is in a text; names that it has sent itself it knows. */
function leaksIn(text: string, who: Who, sent: string): readonly string[] {
  const found = text.match(/canary-\w+-\d+|471147114711\d+|\bhush\w*/giu) ?? [];
  const own = new Set(sent.match(/\bhush\w*/giu));
  return found.filter((one) => {
    const [, audience] = /^canary-(\w+)-/u.exec(one) ?? [];
    return audience === undefined ? !own.has(one) : !seenBy[who].includes(audience);
  });
}

const fields: Readonly<Record<string, readonly string[]>> = {
  posts: ['title', 'inner', 'blindCode', 'hushNote', 'hushCost', 'author.name', 'author.hushPay'],
  users: ['name', 'hushPay', 'posts.title', 'posts.hushNote', 'hushVault.code'],
  remarks: ['text', 'post.title', 'post.hushCost', 'post.author.name'],
  tags: ['name', 'hushRank', 'posts.title', 'posts.pivot.weight'],
  'post-tags': ['memo', 'weight'],
  letters: ['text'],
  hushvaults: ['code'],
};
const expansions: Readonly<Record<string, string>> = {
  posts: 'author.posts,remarks,tags',
  users: 'posts.remarks,posts.tags',
  remarks: 'post.author',
  tags: 'posts.author',
};

/** Every way to ask for what a resource has, in each of which a hidden value might show. */
function readsOf(resource: string): readonly string[] {
  const path = `/v1/${resource}`;
  const expand = expansions[resource];
  const named = (fields[resource] ?? []).flatMap((name) => [
    `_or=${name}:x,id:1&sort=-${name}&limit=1&cursor=`,
    `fields=id,${name}&expand=${name.split('.').slice(0, -1).join('.') || 'author'}`,
    // What is near to it is suggested, to who may know of it.
    `${name.slice(0, -1)}_gte=x`,
  ]);
  const queries = [
    'fields=*',
    'fields=hush*,*e',
    'fields=@all',
    'limit=1&page=2',
    ...(expand === undefined ? [] : [`expand=${expand}`, `expand=${expand},hushVault`]),
    ...named,
  ];
  const each = expand === undefined ? '' : `?expand=${expand}`;
  const ids = [1, 2, 3].map((id) => `${path}/${id}${each}`);
  return [path, ...queries.map((query) => `${path}?${query}`), ...ids];
}

const reads = [
  ...Object.keys(records).flatMap(readsOf),
  '/_permissions',
  '/_openapi.json',
  '/_docs',
  '/v1/hush',
];
const bodies: readonly object[] = [
  {},
  { titel: 'n', hushNot: 1, authorId: 2, postId: 3, userId: 1 },
];
const writes = Object.keys(records).flatMap((resource) => {
  const query = expansions[resource] === undefined ? '' : `?expand=${expansions[resource]}`;
  return [
    ...bodies.map((body) => ['POST', `/v1/${resource}${query}`, body] as const),
    ...[1, 2, 3].flatMap((id) => [
      ...bodies.map((body) => ['PATCH', `/v1/${resource}/${id}${query}`, body] as const),
      ['PUT', `/v1/${resource}/${id}`, { title: 'n', hushNote: 'x' }] as const,
      ['DELETE', `/v1/${resource}/${id}`, undefined] as const,
    ]),
  ];
});

describe('what a caller may not read is in nothing that it gets, and in nothing that is kept of its requests', () => {
  let both: Both;
  const lines: string[] = [];
  beforeAll(async () => {
    const model = buildValid(specification);
    const log = requestLog(() => model, 'start', { write: (line) => void lines.push(line) });
    both = await serveBoth(specification, {}, undefined, { readers: [log] });
    await fill(both);
  });
  afterAll(() => both?.stop());

  /** The leaks in an answer. */
  const ask = async (who: Who, method: string, path: string, body?: object): Promise<string[]> => {
    const answer = await both.send(method, path, body, callers[who]);
    const sent = `${path} ${JSON.stringify(body)}`;
    return leaksIn(shown(answer), who, sent).map((leak) => `${method} ${sent}: ${leak}`);
  };
  /** Runs what a caller asks, and gives the values that the log has of it and it may not see. */
  const loggedOf = async (who: Who, work: () => Promise<unknown>): Promise<readonly string[]> => {
    lines.length = 0;
    await work();
    expect(lines.length).toBeGreaterThan(0);
    return leaksIn(lines.join(''), who, '').filter((leak) => /\d$/u.test(leak));
  };

  test('the boss sees each of them', async () => {
    const seen = new Set<string>();
    for (const resource of Object.keys(records)) {
      const { text } = await both.get(`/v1/${resource}`, boss);
      for (const one of text.match(/canary-\w+-\d+|471147114711\d+/gu) ?? []) seen.add(one);
    }
    expect(seen).toEqual(canaries);
    // So does the log of these requests, which holds bodies here.
    expect(lines.join('')).toContain('canary-boss-');
  });

  test.each(Object.keys(callers) as Who[])('%s reads', async (who) => {
    const logged = await loggedOf(who, async () => {
      const answered = await Promise.all(reads.map((path) => ask(who, 'GET', path)));
      expect(answered.flat()).toEqual([]);
      for (const resource of Object.keys(records))
        for (const accept of ['text/csv', 'application/x-ndjson']) {
          const headers = { ...callers[who], accept };
          const { text } = await both.raw(`/v1/${resource}?fields=*`, { headers });
          expect(leaksIn(text, who, resource)).toEqual([]);
        }
    });
    expect(logged).toEqual([]);
  });

  test('each sees its own', async () => {
    const texts = await Promise.all(
      (['nobody', 'known', 'ann', 'bob'] as const).map(async (who) => {
        const { text } = await both.get('/v1/posts?expand=author,remarks,tags', callers[who]);
        return [...new Set(text.match(/canary-[a-z]+/gu))].toSorted();
      }),
    );
    const own = (who: string): readonly string[] => [`canary-${who}`, 'canary-known'];
    expect(texts).toEqual([[], ['canary-known'], own('ann'), own('bob')]);
  });

  test('the entity tag of a caller does not change with what it may not read', async () => {
    const tagOf = async (who: object): Promise<string | null> =>
      (await both.get('/v1/posts/4', { ...who })).headers.get('etag');
    const everyone = [...Object.values(callers), boss];
    const before = await Promise.all(everyone.map(tagOf));
    const changed = { hushNote: canary('boss'), hushCost: number() };
    expect((await both.send('PATCH', '/v1/posts/4', changed, boss)).status).toBe(200);
    const after = await Promise.all(everyone.map(tagOf));
    expect(after.map((tag, index) => tag === before[index])).toEqual([
      ...Object.keys(callers).map(() => true),
      false,
    ]);
  });

  test.each(Object.keys(callers) as Who[])('%s writes', async (who) => {
    const leaks: string[] = [];
    const logged = await loggedOf(who, async () => {
      for (const [method, path, body] of writes)
        leaks.push(...(await ask(who, method, path, body)));
    });
    expect([...leaks, ...logged]).toEqual([]);
    expect(both.failures).toEqual([]);
  });

  test('the metrics tell of no value', async () => {
    for (const { get } of both.sides) {
      const { status, text } = await get('/_metrics');
      expect(status).toBe(200);
      expect(text).not.toMatch(/canary|471147114711/u);
    }
  });
});

describe('nor do debug members tell of it', () => {
  const members = '_debug=plan&_trace=true&_verbose=true&_inspect=data&_inspectNetwork=true';
  let api: TestApi;
  beforeAll(async () => {
    api = await serveApi(specification, {}, undefined, { mode: 'dev' });
    await fill(api);
  });
  afterAll(() => api?.stop());
  const debugged = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}${members}`;

  test.each(Object.keys(callers) as Who[])('%s', async (who) => {
    const leaks: string[] = [];
    const ask = async (method: string, path: string, body?: object): Promise<void> => {
      const answer = await api.send(method, debugged(path), body, callers[who]);
      expect(answer.headers.get('x-debug')).toBeNull();
      for (const leak of leaksIn(shown(answer), who, `${path} ${JSON.stringify(body)}`))
        leaks.push(`${method} ${path}: ${leak}`);
    };
    const paths = reads.filter((path) => path.startsWith('/v1/'));
    await Promise.all(paths.map((path) => ask('GET', path)));
    for (const [method, path, body] of writes) await ask(method, path, body);
    expect(leaks).toEqual([]);
    const { text } = await api.get(debugged('/v1/posts'), boss);
    expect(text).toMatch(/canary-boss-.*hushNote/su);
  });
});
