import {
  readPostgresUrl,
  UnclearUrl,
  type PostgresAddress,
  type Surroundings,
} from '../../databases/postgres/connections/address.ts';
import { readPostgres, unreadableViews } from '../../introspection/postgres/introspect.ts';
import { postgresForms } from '../../databases/postgres/stored-forms.ts';
import { columnAdvice } from '../../databases/postgres/advice.ts';
import {
  isUpToDate,
  migrate,
  planMigration,
  readUnproven,
} from '../../migrations/postgres/schema.ts';
import {
  openPostgres,
  type PostgresDatabase,
  type PostgresOptions,
} from '../../databases/postgres/database.ts';
import { readReplicaUrl, withReplicas } from '../../databases/postgres/replication/replicated.ts';
import { databaseDefaults } from '../../specification/keys/server.ts';
import type { DatabaseSpecification } from '../../specification/specification.ts';
import type { Resource } from '../../model/api.ts';
import { quoteTable } from '../../sql/dialect.ts';
import { CommandFailure } from '../failure.ts';
import type { NamedDatabase } from './target.ts';

/** A timeout that never comes, in ms; twice this still fits into a setting of PostgreSQL. */
const unlimited = 1_000_000_000;

/** A PostgreSQL database by its URL. It is never created: a service should not have the permission. */
export function postgresDatabase(
  url: string,
  surroundings: Surroundings,
  options: PostgresOptions & Pick<DatabaseSpecification, 'replicas' | 'replicaLag'>,
  report: (line: string) => void,
): NamedDatabase {
  const address = readAddress(() => readPostgresUrl(url, surroundings));
  const { replicas = [], replicaLag: mostLag = databaseDefaults.replicaLag } = options;
  const others = replicas.map((one) => readAddress(() => readReplicaUrl(one, surroundings)));
  const { name } = address;
  /** Uses a connection of its own without a timeout: an index on many rows takes long. */
  const onSchema = async <Value>(
    work: (database: PostgresDatabase) => Promise<Value>,
  ): Promise<Value> => {
    const database = await openPostgres(address, {
      ...options,
      poolSize: 1,
      statementTimeout: unlimited,
    });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  return {
    name,
    hasSchemas: true,
    inspect: (api, _missing, options) => onSchema((schema) => planMigration(schema, api, options)),
    forms: (api) => onSchema((schema) => schema.inspect((ask) => postgresForms(ask, api))),
    columnAdvice: (api) => onSchema((schema) => schema.inspect((ask) => columnAdvice(ask, api))),
    unprovenRules: (api) => onSchema((schema) => readUnproven(schema, api)),
    introspect: (isManaged, schemas) =>
      onSchema(async (schema) => {
        const unreadable = isManaged ? undefined : await unreadableViews(schema, schemas);
        return schema.inspect((ask) =>
          readPostgres(ask, isManaged, undefined, schemas, unreadable),
        );
      }),
    open: async () => {
      // An import reads existing rows outside its transaction.
      const poolSize = options.poolSize === 1 ? 2 : options.poolSize;
      const primary = await openPostgres(address, { ...options, poolSize });
      const database =
        others.length === 0
          ? primary
          : withReplicas(primary, others, { ...options, poolSize, mostLag, report });
      return {
        name,
        database,
        hasSandboxes: false,
        warnings: [
          ...(primary.isExposed
            ? [
                `the connection to the database ${name} leaves this machine without encryption. Add sslmode=verify-full to its URL, and sslrootcert if its certificate is not of a public authority.`,
              ]
            : []),
          ...(primary.sessionWarning === undefined ? [] : [primary.sessionWarning]),
        ],
        isUpToDate: (api) => onSchema((schema) => isUpToDate(schema, api)),
        migrate: (api, options) => onSchema((schema) => migrate(schema, api, options)),
        analyze: (resources) => onSchema((schema) => analyze(schema, resources)),
        close: () => database.close(),
      };
    },
  };
}

/** Autovacuum does this within minutes. Until then PostgreSQL takes large tables for small ones and scans them. */
async function analyze(database: PostgresDatabase, resources: Iterable<Resource>): Promise<void> {
  const tables = Array.from(resources, ({ table }) => quoteTable(table)).join(', ');
  if (tables === '') return;
  const statement = { sql: `ANALYZE ${tables}`, parameters: [] };
  // The records are committed, even if this fails.
  await database.writeOne(statement, { bound: [] }).catch(() => undefined);
}

/** Reads a URL. Relative paths of files in it start in the folder of the command or the specification. */
function readAddress(read: () => PostgresAddress): PostgresAddress {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UnclearUrl)) throw error;
    throw new CommandFailure(error.message, { exitCode: 2, cause: error });
  }
}
