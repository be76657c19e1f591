import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';

/** People with bosses and teams, so that paths can be of any length; limits as they are by default, but for four. */
const specification = `
limits: { urlLength: 400KiB, inItems: 33000, filters: 2000, sorts: 200 }
resources:
  people:
    fields:
      name: { type: string }
      age: { type: integer }
      pay: { type: decimal }
      extra: { type: json }
      words: { type: array, items: { type: string } }
      bossId: { type: integer, reference: people.id }
      boss: { type: relation, relation: belongsTo, resource: people, foreignKey: bossId }
      team: { type: relation, relation: hasMany, resource: people, foreignKey: bossId }
      skills: { type: relation, relation: belongsToMany, resource: skills, through: people-skills, withPivot: [level] }
  skills:
    fields:
      name: { type: string }
      people: { type: relation, relation: belongsToMany, resource: people, through: people-skills }
  people-skills:
    fields:
      personId: { type: integer, required: true, reference: people.id }
      skillId: { type: integer, required: true, reference: skills.id }
      level: { type: integer }
`;
/** The same with the default limits. See docs/contract/4-errors-and-limits.md#limits. */
const plain = specification.replace(
  'limits: { urlLength: 400KiB, inItems: 33000, filters: 2000, sorts: 200 }\n',
  '',
);

let wide: Both;
let usual: Both;
beforeAll(async () => {
  [wide, usual] = await Promise.all([serveBoth(specification), serveBoth(plain)]);
  const people = Array.from({ length: 30 }, (_, index) => ({
    name: `p${index % 5}`,
    age: index,
    pay: `${index}.50`,
    extra: { a: { b: { c: { d: { e: index } } } } },
    words: ['a', `w${index}`],
    bossId: index === 0 ? null : Math.floor((index + 1) / 2),
  }));
  const skills = Array.from({ length: 5 }, (_, index) => ({ name: `s${index}` }));
  const links = Array.from({ length: 30 }, (_, index) => ({
    personId: index + 1,
    skillId: (index % 5) + 1,
    level: index % 3,
  }));
  for (const both of [wide, usual])
    for (const [resource, body] of Object.entries({ people, skills, 'people-skills': links })) {
      const { status, text } = await both.send('POST', `/v1/${resource}`, body);
      expect(status, text).toBe(201);
    }
});
afterAll(async () => {
  await wide?.stop();
  await usual?.stop();
});

const times = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));

/** Different paths over this many relations, to-one and to-many mixed. */
const paths = (count: number, length: number): string[] =>
  times(count, (index) =>
    times(
      length,
      (step) => ['boss', 'team', 'skills.people'][Math.floor(index / 3 ** step) % 3] ?? '',
    )
      .join('.')
      .split('.')
      .slice(0, length)
      .join('.'),
  );
const toOne = (length: number): string => times(length, () => 'boss').join('.');
const distinct = (list: readonly string[]): string[] => [...new Set(list)];

/** A name, a query, and what comes of it: how many records there are in all, or the code of the refusal. */
type Row = readonly [name: string, query: string, outcome: number | string];

function expectOutcomes(source: () => Both, resource: string, rows: readonly Row[]): void {
  test.each(rows.map(([name, query, outcome]) => ({ name, query, outcome })))(
    '$name',
    async ({ query, outcome }) => {
      const { get, failures } = source();
      const before = failures.length;
      const { body, text, headers } = await get(`/v1/${resource}?${query}`);
      const { code, data } = body as { code?: string; data?: unknown[] };
      const count = data?.length ?? Number(headers.get('x-total-count'));
      expect(code ?? count, text.slice(0, 500)).toBe(outcome);
      expect(failures.slice(before)).toEqual([]);
    },
  );
}

const everyone = 30;
/** All on one page by cursor: no links, which hold the URL and would be too long for a client's headers. */
const unlinked = 'limit=1000&cursor=';

