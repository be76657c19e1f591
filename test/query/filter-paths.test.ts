import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectBlame, expectRows, invalid } from '../support/tables.ts';
import { world, worldRecords } from './world.ts';

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(world, worldRecords);
});
afterAll(() => api.stop());

const source = (): TestApi => api;
const [people, posts, comments, tags, notes] = [
  '/v1/people',
  '/v1/posts',
  '/v1/comments',
  '/v1/tags',
  '/v1/notes',
];

describe('the parents that have such a related record', () => {
  expectRows(source, posts, [
    ['belongsTo', 'author.name=Ann', [1, 2]],
    ['in order', 'author.age_gt=30', [1, 2]],
    ['different needs the related record', 'author.name_neq=Ann', [3, 5]],
    ['null is different', 'author.age_neq=40', [3, 5]],
    ['and in no list', 'author.age_nin=40', [3, 5]],
    ['a list', 'author.name_in=Ann,Cyd', [1, 2, 5]],
    ['text search', 'author.name_ilike=AN', [1, 2]],
    ['null in a related record', 'author.age_null=true', [5]],
    ['not null in a related record', 'author.age_exists=true', [1, 2, 3]],
    ['the related id', 'author.id=2', [3]],
    ['two relations to one resource', 'author.name=Ann&editor.name=Bob', [1]],
    ['another key', 'editor.name=Ann', [3]],
    ['into an object there', 'author.address.city=Oslo', [1, 2]],
    ['into an object in it', 'author.address.geo.lat_gt=59', [1, 2]],
    ['an array in it', 'author.address.lines_contains=a', [1, 2]],
    ['belongsTo, then hasOne', 'author.passport.number=A1', [1, 2]],
    ['hasMany', 'comments.rating_gte=4', [1, 2]],
    ['hasMany, many of one', 'comments.rating_gte=1', [1, 2, 3]],
    ['hasMany, null', 'comments.rating_null=true', [2]],
    ['hasMany, different: one that is', 'comments.rating_neq=4', [1, 2, 3]],
    ['hasMany, false', 'comments.approved=false', [1, 3]],
    ['hasMany, a decimal', 'comments.cost_gte=10', [1, 2]],
    ['hasMany, a uuid', 'comments.token=0198C0DE-0000-7000-8000-000000000002', [3]],
    ['hasMany, a date', 'comments.day_gt=2026-03-03', [1, 2]],
    ['hasMany, a time', 'comments.clock_lt=10:00:00', [3]],
    ['hasMany, a moment', 'comments.at_lt=2026-02-01', [2]],
    ['hasMany, an array', 'comments.marks_contains=8', [3]],
    ['hasMany, then belongsTo', 'comments.person.name=Bob', [1, 3]],
    ['hasMany twice', 'comments.replies.rating=3', [1]],
    ['there and back', 'comments.post.comments.rating=2', [1]],
    ['belongsToMany', 'tags.name=red', [1, 2]],
    ['belongsToMany, many of one', 'tags.name_exists=true', [1, 2, 5]],
    ['belongsToMany twice', 'tags.posts.title=Five', [1, 5]],
    ['pivot', 'tags.pivot.position_gt=1', [1, 5]],
    ['pivot, text', 'tags.pivot.label=x', [1, 5]],
    ['pivot, null', 'tags.pivot.label_null=true', [1]],
    ['morphMany', 'notes.stars=5', [1]],
    ['morphMany, not that of another resource', 'notes.text=on+Ann', []],
  ]);
  expectRows(source, people, [
    ['hasOne', 'passport.number=B2', [2]],
    ['hasOne, different', 'passport.number_neq=B2', [1]],
    ['hasOne, then back', 'passport.person.name=Ann', [1]],
    ['hasMany, then hasMany', 'posts.comments.rating_gte=4', [1]],
    ['three relations', 'posts.comments.person.name=Bob', [1, 2]],
    ['hasMany, then a pivot', 'posts.tags.pivot.label=y', [1]],
    ['hasMany, then morphMany', 'posts.notes.stars=4', [1]],
    ['hasMany, then an object', 'posts.meta.size.width_lt=10', [1]],
    ['hasMany, then JSON by key', 'posts.extra.b.c=y', [1]],
    ['hasMany, then JSON by key and operator', 'posts.extra.a_gt=key', [2]],
    ['morphMany', 'notes.stars_exists=true', [1]],
    ['five dots', 'posts.author.posts.author.posts.title=One', [1]],
  ]);
  expectRows(source, comments, [
    ['to the same resource', 'replies.text=reply', [1]],
    ['on from a to-one', 'post.author.name=Ann', [1, 2, 3, 4]],
  ]);
  expectRows(source, tags, [
    ['from the other side', 'posts.title=One', [1, 2]],
    ['on, to a to-one', 'posts.author.name=Cyd', [2]],
    ['none', 'posts.title=Four', []],
  ]);

  test('counts and pages stay right', async () => {
    const { body, headers } = await api.get(`${posts}?comments.rating_gte=1&limit=2&sort=-id`);
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([3, 2]);
    expect([headers.get('x-total-count'), headers.get('x-total-pages')]).toEqual(['3', '2']);
  });
});

