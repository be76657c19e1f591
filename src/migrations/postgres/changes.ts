import { quote } from '../../sql/dialect.ts';
import { columnSql, deleteActions } from '../../sql/schema/schema.ts';
import type { ColumnSchema, ReferenceSchema } from '../../sql/schema/table.ts';
import type {
  ActualReference,
  ActualTable,
  SchemaRules,
} from '../../databases/existing/actual-schema.ts';
import {
  isRenamed,
  keepsValues,
  valueFrom,
  type ColumnChange,
  type SchemaChanges,
  type TableChange,
} from '../changes.ts';

/** The statements of a migration, in order. */
export function statementsOf(changes: SchemaChanges, rules: SchemaRules): readonly string[] {
  const { alterTables, createTables, createIndexes } = changes;
  return [
    // Keys stand in the way of what changes on either side of them.
    ...alterTables.flatMap((table) => dropReferences(table)),
    ...changes.dropIndexes.map((name) => `DROP INDEX ${quote(name)}`),
    ...dropTables(changes),
    ...changes.renameTables.map(
      ({ from, to }) => `ALTER TABLE ${quote(from)} RENAME TO ${quote(to)}`,
    ),
    ...alterTables.flatMap(renameColumns),
    ...createTables.map(
      ({ name, columns }) => `CREATE TABLE ${quote(name)} (${columns.map(columnOf).join(', ')})`,
    ),
    ...alterTables.flatMap(alterTable),
    ...createIndexes.map(({ table, index, collated }) => rules.indexSql(table, index, collated)),
    ...createTables.flatMap(({ name, columns }) =>
      columns.flatMap(({ name: column, reference }) =>
        reference === undefined ? [] : addReference(name, column, reference),
      ),
    ),
    ...alterTables.flatMap(addReferences),
  ];
}

/** At once, since they may refer to each other. */
function dropTables({ dropTables: names }: SchemaChanges): readonly string[] {
  return names.length === 0 ? [] : [`DROP TABLE ${names.map(quote).join(', ')}`];
}

/** The definition of a column without its key, which becomes a constraint of its own once all tables are there. */
function columnOf(column: ColumnSchema): string {
  return columnSql({ ...column, reference: undefined });
}

/**
 * Whether a key has to go before its column changes; it comes back where the file wants it. One of which the file says
 * nothing the server keeps, or refuses the change.
 */
function isReleased({ actual, conversion, isDropped, reference }: ColumnChange): boolean {
  return (
    actual !== undefined &&
    reference.actual !== undefined &&
    !isDropped &&
    (reference.change === 'drop' ||
      reference.change === 'replace' ||
      (conversion !== undefined && reference.wanted !== undefined))
  );
}

function dropReferences({ actual, columns }: TableChange): readonly string[] {
  return columns.flatMap((column) => {
    const name = column.reference.actual?.name;
    return isReleased(column) && name !== undefined
      ? [`ALTER TABLE ${quote(actual.name)} DROP CONSTRAINT ${quote(name)}`]
      : [];
  });
}

function addReferences({ name, columns }: TableChange): readonly string[] {
  // What comes back under its name comes before what is given one.
  const released = columns.filter(isReleased);
  const added = columns.filter(
    (column) => column.actual === undefined || column.reference.change === 'add',
  );
  return [...released, ...added].flatMap((column) => {
    const { wanted, actual: before } = column.reference;
    const actual = isReleased(column) ? before : undefined;
    const constraint = isRenamed(column) ? undefined : actual?.name;
    return wanted === undefined ? [] : addReference(name, column.name, wanted, actual, constraint);
  });
}

/** What the file says nothing of stays as it was in `actual`, which is made again. */
function addReference(
  table: string,
  column: string,
  reference: ReferenceSchema,
  actual?: ActualReference,
  constraint?: string,
): readonly string[] {
  const target = `${quote(reference.table)} (${quote(reference.column)})`;
  const name = constraint === undefined ? '' : ` CONSTRAINT ${quote(constraint)}`;
  const action = deleteActions[reference.onDelete];
  const isLike = actual?.onDelete === 'NO ACTION' && action === 'RESTRICT';
  return [
    `ALTER TABLE ${quote(table)} ADD${name} FOREIGN KEY (${quote(column)})` +
      ` REFERENCES ${target} ON DELETE ${isLike ? 'NO ACTION' : action}${actual?.others ?? ''}`,
  ];
}

function renameColumns({ name, columns }: TableChange): readonly string[] {
  return columns.flatMap((column) =>
    column.actual !== undefined && isRenamed(column)
      ? [
          `ALTER TABLE ${quote(name)} RENAME COLUMN ${quote(column.actual.name)} TO ${quote(column.name)}`,
        ]
      : [],
  );
}

/**
 * What changes of the columns of a table: all that one statement can do in one, since each that changes a type writes the
 * table and its indexes anew, while nobody else may read it.
 */
