import { feathers } from '@feathersjs/feathers';
import { bodyParser, errorHandler, koa, rest } from '@feathersjs/koa';
import { KnexService } from '@feathersjs/knex';
import knex from 'knex';

const { DATABASE_URL: connection, PORT: port } = process.env;
const database = knex({ client: 'pg', connection, pool: { min: 10, max: 10 } });
const app = koa(feathers());
app.use(errorHandler());
app.use(bodyParser());
app.configure(rest());
for (const name of ['posts', 'comments'])
  app.use(
    name,
    new KnexService({ Model: database, name, id: 'id', paginate: { default: 20, max: 100 } }),
  );
await app.listen(Number(port), '127.0.0.1');
