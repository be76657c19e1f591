import { describe, expect, test } from 'vitest';
import type { SpecificationDraft } from '../../src/introspection/draft.ts';
import { specificationText } from '../../src/introspection/document.ts';
import { existingPostgres, existingSqlite } from '../support/existing.ts';
import { draftFromPostgres, draftFromSqlite } from '../support/introspect.ts';

// Names of resources and relations, and what is guessed. See docs/contract/8-existing-databases.md#names.
const key = 'id integer PRIMARY KEY NOT NULL';

/** Names of resources, each with the names of its relations. */
function relationsOf({ resources }: SpecificationDraft): object {
  return Object.fromEntries(resources.map(({ name, relations }) => [name, [...relations.keys()]]));
}

const cases: Readonly<Record<string, readonly [sql: string, relations: object]>> = {
  'a prefix that all tables have': [
    `CREATE TABLE wp_posts (${key}); CREATE TABLE wp_post_links (${key}, post_id integer REFERENCES wp_posts);`,
    { posts: ['postLinks'], 'post-links': ['post'] },
  ],
  'a prefix of two words, and one of a table alone': [
    `CREATE TABLE my_app_post (${key}); CREATE TABLE my_app_tag (${key}); CREATE TABLE auth_user (${key}); CREATE TABLE auth_group (${key}); CREATE TABLE auth_role (${key}); CREATE TABLE token_device (${key});`,
    { posts: [], tags: [], users: [], groups: [], roles: [], devices: [] },
  ],
  'no prefix where a table has none': [
    `CREATE TABLE users (${key}); CREATE TABLE order_items (${key}); CREATE TABLE order_events (${key});`,
    { users: [], 'order-items': [], 'order-events': [] },
  ],
  'no prefix where first words are as many as tables': [
    `CREATE TABLE order_items (${key}); CREATE TABLE payment_methods (${key});`,
    { 'order-items': [], 'payment-methods': [] },
  ],
  'whole names where short ones are the same': [
    `CREATE TABLE a_user (${key}); CREATE TABLE b_user (${key}); CREATE TABLE a_post (${key}); CREATE TABLE b_tag (${key});`,
    { 'a-users': [], 'b-users': [], posts: [], tags: [] },
  ],
  'a word that repeats the one before it': [
    `CREATE TABLE category (${key}); CREATE TABLE post (${key}); CREATE TABLE category_categories_category (a integer NOT NULL REFERENCES category, b integer NOT NULL REFERENCES post, PRIMARY KEY (a, b));`,
    {
      categories: ['posts'],
      posts: ['categories'],
      'category-categories-categories': ['category', 'post'],
    },
  ],
  'two junctions between the same tables': [
    `CREATE TABLE users (${key}); CREATE TABLE posts (${key});
     CREATE TABLE likes (user_id integer NOT NULL REFERENCES users, post_id integer NOT NULL REFERENCES posts, PRIMARY KEY (user_id, post_id));
     CREATE TABLE bookmarks (user_id integer NOT NULL REFERENCES users, post_id integer NOT NULL REFERENCES posts, PRIMARY KEY (user_id, post_id));`,
    {
      users: ['postsByLike', 'postsByBookmark'],
      posts: ['usersByLike', 'usersByBookmark'],
      likes: ['user', 'post'],
      bookmarks: ['user', 'post'],
    },
  ],
  'names that columns have already': [
    `CREATE TABLE users (${key}, posts integer); CREATE TABLE posts (${key}, author text, author_id integer REFERENCES users);`,
    { users: ['postsByAuthor'], posts: ['userByAuthorId'] },
  ],
  'keys that are no ids': [
    `CREATE TABLE countries (code varchar(2) PRIMARY KEY NOT NULL);
     CREATE TABLE ports (${key}, country varchar(2) REFERENCES countries);
     CREATE TABLE routes (${key}, origin varchar(2) REFERENCES countries, target varchar(2) REFERENCES countries);
     CREATE TABLE goods (${key}, made_in_code varchar(2) REFERENCES countries, market_code varchar(2) REFERENCES countries);`,
    {
      countries: ['ports', 'routesByOrigin', 'routesByTarget', 'goodsByMadeIn', 'goodsByMarket'],
      ports: ['countryByCountry'],
      routes: ['countryByOrigin', 'countryByTarget'],
      goods: ['madeIn', 'market'],
    },
  ],
  'several keys, of which one is named after its table, and keys to the own table': [
    `CREATE TABLE users (${key}, manager_id integer REFERENCES users, parent_user_id integer REFERENCES users);
     CREATE TABLE orders (${key}, user_id integer REFERENCES users, approved_by integer REFERENCES users, seller_id integer REFERENCES users);`,
    {
      users: [
        'manager',
        'parentUser',
        'usersByManager',
        'children',
        'orders',
        'approvedOrders',
        'ordersBySeller',
      ],
      orders: ['user', 'approvedBy', 'seller'],
    },
  ],
  'columns that are named as keys': [
    `CREATE TABLE users (${key}, parent_id integer, thread_id integer, region_id text);
     CREATE TABLE regions (${key}); CREATE TABLE states (region_id integer NOT NULL, no integer NOT NULL, PRIMARY KEY (region_id, no));
     CREATE TABLE events (${key}, user_id integer, user_type text, state_id integer, "StateId" text, region_id integer, region_no integer,
       FOREIGN KEY (region_id, region_no) REFERENCES states);`,
    {
      users: ['parent', 'children'],
      regions: ['states'],
      states: ['region', 'events'],
      events: ['state'],
    },
  ],
  'a table of keys alone, which declares none': [
    `CREATE TABLE roles (${key}); CREATE TABLE users (${key}); CREATE TABLE role_user (role_id integer NOT NULL, user_id integer NOT NULL);
     INSERT INTO role_user VALUES (1, 1), (1, 2);`,
    { roles: ['users'], users: ['roles'], 'role-users': ['role', 'user'] },
  ],
  'a table of keys alone, in which a pair repeats': [
    `CREATE TABLE roles (${key}); CREATE TABLE users (${key}); CREATE TABLE role_user (role_id integer NOT NULL, user_id integer NOT NULL);
     INSERT INTO role_user VALUES (1, 1), (1, 1);`,
    { roles: [], users: [], 'role-users': ['role', 'user'] },
  ],
};

