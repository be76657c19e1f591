import { quote } from '../../../sql/dialect.ts';
import { searchPrefix } from '../../../sql/schema/search-index.ts';
import type { FoundSearch } from '../../existing/actual-schema.ts';
import { tableName } from '../catalog.ts';
import type { Ask } from '../database.ts';
import { postgresText } from '../dialect.ts';
import { kindOfServer } from '../connections/kind-of-server.ts';
import { foldName } from './search.ts';

const indexesQuery =
  `SELECT index_.relname, ${tableName('table_')}, indisvalid FROM pg_index JOIN pg_class AS index_ ON index_.oid = indexrelid` +
  ` JOIN pg_class AS table_ ON table_.oid = indrelid` +
  ` WHERE starts_with(index_.relname, '${searchPrefix}')`;

/** An extension that the server trusts may be made by everyone who may make schemas. */
const extensionQuery =
  `SELECT current_schema(), (SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'),` +
  ` EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm'),` +
  ` (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) OR (has_database_privilege(current_database(), 'CREATE')` +
  ` AND EXISTS (SELECT 1 FROM pg_available_extension_versions WHERE name = 'pg_trgm' AND trusted)),` +
  ` ${kindOfServer}`;

/**
 * Reads what the database has for search indexes; `isWanted`: whether some are to be made. Undefined for a server that speaks
 * the protocol of PostgreSQL and is none.
 */
export async function readSearch(ask: Ask, isWanted: boolean): Promise<FoundSearch | undefined> {
  const indexes = (await ask(indexesQuery)).map(([name, table, isValid]) => ({
    name: String(name),
    table: String(table),
    isWhole: isValid === true,
  }));
  if (!isWanted) return { indexes };
  const [row = []] = await ask(extensionQuery);
  const [schema, installed, isAvailable, mayMake, kind] = row;
  if (kind !== null) return undefined;
  const fold = postgresText(`${quote(foldName())}(text)`);
  const [there] = await ask(`SELECT to_regprocedure(${fold}) IS NULL`);
  return {
    indexes,
    lacksFunction: there?.[0] === true,
    extension: { schema: String(installed ?? schema), isMissing: installed === null },
    obstacle:
      installed !== null || (isAvailable === true && mayMake === true)
        ? undefined
        : isAvailable === true
          ? 'this role may not create the extension pg_trgm; let one that may do it: CREATE EXTENSION pg_trgm'
          : 'the server has no extension pg_trgm; install it',
  };
}
