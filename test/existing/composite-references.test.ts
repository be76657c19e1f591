import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anonymous } from '../../src/model/access.ts';
import { viewOf } from '../../src/model/view.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { openApiDocument } from '../../src/openapi/document/document.ts';
import { build } from '../support/api.ts';
import { Keyed } from '../support/keyed.ts';

// See docs/contract/8-existing-databases.md#relations.
const specification = `
access: public
debug: true
database: { managed: false }
resources:
  projects:
    key: [tenantId, no]
    fields:
      tenantId: { type: integer, column: tenant_id }
      no: { type: integer }
      name: { type: string }
      parentNo: { type: integer, column: parent_no }
      parent: { type: relation, relation: belongsTo, resource: projects, foreignKey: [tenantId, parentNo] }
      children: { type: relation, relation: hasMany, resource: projects, foreignKey: [tenantId, parentNo] }
      tasks: { type: relation, relation: hasMany, resource: tasks }
      brief: { type: relation, relation: hasOne, resource: briefs }
      people: { type: relation, relation: belongsToMany, resource: people, through: memberships, withPivot: [role] }
      taskCount: { type: integer, computed: { count: tasks } }
      members: { type: integer, computed: { count: people } }
  tasks:
    fields:
      tenantId: { type: integer, column: tenant_id, nullable: false }
      projectNo: { type: integer, column: project_no }
      title: { type: string }
      project: { type: relation, relation: belongsTo, resource: projects, foreignKey: [tenantId, projectNo] }
  briefs:
    key: [tenantId, projectNo]
    fields:
      tenantId: { type: integer, column: tenant_id }
      projectNo: { type: integer, column: project_no }
      text: { type: string }
      project: { type: relation, relation: belongsTo, resource: projects, foreignKey: [tenantId, projectNo], onDelete: cascade }
  people:
    key: [tenantId, name]
    fields:
      tenantId: { type: integer, column: tenant_id }
      name: { type: string }
      projects: { type: relation, relation: belongsToMany, resource: projects, through: memberships, withPivot: [role] }
  memberships:
    key: [tenantId, projectNo, personName]
    fields:
      tenantId: { type: integer, column: tenant_id }
      projectNo: { type: integer, column: project_no }
      personName: { type: string, column: person_name }
      role: { type: string }
      project: { type: relation, relation: belongsTo, resource: projects, foreignKey: [tenantId, projectNo], onDelete: cascade }
      person: { type: relation, relation: belongsTo, resource: people, foreignKey: [tenantId, personName], onDelete: cascade }
  accounts:
    fields:
      email: { type: string }
      profile: { type: relation, relation: hasOne, resource: profiles }
  profiles:
    key: accountId
    fields:
      accountId: { type: integer, column: account_id, reference: accounts.id }
      bio: { type: string }
      account: { type: relation, relation: belongsTo, resource: accounts }
  secrets:
    key: [tenantId, no]
    access: { read: [{ role: public, where: 'no=1' }] }
    fields:
      tenantId: { type: integer, column: tenant_id }
      no: { type: integer }
  hints:
    fields:
      tenantId: { type: integer, column: tenant_id }
      secretNo: { type: integer, column: secret_no }
      secret: { type: relation, relation: belongsTo, resource: secrets, foreignKey: [tenantId, secretNo] }
`;

