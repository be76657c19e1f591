import type { Api } from '../../model/api.ts';
import { beginsIndex } from '../../model/indexes.ts';
import { indexedTexts } from '../../model/search-index.ts';
import { keyColumns } from '../../sql/key.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import { cutName } from '../../sql/schema/cut-name.ts';
import { isByCodePoint, readTables } from './catalog.ts';
import { postgresText } from './dialect.ts';
import type { Ask } from './database.ts';
import { readSearch } from './search/catalog.ts';
import type { ColumnAdvice } from '../existing/actual-schema.ts';

/** What an existing database does not serve well. */
export async function columnAdvice(ask: Ask, api: Api): Promise<readonly ColumnAdvice[]> {
  return [
    ...(await unservedCollations(ask, api)),
    ...(await unservedOrders(ask, api)),
    ...(await unservedSearches(ask, api)),
  ];
}

/** Resources whose search index the server cannot make: a search reads every record. */
async function unservedSearches(ask: Ask, { resources }: Api): Promise<readonly ColumnAdvice[]> {
  const wanted = [...resources.values()].flatMap((resource) => indexedTexts(resource)[0] ?? []);
  if (wanted.length === 0) return [];
  const { obstacle } = (await readSearch(ask, true)) ?? {};
  if (obstacle === undefined) return [];
  return wanted.map((field) => ({
    field,
    message: `searches of ${field.resource.name} read every record, since no index can be made: ${obstacle}`,
  }));
}

/**
 * Fields that an existing index serves in filters but not in sorts, because PostgreSQL puts nulls last by default and
 * the API puts them first. Migrations adopt such indexes, which most existing databases have. Foreign keys are left
 * out: requests rarely sort by one.
 */
async function unservedOrders(ask: Ask, { resources }: Api): Promise<readonly ColumnAdvice[]> {
  const tables = await readTables(ask);
  return [...resources.values()].flatMap(({ table, fields, id }) => {
    const indexes = tables.get(cutName(table))?.indexes ?? [];
    return [...fields.values()].flatMap((field) => {
      if (!field.nullable || field.reference !== undefined || !beginsIndex(field)) return [];
      if (!field.type.sortable) return [];
      const own = indexes.filter(
        ({ columns: [first], isInOrder }) => isInOrder && first === cutName(field.column),
      );
      // If there is no index at all, a migration makes one.
      const isServed = own.length === 0 || own.some(({ nullsFirst }) => nullsFirst?.[0] === true);
      const wanted = `ON ${quoteTable(table)} (${quote(field.column)} NULLS FIRST, ${keyColumns(quote(id.column), id).join(', ')})`;
      const message = `the API sorts ${field.name} with nulls first, and no index has that order; add CREATE INDEX … ${wanted}`;
      return isServed ? [] : { field, message };
    });
  });
}

/**
 * Texts of unmanaged tables that the file wants by code point, and whose column has another collation: an index of the column
 * serves neither filters nor sorts of them.
 */
async function unservedCollations(ask: Ask, { resources }: Api): Promise<readonly ColumnAdvice[]> {
  const wanted = [...resources.values()].flatMap(({ fields }) =>
    [...fields.values()].filter(
      ({ native, type }) =>
        native?.isCollated === false &&
        type.text !== undefined &&
        /^(?:text|character varying)$/u.test(native.type),
    ),
  );
  if (wanted.length === 0) return [];
  const values = wanted.map(
    ({ resource, column }, place) =>
      `(${place}, ${postgresText(quoteTable(resource.table))}, ${postgresText(cutName(column))})`,
  );
  const rows = await ask(
    `SELECT place FROM (VALUES ${values.join(', ')}) AS wanted(place, name, field)` +
      ` JOIN pg_attribute ON attrelid = to_regclass(name) AND attname = field` +
      ` JOIN pg_collation AS own ON own.oid = attcollation WHERE NOT (${isByCodePoint('own')}) AND NOT EXISTS` +
      ` (SELECT FROM pg_index JOIN pg_class AS index_ ON index_.oid = indexrelid` +
      ` JOIN pg_am ON pg_am.oid = index_.relam AND amname = 'btree' JOIN pg_collation AS sorting ON sorting.oid = indcollation[0]` +
      ` WHERE indrelid = attrelid AND indkey[0] = attnum AND indpred IS NULL AND ${isByCodePoint('sorting')}) ORDER BY place`,
  );
  return rows.flatMap(([place]) => {
    const field = wanted[Number(place)];
    if (field === undefined) return [];
    const { name, column, resource, nullable } = field;
    const index = `${quoteTable(resource.table)} (${quote(column)} COLLATE "C"${nullable ? ' NULLS FIRST' : ''})`;
    return {
      field,
      message: `the API sorts and compares ${name} by code point, and no index has that order, as column ${column} has another collation; add CREATE INDEX … ON ${index}, or say collation: database`,
    };
  });
}
