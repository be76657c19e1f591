import { expect } from 'vitest';
import type { Answer } from './api.ts';
import { existingPostgres, existingSqlite, type Existing } from './existing.ts';

/**
 * Tables whose key has several columns, or is not called `id`, on both databases. See
 * docs/contract/8-existing-databases.md#keys.
 */
export const specification = `
access: public
debug: true
database: { managed: false }
resources:
  orders:
    fields:
      name: { type: string }
      items: { type: relation, relation: hasMany, resource: items }
      products: { type: relation, relation: belongsToMany, resource: products, through: items, withPivot: [quantity, lineNo] }
  products:
    key: sku
    fields:
      sku: { type: string }
      title: { type: string, nullable: false }
      items: { type: relation, relation: hasMany, resource: items }
      orders: { type: relation, relation: belongsToMany, resource: orders, through: items }
  items:
    table: order_items
    key: [orderId, lineNo]
    fields:
      orderId: { type: integer, column: order_id }
      lineNo: { type: integer, column: line_no }
      sku: { type: string, column: product_sku, reference: products.sku }
      quantity: { type: integer, nullable: false, default: 1 }
      order: { type: relation, relation: belongsTo, resource: orders }
      product: { type: relation, relation: belongsTo, resource: products, foreignKey: sku }
  labels:
    key: [owner, name]
    fields:
      owner: { type: uuid }
      name: { type: string }
      note: { type: string }
  slots:
    key: [day, part]
    fields:
      day: { type: date }
      part: { type: enum, values: [early, late] }
      room: { type: string }
  readings:
    key: [tenant, at, code]
    pagination: cursor
    fields:
      tenant: { type: integer, format: bigint }
      at: { type: datetime }
      code: { type: string }
      value: { type: decimal, precision: 10, scale: 2 }
  films:
    fields:
      title: { type: string, nullable: false }
      actors: { type: relation, relation: belongsToMany, resource: actors, through: castings, withPivot: [billing] }
  actors:
    fields:
      name: { type: string, nullable: false }
      films: { type: relation, relation: belongsToMany, resource: films, through: castings }
  castings:
    table: film_actor
    key: [filmId, actorId]
    fields:
      filmId: { type: integer, column: film_id, reference: films.id, onDelete: cascade }
      actorId: { type: integer, column: actor_id, reference: actors.id }
      billing: { type: integer }
  entries:
    key: [book, sheet]
    access: { read: [{ role: public, where: 'book=mine' }], create: [{ role: public, where: 'book=mine' }], update: [{ role: public, where: 'book=mine' }], delete: [{ role: public, where: 'book=mine' }] }
    fields:
      book: { type: string }
      sheet: { type: integer }
      text: { type: string }
`;