describe('through a morphTo', () => {
  expectRows(source, notes, [
    ['the targets that have the field', 'about.title=One', [1, 3]],
    ['other targets', 'about.name=Ann', [2]],
    ['a field of all', 'about.id=1', [1, 2, 3]],
    ['a field of all, by suffix', 'about.id_gte=2', [5]],
    ['one target by its resource', 'about:posts.title=One', [1, 3]],
    ['another', 'about:people.name=Ann', [2]],
    ['a field of all, in one target', 'about:posts.id=1', [1, 3]],
    ['on, from the targets that have it', 'about.author.name=Ann', [1, 3, 5]],
    ['on, from one target', 'about:people.passport.number=A1', [2]],
    ['on, from both: each by its own posts and notes', 'about.notes.stars=3', [2]],
    ['into an object', 'about.meta.weight=2', [5]],
    ['null there', 'about.views_null=true', []],
    ['two of one record', 'about.title=One&about.views=10', [1, 3]],
    ['two that no record has both', 'about.title=One&about.views=20', []],
    ['two of different targets: no record is both', 'about.title=One&about.name=Ann', []],
    ['two targets by name: no record is both', 'about:posts.title=One&about:people.name=Ann', []],
    ['two records behind it', 'about.comments.rating=5&about.comments.rating=2', [1, 3]],
    ['either, in _or', '_or=about.title:Two,about.name:Ann', [2, 5]],
    ['either target by name, in _or', '_or=about:posts.title:Two,about:people.name:Ann', [2, 5]],
  ]);
  expectRows(source, people, [['behind a morphMany', 'notes.about.name=Ann', [1]]]);
});

describe('filters that share a relation are about the same record', () => {
  expectRows(source, posts, [
    ['two', 'comments.rating_gte=4&comments.approved=true', [2]],
    ['in any order', 'comments.approved=true&comments.rating_gte=4', [2]],
    ['others between them', 'comments.rating_gte=4&views_gt=1&comments.approved=true', [2]],
    ['three', 'comments.rating=2&comments.approved=true&comments.text=meh', [1]],
    ['bounds from both sides', 'comments.rating_gt=2&comments.rating_lt=5', [2]],
    ['by another operator of one field', 'comments.rating_gte=4&comments.rating_lte=2', []],
    ['one further on', 'comments.rating=5&comments.person.name=Bob', [1]],
    ['one further on, of another', 'comments.rating=5&comments.person.name=Cyd', []],
    ['a link and its record', 'tags.name=red&tags.pivot.position=1', [2]],
    ['two of one link', 'tags.pivot.label=x&tags.pivot.position=3', [5]],
    ['and of another', 'tags.pivot.label=x&tags.pivot.position=1', []],
    ['null beside a value', 'comments.rating_null=true&comments.approved=true', []],
    ['to-one', 'author.name=Ann&author.age=40', [1, 2]],
    ['to-one, the same twice, is one record', 'author.name=Ann&author.name=Bob', []],
    ['to-one, a range', 'author.age_gte=30&author.age_gte=35', [1, 2]],
    ['different relations share nothing', 'comments.person.name=Bob&author.name=Bob', [3]],
  ]);
  expectRows(source, people, [
    ['a deep one and one before it', 'posts.comments.rating=5&posts.views=10', [1]],
    ['not of one post', 'posts.comments.rating=5&posts.views=20', []],
    ['two branches of one post', 'posts.comments.rating=5&posts.tags.name=blue', [1]],
    ['not of one post', 'posts.comments.rating=4&posts.tags.name=blue', []],
    ['two deep ones', 'posts.comments.rating=4&posts.comments.approved=true', [1]],
    ['of one comment', 'posts.comments.rating=5&posts.comments.approved=true', []],
  ]);
});

