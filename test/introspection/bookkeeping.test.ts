import { describe, expect, test } from 'vitest';
import { draftFromPostgres, draftFromSqlite } from '../support/introspect.ts';

// Tables in which migration tools keep their notes. See docs/contract/6-operation.md#introspect.
const key = 'id integer PRIMARY KEY NOT NULL';

/** Each as its tool makes it, in types that both databases have. */
const tables: Readonly<Record<string, string>> = {
  'Rails, schema_migrations': 'version varchar(255) PRIMARY KEY NOT NULL',
  'Rails, ar_internal_metadata':
    'key varchar(255) PRIMARY KEY NOT NULL, value varchar(255), created_at timestamp NOT NULL, updated_at timestamp NOT NULL',
  'Ecto, schema_migrations': 'version bigint PRIMARY KEY NOT NULL, inserted_at timestamp',
  'golang-migrate, schema_migrations':
    'version bigint PRIMARY KEY NOT NULL, dirty boolean NOT NULL',
  'Prisma, _prisma_migrations':
    'id varchar(36) PRIMARY KEY NOT NULL, checksum varchar(64) NOT NULL, finished_at timestamp, migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamp, started_at timestamp NOT NULL, applied_steps_count integer NOT NULL',
  'Django, django_migrations': `${key}, app varchar(255) NOT NULL, name varchar(255) NOT NULL, applied timestamp NOT NULL`,
  'Laravel, migrations': `${key}, migration varchar(255) NOT NULL, batch integer NOT NULL`,
  'TypeORM, migrations': `${key}, "timestamp" bigint NOT NULL, name varchar(255) NOT NULL`,
  'Knex, knex_migrations': `${key}, name varchar(255), batch integer, migration_time timestamp`,
  'Knex, knex_migrations_lock': '"index" integer PRIMARY KEY NOT NULL, is_locked integer',
  'Kysely, kysely_migration':
    'name varchar(255) PRIMARY KEY NOT NULL, "timestamp" varchar(255) NOT NULL',
  'Kysely, kysely_migration_lock':
    'id varchar(255) PRIMARY KEY NOT NULL, is_locked integer NOT NULL',
  'Sequelize, SequelizeMeta': 'name varchar(255) PRIMARY KEY NOT NULL',
  'MikroORM, mikro_orm_migrations': `${key}, name varchar(255), executed_at timestamp`,
  'Drizzle, __drizzle_migrations': `${key}, hash text NOT NULL, created_at bigint`,
  'Cloudflare D1, d1_migrations': `${key}, name text UNIQUE, applied_at timestamp NOT NULL`,
  'Flyway, flyway_schema_history':
    'installed_rank integer PRIMARY KEY NOT NULL, version varchar(50), description varchar(200), type varchar(20), script varchar(1000), checksum integer, installed_by varchar(100), installed_on timestamp, execution_time integer, success boolean',
  'Liquibase, databasechangelog':
    'id varchar(255) NOT NULL, author varchar(255) NOT NULL, filename varchar(255) NOT NULL, dateexecuted timestamp NOT NULL, orderexecuted integer NOT NULL, exectype varchar(10) NOT NULL, md5sum varchar(35), description varchar(255), comments varchar(255), tag varchar(255), liquibase varchar(20), contexts varchar(255), labels varchar(255), deployment_id varchar(10)',
  'Liquibase, DATABASECHANGELOGLOCK':
    '"ID" integer PRIMARY KEY NOT NULL, "LOCKED" boolean NOT NULL, "LOCKGRANTED" timestamp, "LOCKEDBY" varchar(255)',
  'goose, goose_db_version': `${key}, version_id bigint NOT NULL, is_applied boolean NOT NULL, tstamp timestamp NOT NULL`,
  'Alembic, alembic_version': 'version_num varchar(32) PRIMARY KEY NOT NULL',
  'Entity Framework, __EFMigrationsHistory':
    '"MigrationId" varchar(150) PRIMARY KEY NOT NULL, "ProductVersion" varchar(32) NOT NULL',
  'SQLx, _sqlx_migrations':
    'version bigint PRIMARY KEY NOT NULL, description text NOT NULL, installed_on timestamp NOT NULL, success boolean NOT NULL, checksum text NOT NULL, execution_time bigint NOT NULL',
  'Diesel, __diesel_schema_migrations':
    'version varchar(50) PRIMARY KEY NOT NULL, run_on timestamp NOT NULL',
};

/** The statements for the tables of these tools, of which one name is made once. */
function sqlOf(names: readonly string[]): string {
  const made = names.map((name) => `CREATE TABLE "${name.split(', ')[1]}" (${tables[name]});`);
  return [`CREATE TABLE users (${key});`, ...made].join('\n');
}

const groups = [
  Object.keys(tables).filter((name) => !/^(?:Ecto|golang-migrate|TypeORM),/u.test(name)),
  ['Ecto, schema_migrations', 'TypeORM, migrations'],
  ['golang-migrate, schema_migrations'],
];

describe.each([
  ['PostgreSQL', draftFromPostgres],
  ['SQLite', draftFromSqlite],
] as const)('%s', (_, draftFrom) => {
  test.each(groups.map((names) => [names.length, names] as const))(
    'tables of migration tools are named in one line, and served if somebody wants them: %d',
    async (count, names) => {
      const { resources, left } = await draftFrom(sqlOf(names));
      expect(resources.map(({ name }) => name)).toEqual(['users']);
      expect(left).toHaveLength(1);
      for (const part of names.flatMap((name) => name.split(', '))) expect(left[0]).toContain(part);
      expect(left[0]).toMatch(/With --bookkeeping they are served too\.$/u);
      const all = await draftFrom(sqlOf(names), { hasBookkeeping: true });
      expect([all.left, all.resources.length]).toEqual([[], count + 1]);
    },
  );

  test('a table that is only named like one of theirs is served', async () => {
    const { resources, left } = await draftFrom(
      `CREATE TABLE migrations (${key}, species text, name text); CREATE TABLE alembic_version (${key}, version_num text);`,
    );
    expect([left, resources.map(({ name }) => name).toSorted()]).toEqual([
      [],
      ['alembic-versions', 'migrations'],
    ]);
  });
});
