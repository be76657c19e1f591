/**
 * The measure of `nested.ts`: orders with their lines, inserted by hand one by one in a transaction, on Fastify with
 * better-sqlite3 or postgres. Run as `node bench/handwritten-nested.ts DATABASE PORT`.
 */
import Driver from 'better-sqlite3';
import fastify from 'fastify';
import { connect } from './handwritten/postgres/connect.ts';

const [database = '', port = '0'] = process.argv.slice(2);

interface Line {
  readonly product: string;
  readonly quantity: number;
  readonly cents: number;
  readonly note: string | null;
}

interface Order {
  readonly customer: string;
  readonly lines: { readonly create: readonly Line[] };
}

interface Row {
  readonly id: number;
  readonly customer: string;
}

const valuesOf = (id: number, { product, quantity, cents, note }: Line): readonly unknown[] => [
  product,
  quantity,
  cents,
  note,
  id,
];

function openStore(): (order: Order) => Row | Promise<Row> {
  const columns = '("product", "quantity", "cents", "note", "orderId")';
  if (!database.startsWith('postgres:')) {
    const file = new Driver(database);
    file.pragma('synchronous = FULL');
    file.pragma('foreign_keys = ON');
    const insertOrder = file.prepare<[string], Row>(
      'INSERT INTO orders (customer) VALUES (?) RETURNING id, customer',
    );
    const insertLine = file.prepare(`INSERT INTO lines ${columns} VALUES (?, ?, ?, ?, ?)`);
    return file.transaction(({ customer, lines }: Order) => {
      const row = insertOrder.get(customer) ?? { id: 0, customer };
      for (const line of lines.create) insertLine.run(...valuesOf(row.id, line));
      return row;
    });
  }
  const { transaction } = connect(database, 10);
  return ({ customer, lines }) =>
    transaction(async (query) => {
      const insert = 'INSERT INTO orders (customer) VALUES ($1) RETURNING id, customer';
      const [row = { id: 0, customer }] = await query<Row>(insert, [customer]);
      for (const line of lines.create)
        await query(`INSERT INTO lines ${columns} VALUES ($1, $2, $3, $4, $5)`, [
          ...valuesOf(row.id, line),
        ]);
      return row;
    });
}

const text = { type: 'string', maxLength: 100 };
const line = {
  type: 'object',
  additionalProperties: false,
  required: ['product', 'quantity', 'cents', 'note'],
  properties: {
    product: text,
    quantity: { type: 'integer', minimum: 1 },
    cents: { type: 'integer', minimum: 0 },
    note: { ...text, nullable: true },
  },
};
const body = {
  type: 'object',
  additionalProperties: false,
  required: ['customer', 'lines'],
  properties: {
    customer: text,
    lines: {
      type: 'object',
      additionalProperties: false,
      required: ['create'],
      properties: { create: { type: 'array', maxItems: 1_000, items: line } },
    },
  },
};

const create = openStore();
const server = fastify({ logger: false });
server.get('/_ready', (_request, reply) => reply.send({ status: 'ok' }));
server.post('/v1/orders', { schema: { body } }, async (request, reply) => {
  const row = await create(request.body as Order);
  return reply.status(201).header('Location', `/v1/orders/${row.id}`).send(row);
});
await server.listen({ port: Number(port), host: '127.0.0.1' });
