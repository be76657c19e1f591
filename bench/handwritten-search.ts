/**
 * The measure of `search.ts`: searches of articles written by hand, on Fastify and FTS5 or pg_trgm. Run as
 * `node bench/handwritten-search.ts DATABASE PORT`. It makes indexes of its own over the articles that are there.
 */
import Driver from 'better-sqlite3';
import fastify from 'fastify';
import driver from 'postgres';

const [database = '', port = '0'] = process.argv.slice(2);

interface Found {
  readonly rows: readonly object[];
  readonly total: number;
}

const plain = (text: string): string =>
  text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

async function openStore(): Promise<(words: readonly string[]) => Found | Promise<Found>> {
  if (!database.startsWith('postgres:')) {
    const file = new Driver(database);
    file.exec(
      `CREATE VIRTUAL TABLE found USING fts5(title, body, content='', tokenize='trigram remove_diacritics 1');
       INSERT INTO found (rowid, title, body) SELECT id, title, body FROM articles;
       INSERT INTO found (found) VALUES ('optimize')`,
    );
    const page = file.prepare(
      'SELECT id, title, body FROM articles WHERE id IN (SELECT rowid FROM found WHERE found MATCH ?) ORDER BY id LIMIT 20',
    );
    const count = file
      .prepare<[string], number>('SELECT count(*) FROM found WHERE found MATCH ?')
      .pluck();
    return (words) => {
      const match = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' AND ');
      return { rows: page.all(match) as object[], total: count.get(match) ?? 0 };
    };
  }
  const sql = driver(database, { max: 10, onnotice: () => undefined });
  await sql.unsafe(
    `CREATE EXTENSION IF NOT EXISTS unaccent;
     CREATE FUNCTION plain(text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
       AS $$ SELECT lower(public.unaccent('public.unaccent', $1)) $$;
     CREATE INDEX found ON articles USING gin (plain(title) gin_trgm_ops, plain(body) gin_trgm_ops);
     ANALYZE articles`,
  );
  const like =
    '(plain(title) LIKE $1 OR plain(body) LIKE $1) AND (plain(title) LIKE $2 OR plain(body) LIKE $2)';
  return async (words) => {
    const values = words.map((word) => `%${plain(word).replaceAll(/[\\%_]/gu, String.raw`\$&`)}%`);
    const [rows, [counted]] = await Promise.all([
      sql.unsafe(
        `SELECT id, title, body FROM articles WHERE ${like} ORDER BY id LIMIT 20`,
        values,
        {
          prepare: true,
        },
      ),
      sql.unsafe(`SELECT count(*) FROM articles WHERE ${like}`, values, { prepare: true }),
    ]);
    return {
      rows: rows.map(({ id, title, body }) => ({
        id: Number(id),
        title: String(title),
        body: String(body),
      })),
      total: Number(counted?.['count']),
    };
  };
}

const find = await openStore();
const server = fastify({ logger: false });
server.get('/_ready', (_request, reply) => reply.send({ status: 'ok' }));
server.get('/v1/articles', async (request, reply) => {
  const { search = '' } = request.query as { search?: string };
  const { rows, total } = await find(search.split(' '));
  return reply.header('X-Total-Count', total).send(rows);
});
await server.listen({ port: Number(port), host: '127.0.0.1' });
