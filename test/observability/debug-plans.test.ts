import { afterAll, describe, expect, test } from 'vitest';
import { serveBoth } from '../support/both.ts';
import { blog, records, type DebugBody, type Query } from './debug.ts';

const both = await serveBoth(blog, records, undefined, { mode: 'dev' });
afterAll(() => both.stop());

async function queriesOf(path: string, of = both): Promise<readonly (readonly Query[])[]> {
  return Promise.all(
    of.sides.map(async (side) => {
      const { body } = (await side.get(path)) as { body: DebugBody };
      return body._debug.database.queries;
    }),
  );
}

describe('_debug=plan', () => {
  test("every statement has the database's own plan", async () => {
    const [sqlite = [], postgres = []] = await queriesOf(
      '/v1/posts?_debug=plan&expand=author,tags&limit=1&tags.limit=1',
    );
    expect(sqlite.length).toBeGreaterThan(3);
    expect(postgres).toHaveLength(sqlite.length);
    for (const { plan } of sqlite) expect(plan?.[0]).toMatch(/^(?:SCAN|SEARCH|USE|CO)/u);
    for (const { plan } of postgres) expect(plan?.[0]).toMatch(/cost=.*rows=.*width=/u);
  });

  test('of a write too, which runs once', async () => {
    for (const side of both.sides) {
      const { body } = (await side.send('POST', '/v1/events?_debug=plan', { at: 'x' })) as {
        body: DebugBody;
      };
      expect(body._debug.database.queries).toHaveLength(1);
      for (const { plan } of body._debug.database.queries) expect(plan).toBeInstanceOf(Array);
      expect((await side.get('/v1/events')).body).toHaveLength(1);
    }
  });

  test('a step below another is indented on SQLite', async () => {
    const [queries = []] = await queriesOf('/v1/posts?_debug=plan&expand=author');
    expect(queries.at(-1)?.plan?.at(-1)).toMatch(/^ {2}SCAN json_each/u);
  });

  test('_debug=true has no plan', async () => {
    for (const queries of await queriesOf('/v1/posts?_debug=true&title=x'))
      for (const query of queries) expect(Object.keys(query)).toEqual(['sql', 'duration']);
  });
});

