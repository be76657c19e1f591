import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Code } from '../../src/extensions/code.ts';
import { clientSource } from '../../src/openapi/client/client.ts';
import { buildValid, codeFor } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { root } from '../support/command.ts';
import { compiled, strictly } from '../support/compiled.ts';
import { fullView } from '../support/openapi.ts';
import { serveOwn, type Own } from '../support/own-code.ts';

const specification = `${withTokens}
access: { read: authenticated, write: clerk }
resources:
  orders:
    timestamps: true
    fields:
      number: { type: string, required: true, readOnly: true, unique: true }
      title: { type: string, required: true }
      name: { type: string }
      status: { type: enum, values: [open, paid], default: open, nullable: false }
      kind: { type: enum, values: [a, b], default: a }
      at: { type: datetime, default: now }
      key: { type: uuid, default: uuid }
      owner: { type: string, default: "{user.sub}" }
      team: { type: string, default: "{user.team}", nullable: false }
      hits: { type: integer, readOnly: true }
      secret: { type: string, writeOnly: true }
      hidden: { type: string, access: none }
      meta: { type: object, properties: { size: { type: integer } } }
      customer: { type: relation, relation: belongsTo, resource: customers }
      lines: { type: relation, relation: hasMany, resource: lines }
      lineCount: { type: integer, computed: { count: lines } }
      label: { type: string, computed: true }
  lines:
    fields:
      sku: { type: string, required: true }
      order: { type: relation, relation: belongsTo, resource: orders, required: true }
  customers: { fields: { name: { type: string, required: true } } }
  audits:
    access: none
    fields: { what: { type: string, required: true }, stamp: { type: integer, default: 0 } }
`;