describe('a to-many parameter given twice asks for two records', () => {
  expectRows(source, posts, [
    ['both tags', 'tags.name=red&tags.name=blue', [1]],
    ['three times', 'tags.name=red&tags.name=blue&tags.name=unused', []],
    ['two comments', 'comments.rating=5&comments.rating=2', [1]],
    ['by operator', 'comments.rating_gt=4&comments.rating_gt=1', [1]],
    ['further on', 'comments.person.name=Bob&comments.person.name=Cyd', [1]],
    ['other filters mean the first', 'tags.name=red&tags.name=blue&tags.pivot.position=2', [1]],
    ['not the second', 'tags.name=blue&tags.name=red&tags.pivot.position=2', []],
    ['wherever they stand', 'tags.pivot.position=2&tags.name=red&tags.name=blue', [1]],
    ['pivot fields twice', 'tags.pivot.position=1&tags.pivot.position=2', [1]],
    ['notes twice', 'notes.stars=5&notes.stars=1', [1]],
    ['when none of it is expanded', 'expand=author&tags.name=red&tags.name=blue', [1]],
  ]);
  expectRows(source, people, [
    ['two posts', 'posts.title=One&posts.title=Two', [1]],
    ['before the last step, one record', 'posts.tags.name=red&posts.tags.name=blue', [1]],
    ['of one post, not of two', 'posts.comments.rating=5&posts.comments.rating=4', []],
    [
      'what lies before is shared with others too',
      'posts.tags.name=red&posts.tags.name=blue&posts.title=Two',
      [],
    ],
  ]);
});

describe('a relation that is there', () => {
  expectRows(source, posts, [
    ['hasMany', 'comments_exists=true', [1, 2, 3]],
    ['no hasMany', 'comments_exists=false', [4, 5]],
    ['null says the opposite', 'comments_null=true', [4, 5]],
    ['not null', 'comments_null=false', [1, 2, 3]],
    ['belongsTo', 'author_exists=true', [1, 2, 3, 5]],
    ['no belongsTo', 'author_null=true', [4]],
    ['belongsToMany', 'tags_exists=true', [1, 2, 5]],
    ['no belongsToMany', 'tags_exists=false', [3, 4]],
    ['morphMany', 'notes_exists=true', [1, 2]],
    ['no morphMany', 'notes_exists=false', [3, 4, 5]],
    ['at the end of a path', 'author.passport_exists=true', [1, 2, 3]],
    ['absent at the end of a path', 'author.passport_exists=false', [5]],
    ['at the end of a to-many path', 'comments.replies_exists=true', [1]],
    ['absent at the end of one', 'comments.person_null=true', [2]],
    ['of one record with others', 'comments.replies_exists=false&comments.rating_gte=4', [2]],
    ['both at once', 'comments_exists=true&tags_exists=false', [3]],
    ['there and none such', 'comments_exists=true&comments.rating=4', [2]],
    ['in _or', '_or=comments_exists:false,title:One', [1, 4, 5]],
  ]);
  expectRows(source, people, [
    ['hasOne', 'passport_exists=true', [1, 2]],
    ['no hasOne', 'passport_exists=false', [3, 4]],
    ['nobody', 'posts.comments_exists=false', [3]],
  ]);
  expectRows(source, notes, [
    ['morphTo', 'about_exists=true', [1, 2, 3, 5]],
    ['no morphTo', 'about_exists=false', [4]],
    ['behind a morphTo', 'about.comments_exists=true', [1, 3, 5]],
    ['one target of a morphTo', 'about:posts_exists=true', [1, 3, 5]],
    ['not that target', 'about:people_exists=false', [1, 3, 4, 5]],
  ]);
});

describe('_or takes paths; each pair stands alone', () => {
  expectRows(source, posts, [
    ['suffix and path', '_or=views_gt:15,author.name:Bob', [2, 3, 5]],
    ['two of one relation, of any records', '_or=comments.rating:4,comments.text:bad', [2, 3]],
    ['no record is shared with the rest', 'comments.approved=true&_or=comments.rating:5', [1]],
    ['two groups', '_or=comments.rating:5&_or=comments.approved:true', [1]],
    ['a group and a plain one', '_or=tags.name:red,tags.name:blue&views=20', [2, 5]],
    ['a quoted list', '_or=tags.name_in:"red,blue",title:Four', [1, 2, 4, 5]],
    ['a quoted colon', '_or=comments.clock:"12:00:00",title:Four', [1, 4]],
    ['a pivot', '_or=tags.pivot.position:3,comments.rating:1', [3, 5]],
    ['a path of _exists', '_or=author.passport_exists:false,author_exists:false', [4, 5]],
  ]);
  expectRows(source, people, [
    ['a deep one', '_or=posts.comments.rating:1,passport.number:A1', [1, 2]],
  ]);
});