describe('the index that a list lacks', () => {
  const cases: readonly [query: string, index: string | undefined][] = [
    ['title=x', 'posts.title: index: true'],
    ['title_in=x,y', 'posts.title: index: true'],
    ['rank_gte=2', 'posts.rank: index: true'],
    ['title=x&rank_gte=2', 'posts: indexes: [[title, rank]]'],
    ['title=x&sort=-rank', 'posts: indexes: [[title, rank]]'],
    ['sort=rank', 'posts.rank: index: true'],
    ['sort=-rank,-title', 'posts: indexes: [[rank, title]]'],
    ['title=x&sort=-id', 'posts.title: index: true'],
    ['rank_null=true', 'posts.rank: index: true'],
    ['rank_exists=false&sort=title', 'posts: indexes: [[rank, title]]'],
    ['author.name=x', 'users.name: index: true'],
    ['author.name=x&title=y', 'posts.title: index: true'],
    // It is there.
    ['author.id=1', undefined],
    ['author.posts.status=done', undefined],
    ['tags.id=1&tags.name=red', undefined],
    ['status=done&size=2', undefined],
    ['size=2', undefined],
    ['sort=size', undefined],
    ['authorId=1', undefined],
    ['id=1', undefined],
    // None would help.
    ['', undefined],
    ['title_ilike=x', undefined],
    ['title_neq=x', undefined],
    ['rank_null=false', undefined],
    ['author.name_like=x', undefined],
    ['author.name_exists=false', undefined],
    ['sort=author.name', undefined],
    ['sort=rank,-title', undefined],
    ['sort=rank&nulls=last', undefined],
  ];
  test.each(cases)('%s: %s', async (query, index) => {
    for (const queries of await queriesOf(`/v1/posts?_debug=plan&${query}`))
      expect(queries[0]?.index).toBe(index);
  });

  // PostgreSQL reads the related records first here, and finds the others by them.
  test.each([
    ['tags.name_in=x,y', 'tags.name: index: true'],
    ['comments.text=x&sort=size', 'comments.text: index: true'],
    ['author.posts.rank=2', 'posts.rank: index: true'],
  ])('on SQLite, %s: %s', async (query, index) => {
    const [queries] = await queriesOf(`/v1/posts?_debug=plan&${query}`);
    expect(queries?.[0]?.index).toBe(index);
  });

  test.each([
    ['rank_gte=2&sort=title', 'posts.title: index: true', 'posts.rank: index: true'],
    ['rank_gte=2&sort=size', undefined, 'posts.rank: index: true'],
    ['rank=2&sort=title', 'posts: indexes: [[rank, title]]', 'posts: indexes: [[rank, title]]'],
  ])('%s: of the list %s, of its count %s', async (query, ofList, ofCount) => {
    for (const queries of await queriesOf(`/v1/posts?_debug=plan&limit=1&${query}`))
      expect(queries.map(({ index }) => index)).toEqual([ofList, ofCount]);
  });

  test('is told of the list, not of what it expands', async () => {
    for (const queries of await queriesOf('/v1/posts?_debug=plan&title=one&expand=comments'))
      expect(queries.map(({ sql, index }) => [/FROM "?comments/u.test(sql ?? ''), index])).toEqual([
        [false, 'posts.title: index: true'],
        [true, undefined],
      ]);
  });

  test('is no advice once it is there', async () => {
    const indexed = await serveBoth(
      blog.replace('[[status, size]]', '[[title, rank]]'),
      {},
      undefined,
      { mode: 'dev' },
    );
    for (const side of indexed.sides) {
      const { body } = await side.get('/v1/posts?_debug=plan&title=x&sort=-rank');
      expect((body as DebugBody)._debug.database.queries[0]).not.toHaveProperty('index');
    }
    await indexed.stop();
  });

  // Few records have one value of some types; of long prose and of what has a handful of values none is told.
  test.each([
    ['time', '14:05:00', true],
    ['decimal', '1.50', true],
    ['email', 'a@b.example', true],
    ['text', 'a', false],
    ['boolean', 'true', false],
    ['enum', 'a', false],
  ])('of a related %s', async (type, wanted, isAdvised) => {
    const attributes = type === 'enum' ? `{ type: enum, values: [a] }` : `{ type: ${type} }`;
    const related = await serveBoth(
      `resources:
         pets: { fields: { owner: { type: relation, relation: belongsTo, resource: owners } } }
         owners: { fields: { it: ${attributes} } }`,
      {},
      undefined,
      { mode: 'dev' },
    );
    const [queries] = await queriesOf(`/v1/pets?_debug=plan&owner.it=${wanted}`, related);
    expect(queries?.[0]?.index).toBe(isAdvised ? 'owners.it: index: true' : undefined);
    await related.stop();
  });

  test('long prose is no part of one, nor is what has members', async () => {
    const notes = await serveBoth(
      'resources: { notes: { fields: { text: { type: text }, size: { type: integer }, extra: { type: json }, place: { type: object } } } }',
      {},
      undefined,
      { mode: 'dev' },
    );
    for (const [query, index] of [
      ['text=a', undefined],
      ['sort=text', undefined],
      ['text_null=true', undefined],
      ['extra_null=true', undefined],
      ['place_exists=false', undefined],
      ['text=a&size=1', 'notes.size: index: true'],
    ])
      for (const queries of await queriesOf(`/v1/notes?_debug=plan&${query}`, notes))
        expect(queries[0]?.index, query).toBe(index);
    await notes.stop();
  });
});

describe('the index that a computed field lacks', () => {
  const files = `
debug: true
resources:
  posts:
    fields:
      title: { type: string }
      authorId: { type: integer, reference: users.id }
      author: { type: relation, relation: belongsTo, resource: users }
      comments: { type: relation, relation: hasMany, resource: comments }
      notes: { type: relation, relation: morphMany, resource: notes }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: labels, withPivot: [weight] }
      all: { type: integer, computed: { count: comments } }
      approved: { type: integer, computed: { count: comments, where: "isApproved=true" } }
      stars: { type: integer, computed: { sum: comments.stars, where: "isApproved=true&at_gt=now-7d" } }
      last: { type: datetime, computed: { max: comments.at, where: "lang=en" } }
      quiet: { type: integer, computed: { count: comments, where: "text_ilike=quiet" } }
      open: { type: integer, computed: { count: notes, where: "isOpen=true" } }
      heavy: { type: integer, computed: { sum: tags.pivot.weight, where: "name=red" } }
      isDisputed: { type: boolean, computed: { where: "comments.isApproved=false" } }
      label: { type: string, computed: { join: [title] } }
  comments:
    indexes: [[lang, postId]]
    fields:
      text: { type: string }
      lang: { type: string }
      stars: { type: integer }
      isApproved: { type: boolean }
      at: { type: datetime }
      postId: { type: integer, reference: posts.id }
  notes:
    fields:
      isOpen: { type: boolean }
      about: { type: relation, relation: morphTo, resources: [posts] }
  tags: { fields: { name: { type: string } } }
  labels:
    fields:
      weight: { type: integer }
      postId: { type: integer, reference: posts.id, required: true }
      tagId: { type: integer, reference: tags.id, required: true }
  users:
    fields:
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
`;
  const approved = 'comments: indexes: [[postId, isApproved]]';
  const cases: readonly [query: string, index: string | undefined][] = [
    ['posts?approved_gt=1', approved],
    ['posts?sort=-approved', approved],
    ['posts?sort=stars', 'comments: indexes: [[postId, isApproved, at]]'],
    ['posts?_or=id:1,approved:2', approved],
    ['posts?isDisputed=true', approved],
    ['posts?sort=-open', 'notes: indexes: [[aboutType, aboutId, isOpen]]'],
    ['posts?aggregate=sum:approved', approved],
    ['posts?title=x&sort=approved', 'posts.title: index: true'],
    // The key alone has an index, and so have these.
    ['posts?sort=all', undefined],
    ['posts?last_null=true', undefined],
    ['posts?heavy_gt=1', undefined],
    // None would help, or few records need the value.
    ['posts?quiet_gt=1', undefined],
    ['posts?label=x', undefined],
    ['posts?fields=approved', undefined],
    ['posts?id=1&approved=1', undefined],
  ];

  test('is that of the key and of the conditions', async () => {
    const served = await serveBoth(files, {}, undefined, { mode: 'dev' });
    for (const [query, index] of cases)
      for (const [first] of await queriesOf(`/v1/${query}&_debug=plan`, served))
        expect([query, first?.index]).toEqual([query, index]);
    await served.stop();
  });

  test('is no advice once it is there', async () => {
    const indexed = files.replace('[[lang, postId]]', '[[isApproved, postId, at]]');
    const served = await serveBoth(indexed, {}, undefined, { mode: 'dev' });
    for (const query of ['approved_gt=1', 'sort=stars', 'isDisputed=true'])
      for (const [first] of await queriesOf(`/v1/posts?${query}&_debug=plan`, served))
        expect(first).not.toHaveProperty('index');
    await served.stop();
  });
});
