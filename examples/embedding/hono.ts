import { getConnInfo } from '@hono/node-server/conninfo';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createServer } from 'plinth';

const api = await createServer({ file: 'plinth.yaml', mode: 'dev' });
const app = new Hono();
app.get('/', (context) => context.text('A page of the application'));
app.all('/api/*', (context) => {
  // Quotas count by the address of the client.
  const ip = getConnInfo(context).remote.address;
  return api.fetch(context.req.raw, { mountedAt: '/api', ...(ip !== undefined && { ip }) });
});

const server = serve({ fetch: app.fetch, port: Number(process.env['PORT'] ?? 3000) }, (address) => {
  console.log('ready', address);
});
process.once('SIGTERM', async () => {
  server.close();
  await api.close();
});