const sql = (id: string, text: string): string => `
CREATE TABLE projects (tenant_id integer NOT NULL, no integer NOT NULL, name ${text}, parent_no integer,
  PRIMARY KEY (tenant_id, no), FOREIGN KEY (tenant_id, parent_no) REFERENCES projects);
CREATE TABLE tasks (id ${id}, tenant_id integer NOT NULL, project_no integer, title ${text},
  FOREIGN KEY (tenant_id, project_no) REFERENCES projects (tenant_id, no));
CREATE INDEX tasks_project ON tasks (project_no, tenant_id);
CREATE TABLE briefs (tenant_id integer NOT NULL, project_no integer NOT NULL, text ${text}, PRIMARY KEY (tenant_id, project_no),
  FOREIGN KEY (tenant_id, project_no) REFERENCES projects ON DELETE CASCADE);
CREATE TABLE people (tenant_id integer NOT NULL, name ${text} NOT NULL, PRIMARY KEY (tenant_id, name));
CREATE TABLE memberships (tenant_id integer NOT NULL, project_no integer NOT NULL, person_name ${text} NOT NULL, role ${text},
  PRIMARY KEY (tenant_id, project_no, person_name),
  FOREIGN KEY (tenant_id, project_no) REFERENCES projects ON DELETE CASCADE,
  FOREIGN KEY (tenant_id, person_name) REFERENCES people ON DELETE CASCADE);
CREATE TABLE accounts (id ${id}, email ${text});
CREATE TABLE profiles (account_id integer PRIMARY KEY NOT NULL REFERENCES accounts, bio ${text});
CREATE TABLE secrets (tenant_id integer NOT NULL, no integer NOT NULL, PRIMARY KEY (tenant_id, no));
CREATE TABLE hints (id ${id}, tenant_id integer, secret_no integer, FOREIGN KEY (tenant_id, secret_no) REFERENCES secrets);
INSERT INTO projects VALUES (1, 1, 'one', NULL), (1, 2, 'two', 1), (1, 3, 'three', 1), (2, 1, 'other', NULL), (2, 4, 'last', NULL);
INSERT INTO tasks (tenant_id, project_no, title) VALUES (1, 1, 'a'), (1, 2, 'b'), (1, 1, 'c'), (2, 1, 'd'), (1, NULL, 'e');
INSERT INTO briefs VALUES (1, 1, 'x'), (2, 1, 'y');
INSERT INTO people VALUES (1, 'ann'), (1, 'a,b'), (2, 'ann');
INSERT INTO memberships VALUES (1, 1, 'ann', 'lead'), (1, 2, 'ann', NULL), (1, 1, 'a,b', NULL), (2, 1, 'ann', 'lead');
INSERT INTO accounts (email) VALUES ('a@x.io'), ('b@x.io');
INSERT INTO profiles VALUES (1, 'hi');
INSERT INTO secrets VALUES (1, 1), (1, 2);
INSERT INTO hints (tenant_id, secret_no) VALUES (1, 2);
`;

let keyed: Keyed;
beforeAll(async () => {
  keyed = await Keyed.of(
    specification,
    `PRAGMA foreign_keys = ON; ${sql('INTEGER PRIMARY KEY', 'TEXT')}`,
    sql('serial PRIMARY KEY', 'text COLLATE "C"'),
  );
});
afterAll(() => keyed?.stop());

/** The fields that a problem blames, with the messages. */
const blamed = (body: { errors?: { field: string; message: string }[] }): readonly string[] =>
  (body.errors ?? []).map(({ field, message }) => `${field} ${message}`);