/** What own code does with types. Lines after `@ts-expect-error` are refused by the compiler. */
const program = `
import { defineCode } from 'plinth';
import type { Api, Order } from './plinth-types.ts';

type Status = 'open' | 'paid';
const drafts: string[][] = [];

export default defineCode<Api>({
  resources: {
    orders: {
      beforeCreate(order, { also }) {
        drafts.push(Object.keys(order));
        order.status satisfies Status;
        order.name satisfies string | null;
        order.kind satisfies 'a' | 'b' | null;
        order.at satisfies string | null;
        order.customerId satisfies number | null;
        order.createdAt satisfies string;
        order.number ??= 'O-1';
        order.number satisfies string;
        // @ts-expect-error -- The request may lack it.
        order.title satisfies string;
        order.team satisfies string;
        order.owner satisfies string | null;
        // @ts-expect-error -- It has no default, and is left to own code.
        order.hits satisfies number | null;
        // @ts-expect-error -- Nobody sets the id.
        void (() => (order.id = 7));
        // @ts-expect-error -- It is computed.
        void order.label;
        order.title ??= 'none';
        order.hits = 1;
        order.hidden = 'h';
        also((written) => ({
          method: 'POST',
          path: '/audits',
          body: { what: \`\${written.id satisfies number} \${written.number satisfies string} \${written.hidden}\` },
        }));
      },
      beforeUpdate(change, { before }) {
        before.status satisfies Status;
        before.title satisfies string;
        before.team satisfies string;
        before.secret satisfies string | null;
        before.hidden satisfies string | null;
        change.status satisfies Status | undefined;
        // @ts-expect-error -- It may not be sent.
        change.title satisfies string;
        // @ts-expect-error -- Computed fields are not stored.
        void before.label;
        // @ts-expect-error -- Computed by the database, too.
        void before.lineCount;
        // @ts-expect-error -- The record before does not change.
        void (() => (before.title = 'x'));
        // @ts-expect-error -- Nobody sets the id.
        void (() => (change.id = 7));
        change.hits = (before.hits ?? 0) + 1;
      },
      beforeDelete({ before, fail }) {
        if (before.status === 'paid') throw fail(409, before.title);
      },
      afterCommit(commit) {
        if (commit.operation === 'update') {
          commit.before.title satisfies string;
          commit.after.secret satisfies string | null;
          // @ts-expect-error -- Computed fields are not stored.
          void commit.after.label;
        }
      },
      computed: {
        label: {
          needs: ['title', 'customer.name'],
          value: ({ title, customer }) => \`\${title satisfies string}, \${customer?.name ?? 'nobody'}\`,
        },
      },
    },
    audits: {
      beforeCreate(audit) {
        audit.stamp satisfies number | null;
        audit.what satisfies string | undefined;
      },
    },
    // @ts-expect-error -- There is no such resource.
    orderss: {},
  },
  endpoints: {
    'POST /all': async ({ db }) => {
      const { asOwner } = db;
      const { name, secret } = await asOwner.orders.create({
        number: 'O-2', title: 't', team: 'a', hits: 3, hidden: 'h', secret: 's', createdAt: '2026-01-01T00:00:00Z',
        lines: { create: [{ sku: 'x' }] },
      });
      secret satisfies string | null;
      const { data: [order] } = await asOwner.orders.list({
        where: { hidden: 'h', number: 'O-2', secret_like: 's' }, sort: ['-hidden'], expand: ['lines.order'],
      });
      if (order === undefined) throw new Error('no order');
      order.label satisfies string | null;
      order.lines[0]?.order.hidden satisfies string | null | undefined;
      const changed = await asOwner.orders.update(order.id, { hits: { increment: 1 }, number: 'O-3', hidden: null });
      await asOwner.orders.merge(changed, { meta: { size: 1 }, hits: 9 });
      const replaced = await asOwner.orders.replace(order.id, { number: 'O-4', title: 't', team: 'b' });
      const audit = await asOwner.audits.create({ what: 'done' });
      const batch = await asOwner.batch([
        { method: 'POST', resource: 'audits', body: { what: 'a' }, as: 'audit' },
        { method: 'PATCH', path: '/lines/1', body: { sku: 'y' } },
        { method: 'PATCH', resource: 'orders', id: order.id, body: { hits: 4, title: '{audit.what}' } },
        { method: 'DELETE', resource: 'audits', id: audit.id },
      ]);
      batch[0].body.what satisfies string;
      batch[2].body.hidden satisfies string | null;
      const rows = await asOwner.sql<{ n: number }>\`select count(*) as n from audits\`;
      const shown: Order = await db.orders.get(order.id);
      void (() => [
        // @ts-expect-error -- The caller may not write it.
        db.orders.update(1, { hits: 2 }),
        // @ts-expect-error -- Nor read it.
        shown.secret,
        // @ts-expect-error -- Nor filter by it.
        db.orders.list({ where: { hidden: 'h' } }),
        // @ts-expect-error -- Nor use that resource.
        db.audits,
        // @ts-expect-error -- Nor SQL.
        db.sql,
        // @ts-expect-error -- Not even the owner sets what is computed.
        asOwner.orders.update(1, { label: 'x' }),
        // @ts-expect-error -- There is no such field.
        asOwner.orders.create({ titel: 't' }),
        // @ts-expect-error -- Nor in a batch.
        asOwner.batch([{ method: 'POST', resource: 'audits', body: { whta: 'a' } }]),
        // @ts-expect-error -- Nor at a path.
        asOwner.batch([{ method: 'PATCH', path: '/orders/1', body: { hist: 3 } }]),
        // @ts-expect-error -- There is no such resource.
        asOwner.batch([{ method: 'POST', resource: 'owner audits', body: { what: 'a' } }]),
        // @ts-expect-error -- The caller has no such resource.
        db.batch([{ method: 'POST', resource: 'audits', body: { what: 'a' } }]),
      ]);
      return [drafts.at(-1), name, secret, order.lines[0]?.order.hidden, replaced.number, batch.length, rows[0]?.n, shown.label];
    },
  },
});
`;

/** What a client does with the errors of own code, and with the others. */
const errorsProgram = `
import type { ErrorBody } from './plinth-types.ts';

export function told(body: ErrorBody): unknown {
  switch (body.code) {
    case 'OUT_OF_STOCK':
      return body.errors?.map(({ rule, params }) => rule === 'custom' && [params.name satisfies string | undefined, params['left']]);
    case 'VALIDATION_FAILED':
      return body.validationErrors?.map((one) => one.rule === 'minLength' ? (one.params.min satisfies number) : one.error);
    case 'HAS_DEPENDENTS':
      return body.dependents?.[0]?.count;
    default:
      return body.status === 404 && body.message;
  }
}
`;