describe('with limits that many steps to many records need', () => {
  const deep = distinct(paths(81, 4)).filter((path) => !path.endsWith('skills'));
  expectOutcomes(() => wide, 'people', [
    [
      '8 keys of 5 relations',
      `sort=${times(8, (i) => `${toOne(4)}.${i % 2 === 0 ? 'boss' : 'team'}.${['name', 'age', 'pay', 'id'][i >> 1]}`).join(',')}`,
      everyone,
    ],
    [
      '8 keys of 4 relations to many',
      `sort=${deep
        .slice(0, 8)
        .map((path) => `${path}.id`)
        .join(',')}`,
      everyone,
    ],
    [
      '50 filters on one record 5 relations away',
      times(50, (i) => `team.team.team.boss.boss.age_gte=-${i}`).join('&'),
      3,
    ],
  ]);
});

describe('at the limits', () => {
  const deep = distinct(paths(81, 4)).filter((path) => !path.endsWith('skills'));
  expectOutcomes(() => usual, 'people', [
    ['50 filters', times(50, (index) => `age_gte=-${index}`).join('&'), everyone],
    ['51 filters', times(51, (index) => `age_gte=-${index}`).join('&'), 'LIMIT_EXCEEDED'],
    ['50 pairs of one _or', `_or=${times(50, (index) => `age:${index}`).join(',')}`, everyone],
    [
      '51 pairs of one _or',
      `_or=${times(51, (index) => `age:${index}`).join(',')}`,
      'LIMIT_EXCEEDED',
    ],
    ['50 groups', times(50, () => '_or=age_gte:0').join('&'), everyone],
    ['50 ids', times(50, (index) => `id=${index}`).join('&'), everyone],
    ['a list of 500', `age_in=${times(500, String).join(',')}`, everyone],
    ['a list of 501', `age_in=${times(501, String).join(',')}`, 'LIMIT_EXCEEDED'],
    ['500 to hold all of', `words_containsAll=${times(500, () => 'a').join(',')}`, everyone],
    ['8 keys', `sort=name,age,pay,bossId,words,boss.name,boss.age,boss.pay`, everyone],
    ['9 keys', `sort=name,age,pay,bossId,words,boss.name,boss.age,boss.pay,id`, 'LIMIT_EXCEEDED'],
    ['a path of 5 dots', `${toOne(5)}.name_exists=true`, 0],
    ['a path of 6 dots', `${toOne(6)}.name_exists=true`, 'LIMIT_EXCEEDED'],
    ['a json path of 5 dots', 'extra.a.b.c.d.e_gte=0', everyone],
    ['a json path of 6 dots', 'extra.a.b.c.d.e.f_gte=0', 'LIMIT_EXCEEDED'],
    ['an offset of 10¹⁵', 'offset=1000000000000000', everyone],
    ['the largest offset', 'offset=9007199254740991', everyone],
    ['the largest page of the largest limit', 'page=9007199254740991&limit=1000', everyone],
    ['the largest limit', 'limit=1000', everyone],
    ['a larger one', 'limit=1001', 'LIMIT_EXCEEDED'],
    ['an offset beyond all numbers', `offset=${'9'.repeat(400)}`, 'INVALID_PARAMETER'],
    ['a page beyond all numbers', `page=${'9'.repeat(400)}`, 'INVALID_PARAMETER'],
    [
      '8 keys of 5 relations',
      `sort=${times(8, (i) => `${toOne(4)}.${i % 2 === 0 ? 'boss' : 'team'}.${['name', 'age', 'pay', 'id'][i >> 1]}`).join(',')}`,
      'LIMIT_EXCEEDED',
    ],
    [
      '8 keys of 4 relations to many',
      `sort=${deep
        .slice(0, 8)
        .map((path) => `${path}.id`)
        .join(',')}`,
      'LIMIT_EXCEEDED',
    ],
    [
      '50 filters on one record 5 relations away',
      times(50, (i) => `team.team.team.boss.boss.age_gte=-${i}`).join('&'),
      'LIMIT_EXCEEDED',
    ],
    ['decimals of 4,000 digits', `pay_gt=-${'9'.repeat(4000)}`, 'INVALID_FILTER'],
    ['fractions of 4,000 digits', `pay_gte=0.${'9'.repeat(4000)}`, 'INVALID_FILTER'],
    ['a search of 1,300 signs', `name_like=${'%25'.repeat(1300)}`, 'LIMIT_EXCEEDED'],
    ['of 1,000 in any case', `name_ilike=${'k'.repeat(1000)}`, 0],
  ]);

  test('the length of the URL', async () => {
    const target = (length: number): string => {
      const start = `/v1/people?${unlinked}&name_neq=`;
      return `${start}${'x'.repeat(length - start.length)}`;
    };
    const statuses = [];
    for (const length of [8192, 8193, 15_000]) {
      const { status } = await usual.get(target(length));
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 414, 414]);
  });
});

