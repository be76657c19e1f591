import { expect, test } from 'vitest';
import type { SqliteDatabase } from '../../src/databases/sqlite/database.ts';
import { buildValid, makeSqlite, serve, type Answer, type TestApi } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { seed } from '../support/seed.ts';
import { patience } from '../oracle/world.ts';
import { type Draw, drawOf } from '../oracle/draw.ts';

/** How many requests are tried. */
const turns = Number(process.env['REQUESTS'] ?? 150);

/** Rules that look at nothing which the caller could write in a row that it does not see. */
const specification = `
${withTokens}
api: { versions: { 1: {}, 2: { resources: { people: { fields: { who: { from: name }, tasks: false } }, skills: { fields: { label: { from: title } } } } } } }
access: { read: [member, boss], write: boss }
resources:
  teams:
    fields:
      id: { type: id, format: string }
      name: { type: string }
      budget: { type: integer, access: boss }
      people: { type: relation, relation: hasMany, resource: people, foreignKey: teamId }
  people:
    access:
      read: [{ role: member, where: "teamId={user.org.teams}" }, boss]
      create: [{ role: member, where: "teamId={user.org.teams}" }, boss]
      update: [{ role: member, where: "teamId={user.org.teams}&locked=false" }, boss]
      delete: [{ role: member, where: "locked=false&team.name_neq=t3" }, { role: member, where: "locked=false&name=expendable" }, boss]
    fields:
      id: { type: id, format: string }
      name: { type: string, nullable: true }
      teamId: { type: string, reference: teams.id, onDelete: restrict }
      team: { type: relation, relation: belongsTo, resource: teams }
      locked: { type: boolean, default: false, access: { write: boss } }
      salary: { type: integer, nullable: true, access: { read: boss, write: public } }
      bossId: { type: string, nullable: true, reference: people.id, onDelete: setNull }
      boss: { type: relation, relation: belongsTo, resource: people }
      staff: { type: relation, relation: hasMany, resource: people, foreignKey: bossId }
      tasks: { type: relation, relation: hasMany, resource: tasks, foreignKey: personId }
      skills: { type: relation, relation: belongsToMany, resource: skills, through: person-skills, withPivot: [grade, remark] }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
  skills:
    access: { read: [{ role: member, where: "secret=false" }, boss], write: [member, boss] }
    fields:
      id: { type: id, format: string }
      title: { type: string }
      secret: { type: boolean, default: false, access: boss }
      people: { type: relation, relation: belongsToMany, resource: people, through: person-skills }
  person-skills:
    access:
      read: [{ role: member, where: "_or=grade_gte:0,person.teamId:{user.org.teams}&grade_neq=13" }, boss]
      create: [{ role: member, where: "grade_lt=100&person.teamId={user.org.teams}" }, boss]
      write: [{ role: member, where: "grade_neq=7" }, boss]
    fields:
      id: { type: id, format: string }
      personId: { type: string, required: true, reference: people.id }
      skillId: { type: string, required: true, reference: skills.id }
      grade: { type: integer, default: 0 }
      remark: { type: string, nullable: true, access: { read: boss, write: public } }
      person: { type: relation, relation: belongsTo, resource: people }
  tasks:
    access: { read: [{ role: member, where: "_or=ownerSub:{user.sub},open:true" }, boss], write: [member, boss] }
    fields:
      id: { type: id, format: string }
      text: { type: string, nullable: true }
      open: { type: boolean, default: true }
      ownerSub: { type: string, default: "u1" }
      personId: { type: string, nullable: true, reference: people.id, onDelete: setNull }
      person: { type: relation, relation: belongsTo, resource: people }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: setNull }
  notes:
    access: { read: [{ role: member, where: "level_lt=5" }, boss], write: [member, boss] }
    fields:
      id: { type: id, format: string }
      text: { type: string, nullable: true }
      level: { type: integer, default: 1, access: { write: boss } }
      onType: { type: string, nullable: true }
      onId: { type: string, nullable: true }
      on: { type: relation, relation: morphTo, typeField: onType, idField: onId }
  vaults:
    access: boss
    fields:
      id: { type: id, format: string }
      code: { type: string }
      notes: { type: relation, relation: morphMany, resource: notes, onDelete: cascade }
`;

const boss = caller({ sub: 'boss', roles: ['boss'] });
const members = [
  caller({ sub: 'u1', roles: ['member'], org: { teams: ['t1', 't2', 7] } }),
  caller({ sub: 'u2', roles: ['member'], org: { teams: 't1' } }),
  caller({ sub: 'u3', roles: ['member'], org: { teams: [] } }),
  caller({ sub: 'u4', roles: ['member'] }),
];

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
const ids: Readonly<Record<string, readonly string[]>> = {
  teams: numbered('t', 4),
  people: numbered('p', 14),
  skills: numbered('s', 8),
  'person-skills': numbered('l', 24),
  tasks: numbered('k', 14),
  notes: numbered('n', 14),
  vaults: numbered('v', 2),
};