export const [owner, other] = [
  '00000000-0000-7000-8000-000000000001',
  '00000000-0000-7000-8000-000000000002',
];
export const names = ['a', 'a,b', '50%', 'a/b', 'ä', '%2C', '1"2', "'", ' ', ''];
const rows = `
INSERT INTO orders (id, name) VALUES (1, 'one'), (2, 'two'), (3, 'three');
INSERT INTO products (sku, title) VALUES ('nut', 'Nut'), ('a/b', 'Slash'), ('bolt', 'Bolt');
INSERT INTO order_items (order_id, line_no, product_sku, quantity) VALUES (2, 1, 'nut', 5), (1, 2, 'bolt', 2), (1, 1, 'nut', 1), (1, 10, 'a/b', 3);
${names.map((name) => `INSERT INTO labels (owner, name, note) VALUES ('${owner}', '${name.replaceAll("'", "''")}', 'x');`).join('\n')}
INSERT INTO labels (owner, name, note) VALUES ('${other}', 'a', 'y');
INSERT INTO slots (day, part, room) VALUES ('2026-03-01', 'late', 'r1'), ('2026-03-01', 'early', 'r2'), ('2026-02-28', 'late', 'r3');
INSERT INTO films (id, title) VALUES (1, 'Alpha'), (2, 'Beta'), (3, 'Gamma');
INSERT INTO actors (id, name) VALUES (1, 'Ann'), (2, 'Bob'), (3, 'Cid');
INSERT INTO film_actor (film_id, actor_id, billing) VALUES (1, 2, 1), (1, 1, 2), (2, 1, 1);
INSERT INTO entries (book, sheet, text) VALUES ('mine', 1, 'a'), ('yours', 1, 'b'), ('mine', 2, 'c');
`;
const moments = ['2026-03-01 14:05:00.123', '2026-03-01 14:05:00.2', '2026-02-01 00:00:00'];

const sqliteSql = `
PRAGMA foreign_keys = ON;
CREATE TABLE orders (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE products (sku TEXT PRIMARY KEY NOT NULL, title TEXT NOT NULL);
CREATE TABLE order_items (order_id INTEGER NOT NULL REFERENCES orders, line_no INTEGER NOT NULL, product_sku TEXT REFERENCES products, quantity INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (order_id, line_no));
CREATE TABLE labels (owner TEXT NOT NULL, name TEXT NOT NULL, note TEXT, PRIMARY KEY (owner, name)) WITHOUT ROWID;
CREATE TABLE slots (day TEXT NOT NULL, part TEXT NOT NULL, room TEXT, PRIMARY KEY (day, part));
CREATE TABLE readings (tenant INTEGER NOT NULL, at TEXT NOT NULL, code TEXT NOT NULL, value TEXT, PRIMARY KEY (tenant, at, code));
CREATE TABLE films (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
CREATE TABLE actors (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE film_actor (film_id INTEGER NOT NULL REFERENCES films ON DELETE CASCADE, actor_id INTEGER NOT NULL REFERENCES actors, billing INTEGER, PRIMARY KEY (film_id, actor_id));
CREATE TABLE entries (book TEXT NOT NULL, sheet INTEGER NOT NULL, text TEXT, PRIMARY KEY (book, sheet));
${rows}
${moments.map((at, index) => `INSERT INTO readings VALUES (9007199254740993, '${at.replace(' ', 'T').padEnd(19).slice(0, 19)}.${(at.split('.')[1] ?? '').padEnd(3, '0')}Z', 'c${index}', '1.50');`).join('\n')}
`;
const postgresSql = `
CREATE TYPE part AS ENUM ('early', 'late');
CREATE TABLE orders (id serial PRIMARY KEY, name text);
CREATE TABLE products (sku varchar(20) PRIMARY KEY, title text NOT NULL);
CREATE TABLE order_items (order_id integer NOT NULL REFERENCES orders, line_no smallint NOT NULL, product_sku varchar(20) REFERENCES products, quantity integer NOT NULL DEFAULT 1, PRIMARY KEY (order_id, line_no));
CREATE TABLE labels (owner uuid, name text COLLATE "C", note text, PRIMARY KEY (owner, name));
CREATE TABLE slots (day date, part part, room text, PRIMARY KEY (day, part));
CREATE TABLE readings (tenant bigint, at timestamptz(3), code text COLLATE "C", value numeric(10, 2), PRIMARY KEY (tenant, at, code));
CREATE TABLE films (id serial PRIMARY KEY, title text NOT NULL);
CREATE TABLE actors (id serial PRIMARY KEY, name text NOT NULL);
CREATE TABLE film_actor (film_id integer REFERENCES films ON DELETE CASCADE, actor_id integer REFERENCES actors, billing smallint, PRIMARY KEY (film_id, actor_id));
CREATE TABLE entries (book text COLLATE "C", sheet integer, text text, PRIMARY KEY (book, sheet));
${rows}
${moments.map((at, index) => `INSERT INTO readings VALUES (9007199254740993, '${at}+00', 'c${index}', 1.5);`).join('\n')}
SELECT setval('orders_id_seq', 3), setval('films_id_seq', 3), setval('actors_id_seq', 3);
`;

/** Both databases, which must answer alike. */
export class Keyed {
  readonly databases: readonly Existing[];

  private constructor(databases: readonly Existing[]) {
    this.databases = databases;
  }

  static open(): Promise<Keyed> {
    return Keyed.of(specification, sqliteSql, postgresSql);
  }

  /** Both databases with other tables. */
  static async of(text: string, onSqlite: string, onPostgres = onSqlite): Promise<Keyed> {
    return new Keyed([
      await existingSqlite(text, onSqlite),
      await existingPostgres(text, onPostgres),
    ]);
  }

  /** Sends a request to both. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer> {
    const answers: Answer[] = [];
    for (const { api } of this.databases) answers.push(await api.send(method, path, body, headers));
    const [one, two] = answers;
    if (one === undefined || two === undefined) throw new Error('no database');
    const shown = ({ status, text }: Answer): readonly unknown[] => [
      path,
      status,
      text.replaceAll(/"requestId":"[^"]*"/gu, ''),
    ];
    expect(shown(two)).toEqual(shown(one));
    return one;
  }

  get(path: string): Promise<Answer> {
    return this.send('GET', path);
  }

  /** The ids of a list. */
  async idsOf(path: string): Promise<readonly unknown[]> {
    const { status, body } = await this.get(path);
    expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
    return ((Array.isArray(body) ? body : body.data) as { id: unknown }[]).map(({ id }) => id);
  }

  /** Stops both, which must not have failed. */
  async stop(): Promise<void> {
    const failures = this.databases.flatMap(({ api }) => api.failures.splice(0));
    for (const database of this.databases) await database.stop();
    expect(failures).toEqual([]);
  }
}

export function idOf(...parts: readonly (string | number)[]): string {
  return parts
    .map((part) =>
      String(part).replaceAll('%', '%25').replaceAll(',', '%2C').replaceAll('/', '%2F'),
    )
    .join(',');
}
