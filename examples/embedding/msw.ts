/** The requests of a program in Node are answered by the API, without a port: as MSW does with handlers by hand. */
import { http } from 'msw';
import { setupServer } from 'msw/node';
import { createServer } from 'plinth';

const api = await createServer({ file: 'plinth.yaml', mode: 'dev', database: 'sqlite::memory:' });
const network = setupServer(
  http.all('https://books.example/*', ({ request }) => api.fetch(request)),
);
network.listen({ onUnhandledFrame: 'error' });

const response = await fetch('https://books.example/v1/books?sort=title&limit=2&expand=author');
console.log(response.status, await response.json());

network.close();
await api.close();
