import { expect, test } from 'vitest';
import {
  itemsOf,
  listOf,
  noOrder,
  readQuery,
  withExpansions,
  writeQuery,
  type Condition,
  type ListQuery,
} from '../../dashboard/src/data/query.ts';
import { collectionsIn, expandable, restrictedBy } from '../../dashboard/src/data/expansion.ts';
import { joined, leafAt, levelsOf } from '../../dashboard/src/data/paths.ts';
import { placeOf } from '../../dashboard/src/data/place.ts';
import type { Model, ResourceInfo } from '../../src/http/dashboard/wire-model.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { ask, hand, open, openToBoth, stopAfterEach } from './dashboard.ts';

stopAfterEach();

const specification = (pathDepth: number): string => `${openToBoth}
access: public
limits: { pathDepth: ${pathDepth}, filters: 1000, sorts: 100 }
resources:
  posts:
    fields:
      title: { type: string }
      size: { type: object, properties: { width: { type: integer } } }
      hidden: { type: string, access: { read: [admin], write: [admin] } }
      page: { type: integer }
      size_gt: { type: integer }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags, withPivot: [rank, frame] }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: post }
      parentId: { type: integer, reference: posts.id }
      parent: { type: relation, relation: belongsTo, resource: posts }
  tags:
    fields:
      name: { type: string }
      parent: { type: string }
      mood: { type: enum, values: [good, ''] }
      limit: { type: integer }
      pivot: { type: object, properties: { rank: { type: string } } }
      kinds: { type: array, items: { type: string } }
      posts: { type: relation, relation: belongsToMany, resource: posts, through: post-tags }
      notes: { type: relation, relation: morphMany, resource: notes, typeValue: tag }
  post-tags:
    fields:
      postId: { type: integer, required: true, reference: posts.id }
      tagId: { type: integer, required: true, reference: tags.id }
      rank: { type: integer }
      frame: { type: object, properties: { color: { type: string }, cost: { type: decimal } } }
  notes:
    fields:
      text: { type: string }
      aboutType: { type: string }
      aboutId: { type: integer }
      about: { type: relation, relation: morphTo, typeField: aboutType, idField: aboutId }
      paper: { type: relation, relation: hasMany, resource: papers }
  papers:
    access: { read: admin, write: admin }
    fields:
      noteId: { type: integer, reference: notes.id }
      text: { type: string }
`;

/** Every path that can be chosen step by step. */
function offered(resource: ResourceInfo, model: Model, path = ''): readonly string[] {
  const last = levelsOf(path, resource, model).at(-1);
  if (last === undefined || last.chosen !== '') return [path];
  const paths = last.groups.flatMap(({ items }) => items.map((item) => joined(path, item)));
  // A menu that offers a name twice is not drawn.
  expect(paths).toEqual([...new Set(paths)]);
  return [...(path === '' ? [] : [path]), ...paths.flatMap((one) => offered(resource, model, one))];
}

async function modelOf(pathDepth: number): Promise<{ api: TestApi; model: Model }> {
  const api = await serveApi(specification(pathDepth), {}, undefined, { mode: 'dev' });
  open.push(api);
  return { api, model: (await ask(api, 'model', hand)).body as Model };
}

const none: ListQuery = {
  ...noOrder,
  conditions: [],
  groups: [],
  search: '',
  nulls: undefined,
  fields: [],
  exclude: [],
  expand: [],
  collections: new Map(),
  others: [],
};

test('the form offers just the paths and operators that the API takes, and finds them in a URL again', async () => {
  const { api, model } = await modelOf(2);
  const paths: string[] = [];
  for (const resource of model.resources) {
    const own = new Set(offered(resource, model));
    for (const path of own) {
      paths.push(`${resource.name}/${path}`);
      const leaf = leafAt(path, resource, model);
      expect(leaf?.operators.length, path).toBeGreaterThan(0);
      const conditions = model.operators
        // The others are asked of a field of that name.
        .filter(({ suffix }) => !own.has(`${path}${suffix}`))
        .map(({ name: operator, operand }): Condition => {
          const value = operand === 'flag' ? 'true' : String(leaf?.values?.[0] ?? 1);
          return { path, operator, value };
        });
      const fit = conditions.filter(({ operator }) => leaf?.operators.includes(operator));
      const takes = writeQuery({ ...none, conditions: fit }, resource, model);
      const taken = await api.get(`${model.path}/${resource.name}?${takes}`, hand);
      expect(taken.status, `${takes} ${taken.text}`).toBe(200);
      expect(readQuery(takes, resource, model).conditions).toEqual(fit);
      const unfit = conditions.filter((one) => !fit.includes(one));
      if (unfit.length === 0) continue;
      const refuses = writeQuery({ ...none, conditions: unfit }, resource, model);
      const { status, body } = await api.get(`${model.path}/${resource.name}?${refuses}`, hand);
      expect(status, refuses).toBe(400);
      expect(body.validationErrors, refuses).toHaveLength(unfit.length);
      expect(readQuery(refuses, resource, model).others, refuses).toHaveLength(unfit.length);
    }
  }
  for (const path of [
    'posts/tags.pivot.rank',
    'posts/parent.parent.id',
    'posts/parent.parent.parent',
    'tags/pivot.rank',
    'tags/posts.size.width',
    'notes/about.title',
    'notes/about.name',
    'notes/about.parent',
    'notes/about.parent.title',
    'notes/about:tags.notes.text',
    'posts/size_gt',
    'posts/page',
  ])
    expect(paths).toContain(path);
  const told = paths.join('\n');
  expect(told).not.toMatch(/hidden|paper/u);
  expect(told).not.toMatch(/(?:\..*){3}/u);
});

