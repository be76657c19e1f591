import express from 'express';
import { createServer } from 'plinth';

const api = await createServer({ file: 'plinth.yaml', mode: 'dev' });
const app = express();
// Before what parses bodies.
app.use('/api', api.handler);
app.use(express.json());
app.get('/', (_request, response) => void response.send('A page of the application'));

const server = app.listen(Number(process.env['PORT'] ?? 3000), () => {
  console.log('ready', server.address());
});
process.once('SIGTERM', async () => {
  server.close();
  await api.close();
});
