import { fail, ok, type Result } from '../../errors.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { hasExtremes, isToMany, type Field, type FieldType, type Limits } from '../../model/api.ts';
import { decimalKeyType } from '../../model/field-types/numbers/any-decimal.ts';
import { isComposite } from '../../model/field-types/composite-id.ts';
import {
  averageType,
  dateParts,
  datePartType,
  exactSumType,
  placesOfAverage,
  wholeSumType,
  type DatePart,
} from '../../model/field-types/group-values.ts';
import { integerType } from '../../model/field-types/numbers/integer.ts';
import { numberType } from '../../model/field-types/numbers/number.ts';
import { counted, oneOf } from '../../model/values.ts';
import type { ResourceView } from '../../model/view.ts';
import { isTooDeep, resolvePath, type Path } from '../filter/path.ts';
import { unknownPath } from '../filter/resolve.ts';
import { groupFunctions, type GroupColumn, type GroupFunction, type SortKey } from '../plan.ts';
import type { QueryProblem } from '../request/problem.ts';

/** Why a key or a function cannot be used. */
export type ColumnProblem = Pick<QueryProblem, 'code' | 'message' | 'max'>;

type Found<Value> = Result<Value, ColumnProblem>;

function refuse(
  message: string,
  code: QueryProblem['code'] = 'INVALID_PARAMETER',
  max?: number,
): Found<never> {
  return fail({ code, message, max });
}

/** The columns of the groups of one request, each once, in the order in which they are first named. */
export class GroupColumns {
  readonly all: GroupColumn[] = [];
  readonly keys: GroupColumn[] = [];
  private readonly resourceView: ResourceView;
  private readonly limits: Limits;

  constructor(resourceView: ResourceView, limits: Limits) {
    this.resourceView = resourceView;
    this.limits = limits;
  }

  /** A key of `group`: a path, or the path of a date and one of its parts. */
  key(name: string): Found<GroupColumn> {
    const colon = name.lastIndexOf(':');
    const word = name.slice(colon + 1);
    const isPart = colon > 0 && Object.hasOwn(dateParts, word);
    const path = isPart ? name.slice(0, colon) : name;
    const source = this.source(path);
    if (!source.ok)
      return colon > 0 && !isPart ? (this.unknownPart(name, colon) ?? source) : source;
    const { leaf } = source.value.ref;
    if (!isPart) {
      if (!isKey(leaf)) return refuse(`${path} is of type ${leaf.type.name}, which groups nothing`);
      const field = { ...leaf, type: valueType(leaf), nullable: true };
      return ok(this.added({ name, source: source.value, field }, true));
    }
    const part = word as DatePart;
    const { kind } = leaf.type;
    if (kind !== 'datetime' && (kind !== 'date' || part === 'hour'))
      return refuse(`${path} is of type ${leaf.type.name}, which has no ${part}`);
    const field = { type: datePartType(part), nullable: true };
    return ok(this.added({ name, source: source.value, part, field }, true));
  }

  /** A function as `aggregate` writes it: `count`, `sum:total`. */
  function(text: string): Found<GroupColumn> {
    const colon = text.indexOf(':');
    const name = colon === -1 ? text : text.slice(0, colon);
    const path = colon === -1 ? undefined : text.slice(colon + 1);
    if (!isFunction(name)) {
      const guess = nearest(name, groupFunctions);
      const meant = guess === undefined ? oneOf(groupFunctions) : `did you mean ${guess}?`;
      return refuse(
        `there is no function ${name}; ${guess === undefined ? `it takes ${meant}` : meant}`,
      );
    }
    if (name === 'count')
      return path === undefined
        ? ok(this.count())
        : refuse(`count takes no field; write count, or countDistinct:${path}`);
    if (path === undefined || path === '')
      return refuse(`${name} needs a field, such as ${name}:${this.example(name)}`);
    return this.functionOf(name, path);
  }

  /** A column as `having` and `sort` name it: `count`, `sum.total`, or a key; undefined if it is none of these. */
  named(name: string): Found<GroupColumn> | undefined {
    if (name === 'count') return ok(this.count());
    const dot = name.indexOf('.');
    const word = name.slice(0, Math.max(dot, 0));
    if (isFunction(word) && word !== 'count') return this.functionOf(word, name.slice(dot + 1));
    const key = this.keys.find((one) => one.name === name);
    return key && ok(key);
  }

  /** What `having` and `sort` can name, for messages. */
  get names(): readonly string[] {
    const others = this.all.filter((one) => one.function !== undefined).map(({ name }) => name);
    return [...new Set(['count', ...others, ...this.keys.map(({ name }) => name)])];
  }

  private count(): GroupColumn {
    const field = { type: integerType, nullable: false };
    return this.added({ name: 'count', function: 'count', source: undefined, field });
  }

  private functionOf(name: Exclude<GroupFunction, 'count'>, path: string): Found<GroupColumn> {
    const source = this.source(path);
    if (!source.ok) return source;
    const { leaf } = source.value.ref;
    const fit = typeOf(name, leaf);
    if (fit === undefined)
      return refuse(`${path} is of type ${leaf.type.name}, of which there is no ${name}`);
    return ok(
      this.added({
        name: `${name}.${path}`,
        function: name,
        path,
        source: source.value,
        field: fit,
      }),
    );
  }