/** What is there at first, most of which some member does not see. */
function recordsOf(draw: Draw): readonly (readonly [string, readonly object[]])[] {
  const some = (name: string): string => draw.pick(ids[name] ?? []);
  const made: Readonly<Record<string, (id: string) => object>> = {
    teams: (id) => ({ id, name: id, budget: draw.below(100) }),
    people: (id) => ({
      id,
      name: draw.pick(['a', 'b', 'expendable']),
      teamId: some('teams'),
      locked: draw.chance(20),
      salary: draw.below(100),
    }),
    skills: (id) => ({ id, title: draw.pick(['x', 'y', 'guru']), secret: draw.chance(40) }),
    'person-skills': (id) => ({
      id,
      personId: some('people'),
      skillId: some('skills'),
      grade: draw.pick([0, 1, 7, 13, -1, 5]),
      remark: draw.pick(['good', 'bad', null]),
    }),
    tasks: (id) => ({
      id,
      text: id,
      open: draw.chance(50),
      ownerSub: draw.pick(['u1', 'u2', 'u9']),
      personId: draw.chance(70) ? some('people') : null,
    }),
    vaults: (id) => ({ id, code: id }),
    notes: (id) => {
      const onType = draw.pick(['people', 'tasks', 'vaults']);
      return { id, text: id, level: draw.below(10), onType, onId: some(onType) };
    },
  };
  return Object.entries(made).map(([name, make]) => [name, (ids[name] ?? []).map(make)] as const);
}

/** A member's write, or a read of what there is. */
function requestOf(draw: Draw): readonly [method: string, path: string, body: unknown] {
  const name = draw.pick(Object.keys(ids));
  const any = (resource: string): string =>
    draw.chance(8) ? 'missing' : draw.pick(ids[resource] ?? []);
  const link = (): unknown => {
    const id = any('skills');
    return draw.chance(50) ? id : { id, pivot: { grade: draw.pick([1, 7, 13, 100]), remark: 'r' } };
  };
  const links = (): unknown[] => Array.from({ length: draw.below(4) }, link);
  const fields: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
    teams: { name: () => 'z', budget: () => 1 },
    people: {
      name: () => draw.pick(['a', 'expendable', null]),
      teamId: () => any('teams'),
      salary: () => draw.pick([1, 2, 'x']),
      bossId: () => (draw.chance(30) ? null : any('people')),
      skills: () =>
        draw.chance(50)
          ? links()
          : { add: links(), remove: Array.from({ length: draw.below(3) }, () => any('skills')) },
    },
    skills: { title: () => draw.pick(['x', 'guru']), people: () => [any('people'), any('people')] },
    'person-skills': {
      personId: () => any('people'),
      skillId: () => any('skills'),
      grade: () => draw.pick([1, 7, 13, -1, 100]),
      remark: () => 'w',
    },
    tasks: {
      text: () => 'c',
      open: () => draw.chance(60),
      ownerSub: () => draw.pick(['u1', 'u2', 'u9']),
      personId: () => (draw.chance(30) ? null : any('people')),
    },
    notes: {
      text: () => 'c',
      onType: () => draw.pick(['people', 'tasks', 'vaults', null, 'nope']),
      onId: () => draw.pick([any('people'), any('tasks'), any('vaults'), null]),
    },
    vaults: { code: () => 'c' },
  };
  const record = (): object =>
    Object.fromEntries(
      Object.entries(fields[name] ?? {})
        .filter(() => draw.chance(60))
        .map(([field, value]) => [field, value()]),
    );
  const path = `/v1/${name}`;
  const kind = draw.below(10);
  if (kind < 3) return ['POST', path, draw.chance(25) ? [record(), record()] : record()];
  if (kind < 7) return [draw.pick(['PATCH', 'PATCH', 'PUT']), `${path}/${any(name)}`, record()];
  if (kind < 8) return ['DELETE', `${path}/${any(name)}`, undefined];
  return ['GET', draw.pick(reads), undefined];
}

const reads = [
  '/v1/people?expand=skills,boss,staff,notes,tasks.person,team.people&sort=boss.name,-name',
  '/v1/people?skills.title=x&_or=tasks.text:c,boss.name:a&limit=2',
  '/v1/people?skills_exists=false&sort=skills.pivot.grade&expand=skills',
  '/v1/people?skills.pivot.grade_gte=1&cursor=&limit=3&sort=-boss.name',
  '/v2/people?expand=skills.people&fields=who,skills.label&sort=-skills.label',
  '/v1/skills?expand=people.boss&people.limit=1&people.name_exists=true',
  '/v1/teams?expand=people&people.limit=2&sort=-people.name',
  '/v1/teams?people.bossId_exists=true&people.boss_exists=false',
  '/v1/tasks?person_exists=false&sort=person.name&nulls=last&expand=notes',
  '/v1/notes?expand=on.team&on_exists=true',
  '/v1/notes?on.name_neq=a&sort=-text',
  '/v1/notes?on_exists=false&limit=3',
  '/v1/person-skills?expand=person.team&sort=person.name,-grade',
];

