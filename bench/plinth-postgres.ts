/**
 * Plinth over PostgreSQL, by the parts that the command line is made of. Run as `node bench/plinth-postgres.ts`
 * `migrate URL SPECIFICATION`, `import URL SPECIFICATION FOLDER` or `start URL SPECIFICATION PORT`.
 */
import { readFileSync } from 'node:fs';
import { findDataFiles } from '../src/execute/import/files.ts';
import { importData } from '../src/execute/import/import.ts';
import { migrate } from '../src/execute/postgres-schema.ts';
import { openPostgres, type PostgresDatabase } from '../src/execute/postgres.ts';
import { Generation } from '../src/http/generation.ts';
import { startServer } from '../src/http/server.ts';
import { uuidv7 } from '../src/http/uuid.ts';
import type { Api } from '../src/model/api.ts';
import { buildApi } from '../src/model/build.ts';
import { loadSpecification } from '../src/spec/load.ts';
import { writeStatements } from '../src/sql/compile-write.ts';

const draw = { now: () => new Date(), uuid: uuidv7 };
const [command, url = '', specification = '', argument = ''] = process.argv.slice(2);

const api = read(specification);
const database = await openPostgres(url);
if (command === 'start') {
  await serve(database, api, Number(argument));
} else {
  await (command === 'import' ? fill(database, api, argument) : migrate(database, api));
  await database.close();
}

function read(file: string): Api {
  const text = readFileSync(file, 'utf8');
  const { specification } = loadSpecification({ file, text, environment: {} });
  const wrong = (message: string): never => {
    throw new Error(`${file}: ${message}`);
  };
  const built = specification && buildApi(specification, (_, message) => wrong(message));
  return built ?? wrong('not valid');
}

async function fill(database: PostgresDatabase, api: Api, folder: string): Promise<void> {
  const statements = writeStatements(database.dialect);
  const { files } = findDataFiles([folder], api);
  const result = await importData(files, api, database, statements, draw, () => undefined);
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'));
}

async function serve(database: PostgresDatabase, api: Api, port: number): Promise<void> {
  const generation = new Generation(api, database);
  const trace = ({ error }: { error: unknown }): void => {
    process.stderr.write(`${String(error)}\n`);
  };
  const server = await startServer(() => generation, { host: '127.0.0.1', port, draw, trace });
  const stop = async (): Promise<void> => {
    await server.close();
    await database.close();
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
}
