import { isToMany, type Codec, type Field, type Relation, type Resource } from '../../model/api.ts';
import { isComposite, keyFields } from '../../model/field-types/composite-id.ts';
import { beginsIndex } from '../../model/indexes.ts';
import type { SqlValue } from '../../model/values.ts';
import type { ComputedValue } from '../../query/filter/predicate.ts';
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
import { codecOf, quote, quoteTable, rowOf, type Dialect } from '../dialect.ts';
import { GroupedValues } from './grouped.ts';
import { joinOf, parentField } from './join.ts';
import {
  computedSql,
  listConditions,
  lookupConditions,
  isFoundByRelated,
  relatedConditions,
  rowConditions,
  whereSql,
} from './predicate.ts';
import { keySql, orderSql, orderTerm } from './order.ts';
import { ownScope, scopeOf } from './scope.ts';
import { seeks, type OrderKey } from './seek.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** One member of a record, and the position of its value in a row. */
export interface Column {
  readonly name: string;
  readonly field: Field;
  /** Undefined for a value that own code computes once the record is made. */
  readonly position: number | undefined;
  readonly decode: Codec['decode'];
  readonly member: Member;
  /** Whether only a part of the value is returned. */
  readonly isCut: boolean;
}

/** How rows of one resource become records, and the expansions to read after them. */
export interface CompiledSelection {
  readonly columns: readonly Column[];
  /** Whether all of it is columns of the row, which a statement that writes the row can return. */
  readonly isStored: boolean;
  readonly expand: readonly CompiledExpand[];
  /** Undefined if own code computes none of it. */
  readonly own: readonly CompiledOwn[] | undefined;
}

/** Members that own code computes, from records of what it needs. */
export interface CompiledOwn {
  readonly members: readonly Member[];
  readonly needed: CompiledSelection;
}

/** An expansion. Its statements take the keys from the parent rows. */
export interface CompiledExpand {
  readonly name: string;
  readonly toMany: boolean;
  /** The position of the key in the parent rows. */
  readonly keyPosition: number;
  /** For a morphTo: the position of the type in the parent rows. */
  readonly typePosition: number | undefined;
  readonly targets: readonly CompiledTarget[];
  readonly paging: CollectionPaging | undefined;
}

/** The statements of a target. Their rows begin with the key of the parent record. */
export interface CompiledTarget {
  readonly typeValue: string | undefined;
  /**
   * Converts a parent key to the form of the column that it is looked up in, and likewise the first column of a row.
   * Undefined if both have the same form.
   */
  readonly convertKey: ((key: SqlValue) => SqlValue | undefined) | undefined;
  readonly selection: CompiledSelection;
  readonly pivot: readonly Column[] | undefined;
  /** All related rows, up to one more than the parents may have together. */
  readonly rows: Statement;
  /** The first rows of each parent; only for to-many relations. */
  readonly top: Statement | undefined;
  /** Key and number of related rows; only for to-many relations. */
  readonly count: Statement | undefined;
}

/** The position of a sort key's value in a row, for the next cursor. */
export interface CompiledKey extends OrderKey {
  readonly position: number;
  readonly field: Field;
  readonly decode: Codec['decode'];
}

/** The statements of a read, and how their rows become records. */
export interface CompiledRead {
  readonly plan: ReadPlan;
  readonly selection: CompiledSelection;
  /** The statements for the rows of a page. After a cursor there are several, run in order until the page is full. */
  readonly rows: readonly Statement[];
  /** For a list whose total is requested. */
  readonly count: Statement | undefined;
  /**
   * The rows of a page, each with two more columns: the state of the database, and the total, which is null if the page is not
   * full and -1 if the state is the given one.
   */
  readonly counted: Statement | undefined;
  /** The records with some ids, with the columns of `rows`; compiled when it is first needed. */
  readonly among: () => CompiledAmong;
  /** For a list whose total may be the planner's estimate, if the database has one. */
  readonly estimate: Statement | undefined;
  /** For a list that is found faster through related records, as long as those are few. */
  readonly lookup: CompiledLookup | undefined;
  /** The sort keys of a list. */
  readonly keys: readonly CompiledKey[];
}