/** The same in an old version, whose names are other ones. */
const oldProgram = `
import { defineCode } from 'plinth';
import { createClient, type Api } from './old-types.ts';

export default defineCode<Api>({
  resources: { orders: { beforeUpdate: (_change, { before }) => void before.title.length } },
  endpoints: { 'GET /a': async ({ db }) => [(await db.orders.get(1)).title, (await db.asOwner.orders.get(1)).title] },
});
export const headline = async (): Promise<string> =>
  (await createClient({ baseUrl: '' }).orders.get(1)).headline;
`;

const view = (api: ReturnType<typeof buildValid>, number = api.defaultVersion) => {
  const version = api.versions.get(number);
  if (version === undefined) throw new TypeError('There is no version');
  return fullView(api, version);
};

let problems = '';
let code: Code;
let own: Own;
let types = '';
beforeAll(async () => {
  const api = buildValid(`code: ./api.ts\n${specification}`);
  // As if the module of the program could not be loaded: the types of resources do not need it.
  types = clientSource(view(api));
  const old = buildValid(
    `code: ./api.ts\napi: { versions: { 1: { resources: { orders: { fields: { headline: { from: title } } } } }, 2: {} } }\n${specification}`,
  );
  const plinth = join(root, 'src/extensions/code.ts');
  const files = {
    'plinth-types.ts': types,
    'api.ts': program,
    'old-types.ts': clientSource(view(old, 1)),
    'old.ts': oldProgram,
    'errors.ts': errorsProgram,
    // What runs is the same, with the package in the place from which it is tested.
    'run/api.ts': program.replace("'plinth'", JSON.stringify(plinth)),
  };
  const made = await compiled(files, { ...strictly, paths: { plinth: [plinth] } });
  ({ problems } = made);
  const loaded = (await import(pathToFileURL(join(made.path, 'run/api.ts')).href)) as {
    default: Code;
  };
  const { orderss: _, ...resources } = loaded.default.resources ?? {};
  code = { ...loaded.default, resources };
  own = await serveOwn(specification, code);
});
afterAll(() => own.stop());

const clerk = caller({ sub: 'ann', roles: ['clerk'], team: 'a' });

test('own code with types compiles, and what is not so is refused', () => {
  expect(problems).toBe('');
});

test('and does what its types say, on both databases', async () => {
  const answer = await own.send('POST', '/v1/all', undefined, clerk);
  expect(own.taken()).toEqual([]);
  expect([answer.status, answer.body]).toEqual([
    200,
    [expect.any(Array), null, 's', 'h', 'O-4', 4, 2, 'a, nobody'],
  ]);
});

/** The fields that the types say a new record may lack. */
function unset(): readonly string[] {
  const [, list = ''] = /^ {2}orders: \{ stored: .*?; unset: (.*?);/mu.exec(types) ?? [];
  return list.split(' | ').map((name) => JSON.parse(name) as string);
}

test('the record that beforeCreate gets lacks what its type says, and nothing else', async () => {
  const seen: string[][] = [];
  const all = await serveOwn(specification, {
    resources: {
      orders: {
        beforeCreate(order) {
          seen.push(Object.keys(order));
          Object.assign(order, { number: 'O', title: 't' });
        },
        computed: { label: { needs: [], value: () => 'x' } },
      },
    },
  });
  const created = await all.send('POST', '/v1/orders', {}, clerk);
  const stored = [
    ...(buildValid(`code: ./api.ts\n${specification}`).resources.get('orders')?.fields.keys() ??
      []),
  ];
  await all.stop();
  expect(created.status).toBe(201);
  const lacking = seen.map((names) => stored.filter((name) => !names.includes(name)));
  expect(lacking).toEqual([unset(), unset()]);
});

test('a client of an API whose module fills records asks for no member of their bodies, as its document', async () => {
  const api = buildValid(`code: ./api.ts\n${specification}`);
  const loaded = await codeFor(code, api);
  const source = clientSource(view(loaded.filling(api)));
  const bodies = (text: string): string =>
    /export interface OrderCreate \{(.*?)\n\}/su.exec(text)?.[1] ?? '';
  expect(bodies(types)).toContain('title: string;');
  expect(bodies(source)).toContain('title?: string | undefined;');
});