  /** The value that a path leads to, of the record itself or of one related record. */
  private source(path: string): Found<NonNullable<GroupColumn['source']>> {
    const { resourceView, limits } = this;
    if (isTooDeep(path, limits))
      return refuse(
        `${path} is deeper than ${counted(limits.pathDepth, 'dot')} (limits.pathDepth)`,
        'LIMIT_EXCEEDED',
        limits.pathDepth,
      );
    const resolved = resolvePath(path, resourceView);
    if (resolved.ok) return sourceOf(resolved.value, path);
    const follow = (one: string) => {
      const found = resolvePath(one, resourceView);
      return found.ok ? undefined : found.error;
    };
    return refuse(unknownPath(path, resolved.error, follow));
  }

  /** The problem of `placedAt:monht`, if `placedAt` has parts; undefined if the colon means something else. */
  private unknownPart(name: string, colon: number): Found<never> | undefined {
    const [path, part] = [name.slice(0, colon), name.slice(colon + 1)];
    if (!resolvePath(path, this.resourceView).ok) return undefined;
    const guess = nearest(part, Object.keys(dateParts));
    const meant =
      guess === undefined
        ? `${path}: takes ${oneOf(Object.keys(dateParts))}`
        : `did you mean ${path}:${guess}?`;
    return refuse(`there is no part ${part} of a date; ${meant}`);
  }

  /** A field that a function takes, for messages. */
  private example(name: Exclude<GroupFunction, 'count'>): string {
    const views = [...this.resourceView.fields.values()];
    const { id } = this.resourceView.resource;
    const fits = views.filter(({ field }) => typeOf(name, field) !== undefined);
    return (fits.find(({ field }) => field !== id) ?? fits[0])?.name ?? 'field';
  }

  private added(column: NewColumn, isKey = false): GroupColumn {
    const list = isKey ? this.keys : this.all.filter((one) => one.function !== undefined);
    const known = list.find((one) => one.name === column.name);
    if (known !== undefined) return known;
    const { id } = this.resourceView.resource;
    const field: Field = { ...id, ...ofNoColumn, ...column.field, column: `c${this.all.length}` };
    const added: GroupColumn = {
      function: undefined,
      path: '',
      part: undefined,
      ...column,
      field: { ...field, name: column.name },
    };
    this.all.push(added);
    if (isKey) this.keys.push(added);
    return added;
  }
}

/** What a value that no column has has not. */
const ofNoColumn = {
  native: undefined,
  parts: undefined,
  properties: undefined,
  isOpen: false,
  items: undefined,
  values: undefined,
  attributes: { type: 'integer' },
} as const satisfies Partial<Field>;

/** A column before it has its place. */
type NewColumn = Pick<GroupColumn, 'name' | 'source'> &
  Partial<Pick<GroupColumn, 'function' | 'path' | 'part'>> & { readonly field: Partial<Field> };

function isFunction(name: string): name is GroupFunction {
  return (groupFunctions as readonly string[]).includes(name);
}

/** The type of values that are grouped or sorted: a decimal of any scale is its text with an order. */
function valueType({ type }: Field): FieldType {
  return type.kind === 'numeric' ? decimalKeyType : type;
}

/** Whether a field groups records: a single value with an order. */
function isKey(leaf: Field): boolean {
  return leaf.type.sortable && leaf.items === undefined && !isComposite(leaf);
}

/** The field of a function's values; undefined if it does not take the type. */
function typeOf(name: Exclude<GroupFunction, 'count'>, leaf: Field): Partial<Field> | undefined {
  const { type, scale } = leaf;
  switch (name) {
    case 'countDistinct':
      return isKey(leaf) ? { type: integerType, nullable: false } : undefined;
    case 'min':
    case 'max':
      return isKey(leaf) && hasExtremes(leaf)
        ? { ...leaf, type: valueType(leaf), nullable: true }
        : undefined;
    case 'sum':
    case 'avg': {
      // Decimals of any scale have no sum on SQLite.
      if (type.number === undefined || type.kind === 'numeric' || leaf.values !== undefined)
        return undefined;
      if (type.number === 'double') return { type: numberType, nullable: true };
      const places = type.kind === 'decimal' ? scale : 0;
      if (name === 'avg')
        return { type: averageType, nullable: true, scale: places + placesOfAverage };
      const sum = type.number === 'whole' ? wholeSumType : exactSumType;
      return { type: sum, nullable: true, scale: places };
    }
    default:
      return name satisfies never;
  }
}

/** The relations of a path, which lead to one record each, and the value at its end. */
function sourceOf(path: Path, name: string): Found<Pick<SortKey, 'steps' | 'ref'>> {
  if (path.kind === 'field') return ok({ steps: [], ref: path.ref });
  if (path.kind === 'items')
    return refuse(
      `${name} goes through the items of an array, which would count a record more than once`,
    );
  const { relation } = path;
  const [branch] = path.branches;
  if (relation.kind === 'morphTo')
    return refuse(`${name} goes through a morphTo, which leads to several resources`);
  if (isToMany(relation))
    return refuse(
      `${name} goes through ${relation.name} to many records, which would count a record more than once; group ${relation.target.name} instead, or declare a computed field, such as computed: { count: ${relation.name} }`,
    );
  if (branch?.next === undefined)
    return refuse(`${name} is a relation; name a field of it, such as ${name}.id`);
  const below = sourceOf(branch.next, name);
  if (!below.ok) return below;
  const { steps, ref } = below.value;
  return ok({ steps: [{ relation, target: branch.target }, ...steps], ref });
}