/** The rows whose ids are among `keys` and that the caller may see, in any order. */
export interface CompiledAmong {
  readonly rows: Statement;
  /** The position of the id in them. */
  readonly idPosition: number;
}

/** The statements of a list that is found through related records. */
export interface CompiledLookup {
  /** Counts the matches up to a cap; undefined if all must be found anyway, since no index has their order. */
  readonly found: Statement | undefined;
  readonly rows: readonly Statement[];
}

/** Compiles the statements of a read, once for each plan key. They contain no values. */
export function compileRead(plan: ReadPlan, dialect: Dialect): CompiledRead {
  const columns = new ColumnList(dialect, 't');
  const selection = compileSelection(plan.selection, columns, dialect);
  const from = `FROM ${quoteTable(plan.resource.table)} AS t`;
  const rowsOf = plan.kind === 'list' ? [...plan.where, ...plan.access] : [];
  const grouped = new GroupedValues(rowsOf, dialect);
  let known: CompiledAmong | undefined;
  const among = (): CompiledAmong => (known ??= compileAmong(plan, columns, grouped, dialect));
  if (plan.kind === 'one') {
    const read = (add: Add): string => {
      const select = `SELECT ${columns.sql(add)} ${from}`;
      const { id } = plan.resource;
      const isNamed = dialect.compare(`t.${quote(id.column)}`, 'eq', add('id'), id);
      return `${select}${whereSql([isNamed, ...rowConditions(plan.access, ownScope, dialect, add)])}`;
    };
    const rows = buildStatement(dialect, read, columns.rowLength);
    return {
      plan,
      selection,
      rows: [rows],
      among,
      count: undefined,
      counted: undefined,
      estimate: undefined,
      lookup: undefined,
      keys: [],
    };
  }
  const keys = plan.order.map((key) =>
    compileKey(
      key,
      columns,
      dialect,
      key.steps.length === 0 ? grouped.valueOf(key.ref) : undefined,
    ),
  );
  const asked = (add: Add): readonly string[] => rowConditions(rowsOf, ownScope, dialect, add);
  // Without an index for the order, all records are looked at; else a page ends with its last record.
  const { rows: rowsAsked, all: eachAsked } = isServed(plan.order)
    ? { rows: asked, all: asked }
    : grouped.split(rowsOf);
  const { paging } = plan;
  const after = paging.mode === 'cursor' ? paging.after : undefined;
  const pageSql = (
    add: Add,
    conditions: readonly ((add: Add) => readonly string[])[],
    order: readonly ((add: Add) => string)[],
  ): string => {
    const select = `SELECT ${columns.sql(add)} ${from}${grouped.joins(add, rowsAsked)}`;
    return (
      `${select}${whereSql(conditions.flatMap((write) => write(add)))}` +
      (order.length === 0 ? '' : ` ORDER BY ${order.map((term) => term(add)).join(', ')}`) +
      ` LIMIT ${add('limit')} OFFSET ${add('offset')}`
    );
  };
  const inOrder = keys.map((key) => (add: Add) => orderTerm(key.name(add), key, dialect));
  /** The statements of a page, whose conditions `part` writes. */
  const pages = (part: (add: Add) => readonly string[]): readonly Statement[] => {
    const page = (
      conditions: (add: Add) => readonly string[],
      order: readonly ((add: Add) => string)[],
    ): Statement =>
      buildStatement(dialect, (add) => pageSql(add, [part, conditions], order), columns.rowLength);
    if (after !== undefined)
      return seeks(
        keys,
        after,
        { first: plan.slots.length + plan.ruleSlots.length, isServed: isServed(plan.order) },
        dialect,
      ).map((seek) => page(seek.conditions, seek.order));
    return [page(() => [], inOrder)];
  };
  const found = (add: Add): readonly string[] => listConditions(rowsOf, dialect, add);
  const lookup = isFoundByRelated(rowsOf, dialect)
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
  const counting = new GroupedValues(rowsOf, dialect);
  const toCount = counting.split(rowsOf);
  const all = (add: Add): string => {
    const joins = counting.joins(add, toCount.rows);
    return `${from}${joins}${whereSql((joins === '' ? found : toCount.all)(add))}`;
  };
  const count =
    plan.count === 'none'
      ? undefined
      : buildStatement(dialect, (add) => `SELECT count(*) ${all(add)}`);
  const explain = plan.count === 'estimated' ? dialect.estimate : undefined;
  const estimate = explain && buildStatement(dialect, (add) => explain.sql(`SELECT 1 ${all(add)}`));
  const rows = pages(eachAsked);
  const { state } = dialect;
  const isOneStatement = count !== undefined && estimate === undefined && lookup === undefined;
  // The window function does not change the order of the rows. A subquery runs only if its value is needed, and once.
  const counted =
    isOneStatement && state !== undefined
      ? buildStatement(
          dialect,
          (add) =>
            `SELECT page.*, (${state}), CASE WHEN count(*) OVER () < ${add('limit')} THEN NULL` +
            ` WHEN (${state}) = ${add('state')} THEN -1 ELSE (SELECT count(*) ${all(add)}) END` +
            ` FROM (${pageSql(add, [eachAsked], inOrder)}) AS page`,
          columns.rowLength,
        )
      : undefined;
  return { plan, selection, rows, among, count, counted, estimate, lookup, keys };
}

