import type Driver from 'better-sqlite3';
import type { Api, Resource } from '../../model/api.ts';
import type { FoundForm, FoundForms } from '../../model/field-types/stored-as.ts';
import { foldName } from './existing-dialect.ts';

/** A row of `pragma_table_xinfo`, of a table or a view. */
interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly dflt_value: string | null;
  readonly pk: number;
  /** 2 and 3: computed. */
  readonly hidden: number;
}

/** What SQLite says of the columns of resources that are not managed. Changes nothing. */
export function nativeForms(driver: Driver.Database, api: Api): FoundForms {
  const columnsOf = driver.prepare<[string], ColumnInfo>(
    'SELECT name, type, dflt_value, pk, hidden FROM pragma_table_xinfo(?)',
  );
  return new Map(
    [...api.resources.values()]
      .filter(({ isManaged }) => !isManaged)
      .map((resource) => [
        resource.name,
        formsOf(resource, columnsOf.all(resource.table), api.settings.database?.collation),
      ]),
  );
}

function formsOf(
  { fields }: Resource,
  columns: readonly ColumnInfo[],
  shared: 'codePoint' | 'database' = 'database',
): ReadonlyMap<string, FoundForm> {
  const byName = new Map(columns.map((column) => [foldName(column.name), column]));
  // Only a key of one column is counted.
  const isAlone = columns.filter(({ pk }) => pk > 0).length === 1;
  const found = new Map<string, FoundForm>();
  for (const field of fields.values()) {
    const column = byName.get(foldName(field.column));
    if (column === undefined) continue;
    const { type, dflt_value: fallback, pk, hidden } = column;
    const isComputed = hidden === 2 || hidden === 3;
    const { collation = shared } = field.attributes;
    found.set(field.name, {
      native: {
        type,
        isEnum: false,
        isCollated: collation === 'database',
        isFilled: fallback !== null || (isAlone && pk === 1 && /^integer$/iu.test(type)),
        isComputed,
      },
    });
  }
  return found;
}
