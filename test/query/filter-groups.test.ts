import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { expectRefusals, expectRows, type RefusalCase } from '../support/tables.ts';
import { thingRecords, things } from './things.ts';
import { world, worldRecords } from './world.ts';

let ofThings: TestApi;
let ofWorld: TestApi;
beforeAll(async () => {
  [ofThings, ofWorld] = await Promise.all([
    serveBoth(things, thingRecords),
    serveBoth(world, worldRecords),
  ]);
});
afterAll(() => Promise.all([ofThings.stop(), ofWorld.stop()]));

const path = '/v1/things';

describe('groups of conditions', () => {
  expectRows(() => ofThings, path, [
    ['_and', '_and=count_gt:0,active:true', [1]],
    ['_not', '_not=title:Alpha,count:2', [3, 4, 5, 6]],
    ['a comparison with null does not hold', '_not=count_gt:0', [3, 5, 6]],
    ['nor does it within', '_not=or(count_gt:0,count_lt:0)', [5, 6]],
    ['nor in an and', '_not=and(count_gt:0,ratio_gt:0)', [3, 5, 6]],
    ['twice not', '_not=not(count_gt:0)', [1, 2, 4]],
    ['what is negated keeps null', '_not=title_neq:Alpha', [1]],
    ['contains not', '_not=title_nlike:lpha', [1, 2]],
    ['presence', '_not=count_null:true,tags_exists:false', [1, 2, 3, 4, 5]],
    ['arrays', '_not=tags_contains:red,scores_containsAny:"7,10"', [2, 3, 6]],
    ['members of objects', '_not=specs.weight_gt:1', [2, 3, 4, 5, 6]],
    ['undeclared members', '_not=extra.a:1', [2, 3, 4, 5, 6]],
    ['and in or', '_or=title:alpha,and(count_lt:0,active:true)', [2, 3]],
    ['or in and', '_and=active:true,or(count:1,count:-3,count:2)', [1, 3]],
    ['not in or', '_or=id:1,not(title_exists:true)', [1, 6]],
    ['only groups', '_or=and(id:1,count:1),and(id:2,count:1),not(id_lt:6)', [1, 6]],
    ['five deep', '_and=or(and(or(not(id:1),id:9),id_lt:5),id:6)', [2, 3, 4, 6]],
    ['several of a kind', '_not=id:1&_not=id:2', [3, 4, 5, 6]],
    ['several kinds', '_and=id_gt:1&_or=id:1,id:2,id:3&_not=id:3', [2]],
    ['with plain filters', 'active=true&_not=id:3', [1]],
    ['with a union of ids', 'id=1&id=2&id=3&_not=id:2', [1, 3]],
    ['a parenthesis in quotes', '_or=title:"a(b)",id:2', [2]],
    ['a list in quotes', '_not=id_in:"1,2",title_in:"a+b,alpha"', [4, 5, 6]],
    ['a value like a group', '_or=title:and,title:Alpha', [1]],
    ['percent-encoded', '_or=title:alpha,and%28id:3%2Cactive:true%29', [2, 3]],
  ]);

  const wrong = (query: string, ...problems: string[]): RefusalCase => [
    'wrong',
    query,
    'INVALID_FILTER',
    ...problems,
  ];
  const quotes = 'a value with a parenthesis is written in double quotes: title:"…"';
  const open = 'and( is not closed; write and(field:value,field:value)';
  const kinds = 'groups are and(…), or(…) and not(…), each a list of field:value';
  const deep = 'groups are nested at most 5 deep, the parameter counting as one';
  const ids = (count: number): string => Array.from({ length: count }, () => 'id:1').join(',');
  expectRefusals(() => ofThings, path, [
    wrong('_and=', '_and: "" is not field:value'),
    wrong('_not=title', '_not: "title" is not field:value'),
    wrong('_or=and()', '_or: "" is not field:value'),
    wrong('_or=title=Alpha', '_or: "title=Alpha" is not field:value; write title:Alpha'),
    wrong('_or=and(id:1', `_or: ${open}`),
    wrong('_or=and(id:1,or(id:2)', `_or: ${open}`),
    wrong('_or=and(id:1)id:2', '_or: a comma must follow a closing parenthesis'),
    wrong('_or=and(id:1))', '_or: a comma must follow a closing parenthesis'),
    wrong('_or=title:a(b', `_or: ${quotes}`),
    wrong('_or=id:1,title:a)', `_or: ${quotes}`),
    wrong('_and=or(title:a(b),id:1)', `_and: ${quotes}`),
    wrong('_or=title:"a")', '_or: a comma must follow a closing quote'),
    wrong('_or=and(title:"a"b)', '_or: a comma must follow a closing quote'),
    wrong('_or=xor(id:1,id:2)', `_or: xor( is not a group; ${kinds}`),
    wrong('_or=AND(id:1)', `_or: AND( is not a group; ${kinds}`),
    wrong(
      '_or=and(count_gt:x,or(size:xl))',
      'count_gt: "x" does not fit: it takes a whole number',
      'size: "xl" does not fit: it takes one of s, m, l',
    ),
    wrong(
      '_not=tags_gt:1',
      'tags_gt: tags is of type array, which takes _contains, _containsAll, _containsAny, _exists, _null, not _gt',
    ),
    [
      'an unknown name below',
      '_or=id:1,and(id:2,not(titel:a))',
      'INVALID_PARAMETER',
      'titel: there is no field titel; did you mean title?',
    ],
    ['six deep', '_and=or(and(or(not(and(id:1)))))', 'LIMIT_EXCEEDED', `_and: ${deep}`],
    [
      'deeper than any stack',
      `_and=${'not('.repeat(1500)}id:1${')'.repeat(1500)}`,
      'LIMIT_EXCEEDED',
      `_and: ${deep}`,
    ],
    [
      'more pairs than filters',
      `_and=or(${ids(26)})&_not=${ids(25)}`,
      'LIMIT_EXCEEDED',
      '_and: a request takes at most 50 filters (limits.filters); this one has 51',
    ],
  ]);

  test('a read of one record takes none', async () => {
    const { status, text } = await ofThings.get(`${path}/1?_not=id:2`);
    expect(status).toBe(400);
    expect(text).toContain('_not: makes no sense on a read of one record');
  });

  test.each([
    ['and', '_and'],
    ['$and', '_and'],
    ['not', '_not'],
    ['$nor', '_not'],
  ])('%s=… is answered with %s', async (name, right) => {
    const { text } = await ofThings.get(`${path}?${encodeURIComponent(name)}=id:1`);
    expect(text).toContain(`did you mean ${right}?`);
  });
});