function compileAmong(
  plan: ReadPlan,
  columns: ColumnList,
  grouped: GroupedValues,
  dialect: Dialect,
): CompiledAmong {
  const { id } = plan.resource;
  const idPosition = columns.position(id);
  return { rows: rowsAmong(plan, columns, dialect, grouped), idPosition };
}

/** The rows whose ids are among `keys` and that the caller may see. */
export function rowsAmong(
  { resource: { id, table }, access }: ReadPlan,
  columns: ColumnList,
  dialect: Dialect,
  grouped?: GroupedValues,
): Statement {
  const isWanted = (add: Add): string =>
    dialect.compare(`t.${quote(id.column)}`, 'in', add('keys'), id);
  const rows = (add: Add): string => {
    const joins = grouped?.joins(add, (own) => [isWanted(own)]) ?? '';
    const select = `SELECT ${columns.sql(add)} FROM ${quoteTable(table)} AS t${joins}`;
    return `${select}${whereSql([isWanted(add), ...rowConditions(access, ownScope, dialect, add)])}`;
  };
  return buildStatement(dialect, rows, columns.rowLength);
}

/** Whether records can be read in an order, because an index begins with it. */
function isServed([first]: readonly SortKey[]): boolean {
  if (first === undefined) return true;
  const { steps, ref } = first;
  return steps.length === 0 && ref.members.length === 0 && beginsIndex(ref.field);
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
    position: positionOf(member, columns, dialect, alias),
    decode: codecOf(dialect, member.field).decode,
    member,
    isCut: member.only !== undefined || member.without !== undefined,
  }));
}

function positionOf(
  { field, value }: Member,
  columns: ColumnList,
  dialect: Dialect,
  alias: string | undefined,
): number | undefined {
  if (field.computed?.kind === 'code') return undefined;
  return value === undefined
    ? columns.position(field, alias)
    : computedPosition(field, value, columns, dialect);
}

/** The position of the value of a field without a column. */
function computedPosition(
  field: Field,
  value: ComputedValue,
  columns: ColumnList,
  dialect: Dialect,
): number {
  const write = (add: Add): string =>
    dialect.select(computedSql(value, ownScope, dialect, add), field);
  const { sql } = buildStatement(dialect, write);
  return columns.expression(sql, field, write, identityOf(sql, field));
}

/** Tells computed fields apart: the same text may have other parameters. */
function identityOf(sql: string, { name, resource }: Field): string {
  return `${sql} ${resource.name}.${name}`;
}