describe('what databases bound', () => {
  const many = (count: number, length: number): string[] =>
    distinct(paths(3 ** length, length))
      .toReversed()
      .slice(0, count);
  expectOutcomes(() => wide, 'people', [
    ['33,000 values', `${unlinked}&age_in=${times(33_000, String).join(',')}`, everyone],
    [
      '33,000 to be none of',
      `${unlinked}&age_nin=${times(33_000, (index) => String(index + 1)).join(',')}`,
      1,
    ],
    [
      '33,000 through a relation',
      `${unlinked}&boss.age_in=${times(33_000, String).join(',')}`,
      everyone - 1,
    ],
    [
      '50 lists of 660',
      `${unlinked}&${times(50, () => `age_in=${times(660, String).join(',')}`).join('&')}`,
      everyone,
    ],
    [
      '_or over 50 paths of 4 relations',
      `_or=${many(50, 4)
        .map((path) => `${path}.id_gte:0`)
        .join(',')}`,
      everyone,
    ],
    [
      '50 paths of 5 relations at once',
      many(50, 5)
        .map((path) => `${path}.id_gte=0`)
        .join('&'),
      0,
    ],
    [
      '50 to-one paths that share their start',
      times(50, (i) => `${toOne(1 + (i % 5))}.age_gte=-${i}`).join('&'),
      0,
    ],
    ['one record of 50 each', times(50, (i) => `team.age_gte=-${i}`).join('&'), 15],
    ['50 records of one relation', times(50, () => 'team.age_gte=0').join('&'), 15],
    [
      '8 keys over 40 relations, 42 filters over 210',
      `${unlinked}&sort=${many(8, 5)
        .map((path) => `${path}.id`)
        .join(',')}&${many(42, 5)
        .map((path) => `${path}.id_gte=0`)
        .join('&')}`,
      0,
    ],
  ]);

  test('every relation expanded, 5 levels deep', async () => {
    const path = `/v1/people?limit=2&maxDepth=5&expand=${many(60, 5).join(',')}`;
    const { status, text } = await wide.get(path);
    expect(status, text.slice(0, 500)).toBe(200);
    expect(wide.failures).toEqual([]);
  });

  test('a cursor over 8 keys through relations', async () => {
    const sort = many(8, 4).map((key, index) => `${index % 2 === 0 ? '-' : ''}${key}.id`);
    const seen: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const path = `/v1/people?limit=7&fields=id&sort=${sort.join(',')}&cursor=${cursor}`;
      const { status, text, body } = await wide.get(path);
      expect(status, text.slice(0, 500)).toBe(200);
      const { data, next_cursor: next } = body as {
        data: { id: number }[];
        next_cursor: string | null;
      };
      seen.push(...data.map(({ id }) => id));
      cursor = next;
    }
    expect(seen.toSorted((a, b) => a - b)).toEqual(times(everyone, (index) => index + 1));
  });
});