/** All that an answer says, but for what each request is called. */
function told({ status, headers, text }: Answer): object {
  const names = ['etag', 'location', 'link', 'x-total-count', 'x-next-cursor', 'x-total-pages'];
  return {
    status,
    headers: names.map((name) => headers.get(name)),
    text: text.replace(/"requestId":"[^"]*"/u, ''),
  };
}

/** Serves it so that what one server draws is what another would. */
async function serveAlike(): Promise<TestApi> {
  const model = buildValid(specification);
  const { database, remove } = await makeSqlite(model);
  let drawn = 0;
  const uuid = (): string => {
    drawn += 1;
    return `0198c0de-0000-7000-8000-${String(drawn).padStart(12, '0')}`;
  };
  const api = await serve(model, database, { now: () => new Date(), uuid }, []);
  const stop = async (): Promise<void> => {
    await api.stop();
    remove();
  };
  return { ...api, stop };
}

/** Gives every value that this member does not see another one, and takes away rows that nothing shown leads to. */
async function disguise(api: TestApi, member: Record<string, string>): Promise<void> {
  const { schemaConnection } = api.servedApi.database as SqliteDatabase;
  const seen = new Map<string, readonly string[]>();
  for (const name of Object.keys(ids)) {
    const { status, body } = await api.get(`/v1/${name}?limit=1000&fields=id`, member);
    seen.set(name, status === 200 ? (body as { id: string }[]).map(({ id }) => id) : []);
  }
  schemaConnection.pragma('foreign_keys = OFF');
  const change = (sql: string, name: string): void =>
    void schemaConnection
      .prepare(`${sql} id NOT IN (SELECT value FROM json_each(?))`)
      .run(JSON.stringify(seen.get(name)));
  schemaConnection.exec('UPDATE teams SET budget = budget + 1000');
  schemaConnection.exec('UPDATE people SET salary = CASE WHEN salary > 50 THEN 7 END');
  schemaConnection.exec(`UPDATE "person-skills" SET remark = remark || '!'`);
  change(
    `UPDATE people SET name = name || '!', "bossId" = NULL, locked = NOT locked WHERE`,
    'people',
  );
  change(`UPDATE skills SET title = 'zz' WHERE`, 'skills');
  change(`DELETE FROM "person-skills" WHERE`, 'person-skills');
  change(`UPDATE tasks SET text = 'zz', "personId" = NULL WHERE`, 'tasks');
  change(`DELETE FROM notes WHERE`, 'notes');
  schemaConnection.exec(`UPDATE vaults SET code = 'zz'`);
  schemaConnection.pragma('foreign_keys = ON');
}

test.each(members.map((member, index) => [`u${index + 1}`, member] as const))(
  `what %s does not see makes no difference to any answer (seed ${seed}, ${turns} requests)`,
  async (who, member) => {
    const draw = drawOf(seed + Number(who.slice(1)));
    const records = recordsOf(draw);
    const sides: TestApi[] = [];
    for (const _ of [1, 2]) {
      const api = await serveAlike();
      for (const [name, list] of records) {
        const { status, text } = await api.send('POST', `/v1/${name}`, list, boss);
        expect(status, text).toBe(201);
      }
      sides.push(api);
    }
    const [whole, other] = sides;
    if (whole === undefined || other === undefined) throw new Error('two are served');
    await disguise(other, member);
    const statuses = new Set<number>();
    for (let turn = 0; turn < turns; turn += 1) {
      const [method, path, body] = requestOf(draw);
      const keyed: Record<string, string> = draw.chance(10)
        ? method === 'POST'
          ? { 'idempotency-key': `k${draw.below(20)}` }
          : { 'if-match': draw.pick(['*', '"x"']) }
        : {};
      // What is new has the same id on both sides.
      const named =
        method === 'POST' && typeof body === 'object' && body !== null
          ? Array.isArray(body)
            ? body.map((one: object, index) => ({ id: `new${turn}-${index}`, ...one }))
            : { id: `new${turn}`, ...body }
          : body;
      const headers = { ...member, ...(method === 'GET' ? {} : keyed) };
      const [answer, same] = [
        await whole.send(method, path, named, headers),
        await other.send(method, path, named, headers),
      ];
      expect(
        told(same),
        `${turn}: ${method} ${path} ${JSON.stringify(named)} ${JSON.stringify(keyed)}`,
      ).toEqual(told(answer));
      statuses.add(answer.status);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 403, 404, 422]));
    for (const { failures, stop } of sides) {
      expect(failures).toEqual([]);
      await stop();
    }
  },
  patience,
);