describe('lists', () => {
  test.each([
    ['/tasks?project.name=one', [1, 3]],
    ['/tasks?project.id=1,2', [2]],
    ['/tasks?project_null=true', [5]],
    ['/tasks?project_null=false', [1, 2, 3, 4]],
    ['/tasks?project.parent.name=one', [2]],
    ['/tasks?project.brief.text=y', [4]],
    ['/tasks?project.people.name=a,b', [1, 3]],
    ['/tasks?sort=-project.name', [2, 4, 3, 1, 5]],
    ['/tasks?sort=-project.name&cursor=&limit=10', [2, 4, 3, 1, 5]],
    ['/projects?tasks.title=a', ['1,1']],
    ['/projects?tasks.title_in=a,d', ['1,1', '2,1']],
    ['/projects?tasks_null=true', ['1,3', '2,4']],
    ['/projects?sort=-tasks.title', ['2,1', '1,1', '1,2', '2,4', '1,3']],
    ['/projects?sort=-taskCount,-no', ['1,1', '1,2', '2,1', '2,4', '1,3']],
    ['/projects?sort=-members,no,tenantId', ['1,1', '2,1', '1,2', '1,3', '2,4']],
    ['/projects?taskCount_gt=1', ['1,1']],
    ['/tasks?project.taskCount=2', [1, 3]],
    ['/projects?parent.name=one', ['1,2', '1,3']],
    ['/projects?children.name=two', ['1,1']],
    ['/projects?brief.text=x', ['1,1']],
    ['/projects?people.name=ann', ['1,1', '1,2', '2,1']],
    ['/projects?people.pivot.role=lead', ['1,1', '2,1']],
    ['/projects?people.id=1%2Ca%252Cb', ['1,1']],
    ['/people?projects.name=one', ['1,a%2Cb', '1,ann']],
    ['/people?projects.pivot.role=lead&projects.no=1', ['1,ann', '2,ann']],
    ['/memberships?person.name=ann&project.name=two', ['1,2,ann']],
    ['/briefs?project.name=one', ['1,1']],
    ['/accounts?profile.bio=hi', [1]],
    ['/accounts?profile_null=true', [2]],
    ['/profiles?account.email=a@x.io', [1]],
  ])('%s', async (path, ids) => {
    expect(await keyed.idsOf(path)).toEqual(ids);
  });
});

describe('expansions', () => {
  test.each([
    ['/tasks/1?expand=project', { project: { id: '1,1', name: 'one' } }],
    ['/tasks/5?expand=project', { project: null }],
    [
      '/tasks/2?expand=project.parent,project.tasks&fields=project.parent.name,project.tasks.title',
      { project: { parent: { name: 'one' }, tasks: [{ title: 'b' }] } },
    ],
    [
      '/projects/1,1?expand=tasks,children,brief&fields=tasks.title,children.name,brief.text',
      {
        tasks: [{ title: 'a' }, { title: 'c' }],
        children: [{ name: 'two' }, { name: 'three' }],
        brief: { text: 'x' },
      },
    ],
    [
      '/projects/1,1?expand=tasks&tasks.limit=1&tasks.sort=-title&fields=tasks.title',
      { tasks: [{ title: 'c' }] },
    ],
    [
      '/projects/1,1?expand=people&fields=people.name,people.pivot',
      {
        people: [
          { name: 'a,b', pivot: { role: null } },
          { name: 'ann', pivot: { role: 'lead' } },
        ],
      },
    ],
    [
      '/projects/1,1?expand=people&people.limit=1&people.sort=-name&fields=people.name',
      { people: [{ name: 'ann' }] },
    ],
    ['/briefs/2,1?expand=project', { project: { name: 'other' } }],
    ['/profiles/1?expand=account', { account: { email: 'a@x.io' } }],
    ['/accounts/1?expand=profile', { profile: { bio: 'hi', accountId: 1, id: 1 } }],
    ['/accounts/2?expand=profile', { profile: null }],
  ])('%s', async (path, found) => {
    const { status, body } = await keyed.get(path);
    expect([status, body]).toMatchObject([200, found]);
  });

  test('of a list, with limits', async () => {
    const { body } = await keyed.get(
      '/projects?expand=tasks,people&tasks.limit=1&people.limit=1&fields=tasks.title,people.name,people.pivot&limit=2',
    );
    expect(body).toEqual([
      {
        id: '1,1',
        tasks: [{ id: 1, title: 'a' }],
        people: [{ id: '1,a%2Cb', name: 'a,b', pivot: { role: null } }],
        _pagination: {
          tasks: { page: 1, limit: 1, total: 2, totalPages: 2 },
          people: { page: 1, limit: 1, total: 2, totalPages: 2 },
        },
      },
      {
        id: '1,2',
        tasks: [{ id: 2, title: 'b' }],
        people: [{ id: '1,ann', name: 'ann', pivot: { role: null } }],
        _pagination: {
          tasks: { page: 1, limit: 1, total: 1, totalPages: 1 },
          people: { page: 1, limit: 1, total: 1, totalPages: 1 },
        },
      },
    ]);
  });
});