test.each([
  ['title=1&title_neq=2&parent.tags.name_in=a,b&sort=-title&page=2&limit=5', []],
  ['page_eq=3&page=3', []],
  ['tags.pivot.rank_gte=2&tags.pivot.frame.color=red&tags.name=x&tags.notes.text_ilike=y', []],
  ['size_gt=4&size_gt_gt=5&size.width_lt=6&sort=parent.parent.title', []],
  ['about=1&parent.parent.parent.id=1', ['about']],
  [
    'parent.parent.parent.parent.id=1&tags.pivot_null=true',
    ['parent.parent.parent.parent.id', 'tags.pivot_null'],
  ],
  [
    'title_contains=1&hidden=2&notes.paper_exists=true&_or=1',
    ['title_contains', 'hidden', 'notes.paper_exists', '_or'],
  ],
  ['_or=title:a,tags.name_in:%22b,c%22,title:%22%22,title:%22%5C%22%5C%5C:%22&_or=page_eq:1', []],
  ['_or=title:a,hidden:b&_or=title:a,&_or=title', ['_or', '_or', '_or']],
  ['title=1&sort=title&nulls=last', []],
  ['nulls=lowest&sort=title&nulls=first&sort=-title', ['nulls', 'nulls', 'sort']],
  ['expand=tags.notes&tags.sort=-pivot.rank,name&tags.page=2&tags.notes.limit=3&page=4', []],
  ['tags.notes.limit=3&tags.notes.text=x&expand=tags.notes&tags.limit_eq=2&tags.limit=5', []],
  ['tags.limit=5&parent.page=2&expand=parent', []],
  ['expand=parent.tags&parent.tags.sort=limit&parent.sort=title', ['parent.sort']],
  ['expand=tags&tags.offset=1&tags.page=0&tags.page=1', ['tags.offset', 'tags.page', 'tags.page']],
])(
  'a URL stays as it is written when the form reads and writes it: %s',
  async (search, others: readonly string[]) => {
    const { model } = await modelOf(3);
    const posts = model.resources.find(({ name }) => name === 'posts');
    if (posts === undefined) throw new Error('There are no posts');
    const query = readQuery(search, posts, model);
    expect(query.others.map(([name]) => name)).toEqual(others);
    const written = writeQuery(query, posts, model);
    const parts = (text: string): readonly string[] => text.split('&').toSorted();
    expect(parts(written)).toEqual(parts(search));
  },
);

test('an expanded collection is sorted by all that the form offers, and filtered within', async () => {
  const { api, model } = await modelOf(3);
  const asked: string[] = [];
  for (const resource of model.resources) {
    const expand = expandable(expandable([], resource, model), resource, model);
    if (expand.length === 0) continue;
    const taken = await api.get(`${model.path}/${resource.name}?expand=${expand.join()}`, hand);
    expect(taken.status, taken.text).toBe(200);
    for (const { path, sorts } of collectionsIn(expand, resource, model))
      for (const sort of sorts) {
        asked.push(`${resource.name}/${path}/${sort}`);
        const query = {
          ...none,
          expand,
          collections: new Map([[path, { ...noOrder, sort: [sort] }]]),
        };
        const search = writeQuery(query, resource, model);
        const { status, text } = await api.get(`${model.path}/${resource.name}?${search}`, hand);
        expect(status, `${search} ${text}`).toBe(200);
        expect(readQuery(search, resource, model).collections.get(path)?.sort).toEqual([sort]);
      }
  }
  for (const one of [
    'posts/tags/pivot.rank',
    'posts/tags/pivot.frame.color',
    'posts/tags.notes/text',
    'notes/about.tags/name',
    'notes/about.notes/text',
  ])
    expect(asked).toContain(one);
  expect(asked.join('\n')).not.toMatch(/hidden|paper|pivot\.frame$|cost/mu);
});

