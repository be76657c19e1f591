import type Driver from 'better-sqlite3';
import type { Api, Resource } from '../../../model/api.ts';
import { writeOperations } from '../../../model/access.ts';
import type {
  FieldForms,
  FoundForm,
  FoundForms,
  TableForm,
} from '../../../model/field-types/stored-as.ts';
import { quote } from '../../../sql/dialect.ts';
import { affinityOf } from './affinity.ts';
import { foldName } from './dialect.ts';

/** A row of `pragma_table_xinfo`, of a table or a view. */
interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
  /** 2 and 3: computed. */
  readonly hidden: number;
}

const asTable = { isView: false, closed: new Set() } satisfies Omit<TableForm, 'fields'>;
/** A trigger that writes for a view returns neither the row nor its id. */
const asView = { isView: true, closed: new Set(writeOperations) } satisfies Omit<
  TableForm,
  'fields'
>;

/** What SQLite says of the tables of resources that are not managed. Changes nothing. */
export function nativeForms(driver: Driver.Database, api: Api): FoundForms {
  const columnsOf = driver.prepare<[string], ColumnInfo>(
    'SELECT name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)',
  );
  const isView = driver.prepare<[string]>(
    `SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ? COLLATE NOCASE`,
  );
  return new Map(
    [...api.resources.values()]
      .filter(({ isManaged }) => !isManaged)
      .map((resource) => [
        resource.name,
        {
          fields: formsOf(
            resource,
            columnsOf.all(resource.table),
            driver,
            api.settings.database?.collation,
          ),
          ...(isView.get(resource.table) === undefined ? asTable : asView),
        },
      ]),
  );
}

function formsOf(
  { table, fields }: Resource,
  columns: readonly ColumnInfo[],
  driver: Driver.Database,
  shared: 'codePoint' | 'database' = 'database',
): FieldForms {
  const byName = new Map(columns.map((column) => [foldName(column.name), column]));
  // Only a key of one column is counted.
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1;
  const isSetLater =
    driver
      .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? COLLATE NOCASE`)
      .get(table) !== undefined;
  const found = new Map<string, FoundForm>();
  for (const field of fields.values()) {
    const column = byName.get(foldName(field.column));
    if (column === undefined) continue;
    const { type, notnull, dflt_value: fallback, pk, hidden } = column;
    const isComputed = hidden === 2 || hidden === 3;
    const isFilled = fallback !== null || (isAlone && pk === 1 && /^integer$/iu.test(type));
    const { collation = shared } = field.attributes;
    found.set(field.name, {
      native: {
        type,
        isCollated: collation === 'database',
        isMixed:
          affinityOf(type.toUpperCase()) !== 'TEXT' ||
          (field.type.kind === 'string' && holdsBytes(driver, table, column.name)),
        isFilled,
        isComputed,
        isNeeded: (notnull === 1 || pk > 0) && !isFilled,
        isSetLater,
      },
    });
  }
  return found;
}

/** How many rows without an index are looked at. */
const sampledRows = 100_000;

/** Whether a column of texts also has bytes, which an index has behind all texts. */
function holdsBytes(driver: Driver.Database, table: string, column: string): boolean {
  const one = quote(column);
  const indexed = driver
    .prepare<[string, string], number>(
      `SELECT 1 FROM pragma_index_list(?) AS own, pragma_index_info(own.name) AS part
       WHERE NOT own.partial AND part.seqno = 0 AND part.name = ? COLLATE NOCASE LIMIT 1`,
    )
    .get(table, column);
  const from =
    indexed === undefined
      ? `(SELECT ${one} FROM ${quote(table)} LIMIT ${sampledRows}) WHERE typeof(${one}) = 'blob'`
      : `${quote(table)} WHERE ${one} >= x''`;
  return driver.prepare(`SELECT 1 FROM ${from} LIMIT 1`).get() !== undefined;
}