describe('writing', () => {
  test.each([
    ['POST', '/tasks', { tenantId: 1, projectNo: 3, title: 'new' }, 201],
    ['POST', '/tasks', { tenantId: 7, projectNo: null }, 201],
    ['PATCH', '/hints/1', { secretNo: 2 }, 200],
    ['PATCH', '/hints/1', { secretNo: 1 }, 200],
    ['PATCH', '/hints/1', { tenantId: null }, 200],
    ['PATCH', '/hints/1', { tenantId: 1 }, 200],
    ['POST', '/profiles', { accountId: 2, bio: 'ho' }, 201],
    ['POST', '/briefs', { tenantId: 1, projectNo: 3, text: 'z' }, 201],
  ])('%s %s %j is taken', async (method, path, body, status) => {
    const answer = await keyed.send(method, path, body);
    expect([answer.status, answer.body]).toMatchObject([status, body]);
  });

  test.each([
    [
      'POST',
      '/tasks',
      { tenantId: 1, projectNo: 9 },
      ['tenantId', 'projectNo'].map(
        (name) => `${name} there is no record in projects with id "1,9"`,
      ),
    ],
    [
      'PATCH',
      '/tasks/1',
      { projectNo: 9 },
      ['projectNo there is no record in projects with id "1,9"'],
    ],
    [
      'PATCH',
      '/tasks/1',
      { tenantId: 2, projectNo: 2 },
      ['tenantId', 'projectNo'].map(
        (name) => `${name} there is no record in projects with id "2,2"`,
      ),
    ],
    [
      'POST',
      '/briefs',
      { tenantId: 9, projectNo: 1 },
      ['tenantId', 'projectNo'].map(
        (name) => `${name} there is no record in projects with id "9,1"`,
      ),
    ],
    // A hidden record is as a missing one.
    [
      'POST',
      '/hints',
      { tenantId: 1, secretNo: 2 },
      ['tenantId', 'secretNo'].map((name) => `${name} there is no record in secrets with id "1,2"`),
    ],
    [
      'PATCH',
      '/hints/1',
      { secretNo: 3 },
      ['secretNo there is no record in secrets with id "1,3"'],
    ],
    ['POST', '/profiles', { accountId: 7 }, ['accountId there is no record in accounts with id 7']],
  ])('%s %s %j is refused', async (method, path, body, problems) => {
    const answer = await keyed.send(method, path, body);
    expect([answer.status, blamed(answer.body)]).toEqual([422, problems]);
  });

  // Every step begins with what the one before has left, and what it makes is deleted by the last.
  test.each([
    ['SQLite', 0],
    ['PostgreSQL', 1],
  ])('nested records on %s', async (_, place) => {
    // Each draws ids of its own.
    const api = keyed.databases[place]?.api;
    if (api === undefined) throw new Error('no database');
    const idsOf = async (path: string): Promise<readonly number[]> =>
      ((await api.get(path)).body as { id: number }[]).map(({ id }) => id);
    const shown =
      '/projects/1,7?expand=tasks,brief,people,parent,children' +
      '&fields=name,tasks.title,brief.text,people.name,people.pivot,parent.no,children.name';
    const made = await api.send('POST', '/projects', {
      tenantId: 1,
      no: 7,
      name: 'nest',
      tasks: { create: [{ title: 'n1' }, { title: 'n2' }], add: [2] },
      brief: { create: { text: 'nb' } },
      people: { create: [{ tenantId: 1, name: 'new', pivot: { role: 'r' } }], add: ['1,ann'] },
    });
    expect([made.status, made.body]).toMatchObject([201, { id: '1,7', name: 'nest' }]);
    expect((await api.get(shown)).body).toMatchObject({
      tasks: [{ title: 'b' }, { title: 'n1' }, { title: 'n2' }],
      brief: { text: 'nb' },
      people: [{ name: 'ann' }, { name: 'new', pivot: { role: 'r' } }],
    });
    const [, first, second] = await idsOf('/tasks?projectNo=7');
    const changed = await api.send('PATCH', '/projects/1,7', {
      tasks: { update: [{ id: first, title: 'm1' }], delete: [second], remove: [2] },
      brief: { update: { text: 'mb' } },
      people: { delete: ['1,new'] },
    });
    expect(changed.status).toBe(200);
    expect((await api.get(shown)).body).toMatchObject({
      tasks: [{ title: 'm1' }],
      brief: { text: 'mb' },
      people: [{ name: 'ann' }],
    });
    // The tenant cannot be null, so that it stays.
    expect((await api.get('/tasks/2')).body).toMatchObject({ tenantId: 1, projectNo: null });
    expect((await api.send('PATCH', '/tasks/2', { projectNo: 2 })).status).toBe(200);
    // What belongs to the record, and the record that it belongs to, to which both lead.
    const task = await api.send('POST', '/tasks?expand=project', {
      title: 'up',
      project: { create: { tenantId: 1, no: 6, name: 'six', brief: { create: { text: 'b6' } } } },
    });
    expect([task.status, task.body]).toMatchObject([
      201,
      { tenantId: 1, projectNo: 6, project: { id: '1,6', name: 'six' } },
    ]);
    const moved = await api.send('PATCH', `/tasks/${String(first)}?expand=project`, {
      project: { create: { tenantId: 2, no: 6 } },
    });
    expect([moved.status, moved.body]).toMatchObject([200, { tenantId: 2, project: { no: 6 } }]);
    // A record with the tenant in its key can only come from the same tenant.
    const adopted = await api.send('PATCH', '/projects/1,7', { children: { add: ['1,6'] } });
    expect(adopted.status).toBe(200);
    expect((await api.get(shown)).body.children).toMatchObject([{ name: 'six' }]);
    expect(
      (await api.send('PATCH', '/projects/1,7', { children: { remove: ['1,6'] } })).status,
    ).toBe(200);
    expect((await api.get('/projects/1,6')).body).toMatchObject({ tenantId: 1, parentNo: null });
    expect((await api.send('PATCH', '/projects/1,7', { brief: { delete: true } })).status).toBe(
      200,
    );
    for (const id of [first, task.body.id as number])
      expect((await api.send('DELETE', `/tasks/${String(id)}`)).status).toBe(204);
    for (const id of ['1,7', '1,6', '2,6'])
      expect((await api.send('DELETE', `/projects/${id}`)).status).toBe(204);
    expect(await idsOf('/people?name=new')).toEqual([]);
  });

  test('a profile with the key of its account', async () => {
    for (const { api } of keyed.databases) {
      const made = await api.send('POST', '/accounts?expand=profile', {
        email: 'c@x.io',
        profile: { create: { bio: 'new' } },
      });
      const id = made.body.id as number;
      expect([made.status, made.body.profile]).toEqual([201, { id, accountId: id, bio: 'new' }]);
      const other = await api.send('POST', '/profiles?expand=account', {
        bio: 'up',
        account: { create: { email: 'd@x.io' } },
      });
      expect([other.status, other.body.account.email]).toEqual([201, 'd@x.io']);
      expect(other.body.id).toBe(other.body.account.id);
      // The key of a record stays.
      expect((await api.send('PATCH', `/profiles/${id}`, { accountId: 2 })).status).toBe(400);
      const at = `/accounts/${id}`;
      const changed = await api.send('PATCH', `${at}?expand=profile`, {
        profile: { update: { bio: 'old' } },
      });
      expect([changed.status, changed.body.profile.bio]).toEqual([200, 'old']);
      expect((await api.send('PATCH', at, { profile: { delete: true } })).status).toBe(200);
      expect((await api.send('DELETE', `/profiles/${other.body.id}`)).status).toBe(204);
      for (const one of [id, other.body.id as number])
        expect((await api.send('DELETE', `/accounts/${one}`)).status).toBe(204);
    }
  });

  test.each<
    readonly [
      method: string,
      path: string,
      body: object,
      status: number,
      problems: readonly string[],
    ]
  >([
    [
      'POST',
      '/projects',
      { tenantId: 1, no: 7, tasks: { create: [{ tenantId: 1, title: 'x' }] } },
      400,
      ['tasks.create[0].tenantId'],
    ],
    [
      'POST',
      '/tasks',
      { projectNo: 7, project: { create: { tenantId: 1, no: 7 } } },
      400,
      ['projectNo'],
    ],
    ['POST', '/projects', { tenantId: 1, no: 7, tasks: { add: [99] } }, 422, ['tasks.add[0]']],
    ['PATCH', '/projects/1,3', { tasks: { remove: [1] } }, 422, ['tasks.remove[0]']],
    ['PATCH', '/projects/1,3', { children: { add: ['2,4'] } }, 422, ['children.add[0]']],
    ['PATCH', '/projects/1,2', { brief: { update: { text: 'x' } } }, 422, ['brief.update']],
    [
      'POST',
      '/memberships',
      {
        project: { create: { tenantId: 1, no: 7 } },
        person: { create: { tenantId: 2, name: 'z' } },
      },
      422,
      ['tenantId', 'projectNo'],
    ],
    ['POST', '/tasks', { project: 1 }, 400, ['project', 'tenantId']],
  ])('%s %s %j writes nothing', async (method, path, body, status, fields) => {
    const answer = await keyed.send(method, path, body);
    const { errors = [], validationErrors = [] } = answer.body as Record<
      string,
      { field: string }[] | undefined
    >;
    expect([answer.status, [...errors, ...validationErrors].map(({ field }) => field)]).toEqual([
      status,
      fields,
    ]);
    expect(await keyed.idsOf('/projects?no=7')).toEqual([]);
  });

  test('links', async () => {
    const people = async (): Promise<unknown> =>
      (await keyed.get('/projects/1,3?expand=people&fields=people.name,people.pivot')).body.people;
    const set = (value: unknown) => keyed.send('PATCH', '/projects/1,3', { people: value });
    expect((await set(['1,ann', { id: '1,a%2Cb', pivot: { role: 'x' } }])).status).toBe(200);
    expect(await people()).toMatchObject([
      { name: 'a,b', pivot: { role: 'x' } },
      { name: 'ann', pivot: { role: null } },
    ]);
    expect((await set({ remove: ['1,ann'] })).status).toBe(200);
    expect((await set({ add: [{ id: '1,a%2Cb', pivot: { role: 'y' } }] })).status).toBe(200);
    expect(await people()).toMatchObject([{ name: 'a,b', pivot: { role: 'y' } }]);
    const other = await set(['2,ann']);
    expect([other.status, blamed(other.body)]).toEqual([
      422,
      ['people[0] cannot be linked: tenantId has to be the same in both'],
    ]);
    const missing = await set(['1,bob']);
    expect([missing.status, blamed(missing.body)]).toEqual([
      422,
      ['people[0] there is no record in people with id "1,bob"'],
    ]);
    const made = await keyed.send('POST', '/projects', {
      tenantId: 1,
      no: 8,
      people: ['1,ann'],
    });
    expect(made.status).toBe(201);
    expect(await keyed.idsOf('/projects?people.id=1,ann&no=8')).toEqual(['1,8']);
    expect((await set([])).status).toBe(200);
    expect(await people()).toEqual([]);
  });

  test('a delete is refused, and cascades', async () => {
    const refused = await keyed.send('DELETE', '/projects/2,1');
    expect([refused.status, refused.body.dependents]).toEqual([
      409,
      [{ resource: 'tasks', count: 1 }],
    ]);
    expect((await keyed.send('DELETE', '/tasks/4')).status).toBe(204);
    expect((await keyed.send('DELETE', '/projects/2,1')).status).toBe(204);
    expect(await keyed.idsOf('/briefs?tenantId=2')).toEqual([]);
    expect(await keyed.idsOf('/memberships?tenantId=2')).toEqual([]);
  });
});

