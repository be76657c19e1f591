import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { specificationText } from '../../src/introspection/document.ts';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';
import { draftFromPostgres, draftFromSqlite } from '../support/introspect.ts';

/** What the database fills is left to it. See docs/contract/8-existing-databases.md#managed-and-not, rule 6. */
const specification = `
access: public
database: { managed: false }
resources:
  notes:
    fields:
      text: { type: string }
      state: { type: string }
      rank: { type: integer, default: 5 }
      kind: { type: string, required: true }
      place: { type: integer, nullable: false }
      doubled: { type: integer, nullable: false, default: 3 }
`;
const sql = (
  id: string,
): string => `CREATE TABLE notes (id ${id}, text text, state text DEFAULT 'new',
  rank integer DEFAULT 1, kind text NOT NULL DEFAULT 'none', place integer NOT NULL DEFAULT 7,
  doubled integer GENERATED ALWAYS AS (place * 2) STORED)`;

describe.each([
  ['SQLite', () => existingSqlite(specification, sql('INTEGER PRIMARY KEY'))],
  ['PostgreSQL', () => existingPostgres(specification, sql('serial PRIMARY KEY'))],
] as const)('%s', (_name, open) => {
  let existing: Existing;
  beforeAll(async () => {
    existing = await open();
  });
  afterAll(() => existing?.stop());

  const filled = { text: 'a', state: 'new', rank: 5, kind: 'k', place: 7 };

  test('a create leaves out what its body leaves out', async () => {
    const { api } = existing;
    const { body } = await api.send('POST', '/notes', { text: 'a', kind: 'k' });
    expect(body).toMatchObject(filled);
    const given = { text: null, state: null, rank: null, kind: 'k', place: 1 };
    expect((await api.send('POST', '/notes', given)).body).toMatchObject(given);
  });

  test('the items of an array may leave out different fields', async () => {
    const items = [
      { text: 'a', kind: 'k' },
      { text: 'b', kind: 'k', state: 'old', place: 2 },
      { text: 'c', kind: 'k', state: null },
    ];
    const { status, body } = await existing.api.send('POST', '/notes', items);
    expect([status, body]).toMatchObject([
      201,
      [
        filled,
        { ...filled, text: 'b', state: 'old', place: 2 },
        { ...filled, text: 'c', state: null },
      ],
    ]);
  });

  test('what the file requires is required all the same', async () => {
    expect((await existing.api.send('POST', '/notes', { text: 'a' })).status).toBe(400);
  });

  test('a column that the database computes is read-only, whatever the file says', async () => {
    const { api } = existing;
    const made = await api.send('POST', '/notes', { kind: 'k', doubled: 5 });
    expect([made.status, made.body.validationErrors]).toEqual([
      400,
      [{ field: 'doubled', error: 'is read-only', rule: 'readOnly', params: {} }],
    ]);
    const { body } = await api.send('POST', '/notes', { kind: 'k', place: 4 });
    expect(body).toMatchObject({ place: 4, doubled: 8 });
    const at = `/notes/${body.id}`;
    expect((await api.send('PATCH', at, { place: 5, doubled: 1 })).body.doubled).toBe(10);
    expect((await api.send('PUT', at, { kind: 'k', place: 6, doubled: 1 })).body.doubled).toBe(12);
  });
});

/** What others fill in each of their ways, on both databases. */
const bills = `
CREATE TABLE bills (ID, net integer NOT NULL, tax integer GENERATED ALWAYS AS (net / 5) STORED, state text NOT NULL DEFAULT 'new', slug text, COUNTED);`;
const ways = [
  {
    name: 'SQLite',
    draftFrom: draftFromSqlite,
    serve: existingSqlite,
    // A trigger of SQLite changes the row after it is inserted.
    sql: `${bills.replace('ID', 'id INTEGER PRIMARY KEY').replace(', COUNTED', '')}
      CREATE TRIGGER slug AFTER INSERT ON bills BEGIN UPDATE bills SET slug = 'bill-' || new.net WHERE id = new.id; END;
      CREATE TRIGGER again AFTER UPDATE OF net ON bills BEGIN UPDATE bills SET slug = 'bill-' || new.net WHERE id = new.id; END;`,
    counted: {},
  },
  {
    name: 'PostgreSQL',
    draftFrom: draftFromPostgres,
    serve: existingPostgres,
    sql: `${bills.replace('ID', 'id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY').replace('COUNTED', 'no serial, ticket integer GENERATED ALWAYS AS IDENTITY (START 70)')}
      CREATE FUNCTION slug() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.slug := 'bill-' || new.net; RETURN new; END $$;
      CREATE TRIGGER slug BEFORE INSERT OR UPDATE ON bills FOR EACH ROW EXECUTE FUNCTION slug();`,
    counted: { no: 1, ticket: 70 },
  },
] as const;

