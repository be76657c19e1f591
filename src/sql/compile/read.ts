import { isToMany, type Codec, type Field, type Relation, type Resource } from '../../model/api.ts';
import { beginsIndex } from '../../model/indexes.ts';
import type { SqlValue } from '../../model/values.ts';
import type {
  CollectionPaging,
  ExpandPlan,
  ExpandTarget,
  Member,
  ReadPlan,
  Selection,
  SortKey,
} from '../../query/plan.ts';
import { ColumnList } from '../columns.ts';
import { codecOf, quote, type Dialect } from '../dialect.ts';
import { joinOf, parentField } from './join.ts';
import {
  listConditions,
  lookupConditions,
  looksUp,
  relatedConditions,
  rowConditions,
  whereSql,
} from './predicate.ts';
import { keySql, orderSql, orderTerm } from './order.ts';
import { ownScope, scopeOf } from './scope.ts';
import { seeks, type OrderKey } from './seek.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** One member of a record and where its value stands in a row. */
export interface Column {
  readonly name: string;
  readonly field: Field;
  readonly position: number;
  readonly decode: Codec['decode'];
  readonly member: Member;
  /** Whether only a part of the value is shown. */
  readonly isCut: boolean;
}

/** How rows of one resource become records, and what is read after them. */
export interface CompiledSelection {
  readonly columns: readonly Column[];
  readonly expand: readonly CompiledExpand[];
}

/** An expansion: its statements take the keys found in the rows above. */
export interface CompiledExpand {
  readonly name: string;
  readonly toMany: boolean;
  /** Where the key stands in the rows above. */
  readonly keyPosition: number;
  /** Of a morphTo: where the type stands in the rows above. */
  readonly typePosition: number | undefined;
  readonly targets: readonly CompiledTarget[];
  readonly paging: CollectionPaging | undefined;
}

/** The rows of a target begin with the key of the record above that they belong to. */
export interface CompiledTarget {
  readonly typeValue: string | undefined;
  /**
   * A key above as the column that it is looked for in holds it, where it can, and what a row begins with likewise;
   * undefined where both are read as they are looked for.
   */
  readonly convertKey: ((key: SqlValue) => SqlValue | undefined) | undefined;
  readonly selection: CompiledSelection;
  readonly pivot: readonly Column[] | undefined;
  /** All related rows, one more than the records above may have together. */
  readonly rows: Statement;
  /** The first rows of each record above; to-many alone. */
  readonly top: Statement | undefined;
  /** Key and number of related rows; to-many alone. */
  readonly count: Statement | undefined;
}

/** Where the value of a sort key stands in a row, for the cursor that goes on behind it. */
export interface CompiledKey extends OrderKey {
  readonly position: number;
  readonly field: Field;
  readonly decode: Codec['decode'];
}

/** The statements of a read, and how their rows become records. */
export interface CompiledRead {
  readonly plan: ReadPlan;
  readonly selection: CompiledSelection;
  /** The rows of a page; behind a cursor run one after another until the page is full. */
  readonly rows: readonly Statement[];
  /** Of a list whose total is wanted. */
  readonly count: Statement | undefined;
  /** Of a list behind a long cursor: the records that the cursor names, as the rows of the page are read. */
  readonly ends: Statement | undefined;
  /** Of a list for which the planner's guess at the total will do, where the database has one. */
  readonly estimate: Statement | undefined;
  /** Of a list that is sooner found by what its records are related to, as long as those are few. */
  readonly lookup: CompiledLookup | undefined;
  /** Of a list. */
  readonly keys: readonly CompiledKey[];
}

/** A page of records that are found by those that they are related to. */
export interface CompiledLookup {
  /** How many records there are, up to a cap; absent where all have to be found, as no index has their order. */
  readonly found: Statement | undefined;
  /** As `rows` of the list. */
  readonly rows: readonly Statement[];
}