function alterTable({ name, actual: there, columns }: TableChange): readonly string[] {
  const table = quote(name);
  const alter = (action: string): string => `ALTER TABLE ${table} ${action}`;
  const first: string[] = [];
  const actions: string[] = [];
  const last: string[] = [];
  for (const column of columns) {
    const { actual, wanted, conversion, fill, losesDefault } = column;
    const one = quote(column.name);
    const act = (action: string): unknown => actions.push(`ALTER COLUMN ${one} ${action}`);
    if (column.isDropped) {
      first.push(alter(`DROP COLUMN ${one}`));
      continue;
    }
    if (actual === undefined) {
      if (wanted !== undefined)
        last.push(alter(`ADD COLUMN ${withDefault(columnOf(besideKey(wanted, there)), fill)}`));
      continue;
    }
    const changesNull = column.nullable !== actual.nullable && wanted?.isKey !== true;
    if (changesNull && column.nullable) act('DROP NOT NULL');
    if (conversion !== undefined && wanted !== undefined) {
      // What gives ids gives whole numbers, and a default is of the old type.
      if (actual.isPrimary && !wanted.type.includes('GENERATED'))
        first.push(alter(`ALTER COLUMN ${one} DROP IDENTITY IF EXISTS`));
      // But for that of a serial, which goes on to give ids.
      const isSerial =
        wanted.type.includes('GENERATED') && actual.default?.startsWith('nextval(') === true;
      const old = isSerial || keepsValues(one, conversion) ? undefined : actual.default;
      if (old !== undefined) act('DROP DEFAULT');
      act(`TYPE ${newType(column, wanted)} USING ${valueFrom(one, conversion, fill)}`);
      const kept = losesDefault || actual.isPrimary ? undefined : conversion.default;
      if (old !== undefined && kept !== undefined) act(`SET DEFAULT ${kept(old)}`);
      last.push(...keptRules(column).map((check) => alter(`ADD CHECK (${check})`)));
      if (leavesDomain(column) && !column.nullable && actual.domain?.refusesNull === true)
        act('SET NOT NULL');
    } else if (fill !== undefined && !column.nullable)
      first.push(`UPDATE ${table} SET ${one} = ${fill} WHERE ${one} IS NULL`);
    if (changesNull && !column.nullable) act('SET NOT NULL');
    if (column.becomesKey) last.push(alter(`ADD PRIMARY KEY (${one})`));
    if (column.becomesGenerated) {
      act('SET NOT NULL');
      last.push(
        alter(`ALTER COLUMN ${one} ADD GENERATED BY DEFAULT AS IDENTITY`),
        `SELECT setval(pg_get_serial_sequence('${table.replaceAll("'", "''")}', '${column.name.replaceAll("'", "''")}'), greatest(max(${one}), 1), max(${one}) IS NOT NULL) FROM ${table}`,
      );
    }
  }
  return [...first, ...(actions.length === 0 ? [] : [alter(actions.join(', '))]), ...last];
}

/** Without what else a definition says; a domain stays where only the collation changes. */
function newType({ name, actual, conversion }: ColumnChange, wanted: ColumnSchema): string {
  const [type = ''] = wanted.type.split(/ (?:GENERATED|NOT NULL|PRIMARY)/u);
  return actual?.domain !== undefined && conversion !== undefined && keepsValues(name, conversion)
    ? type.replace(/^\S+/u, () => actual.domain?.name ?? '')
    : type;
}

function leavesDomain({ name, actual, conversion }: ColumnChange): boolean {
  const isOfOne = actual?.domain !== undefined && !actual.domain.isOfItems;
  return isOfOne && conversion !== undefined && !keepsValues(name, conversion);
}

/** What a domain has asked of the values of a column that leaves it, where they go on to be of the same kind. */
function keptRules(column: ColumnChange): readonly string[] {
  const { name, actual, conversion } = column;
  if (!leavesDomain(column) || conversion?.default === undefined) return [];
  return (actual?.domain?.checks ?? []).map((check) =>
    // Where it is not in quotes, a word in capitals is one of the language.
    check.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\bVALUE\b/gu, (part) =>
      part === 'VALUE' ? quote(name) : part,
    ),
  );
}

/** A table has one primary key: beside one of several columns, the id is unique. */
function besideKey(column: ColumnSchema, { indexes }: ActualTable): ColumnSchema {
  return column.isKey && indexes.some(({ isPrimary }) => isPrimary)
    ? { ...column, type: column.type.replace('PRIMARY KEY', 'UNIQUE') }
    : column;
}

/**
 * A column that is added keeps the default: servers of the former specification go on writing rows, without a word of it.
 */
function withDefault(definition: string, fill: string | undefined): string {
  return fill === undefined ? definition : `${definition} DEFAULT ${fill}`;
}