test('a create has the fields of a key, or the record that it leads to', () => {
  const served = keyed.databases[0]?.api.servedApi.api;
  const version = served?.versions.get(served.defaultVersion);
  if (served === undefined || version === undefined) throw new Error('no version');
  const view = viewOf(served, version, anonymous);
  const keys = [
    '({ tenantId: number; project?: undefined; person?: undefined }',
    ' | { tenantId?: undefined; project: { create: ProjectCreate }; person?: { create: PersonCreate } }',
    ' | { tenantId?: undefined; project?: { create: ProjectCreate }; person: { create: PersonCreate } })',
    ' & ({ projectNo: number; project?: undefined } | { projectNo?: undefined; project: { create: ProjectCreate } })',
  ];
  expect(clientSource(view)).toContain(keys.join(''));
  const either = (...names: string[]): object => ({
    anyOf: names.map((name) => ({ properties: { [name]: {} }, required: [name] })),
  });
  const { required, allOf } =
    openApiDocument(view).components['schemas']?.['MembershipCreate'] ?? {};
  expect([required, allOf]).toEqual([
    undefined,
    [
      either('tenantId', 'project', 'person'),
      either('projectNo', 'project'),
      either('personName', 'person'),
    ],
  ]);
});

describe('what the file may say', () => {
  const problemsOf = (relation: string): readonly string[] =>
    build(`
database: { managed: false }
resources:
  lines: { key: [a, b], fields: { a: { type: integer }, b: { type: date }, notes: { type: relation, relation: hasMany, resource: notes, foreignKey: [a, b] } } }
  plain: { fields: { name: { type: string } } }
  notes:
    fields:
      a: { type: integer }
      b: { type: date }
      c: { type: string }
      line: { type: relation, ${relation} }
`).problems.map(({ message }) => message);

  test.each([
    ['relation: belongsTo, resource: lines, foreignKey: [a, b]', []],
    [
      'relation: belongsTo, resource: lines, foreignKey: [a, d]',
      ['there is no field d; did you mean id?'],
    ],
    [
      'relation: belongsTo, resource: lines, foreignKey: [a, c]',
      ['notes.c is of type string; as a key to lines.b it must be of type date'],
    ],
    [
      'relation: belongsTo, resource: lines, foreignKey: [a, b, c]',
      ['the key of lines has 2 fields (a, b); name one for each, in this order'],
    ],
    [
      'relation: belongsTo, resource: plain, foreignKey: [a, b]',
      [
        'a, b refer to plain, so they cannot be a key to lines',
        'the key of plain is one field; name the one field that refers to it',
      ],
    ],
    [
      'relation: belongsTo, resource: lines, foreignKey: [a, a]',
      [
        'notes.a is of type integer; as a key to lines.b it must be of type date',
        '`a` stands in `foreignKey` twice',
      ],
    ],
    ['relation: belongsTo, resource: lines, foreignKey: [a, b], onDelete: setNull', []],
    [
      'relation: belongsTo, resource: lines, foreignKey: [a, b], required: true, onDelete: setNull',
      ['notes.[a, b] cannot become null; make it nullable, or choose restrict or cascade'],
    ],
    [
      'relation: belongsTo, resource: lines, foreignKey: a',
      [
        'the key of lines has several fields, and one field cannot refer to it; give the relation as many (foreignKey: [<field>, <field>]), or refer to a unique field: reference: lines.<field>',
      ],
    ],
  ])('%s', (relation, problems) => {
    expect(problemsOf(relation)).toEqual(problems);
  });
});