/** Compiles the statements of a read once for its shape; they hold no value. */
export function compileRead(plan: ReadPlan, dialect: Dialect): CompiledRead {
  const columns = new ColumnList(dialect, 't');
  const selection = compileSelection(plan.selection, columns, dialect);
  const from = `FROM ${quote(plan.resource.table)} AS t`;
  if (plan.kind === 'one') {
    const read = (add: Add): string => {
      const select = `SELECT ${columns.sql(add)} ${from}`;
      const isNamed = `t.${quote(plan.resource.id.column)} = ${add('id')}`;
      return `${select}${whereSql([isNamed, ...rowConditions(plan.access, ownScope, dialect, add)])}`;
    };
    const rows = buildStatement(dialect, read, columns.rowLength);
    return {
      plan,
      selection,
      rows: [rows],
      ends: undefined,
      count: undefined,
      estimate: undefined,
      lookup: undefined,
      keys: [],
    };
  }
  const keys = plan.order.map((key) => compileKey(key, columns, dialect));
  const rowsOf = [...plan.where, ...plan.access];
  const { paging } = plan;
  const after = paging.mode === 'cursor' ? paging.after : undefined;
  /** The statements of a page, whose records are found as `part` says. */
  const pages = (part: (add: Add) => readonly string[]): readonly Statement[] => {
    const page = (
      conditions: (add: Add) => readonly string[],
      order: readonly ((add: Add) => string)[],
    ): Statement =>
      buildStatement(
        dialect,
        (add) => {
          const select = `SELECT ${columns.sql(add)} ${from}`;
          const where = [...part(add), ...conditions(add)];
          return (
            `${select}${whereSql(where)}` +
            (order.length === 0 ? '' : ` ORDER BY ${order.map((term) => term(add)).join(', ')}`) +
            ` LIMIT ${add('limit')} OFFSET ${add('offset')}`
          );
        },
        columns.rowLength,
      );
    if (after !== undefined)
      return seeks(keys, after, plan.slots.length + plan.ruleSlots.length, dialect).map((seek) =>
        page(seek.conditions, seek.order),
      );
    const order = keys.map((key) => (add: Add) => orderTerm(key.name(add), key, dialect));
    return [page(() => [], order)];
  };
  const eachAsked = (add: Add): readonly string[] => rowConditions(rowsOf, ownScope, dialect, add);
  const found = (add: Add): readonly string[] => listConditions(rowsOf, dialect, add);
  const lookup = looksUp(rowsOf, dialect)
    ? {
        found: isServed(plan.order)
          ? buildStatement(dialect, (add) => {
              const where = whereSql(lookupConditions(rowsOf, dialect, add, true));
              return `SELECT count(*) FROM (SELECT 1 ${from}${where} LIMIT ${add('cap')})`;
            })
          : undefined,
        rows: pages(found),
      }
    : undefined;
  const ends =
    paging.mode === 'cursor' && paging.isLong
      ? // What the caller may not see may decide nothing, whoever made the cursor.
        rowsAmong(plan, columns, dialect)
      : undefined;
  const all = (add: Add): string => `${from}${whereSql(found(add))}`;
  const count =
    plan.count === 'none'
      ? undefined
      : buildStatement(dialect, (add) => `SELECT count(*) ${all(add)}`);
  const explain = plan.count === 'estimated' ? dialect.estimate : undefined;
  const estimate = explain && buildStatement(dialect, (add) => explain.sql(`SELECT 1 ${all(add)}`));
  const rows = pages(eachAsked);
  return { plan, selection, rows, ends, count, estimate, lookup, keys };
}

/** The rows of the records whose ids are among `keys`, as far as the caller sees them. */
export function rowsAmong(
  { resource: { id, table }, access }: ReadPlan,
  columns: ColumnList,
  dialect: Dialect,
): Statement {
  const rows = (add: Add): string => {
    const select = `SELECT ${columns.sql(add)} FROM ${quote(table)} AS t`;
    const isWanted = dialect.compare(`t.${quote(id.column)}`, 'in', add('keys'), id);
    return `${select}${whereSql([isWanted, ...rowConditions(access, ownScope, dialect, add)])}`;
  };
  return buildStatement(dialect, rows, columns.rowLength);
}

/** Whether records can be read in an order, as an index begins with it. */
function isServed([first]: readonly SortKey[]): boolean {
  if (first === undefined) return true;
  const { steps, place } = first;
  return steps.length === 0 && place.members.length === 0 && beginsIndex(place.field);
}

function compileMembers(
  members: readonly Member[],
  columns: ColumnList,
  dialect: Dialect,
  alias?: string,
): readonly Column[] {
  return members.map((member) => ({
    name: member.name,
    field: member.field,
    position: columns.position(member.field, alias),
    decode: codecOf(dialect, member.field).decode,
    member,
    isCut: member.only !== undefined || member.without !== undefined,
  }));
}

/** How rows with these `columns`, to which it adds what it needs, become records, and what is read after them. */
export function compileSelection(
  selection: Selection,
  columns: ColumnList,
  dialect: Dialect,
): CompiledSelection {
  return {
    columns: compileMembers(selection.members, columns, dialect),
    expand: selection.expand.map((expand) => compileExpand(expand, columns, dialect)),
  };
}

function compileExpand(expand: ExpandPlan, above: ColumnList, dialect: Dialect): CompiledExpand {
  const { name, relation } = expand;
  const { kind } = relation;
  return {
    name,
    toMany: isToMany(relation),
    keyPosition: above.position(parentField(relation)),
    typePosition: kind === 'morphTo' ? above.position(relation.typeField) : undefined,
    targets: expand.targets.map((target) => compileTarget(expand, target, dialect)),
    paging: expand.paging,
  };
}

/**
 * The id field of a morph pair is text where the ids that it can hold are of several types; a scaled decimal is read as
 * text where a double does not hold it, and looked for as the whole number that it is.
 */
function keyConversion(
  relation: Relation,
  target: Resource,
  keyField: Field,
  dialect: Dialect,
): CompiledTarget['convertKey'] {
  const column =
    relation.kind === 'morphTo'
      ? target.id
      : relation.kind === 'morphMany'
        ? relation.idField
        : undefined;
  if (column !== undefined)
    return (key) => column.type.parse(String(key), column) as SqlValue | undefined;
  const isScaled = codecOf(dialect, keyField).readAsText !== undefined;
  return isScaled ? wholeNumber : undefined;
}

