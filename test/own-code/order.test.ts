import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ResourceCode } from '../../src/extensions/code.ts';
import { caller, withTokens } from '../support/callers.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `${withTokens}
access:
  read: [{ role: public, where: isHidden=false }, { role: admin }]
  create: [{ role: clerk, where: isOpen=true }, { role: admin }]
  update: [{ role: clerk, where: isOpen=true }, { role: admin }]
  delete: [{ role: clerk, where: isOpen=true }, { role: admin }]
resources:
  notes:
    fields:
      title: { type: string, required: true, maxLength: 9 }
      isOpen: { type: boolean, default: true }
      isHidden: { type: boolean, default: false }
      lines: { type: relation, relation: hasMany, resource: lines }
  lines:
    fields:
      text: { type: string }
      isOpen: { type: boolean, default: true }
      isHidden: { type: boolean, default: false }
      note: { type: relation, relation: belongsTo, resource: notes, onDelete: cascade }
`;

/** The hooks that have run, and what those of notes set. */
const ran: string[] = [];
let sets: Readonly<Record<string, unknown>> = {};

function hooksOf(resource: string): ResourceCode {
  const run = (hook: string, record: object): void => {
    ran.push(`${hook} ${resource}`);
    if (resource === 'notes') Object.assign(record, sets);
  };
  return {
    beforeCreate: (record) => run('create', record),
    beforeUpdate: (change) => run('update', change),
    beforeDelete: () => run('delete', {}),
  };
}

const admin = caller({ sub: 'eve', roles: ['admin'] });
const clerk = caller({ sub: 'ann', roles: ['clerk'] });
const reader = caller({ sub: 'bob', roles: ['reader'] });
const badToken = { authorization: 'Bearer nonsense' };

let own: Own;
beforeAll(async () => {
  own = await serveOwn(specification, {
    resources: { notes: hooksOf('notes'), lines: hooksOf('lines') },
  });
});
afterAll(() => own.stop());
beforeEach(async () => {
  sets = {};
  await own.send('DELETE', '/v1/notes?id_gt=0', undefined, admin);
  await own.send(
    'POST',
    '/v1/notes',
    [
      { title: 'open', lines: { create: [{ text: 'a' }, { text: 'b', isOpen: false }] } },
      { title: 'closed', isOpen: false },
      { title: 'hidden', isHidden: true },
    ],
    admin,
  );
  ran.length = 0;
});

interface Note {
  readonly id: number;
  readonly title: string;
  readonly lines: readonly { readonly id: number; readonly isOpen: boolean }[];
}

/** All that is stored, whoever sees it. */
async function stored(): Promise<readonly Note[]> {
  return (await own.get('/v1/notes?sort=id&expand=lines', admin)).body;
}

async function pathOf(title: string): Promise<string> {
  const note = (await stored()).find((one) => one.title === title);
  return `/v1/notes/${note?.id ?? 9_999_999}`;
}

type Case = readonly [
  name: string,
  method: string,
  record: string,
  body: object | string | undefined,
  headers: Readonly<Record<string, string>>,
  status: number,
];

const changed = { title: 'changed' };

test.each<Case>([
  ['a credential that is none', 'POST', '', changed, badToken, 401],
  ['a caller without a credential', 'POST', '', changed, {}, 401],
  ['a caller without the right', 'POST', '', changed, reader, 403],
  ['a change without the right', 'PATCH', 'open', changed, reader, 403],
  ['a delete without the right', 'DELETE', 'open', undefined, reader, 403],
  ['a record that its rule does not give', 'PATCH', 'closed', changed, clerk, 403],
  ['a delete of such a record', 'DELETE', 'closed', undefined, clerk, 403],
  ['a record that the caller does not see', 'PATCH', 'hidden', changed, clerk, 404],
  ['a delete of such a record', 'DELETE', 'hidden', undefined, clerk, 404],
  ['a record that is not there', 'PATCH', 'missing', changed, clerk, 404],
  ['a body that is no JSON', 'POST', '', '{', clerk, 400],
  ['a value of another type', 'POST', '', { title: 7 }, clerk, 400],
  ['a value that is not allowed', 'PATCH', 'open', { title: 'far too long' }, clerk, 422],
  ['an unknown field', 'PUT', 'open', { titel: 'x' }, clerk, 400],
  ['a wrong value for a record of others', 'PATCH', 'closed', { title: 7 }, clerk, 400],
])('no hook sees the request: %s', async (_name, method, record, body, headers, status) => {
  const path = record === '' ? '/v1/notes' : await pathOf(record);
  expect((await own.send(method, path, body, headers)).status).toBe(status);
  expect(ran).toEqual([]);
});

test.each<readonly [...Case, set: object]>([
  ['a value of another type', 'POST', '', changed, clerk, 400, { title: 7 }],
  ['a value that is not allowed', 'POST', '', changed, clerk, 422, { title: 'far too long' }],
  ['a value that is not allowed', 'PATCH', 'open', changed, clerk, 422, { title: 'far too long' }],
  ['nothing where something is needed', 'PUT', 'open', changed, clerk, 400, { title: null }],
  ['a record that the caller may not make', 'POST', '', changed, clerk, 403, { isOpen: false }],
  [
    'a record that the caller may not leave',
    'PATCH',
    'open',
    changed,
    clerk,
    403,
    { isOpen: false },
  ],
  [
    'what a precondition forbids',
    'PATCH',
    'open',
    changed,
    { ...clerk, 'if-match': '"x"' },
    412,
    {},
  ],
])(
  'what a hook makes of a request is judged, and nothing is written: %s (%#)',
  async (_name, method, record, body, headers, status, set) => {
    const before = await stored();
    const path = record === '' ? '/v1/notes' : await pathOf(record);
    sets = set as typeof sets;
    expect((await own.send(method, path, body, headers)).status).toBe(status);
    expect(new Set(ran)).toEqual(new Set([method === 'POST' ? 'create notes' : 'update notes']));
    expect(await stored()).toEqual(before);
  },
);

test('a caller who may make what the hook makes is not refused', async () => {
  sets = { isOpen: false };
  expect((await own.send('PATCH', await pathOf('open'), changed, admin)).body).toMatchObject({
    title: 'changed',
    isOpen: false,
  });
});

test('nested records, batches and changes of many show hooks what the caller may write alone', async () => {
  const [open] = await stored();
  const line = open?.lines.find(({ isOpen }) => !isOpen)?.id;
  const path = await pathOf('open');
  const nested = { lines: { update: [{ id: line, text: 'x' }] } };
  expect((await own.send('PATCH', path, nested, clerk)).status).toBe(403);
  expect(ran).not.toContain('update lines');
  ran.length = 0;
  const closed = (await pathOf('closed')).slice('/v1'.length);
  const operations = [{ method: 'PATCH', path: closed, body: changed }];
  expect((await own.send('POST', '/v1/_batch', operations, clerk)).status).toBe(403);
  expect(ran).toEqual([]);
  const many = await own.send('PATCH', '/v1/notes?title=open', changed, clerk);
  expect(many.status).toBe(200);
  expect(ran).toEqual(['update notes', 'update notes']);
});

test('what the database does by itself runs no hook', async () => {
  expect((await own.send('DELETE', await pathOf('open'), undefined, admin)).status).toBe(204);
  expect(ran).toEqual(['delete notes', 'delete notes']);
  expect((await own.get('/v1/lines', admin)).body).toEqual([]);
});
