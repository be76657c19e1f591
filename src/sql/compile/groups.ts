import type { Codec, Field } from '../../model/api.ts';
import { isDecimalText } from '../../model/indexes.ts';
import type { GroupColumn, GroupsPlan } from '../../query/plan.ts';
import { codecOf, quoteTable, type Dialect, type GroupValue } from '../dialect.ts';
import { keySql, orderSql, valueSql } from './order.ts';
import { listConditions, rowConditions, whereSql } from './predicate.ts';
import { ownScope, type Scope } from './scope.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** A column of the groups in the answer, and the position of its value in a row. */
export interface CompiledGroupColumn {
  readonly column: GroupColumn;
  readonly position: number;
  readonly decode: Codec['decode'];
}

/** The statements of a list in groups, and how their rows become groups. */
export interface CompiledGroups {
  readonly plan: GroupsPlan;
  /** The groups of a page; behind their columns the number of groups with `having`, without, and with an infinite sum. */
  readonly rows: readonly [Statement];
  /** These three numbers alone, for a page without groups. */
  readonly counts: Statement;
  readonly keys: readonly CompiledGroupColumn[];
  readonly functions: readonly CompiledGroupColumn[];
}

/** The names of the two tables of a statement of groups. No table of the model may begin so: SQLite would take it for one of these. */
const partsTable = '_plinth_parts';
const groupsTable = '_plinth_groups';

/** The groups as rows of a table `g`. Their columns are no names of the model, so they are not quoted. */
const groupScope: Scope = {
  // What is a decimal text in its table is a number here.
  column: (field) =>
    isDecimalText(field) ? `CAST(g.${field.column} AS text)` : `g.${field.column}`,
  link: undefined,
  below: '_1',
  tableOf: ownScope.tableOf,
};

/**
 * Compiles a list in groups. The records `t` are grouped in `a`, at most `cap` groups; `g` has the values of each group,
 * so that conditions and orders of groups are compiled as those of records are.
 */
export function compileGroups(plan: GroupsPlan, dialect: Dialect): CompiledGroups {
  const select = (field: Field): string => dialect.select(groupScope.column(field), field);
  const shown = plan.columns.map(({ field }) => select(field));
  const columnOf = (column: GroupColumn): CompiledGroupColumn => {
    const position = plan.columns.findIndex(({ field }) => field.column === column.field.column);
    const isFromJson = isKeyOrExtreme(column) && (column.source?.ref.members.length ?? 0) > 0;
    const { field } = column;
    const decode = isFromJson ? dialect.decodeMember(field) : codecOf(dialect, field).decode;
    return { column, position, decode };
  };
  const having = (add: Add): string =>
    whereSql(rowConditions(plan.having, groupScope, dialect, add));
  const numbers = [`(SELECT count(*) FROM ${groupsTable})`, infiniteGroups(plan, dialect)];
  const rows = buildStatement(dialect, (add) => {
    const groups = groupsSql(plan, dialect, add);
    const columns = [...shown, 'count(*) OVER ()', ...numbers].join(', ');
    const restricted = having(add);
    const order = plan.order.map((key) => orderSql(key, groupScope, dialect, add)).join(', ');
    return (
      `${groups} SELECT ${columns} FROM ${groupsTable} AS g${restricted}` +
      `${order === '' ? '' : ` ORDER BY ${order}`} LIMIT ${add('limit')} OFFSET ${add('offset')}`
    );
  });
  const counts = buildStatement(
    dialect,
    (add) =>
      `${groupsSql(plan, dialect, add)} SELECT ${['count(*)', ...numbers].join(', ')} FROM ${groupsTable} AS g${having(add)}`,
  );
  return {
    plan,
    rows: [rows],
    counts,
    keys: plan.keys.map(columnOf),
    functions: plan.functions.map(columnOf),
  };
}