/** Columns called `id` beside another key, or no key: a row, and the record that it is. */
const ids: Readonly<Record<string, readonly [columns: string, row: string, record: object]>> = {
  own: ['code integer PRIMARY KEY NOT NULL, id integer', '7, 1', { id: 7, ownId: 1 }],
  capitals: [`"ID" text, code text PRIMARY KEY NOT NULL`, `'x', 'a'`, { ownId: 'x', id: 'a' }],
  odd: ['code text PRIMARY KEY NOT NULL, id json', `'a', '{}'`, { id: 'a', ownId: {} }],
  parts: [
    'id integer NOT NULL, no integer NOT NULL, PRIMARY KEY (id, no)',
    '1, 2',
    { id: '1,2', ownId: 1, no: 2 },
  ],
  keyless: ['id integer, name text', `1, 'x'`, { ownId: 1, name: 'x' }],
  taken: [
    'code text PRIMARY KEY NOT NULL, id text, own_id text, "ownId" text',
    `'a', 'b', 'c', 'd'`,
    { id: 'a', ownId2: 'b', ownId3: 'c', ownId: 'd' },
  ],
};

describe.each([
  ['PostgreSQL', draftFromPostgres, existingPostgres],
  ['SQLite', draftFromSqlite, existingSqlite],
] as const)('%s', (_, draftFrom, serve) => {
  test('a column id that is not the key has another name, and is served', async () => {
    const sql = Object.entries(ids)
      .map(
        ([table, [columns, row]]) =>
          `CREATE TABLE ${table} (${columns}); INSERT INTO ${table} VALUES (${row});`,
      )
      .join('\n');
    const draft = await draftFrom(sql);
    const { api, stop } = await serve(
      `access: public\n${specificationText(draft, [], undefined)}`,
      sql,
    );
    try {
      for (const [wanted, [, , record]] of Object.entries(ids)) {
        const resource = draft.resources.find(({ name, table = name }) => table === wanted);
        expect((await api.get(`/v1/${resource?.name}`)).body).toEqual([record]);
      }
    } finally {
      await stop();
    }
  });

  test.each(Object.entries(cases))('%s', async (_name, [sql, relations]) => {
    expect(relationsOf(await draftFrom(sql))).toEqual(relations);
  });

  test('secrets are known however their names are written', async () => {
    const { resources } = await draftFrom(
      `CREATE TABLE accounts (${key}, "accessToken" text, reset_token text, "APIKey" text, "PassWord" text, tokens integer, compass text);`,
    );
    const secret = resources[0]?.fields.filter(({ attributes }) => attributes.writeOnly === true);
    expect(secret?.map(({ name }) => name)).toEqual([
      'accessToken',
      'resetToken',
      'apiKey',
      'passWord',
    ]);
  });
});

test.each([
  ['PostgreSQL', draftFromPostgres, existingPostgres],
  ['SQLite', draftFromSqlite, existingSqlite],
] as const)(
  '%s: links of a table without a key are made and taken away',
  async (_, draftFrom, serve) => {
    const sql = `CREATE TABLE authors (${key}); CREATE TABLE books (${key}); CREATE TABLE authors_books (author_id integer NOT NULL, book_id integer NOT NULL);
    INSERT INTO authors VALUES (1); INSERT INTO books VALUES (1), (2); INSERT INTO authors_books VALUES (1, 1);`;
    const text = specificationText(await draftFrom(sql), [], undefined);
    const { api, ask, stop } = await serve(`access: public\n${text}`, sql);
    try {
      const body = { books: { add: [2], remove: [1] } };
      const { status } = await api.send('PATCH', '/v1/authors/1', body);
      expect([status, await ask('SELECT author_id, book_id FROM authors_books')]).toEqual([
        200,
        [[1, 2]],
      ]);
      // A guess keeps records, and deletes none.
      expect((await api.send('DELETE', '/v1/books/2')).status).toBe(409);
      expect((await api.send('DELETE', '/v1/books/1')).status).toBe(204);
    } finally {
      await stop();
    }
  },
);

test('tables and columns of PostgreSQL that differ in case alone are all served', async () => {
  const sql = `CREATE TABLE "Users" (id integer PRIMARY KEY, "Name" text, name text, "NAME" text);
    CREATE TABLE users (id integer PRIMARY KEY, "Id" text); INSERT INTO "Users" VALUES (1, 'A', 'a', 'AA'); INSERT INTO users VALUES (2, 'x');`;
  const text = specificationText(await draftFromPostgres(sql), [], undefined);
  const { api, stop } = await existingPostgres(`access: public\n${text}`, sql);
  try {
    expect((await api.get('/v1/users')).body).toEqual([
      { id: 1, name2: 'A', name: 'a', name3: 'AA' },
    ]);
    expect((await api.get('/v1/users2')).body).toEqual([{ id: 2, ownId: 'x' }]);
    const body = { id: 3, name2: 'B', name: 'b', name3: 'BB' };
    expect((await api.send('POST', '/v1/users', body)).body).toEqual(body);
    expect((await api.get('/v1/users?name2=B&name=b&fields=id')).body).toEqual([{ id: 3 }]);
  } finally {
    await stop();
  }
});
