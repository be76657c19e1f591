import { create } from '@platformatic/db';

const { DATABASE_URL: connectionString, PORT: port } = process.env;
const app = await create(import.meta.dirname, {
  $schema: 'https://schemas.platformatic.dev/@platformatic/db/3.67.0.json',
  server: { hostname: '127.0.0.1', port: Number(port), logger: { level: 'fatal' } },
  db: {
    connectionString,
    poolSize: 10,
    graphql: false,
    openapi: true,
    events: false,
    include: { posts: true, comments: true, users: true },
  },
  watch: false,
});
await app.start({ listen: true });
