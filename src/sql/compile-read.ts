import type { Predicate } from '../filter/predicate.ts';
import type { Field, Relation, Resource } from '../model/api.ts';
import type { Codec } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type {
  ExpandPlan,
  ExpandTarget,
  Member,
  ReadPlan,
  Selection,
  SortKey,
} from '../plan/plan.ts';
import { codecOf, quote, type Dialect } from './dialect.ts';
import { buildStatement, type Add, type Statement } from './statement.ts';

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
}

/** The rows of a target begin with the key of the record above that they belong to. */
export interface CompiledTarget {
  readonly typeValue: string | undefined;
  /** Of morphs: a key above as the column that it is looked for in holds it, where it can. */
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

export interface CompiledRead {
  readonly plan: ReadPlan;
  readonly selection: CompiledSelection;
  readonly rows: Statement;
  /** Of a list whose total is wanted. */
  readonly count: Statement | undefined;
}

/** Compiles the statements of a read once for its shape; they hold no value. */
export function compileRead(plan: ReadPlan, dialect: Dialect): CompiledRead {
  const columns = new ColumnList(dialect, 't');
  const selection = compileSelection(plan.selection, columns, dialect);
  const from = `FROM ${quote(plan.resource.table)} AS t`;
  if (plan.kind === 'one') {
    const rows = buildStatement(
      dialect,
      (add) =>
        `SELECT ${columns.sql()} ${from} WHERE t.${quote(plan.resource.id.column)} = ${add('id')}`,
    );
    return { plan, selection, rows, count: undefined };
  }
  const where = (add: Add): string =>
    plan.where.length === 0
      ? ''
      : ` WHERE ${plan.where.map((part) => predicateSql(part, 't', dialect, add)).join(' AND ')}`;
  const rows = buildStatement(
    dialect,
    (add) =>
      `SELECT ${columns.sql()} ${from}${where(add)} ORDER BY ${orderSql(plan.order, ({ column }) => `t.${quote(column)}`, dialect)}` +
      ` LIMIT ${add('limit')} OFFSET ${add('offset')}`,
  );
  const count = plan.count
    ? buildStatement(dialect, (add) => `SELECT count(*) ${from}${where(add)}`)
    : undefined;
  return { plan, selection, rows, count };
}

/** The columns of one SELECT, each only once. */
class ColumnList {
  private readonly dialect: Dialect;
  private readonly alias: string;
  private readonly texts: string[];
  private readonly positions = new Map<Field, number>();

  constructor(dialect: Dialect, alias: string, leading: readonly string[] = []) {
    this.dialect = dialect;
    this.alias = alias;
    this.texts = [...leading];
  }

  position(field: Field, alias = this.alias): number {
    const known = this.positions.get(field);
    if (known !== undefined) return known;
    this.positions.set(field, this.texts.length);
    this.texts.push(this.dialect.select(`${alias}.${quote(field.column)}`, field));
    return this.texts.length - 1;
  }