/** Compiles a selection; adds the columns that it needs to `columns`. */
export function compileSelection(
  selection: Selection,
  columns: ColumnList,
  dialect: Dialect,
): CompiledSelection {
  return {
    columns: compileMembers(selection.members, columns, dialect),
    isStored:
      selection.expand.length === 0 &&
      selection.own === undefined &&
      selection.members.every(({ value }) => !value),
    own: selection.own?.map(({ members, needed }) => ({
      members,
      needed: compileSelection(needed, columns, dialect),
    })),
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
 * The conversion of parent keys. The id field of a morph pair is text if its targets have ids of different types. A scaled
 * decimal beyond a double's precision is read as text, but looked up as a whole number; a bigint is its text in both.
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
  const { readAsText, encode } = codecOf(dialect, keyField);
  const isScaled = readAsText !== undefined && encode !== undefined;
  return isScaled ? wholeNumber : undefined;
}

/** A stored key as a whole number; undefined for anything else that the column may hold. */
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
  // Of one parent it is always the same: SQLite would sort by it all the same.
  const isConstant = ({ steps, ref }: SortKey): boolean =>
    steps.length === 0 && ref.members.length === 0 && keyFields(join.keyField).includes(ref.field);
  const varying = order.filter((one) => !isConstant(one));
  const within = varying.length === 0 ? order : varying;
  const orderIn = (suffix: string, add: Add): string =>
    within.map((key) => orderSql(key, scopeOf(join, suffix), dialect, add)).join(', ');
  const orderBy = (add: Add): string =>
    toMany ? ` ORDER BY ${join.keys('').join(', ')}, ${orderIn('', add)}` : '';
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
  /** The first rows of each key; with a window function if the database has no suitable correlated subquery. */
  const ranked = (add: Add): string => {
    const order = `PARTITION BY ${join.keys('2').join(', ')} ORDER BY ${orderIn('2', add)}`;
    const from = paging === undefined ? '0' : `${add('offset')}::bigint`;
    const names = join.row('2').map((_, index) => `row${index}`);
    const row = join.row('2').map((column, index) => `${column} AS row${index}`);
    return (
      `FROM ${join.from('')} WHERE ${rowOf(join.row(''))} IN (SELECT ${names.join(', ')} FROM` +
      ` (SELECT ${row.join(', ')}, row_number() OVER (${order}) AS place ${related(add, '2')}) AS ranked` +
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
            const isOfParent = isComposite(join.keyField)
              ? dialect.compare(join.key('2'), 'eq', 'parent.value', join.keyField)
              : `${join.key('2')} = parent.value`;
            const first =
              `SELECT ${join.row('2').join(', ')} FROM ${join.from('2')}` +
              ` WHERE ${isOfParent}${filters('2', add)}` +
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
          (add) => `SELECT ${key}, count(*) ${related(add)} GROUP BY ${join.keys('').join(', ')}`,
        )
      : undefined,
  };
}

/** The value of a sort key in a row, for cursors; usually a column that is selected anyway, or one of `joins`. */
function compileKey(
  key: SortKey,
  columns: ColumnList,
  dialect: Dialect,
  grouped?: string,
): CompiledKey {
  const { steps, ref, descending, nulls } = key;
  const value = (add: Add): string => grouped ?? keySql(key, ownScope, dialect, add);
  const { sql: text, parameters } = buildStatement(dialect, value);
  const { leaf, members } = ref;
  const field = leaf.items ?? leaf;
  const isFromJson = members.length > 0 || leaf.items !== undefined;
  const decode = isFromJson ? dialect.decodeMember(field) : codecOf(dialect, field).decode;
  const isComputed = ref.value !== undefined;
  const isColumn = steps.length === 0 && !isFromJson && !ref.isPivot && !isComputed;
  const operand = (placeholder: string): string =>
    isFromJson ? placeholder : dialect.sortOperand(placeholder, field);
  const order = { value, operand, descending, nulls, field, decode };
  if (isColumn) return { ...order, name: value, position: columns.position(ref.field) };
  const selected = dialect.select(text, field);
  const write = (add: Add): string => dialect.select(value(add), field);
  const written = parameters.length === 0 ? undefined : write;
  const identity = isComputed ? identityOf(selected, field) : selected;
  const position = columns.expression(selected, field, written, identity);
  // ORDER BY its number evaluates the expression once for each row.
  const name = selected === text ? (): string => String(position + 1) : value;
  return { ...order, name, position };
}