describe('refused', () => {
  expectBlame(source, posts, [
    invalid('an unknown relation', 'autor.name=x', 'autor.name', 'author'),
    invalid('an unknown field', 'author.nmae=x', 'author.nmae', 'name'),
    invalid('with a suffix', 'author.aeg_gt=1', 'author.aeg_gt', 'age'),
    invalid('a second relation', 'author.pasport.number=1', 'author.pasport.number', 'passport'),
    invalid('a field of it', 'author.passport.nmber=1', 'author.passport.nmber', 'number'),
    invalid('in an object there', 'author.address.ctiy=1', 'author.address.ctiy', 'city'),
    invalid('a relation with _exists', 'coments_exists=true', 'coments_exists', 'comments'),
    invalid('past a field', 'title.name=x', 'title.name'),
    invalid('past a related field', 'author.name.x=1', 'author.name.x'),
    invalid('what can only be written', 'author.pin=x', 'author.pin'),
    invalid('a pivot field', 'tags.pivot.positon=1', 'tags.pivot.positon', 'position'),
    invalid('a pivot field not in withPivot', 'tags.pivot.hidden=h', 'tags.pivot.hidden'),
    invalid('a pivot alone', 'tags.pivot=1', 'tags.pivot'),
    invalid('a pivot where there is none', 'comments.pivot.x=1', 'comments.pivot.x'),
    invalid('a target where there is none', 'author:people.name=x', 'author:people.name'),
    invalid('an empty part', 'author..name=x', 'author..name'),
    invalid('nothing after the dot', 'author.=x', 'author.'),
    invalid('__proto__', 'author.__proto__=x', 'author.__proto__'),
    invalid('constructor', 'constructor.name=x', 'constructor.name'),
    ['a relation as a value', 'author=1', 'INVALID_FILTER', 'author', '_exists', '_null'],
    ['a collection as a value', 'comments_in=1,2', 'INVALID_FILTER', 'comments_in', '_exists'],
    ['a related relation', 'author.posts_gt=1', 'INVALID_FILTER', 'author.posts_gt', '_exists'],
    [
      'an operator that does not fit',
      'author.age_like=1',
      'INVALID_FILTER',
      'author.age_like',
      '_gte',
    ],
    [
      'through a collection',
      'comments.approved_gt=true',
      'INVALID_FILTER',
      'comments.approved_gt',
      '_neq',
    ],
    [
      'in a pivot',
      'tags.pivot.position_like=1',
      'INVALID_FILTER',
      'tags.pivot.position_like',
      '_in',
    ],
    ['no number', 'author.age=x', 'INVALID_FILTER', 'author.age'],
    ['no boolean', 'comments.approved=maybe', 'INVALID_FILTER', 'comments.approved'],
    ['no whole number', 'tags.pivot.position=1.5', 'INVALID_FILTER', 'tags.pivot.position'],
    ['neither true nor false', 'comments_exists=1', 'INVALID_FILTER', 'comments_exists'],
    ['nor through a path', 'author.age_null=no', 'INVALID_FILTER', 'author.age_null'],
    invalid('in _or', '_or=author.nmae:x,title:One', 'author.nmae', 'name'),
    ['a value in _or', '_or=author.age:x,title:One', 'INVALID_FILTER', 'author.age'],
    [
      'six dots',
      'author.posts.author.posts.author.posts.title=x',
      'LIMIT_EXCEEDED',
      'author.posts.author.posts.author.posts.title',
      '5',
      'pathDepth',
    ],
    [
      'six dots in _or',
      '_or=extra.a.b.c.d.e.f:1',
      'LIMIT_EXCEEDED',
      'extra.a.b.c.d.e.f',
      'pathDepth',
    ],
  ]);
  expectBlame(source, notes, [
    invalid('a field of no target', 'about.nmae=x', 'about.nmae', 'name'),
    invalid('a field of another target', 'about:people.title=x', 'about:people.title'),
    invalid('no target', 'about:tags.name=red', 'about:tags.name'),
    invalid('a mistyped target', 'about:post.title=x', 'about:post.title', 'posts'),
    [
      'an operator of no target',
      'about.title_contains=x',
      'INVALID_FILTER',
      'about.title_contains',
    ],
    ['a value of no target', 'about.views=x', 'INVALID_FILTER', 'about.views'],
  ]);

  test('51 filters', async () => {
    const query = Array.from({ length: 51 }, () => 'comments.rating_gte=1').join('&');
    const { status, body } = await api.get(`${posts}?${query}`);
    expect([status, body.code]).toEqual([400, 'LIMIT_EXCEEDED']);
  });

  test('all problems at once', async () => {
    const { body } = await api.get(`${posts}?author.nmae=x&comments.rating=x&sort=tags.nmae`);
    const problems = body.validationErrors as { field: string }[];
    expect(new Set(problems.map(({ field }) => field))).toEqual(
      new Set(['author.nmae', 'comments.rating', 'sort']),
    );
  });
});
