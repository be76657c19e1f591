import type { FoundTable } from './table.ts';

/** A table in which a migration tool keeps what it has done. */
interface Bookkeeping {
  readonly tool: string;
  readonly table: string;
  readonly columns: string;
  /** Columns that not all versions of the tool have. */
  readonly others?: string;
}

/** Names and columns are compared in lower case, and both must fit: an application may have a table `migrations` too. */
const bookkeeping: readonly Bookkeeping[] = [
  { tool: 'Rails', table: 'schema_migrations', columns: 'version' },
  { tool: 'Rails', table: 'ar_internal_metadata', columns: 'key value created_at updated_at' },
  { tool: 'Ecto', table: 'schema_migrations', columns: 'version inserted_at' },
  { tool: 'golang-migrate', table: 'schema_migrations', columns: 'version dirty' },
  {
    tool: 'Prisma',
    table: '_prisma_migrations',
    columns:
      'id checksum finished_at migration_name logs rolled_back_at started_at applied_steps_count',
  },
  { tool: 'Django', table: 'django_migrations', columns: 'id app name applied' },
  { tool: 'Laravel', table: 'migrations', columns: 'id migration batch' },
  { tool: 'TypeORM', table: 'migrations', columns: 'id timestamp name' },
  { tool: 'Knex', table: 'knex_migrations', columns: 'id name batch migration_time' },
  { tool: 'Knex', table: 'knex_migrations_lock', columns: 'index is_locked' },
  { tool: 'Kysely', table: 'kysely_migration', columns: 'name timestamp' },
  { tool: 'Kysely', table: 'kysely_migration_lock', columns: 'id is_locked' },
  { tool: 'Sequelize', table: 'sequelizemeta', columns: 'name' },
  { tool: 'MikroORM', table: 'mikro_orm_migrations', columns: 'id name executed_at' },
  { tool: 'Drizzle', table: '__drizzle_migrations', columns: 'id hash created_at', others: 'name' },
  { tool: 'Cloudflare D1', table: 'd1_migrations', columns: 'id name applied_at' },
  {
    tool: 'Flyway',
    table: 'flyway_schema_history',
    columns:
      'installed_rank version description type script checksum installed_by installed_on execution_time success',
  },
  {
    tool: 'Liquibase',
    table: 'databasechangelog',
    columns: 'id author filename dateexecuted orderexecuted exectype md5sum',
    others: 'description comments tag liquibase contexts labels deployment_id',
  },
  {
    tool: 'Liquibase',
    table: 'databasechangeloglock',
    columns: 'id locked lockgranted lockedby',
  },
  { tool: 'goose', table: 'goose_db_version', columns: 'id version_id is_applied tstamp' },
  { tool: 'Alembic', table: 'alembic_version', columns: 'version_num' },
  {
    tool: 'Entity Framework',
    table: '__efmigrationshistory',
    columns: 'migrationid productversion',
  },
  {
    tool: 'SQLx',
    table: '_sqlx_migrations',
    columns: 'version description installed_on success checksum execution_time',
  },
  { tool: 'Diesel', table: '__diesel_schema_migrations', columns: 'version run_on' },
];

/** The tool that keeps its notes in a table; undefined for a table of the application. */
export function toolOf({ actual }: FoundTable): string | undefined {
  const name = actual.name.slice(actual.name.indexOf('.') + 1).toLowerCase();
  const columns = new Set([...actual.columns.values()].map((one) => one.name.toLowerCase()));
  return bookkeeping.find((one) => {
    const needed = one.columns.split(' ');
    const known = new Set([...needed, ...(one.others?.split(' ') ?? [])]);
    return (
      one.table === name &&
      needed.every((column) => columns.has(column)) &&
      columns.isSubsetOf(known)
    );
  })?.tool;
}