describe('groups through relations', () => {
  expectRows(() => ofWorld, '/v1/posts', [
    ['one comment that is both', '_and=comments.rating_gte:4,comments.approved:true', [2]],
    ['nested', '_or=and(comments.rating_gte:4,comments.approved:true),id:5', [2, 5]],
    ['two groups are about two', '_and=comments.rating_gte:4&_and=comments.approved:true', [1, 2]],
    ['a filter and a group too', 'comments.rating_gte=4&_and=comments.approved:true', [1, 2]],
    ['pairs of an or stand alone', '_or=comments.rating:5,comments.approved:true', [1, 2]],
    ['two tags in one group', '_and=tags.name:red,tags.name:blue', [1]],
    ['with a pivot', '_and=tags.name:red,tags.pivot.position:1', [2]],
    ['none related', '_not=comments.rating_gt:0', [4, 5]],
    ['none that is both', '_not=and(comments.rating_gte:4,comments.approved:true)', [1, 3, 4, 5]],
    ['pairs of a not stand alone', '_not=comments.rating:5,comments.approved:true', [3, 4, 5]],
    ['a to-one relation that is not there', '_not=author.name:Ann', [3, 4, 5]],
    ['presence of relations', '_not=comments_exists:true,tags_exists:true', [4]],
    ['an expanded collection', 'expand=comments&_not=comments.rating_gt:0', [4, 5]],
    ['members behind a relation', '_not=author.address.city:Oslo', [3, 4, 5]],
  ]);
  expectRows(() => ofWorld, '/v1/notes', [
    ['one target of a morphTo', '_not=about:posts.title:One', [2, 4, 5]],
    ['any target of a morphTo', '_not=about.id:1', [4, 5]],
  ]);
});