/** A stored key as the whole number that it is; undefined for what others have put into the column. */
function wholeNumber(key: SqlValue): SqlValue | undefined {
  const text = String(key);
  return /^-?\d+$/u.test(text) ? BigInt(text) : undefined;
}

function compileTarget(
  { relation, where, order, paging, pivot }: ExpandPlan,
  { resource, typeValue, selection, where: own }: ExpandTarget,
  dialect: Dialect,
): CompiledTarget {
  const join = joinOf(relation, resource, dialect);
  const key = dialect.select(join.key(''), join.keyField);
  const columns = new ColumnList(dialect, 't');
  columns.expression(key, join.keyField);
  const compiled = compileSelection(selection, columns, dialect);
  const pivotColumns = pivot && compileMembers(pivot, columns, dialect, 'j');
  const select = (add: Add): string => `SELECT ${columns.sql(add)}`;
  const toMany = order.length > 0;
  const orderIn = (suffix: string, add: Add): string =>
    order.map((key) => orderSql(key, scopeOf(join, suffix), dialect, add)).join(', ');
  const orderBy = (add: Add): string =>
    toMany ? ` ORDER BY ${join.key('')}, ${orderIn('', add)}` : '';
  const rowsOf = [...where, ...own];
  const filters = (suffix: string, add: Add): string =>
    [
      join.conditions(suffix),
      ...relatedConditions(rowsOf, join, scopeOf(join, suffix), dialect, add).map(
        (part) => ` AND ${part}`,
      ),
    ].join('');
  const related = (add: Add, suffix = ''): string => {
    const keys = dialect.compare(join.key(suffix), 'in', add('keys'), join.keyField);
    return `FROM ${join.from(suffix)} WHERE ${keys}${filters(suffix, add)}`;
  };
  /** The first rows of each key, numbered where no subquery can name it. */
  const ranked = (add: Add): string => {
    const order = `PARTITION BY ${join.key('2')} ORDER BY ${orderIn('2', add)}`;
    const from = paging === undefined ? '0' : `${add('offset')}::bigint`;
    return (
      `FROM ${join.from('')} WHERE ${join.row('')} IN (SELECT row FROM` +
      ` (SELECT ${join.row('2')} AS row, row_number() OVER (${order}) AS place ${related(add, '2')}) AS ranked` +
      ` WHERE place > ${from} AND place <= ${from} + ${add('cap')}::bigint)`
    );
  };
  return {
    typeValue,
    convertKey: keyConversion(relation, resource, join.keyField, dialect),
    selection: compiled,
    pivot: pivotColumns,
    rows: buildStatement(
      dialect,
      (add) =>
        `${select(add)} ${related(add)}${orderBy(add)}${toMany ? ` LIMIT ${add('limit')}` : ''}`,
      columns.rowLength,
    ),
    top: toMany
      ? buildStatement(
          dialect,
          (add) => {
            const start = select(add);
            if (dialect.asksByKeys === true) return `${start} ${ranked(add)}${orderBy(add)}`;
            const list = dialect.listTable(add('keys'), join.keyField);
            const first =
              `SELECT ${join.row('2')} FROM ${join.from('2')}` +
              ` WHERE ${join.key('2')} = parent.value${filters('2', add)}` +
              ` ORDER BY ${orderIn('2', add)} LIMIT ${add('cap')}` +
              (paging === undefined ? '' : ` OFFSET ${add('offset')}`);
            const from = dialect.firstOfEach(list, join.from(''), join.row(''), first);
            return `${start} FROM ${from}${orderBy(add)}`;
          },
          columns.rowLength,
        )
      : undefined,
    count: toMany
      ? buildStatement(
          dialect,
          (add) => `SELECT ${key}, count(*) ${related(add)} GROUP BY ${join.key('')}`,
        )
      : undefined,
  };
}

/** What a cursor reads of a row under a key; mostly a column that is there anyway. */
function compileKey(key: SortKey, columns: ColumnList, dialect: Dialect): CompiledKey {
  const { steps, place, descending, nulls } = key;
  const value = (add: Add): string => keySql(key, ownScope, dialect, add);
  const { sql: text, parameters } = buildStatement(dialect, value);
  const { leaf, members } = place;
  const field = leaf.items ?? leaf;
  const isFromJson = members.length > 0 || leaf.items !== undefined;
  const decode = isFromJson ? dialect.decodeMember(field) : codecOf(dialect, field).decode;
  const isColumn = steps.length === 0 && !isFromJson && !place.isPivot;
  const order = { value, descending, nulls, field, decode };
  if (isColumn) return { ...order, name: value, position: columns.position(place.field) };
  const selected = dialect.select(text, field);
  const write = (add: Add): string => dialect.select(value(add), field);
  const position = columns.expression(selected, field, parameters.length === 0 ? undefined : write);
  // By its number it is worked out once a row, where it is what is sorted by.
  const name = selected === text ? (): string => String(position + 1) : value;
  return { ...order, name, position };
}
