/**
 * The measure of `groups.ts`: groups and a list by a count, written by hand, on Fastify. Run as
 * `node bench/handwritten-groups.ts DATABASE PORT`.
 */
import Driver from 'better-sqlite3';
import fastify from 'fastify';
import driver from 'postgres';

const [database = '', port = '0'] = process.argv.slice(2);

interface Found {
  readonly rows: readonly object[];
  readonly total: number;
}

interface Store {
  readonly groups: () => Found | Promise<Found>;
  readonly byCount: () => Found | Promise<Found>;
}

interface Group {
  readonly status: string;
  readonly month: string | null;
  readonly count: number | string;
  readonly views: number | string;
}

const groupsOf = (rows: readonly Group[]): Found => ({
  rows: rows.map(({ status, month, count, views }) => ({
    group: { status, 'publishedAt:month': month },
    count: Number(count),
    sum: { views: Number(views) },
  })),
  total: rows.length,
});

const counted = `SELECT p.id, p.title, coalesce(c.number, 0) AS "commentCount" FROM posts AS p
  LEFT JOIN (SELECT "postId", count(*) AS number FROM comments GROUP BY "postId") AS c ON c."postId" = p.id
  ORDER BY 3 DESC, p.id LIMIT 20`;

function sqliteStore(): Store {
  const file = new Driver(database, { readonly: true });
  const groups = file.prepare<[], Group>(
    `SELECT status, substr("publishedAt", 1, 7) AS month, count(*) AS count, sum(views) AS views FROM posts GROUP BY 1, 2 ORDER BY 1, 2`,
  );
  const byCount = file.prepare(counted);
  const total = file.prepare<[], number>('SELECT count(*) FROM posts').pluck();
  return {
    groups: () => groupsOf(groups.all()),
    byCount: () => ({ rows: byCount.all() as object[], total: total.get() ?? 0 }),
  };
}

function postgresStore(): Store {
  const sql = driver(database, { max: 8, onnotice: () => undefined });
  return {
    groups: async () =>
      groupsOf(
        await sql<
          Group[]
        >`SELECT status, to_char("publishedAt" AT TIME ZONE 'UTC', 'YYYY-MM') AS month, count(*) AS count, sum(views) AS views FROM posts GROUP BY 1, 2 ORDER BY 1, 2 NULLS FIRST`,
      ),
    byCount: async () => {
      const [rows, [all]] = await Promise.all([
        sql.unsafe(counted, [], { prepare: true }),
        sql`SELECT count(*)::int AS total FROM posts`,
      ]);
      return {
        rows: rows.map(({ id, title, commentCount }) => ({
          id: Number(id),
          title: String(title),
          commentCount: Number(commentCount),
        })),
        total: Number(all?.['total']),
      };
    },
  };
}

const store = database.startsWith('postgres:') ? postgresStore() : sqliteStore();
const server = fastify({ logger: false });
server.get('/_ready', (_request, reply) => reply.send({ status: 'ok' }));
server.get('/v1/posts', async (request, reply) => {
  const { group } = request.query as { group?: string };
  const { rows, total } = await (group === undefined ? store.byCount() : store.groups());
  return reply.header('X-Total-Count', total).send(rows);
});
await server.listen({ port: Number(port), host: '127.0.0.1' });