test('what is said of a collection goes with its expansion, and a filter stays one', async () => {
  const { model } = await modelOf(3);
  const posts = model.resources.find(({ name }) => name === 'posts');
  if (posts === undefined) throw new Error('There are no posts');
  const written = (search: string, expand: readonly string[]): string =>
    writeQuery({ ...readQuery(search, posts, model), expand }, posts, model);
  const paged = 'expand=tags&tags.sort=name&tags.limit=2';
  expect(written(paged, ['tags', 'notes'])).toBe('expand=tags,notes&tags.sort=name&tags.limit=2');
  expect(written(paged, [])).toBe('');
  expect(written('tags.limit=2', ['tags'])).toBe('tags.limit_eq=2&expand=tags');
  expect(written('tags.limit_eq=2&expand=tags', [])).toBe('tags.limit=2');
});

test.each([
  ['tags.name', ['tags'], 'tags'],
  ['tags', ['tags'], undefined],
  ['title', ['tags'], undefined],
  ['parent.tags.name', ['tags'], undefined],
  ['parent.tags.pivot.rank', ['parent.tags'], 'parent.tags'],
  ['tags.notes.text', ['tags.notes'], 'tags.notes'],
  ['tags.notes.text', ['tags'], 'tags'],
  ['tags.notes.text', ['notes'], undefined],
])('a filter at %s, with %j expanded, restricts %s', async (path, expand, restricted) => {
  const { model } = await modelOf(3);
  const posts = model.resources.find(({ name }) => name === 'posts');
  if (posts === undefined) throw new Error('There are no posts');
  expect(restrictedBy(path, collectionsIn(expand, posts, model))?.path).toBe(restricted);
});

const versions = (base: string): string => `
api: { ${base} defaultVersion: 2, versions: { 1: {}, 2: {}, 3: {} } }
resources:
  posts: { fields: { title: { type: string } } }
`;

test.each([
  ['/v2/posts?title=a%20b&_or=x:1', 'posts?title=a%20b&_or=x:1'],
  ['/posts', 'posts?'],
  ['/v1/posts?title=1', 'v1/posts?title=1'],
  ['/v1/notes', 'v1/notes?'],
  ['/v3/posts/7?expand=x', 'v3/posts?id=7&expand=x'],
  ['/posts/a%2Fb%26', 'posts?id=a/b%26'],
  ['http://here:1/v2/posts?title=http://here:1/#top', 'posts?title=http://here:1/'],
  ['http://there:1/v2/posts', undefined],
  ['/v4/posts', undefined],
  ['/v2/notes', undefined],
  ['/v3/notes', undefined],
  ['/v2/posts/', undefined],
  ['/v2/posts/1/2', undefined],
  ['/v2', undefined],
  ['v2/posts', undefined],
  ['', undefined],
])('%s is found in the explorer at %s', async (url, place) => {
  for (const base of ['', 'basePath: /api,']) {
    const api = await serveApi(versions(base), {}, undefined, { mode: 'dev' });
    open.push(api);
    const modelOfVersion = async (path: string): Promise<Model> =>
      (await ask(api, path, {})).body as Model;
    const latest = await modelOfVersion('model');
    const model = await modelOfVersion('model?version=3');
    const whole = base === '' ? url : url.replace(/^(http:\/\/[^/]*)?\//u, '$1/api/');
    const found = placeOf(whole, 'http://here:1', model, latest);
    expect(found && `${found.part}?${found.search}`, whole).toBe(place);
  }
});

test.each([
  [['Germany', 'France'], 'Germany,France'],
  [['a,b', '', 'c"d'], String.raw`"a,b","","c\"d"`],
  [[], ''],
])('the items %j of a list are written as %s, and read again', (items, text) => {
  expect(listOf(items)).toBe(text);
  expect(itemsOf(text)).toEqual(items);
});

test.each([
  ['tags.name=a', ['tags'], '_and=tags.name:a&expand=tags'],
  ['tags.name=a&tags.mood=good', ['tags'], '_and=tags.name:a,tags.mood:good&expand=tags'],
  ['title=a', ['tags'], 'title=a&expand=tags'],
  ['tags.name=a&expand=tags', ['tags', 'notes'], 'tags.name=a&expand=tags,notes'],
  ['_not=or(title:a,and(id_gt:1,id_lt:9))&search=x', ['notes'], undefined],
])('%s means the same once %j is expanded', async (search, expand, written) => {
  const { api, model } = await modelOf(3);
  const posts = model.resources.find(({ name }) => name === 'posts');
  if (posts === undefined) throw new Error('There are no posts');
  const query = withExpansions(readQuery(search, posts, model), expand, posts, model);
  const text = writeQuery(query, posts, model);
  expect(decodeURIComponent(text)).toBe(written ?? `${search}&expand=${expand.join()}`);
  expect((await api.get(`${model.path}/posts?${text}`, hand)).status).toBe(200);
});