/** How many groups have a sum of doubles that is no finite one, whatever a page shows of it. */
function infiniteGroups({ columns }: GroupsPlan, { aggregates }: Dialect): string {
  const infinite = columns
    .filter(
      ({ function: name, source }) =>
        (name === 'sum' || name === 'avg') && source?.ref.leaf.type.number === 'double',
    )
    .map(({ field }) => aggregates.isInfinite(field.column));
  return infinite.length === 0
    ? '0'
    : `(SELECT count(*) FROM ${groupsTable} WHERE ${infinite.join(' OR ')})`;
}

/** Whether a column has values of the field that it is about, as keys, minima and maxima have. */
function isKeyOrExtreme({ function: name, part }: GroupColumn): boolean {
  return name === 'min' || name === 'max' || (name === undefined && part === undefined);
}

/** `WITH …`: the groups of the plan. */
function groupsSql(plan: GroupsPlan, dialect: Dialect, add: Add): string {
  const parts: string[] = [];
  /** The name of a part. Equal texts are one part, but placeholders are equal texts for different values. */
  const nameOf = (write: (add: Add) => string): string => {
    let isBound = false;
    const text = write((parameter) => {
      isBound = true;
      return add(parameter);
    });
    const known = isBound ? -1 : parts.indexOf(text);
    return `a.p${known === -1 ? parts.push(text) - 1 : known}`;
  };
  const keys: string[] = [];
  const values = plan.columns.map((column) => {
    const { value, parts: written } = groupValue(column, dialect);
    const names = written.map((part) => nameOf((inner) => part(sourceSql(column, dialect, inner))));
    if (column.function === undefined) keys.push(...names);
    return `${value(names)} AS ${column.field.column}`;
  });
  const selected = parts.map((part, index) => `${part} AS p${index}`).join(', ');
  const where = whereSql(listConditions([...plan.where, ...plan.access], dialect, add));
  const grouped = keys.map((name) => Number(name.slice('a.p'.length)) + 1).join(', ');
  const by = keys.length === 0 ? '' : ` GROUP BY ${grouped} LIMIT ${add('cap')}`;
  return (
    `WITH ${partsTable} AS (SELECT ${selected} FROM ${quoteTable(plan.resource.table)} AS t${where}${by}),` +
    ` ${groupsTable} AS MATERIALIZED (SELECT ${values.join(', ')} FROM ${partsTable} AS a)`
  );
}

/** The value of a record that a column is about: what is added up as it is, others as they are sorted. */
function sourceSql(column: GroupColumn, dialect: Dialect, add: Add): string {
  const { source, function: name, part } = column;
  if (source === undefined) return '';
  const isRaw = name === 'sum' || name === 'avg' || part !== undefined;
  return (isRaw ? valueSql : keySql)({ ...source, descending: false }, ownScope, dialect, add);
}

const first = (parts: readonly string[]): string => parts[0] ?? '';

/** How a column is computed. */
function groupValue(column: GroupColumn, { aggregates }: Dialect): GroupValue {
  const { source, part, function: name } = column;
  const aggregate = (write: (value: string) => string): GroupValue => ({
    parts: [write],
    value: first,
  });
  if (source === undefined) return aggregate(() => 'count(*)');
  const { leaf, members } = source.ref;
  const isMember = members.length > 0;
  switch (name) {
    case undefined:
      return part === undefined
        ? aggregate((value) => value)
        : aggregates.datePart(leaf, part, isMember);
    case 'countDistinct':
      return aggregate((value) => `count(DISTINCT ${value})`);
    case 'min':
    case 'max':
      return aggregate((value) => aggregates.extreme(name, value, leaf));
    case 'sum':
    case 'avg': {
      const isDouble = leaf.type.number === 'double';
      if (isDouble) return name === 'sum' ? aggregates.doubleSum : aggregates.doubleAverage;
      const { parts, value } =
        name === 'sum' ? aggregates.exactSum : aggregates.exactAverage(placesOf(leaf));
      return {
        parts: parts.map((write) => (one) => write(aggregates.exact(one, leaf, isMember))),
        value,
      };
    }
    case 'count':
      throw new TypeError('count is about no field');
    default:
      return name satisfies never;
  }
}

/** The decimal places of an integer or decimal. */
function placesOf({ type, scale }: Field): number {
  return type.kind === 'decimal' ? scale : 0;
}