  sql(): string {
    return this.texts.join(', ');
  }
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

function compileSelection(
  selection: Selection,
  columns: ColumnList,
  dialect: Dialect,
): CompiledSelection {
  return {
    columns: compileMembers(selection.members, columns, dialect),
    expand: selection.expand.map((expand) => compileExpand(expand, columns, dialect)),
  };
}

/** The field on the record above whose value the rows below are found by. */
function parentField(relation: Relation): Field {
  switch (relation.kind) {
    case 'belongsTo':
      return relation.key;
    case 'hasOne':
    case 'hasMany':
      return relation.ownerField;
    case 'belongsToMany':
      return relation.ownerKey.reference?.field ?? relation.owner.id;
    case 'morphTo':
      return relation.idField;
    case 'morphMany':
      return relation.owner.id;
    default:
      return relation satisfies never;
  }
}

function compileExpand(expand: ExpandPlan, above: ColumnList, dialect: Dialect): CompiledExpand {
  const { name, relation } = expand;
  const { kind } = relation;
  return {
    name,
    toMany: kind === 'hasMany' || kind === 'belongsToMany' || kind === 'morphMany',
    keyPosition: above.position(parentField(relation)),
    typePosition: kind === 'morphTo' ? above.position(relation.typeField) : undefined,
    targets: expand.targets.map((target) => compileTarget(expand, target, dialect)),
  };
}

/** How the rows of a target are joined to the keys above: FROM, the key's column, further conditions. */
interface Join {
  /** Tables and their conditions under aliases that end in `suffix`. */
  readonly from: (suffix: string) => string;
  readonly key: (suffix: string) => string;
  readonly keyField: Field;
  /** What tells one joined row from another. */
  readonly row: (suffix: string) => string;
  readonly conditions: (suffix: string) => string;
  /** Where a field of the target can be read. */
  readonly column: (field: Field, suffix: string) => string;
}

function joinOf(relation: Relation, target: Resource): Join {
  const table = (suffix: string): string => `${quote(target.table)} AS t${suffix}`;
  const none = (): string => '';
  const column = (field: Field, suffix: string): string => `t${suffix}.${quote(field.column)}`;
  const row = (suffix: string): string => `t${suffix}.${quote(target.id.column)}`;
  const direct = (field: Field): Join => ({
    from: table,
    key: (suffix) => `t${suffix}.${quote(field.column)}`,
    keyField: field,
    row,
    conditions: none,
    column,
  });
  switch (relation.kind) {
    case 'belongsTo':
      return direct(relation.targetKey);
    case 'hasOne':
    case 'hasMany':
      return direct(relation.key);
    case 'morphTo':
      return direct(target.id);
    case 'morphMany': {
      const value = `'${relation.typeValue.replaceAll("'", "''")}'`;
      const conditions = (suffix: string): string =>
        ` AND t${suffix}.${quote(relation.typeField.column)} = ${value}`;
      return { ...direct(relation.idField), conditions };
    }
    case 'belongsToMany': {
      const { through, ownerKey, targetKey } = relation;
      const targetField = targetKey.reference?.field ?? target.id;
      return {
        from: (suffix) =>
          `${quote(through.table)} AS j${suffix} JOIN ${table(suffix)}` +
          ` ON t${suffix}.${quote(targetField.column)} = j${suffix}.${quote(targetKey.column)}`,
        key: (suffix) => `j${suffix}.${quote(ownerKey.column)}`,
        keyField: ownerKey,
        row: (suffix) => `j${suffix}.${quote(through.id.column)}`,
        conditions: none,
        // The junction has the target's id too, in the order of its own index.
        column: (field, suffix) =>
          field === targetField ? `j${suffix}.${quote(targetKey.column)}` : column(field, suffix),
      };
    }
    default:
      return relation satisfies never;
  }
}

/** The id field of a morph pair is text where the ids that it can hold are of several types. */
function keyConversion(relation: Relation, target: Resource): CompiledTarget['convertKey'] {
  const column =
    relation.kind === 'morphTo'
      ? target.id
      : relation.kind === 'morphMany'
        ? relation.idField
        : undefined;
  return column && ((key) => column.type.parse(String(key), column) as SqlValue | undefined);
}

function compileTarget(
  { relation, order, pivot }: ExpandPlan,
  { resource, typeValue, selection }: ExpandTarget,
  dialect: Dialect,
): CompiledTarget {
  const join = joinOf(relation, resource);
  const columns = new ColumnList(dialect, 't', [join.key('')]);
  const compiled = compileSelection(selection, columns, dialect);
  const pivotColumns = pivot && compileMembers(pivot, columns, dialect, 'j');
  const select = `SELECT ${columns.sql()}`;
  const toMany = order.length > 0;
  const orderBy = toMany
    ? ` ORDER BY ${join.key('')}, ${orderSql(order, (field) => join.column(field, ''), dialect)}`
    : '';
  const related = (add: Add): string =>
    `FROM ${join.from('')} WHERE ${dialect.compare(join.key(''), 'in', add('keys'), join.keyField)}` +
    join.conditions('');
  return {
    typeValue,
    convertKey: keyConversion(relation, resource),
    selection: compiled,
    pivot: pivotColumns,
    rows: buildStatement(
      dialect,
      (add) => `${select} ${related(add)}${orderBy}${toMany ? ` LIMIT ${add('limit')}` : ''}`,
    ),
    top: toMany
      ? buildStatement(
          dialect,
          (add) =>
            `${select} FROM ` +
            dialect.firstOfEach(
              dialect.listTable(add('keys'), join.keyField),
              join.from(''),
              join.row(''),
              `SELECT ${join.row('2')} FROM ${join.from('2')}` +
                ` WHERE ${join.key('2')} = parent.value${join.conditions('2')}` +
                ` ORDER BY ${orderSql(order, (field) => join.column(field, '2'), dialect)} LIMIT ${add('cap')}`,
            ) +
            orderBy,
        )
      : undefined,
    count: toMany
      ? buildStatement(
          dialect,
          (add) => `SELECT ${join.key('')}, count(*) ${related(add)} GROUP BY ${join.key('')}`,
        )
      : undefined,
  };
}

function orderSql(
  order: readonly SortKey[],
  columnOf: (field: Field) => string,
  dialect: Dialect,
): string {
  return order
    .map(({ field, descending, nulls }) => {
      const key = dialect.sortKey(columnOf(field), field);
      // Said wherever there may be any: databases differ in what goes without saying.
      const canBeNull = field.nullable || field.items !== undefined;
      const placed = nulls ?? (descending ? 'last' : 'first');
      return `${key}${descending ? ' DESC' : ''}${canBeNull ? dialect.nulls(placed) : ''}`;
    })
    .join(', ');
}

function predicateSql(predicate: Predicate, alias: string, dialect: Dialect, add: Add): string {
  switch (predicate.kind) {
    case 'compare': {
      const { field, operator, slot } = predicate;
      return dialect.compare(`${alias}.${quote(field.column)}`, operator, add(slot.index), field);
    }
    case 'null':
      return `${alias}.${quote(predicate.field.column)} IS ${predicate.isNull ? '' : 'NOT '}NULL`;
    case 'and':
    case 'or': {
      const parts = predicate.parts.map((part) => predicateSql(part, alias, dialect, add));
      return `(${parts.join(predicate.kind === 'and' ? ' AND ' : ' OR ')})`;
    }
    default:
      return predicate satisfies never;
  }
}
