import middie from '@fastify/middie';
import fastify from 'fastify';
import { createServer } from 'plinth';

const app = fastify();
// The log of Fastify gets the lines of the API.
const api = await createServer({ file: 'plinth.yaml', mode: 'dev', logger: app.log });
await app.register(middie);
app.use('/api', api.handler);
app.get('/', () => 'A page of the application');
app.addHook('onClose', () => api.close());

await app.listen({ port: Number(process.env['PORT'] ?? 3000) });
console.log('ready', app.server.address());
process.once('SIGTERM', () => void app.close());
