import { describe, expect, test } from 'vitest';
import { build } from '../support/api.ts';

/** A specification whose rule stands in line 3 from column 29 on. */
const withRule = (where: string): string => `resources:
  posts:
    access: { read: { where: ${JSON.stringify(where)} } }
    fields:
      title: { type: string }
      status: { type: enum, values: [draft, live] }
      state: { type: enum, values: ['a,b', ''] }
      rank: { type: integer }
      spec: { type: object, properties: { width: { type: integer }, at: { type: datetime } } }
      at: { type: datetime }
      day: { type: date }
      clock: { type: time }
      free: { type: json }
      words: { type: array, items: { type: string } }
      secret: { type: string, writeOnly: true }
      limit: { type: integer }
      ownerId: { type: integer, reference: users.id }
      owner: { type: relation, relation: belongsTo, resource: users }
      onType: { type: string }
      onId: { type: integer }
      on: { type: relation, relation: morphTo, resources: [users, teams], typeField: onType, idField: onId }
  users:
    access: { read: none }
    fields:
      name: { type: string, access: { read: none } }
      teamId: { type: integer, reference: teams.id }
      team: { type: relation, relation: belongsTo, resource: teams }
  teams:
    fields: { title: { type: string }, open: { type: boolean }, since: { type: date } }
`;

const errorsOf = (text: string): readonly string[] =>
  build(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);

describe('a rule may use all that the owner of the data sees', () => {
  test.each([
    'status=draft',
    'status_in=draft,live',
    'rank_gte=3&title_like=a b',
    '_or=status:draft,rank_gt:3',
    '_or=ownerId:{user.sub},title:"{user.name}"',
    'secret={user.key}',
    'owner.name={user.name}',
    'owner.team.open=true',
    'owner_exists=false',
    'on.title=x',
    'on:teams.open=true',
    'spec.width_lt={user.width}',
    'free.a.b={user.anything}',
    'words_contains={user.word}',
    'words_containsAny=a,{user.words}',
    'rank_in={user.ranks}',
    'ownerId={user.https://example.com/tenant}',
    'ownerId={user.realm.user-id}',
    'limit_eq=5',
    'rank=1&rank=1',
    'id=1&id=2',
    'title_neq={plain}x',
    'at_lte={now}&day={now}&clock_gt={now}',
    'day_in=2026-01-01,{now},{user.day}',
    'spec.at_gt={now}',
    '_or=at_null:true,at_gt:{now}',
    'on.since_lt={now}',
    // More than a request may ask for.
    `rank_in=${Array.from({ length: 700 }, (_, index) => index).join(',')}`,
  ])('%s', (where) => {
    expect(errorsOf(withRule(where))).toEqual([]);
  });
});

describe('what is wrong with a rule is told where it stands', () => {
  test.each([
    ['titel=x', 'titel: there is no field titel; did you mean title?'],
    ['owner.nam=x', 'owner.nam: there is no field owner.nam; did you mean owner.name?'],
    ['spec.with=1', 'spec.with: there is no field spec.with; did you mean spec.width?'],
    [
      'rank_like=1',
      'rank_like: rank is of type integer, which takes _eq, _neq, _in, _nin, _gt, _gte, _lt, _lte, _exists, _null, not _like',
    ],
    [
      'owner=1',
      'owner: owner is a relation, which takes _exists, _null or a path to a field of it, such as owner.id, not _eq',
    ],
    ['rank=x', 'rank: "x" does not fit: it takes a whole number'],
    ['status=gone', 'status: "gone" does not fit: it takes one of draft, live'],
    ['state=x', 'state: "x" does not fit: it takes one of "a,b", ""'],
    ['rank_in=1,x', 'rank_in: "x" does not fit: it takes a whole number'],
    ['rank_in=x,{user.ranks}', 'rank_in: "x" does not fit: it takes a whole number'],
    ['owner_exists=maybe', 'owner_exists: takes true or false'],
    ['owner_exists={user.flag}', 'owner_exists: takes true or false'],
    ['limit=5', 'limit: is a parameter of requests; a field of that name is asked for as limit_eq'],
    [
      'sort=title',
      'sort: is a parameter of requests; a field of that name is asked for as sort_eq',
    ],
    [
      '_debug=true',
      '_debug: is a parameter of requests; a field of that name is asked for as _debug_eq',
    ],
    ['&', 'says nothing of rows; write a filter such as status=published'],
    ['title=%zz', 'title: is not valid percent-encoded UTF-8'],
    [
      'title[]=x',
      'title[]: brackets are not used here; write field_operator=value, relation.field=value, and several values as field_in=a,b',
    ],
    ['_or=title', '_or: "title" is not field:value'],
    ['title={now}', 'title: {now} is compared with a date, datetime or time, not with string'],
    [
      'rank_in=1,{now}',
      'rank_in: {now} is compared with a date, datetime or time, not with integer',
    ],
    ['free.a={now}', 'free.a: {now} is compared with a date, datetime or time, not with json'],
    [
      'owner.name={now}',
      'owner.name: {now} is compared with a date, datetime or time, not with string',
    ],
    ['rank_in=1,,2', 'rank_in: an empty item is written as ""'],
  ])('%s', (where, message) => {
    const place = '3:30 resources.posts.access.read.where';
    expect(errorsOf(withRule(where))).toEqual([`${place}: ${message}`]);
  });

  const noClaim = (text: string): string =>
    `${JSON.stringify(text)} is not a claim: {user.<claim>} stands for a whole value or for an item of a list, and its name has letters, digits and _ - . : / @; {now} is the time of the request`;

  test.each([
    'x{user.sub}',
    '{user.sub}x',
    '{user}',
    '{user.}',
    '{ user.sub }',
    '{User.sub}',
    '{users.sub}',
    '{claims.sub}',
    '{sub}',
    '{user.sub',
    '{user.a$b}',
  ])('title=%s is no claim', (text) => {
    expect(errorsOf(withRule(`title=${text}`))).toEqual([
      `3:30 resources.posts.access.read.where: title: ${noClaim(text)}`,
    ]);
  });

  test('a claim is not percent-encoded', () => {
    expect(errorsOf(withRule('title=%7Buser.sub%7D'))).toEqual([
      '3:30 resources.posts.access.read.where: title: a claim is written as it is, without percent-encoding',
    ]);
  });

  test('every rule of a list, each at its own place', () => {
    const text = `resources:
  r:
    access:
      read: [public, { role: a, where: "x=1" }]
      write:
        - { role: b, where: "y=1" }
      delete: { where: "z=1" }
    fields: {}
`;
    expect(errorsOf(text)).toEqual([
      '4:40 resources.r.access.read[1].where: x: there is no field x',
      '6:29 resources.r.access.write[0].where: y: there is no field y',
      '7:24 resources.r.access.delete.where: z: there is no field z',
    ]);
  });

  test('a rule of the API in each resource that has none of its own', () => {
    const text = `access: { read: { where: "mine={user.sub}" } }
resources:
  a: { fields: { mine: { type: string } } }
  b: { fields: { other: { type: string } } }
  c: { fields: {}, access: { read: public } }
`;
    expect(errorsOf(text)).toEqual(['1:26 access.read.where: in b: mine: there is no field mine']);
  });
});