describe.each(ways)('on $name', ({ draftFrom, serve, sql, counted }) => {
  test('what is introspected leaves it to the database, and a write answers with it', async () => {
    const draft = await draftFrom(sql);
    const fields = draft.resources[0]?.fields ?? [];
    const closed = fields.filter(({ attributes }) => attributes.readOnly === true);
    expect(closed.map(({ name }) => name)).toEqual(['tax', ...Object.keys(counted)]);
    const text = `access: public\n${specificationText(draft, [], undefined)}`;
    const { api, next, stop } = await serve(text, sql);
    try {
      expect((await next()).filter(({ obstacle }) => obstacle !== undefined)).toEqual([]);
      const made = { id: 1, net: 10, tax: 2, state: 'new', slug: 'bill-10', ...counted };
      const created = await api.send('POST', '/v1/bills', { net: 10 });
      expect([created.status, created.body]).toEqual([201, made]);
      const changed = await api.send('PATCH', '/v1/bills/1', { net: 20, state: 'sent' });
      const now = { ...made, net: 20, tax: 4, state: 'sent', slug: 'bill-20' };
      expect([changed.status, changed.body]).toEqual([200, now]);
      expect((await api.get('/v1/bills/1')).body).toEqual(now);
      for (const name of ['tax', ...Object.keys(counted)])
        expect((await api.send('POST', '/v1/bills', { net: 1, [name]: 9 })).status).toBe(400);
    } finally {
      await stop();
    }
  });
});

describe('triggers of PostgreSQL that change the row after it is written', () => {
  const tables = `
    CREATE TABLE owners (id serial PRIMARY KEY, name text);
    CREATE TABLE plain (id serial PRIMARY KEY, "ownerId" integer REFERENCES owners (id), text text);
    CREATE FUNCTION tidy() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.text := trim(new.text); RETURN new; END $$;
    CREATE TRIGGER tidy BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION tidy();
    CREATE FUNCTION count_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE notes SET slug = 'slug-' || text WHERE slug IS DISTINCT FROM 'slug-' || text; RETURN NULL; END $$;
    CREATE TABLE notes (id serial PRIMARY KEY, text text NOT NULL, slug text);
    CREATE VIEW shown AS SELECT * FROM notes;`;
  const file = `
access: public
database: { managed: false }
resources:
  owners: { fields: { name: { type: string } } }
  plain: { fields: { text: { type: string }, ownerId: { type: integer, reference: owners.id } } }
  notes: &notes { fields: { text: { type: string, required: true }, slug: { type: string } } }
  shown: *notes
`;
  test.each([
    [
      'each row',
      'CREATE TRIGGER later AFTER INSERT OR UPDATE ON notes FOR EACH ROW WHEN (pg_trigger_depth() < 1)',
    ],
    [
      'a statement',
      'CREATE TRIGGER later AFTER INSERT OR UPDATE ON notes FOR EACH STATEMENT WHEN (pg_trigger_depth() < 1)',
    ],
    [
      'the commit',
      'CREATE CONSTRAINT TRIGGER later AFTER INSERT OR UPDATE ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (pg_trigger_depth() < 1)',
    ],
  ])('a write shows what they have made, after %s', async (_when, trigger) => {
    const { api, forms, stop } = await existingPostgres(
      file,
      `${tables} ${trigger} EXECUTE FUNCTION count_up();`,
    );
    try {
      for (const name of ['notes', 'shown']) {
        const made = await api.send('POST', `/${name}`, { text: 'a' });
        expect([made.status, made.body]).toMatchObject([201, { text: 'a', slug: 'slug-a' }]);
        const path = `/${name}/${made.body.id}`;
        const changed = await api.send('PATCH', path, { text: 'b' });
        expect([changed.status, changed.body]).toMatchObject([200, { slug: 'slug-b' }]);
        expect((await api.get(path)).headers.get('etag')).toBe(changed.headers.get('etag'));
        expect((await api.send('PUT', path, { text: 'c' })).body).toMatchObject({ slug: 'slug-c' });
        const several = await api.send('POST', `/${name}`, [{ text: 'd' }, { text: 'e' }]);
        expect(several.body).toMatchObject([{ slug: 'slug-d' }, { slug: 'slug-e' }]);
      }
      const isRead = (name: string): unknown =>
        forms.get(name)?.fields.get('text')?.native?.isSetLater;
      expect(['plain', 'notes', 'shown'].map(isRead)).toEqual([false, true, true]);
    } finally {
      await stop();
    }
  });
});
