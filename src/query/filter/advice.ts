import { isToMany, type FieldType } from '../../model/api.ts';
import { operators, operatorsOf } from '../../model/operators.ts';
import type { ResourceView } from '../../model/view.ts';
import { nearest } from '../../lib/text/nearest.ts';
import { collectionParameters } from '../request/parameters.ts';
import { resolvePath, type Path } from './path.ts';

/** Parameter names of other services, by the parameter here. */
const otherNames = new Map(
  Object.entries({
    cursor: ['after', 'nextCursor', 'next_cursor', 'pageToken'],
    exclude: ['omit', 'except', 'without'],
    aggregate: ['$apply', '_aggregate'],
    expand: ['include', 'embed', 'populate', 'with', 'relations', '_expand', '_embed', '$expand'],
    fields: ['select', 'only', 'attributes', '_fields', '$select', '_select'],
    group: ['groupBy', 'group_by', '_group', '$group'],
    limit: [
      'per_page',
      'perPage',
      '_per_page',
      'pageSize',
      'page_size',
      'size',
      'take',
      '_limit',
      '_end',
      '$top',
      '$limit',
      '_top',
    ],
    maxDepth: ['depth'],
    offset: ['skip', 'start', '_start', '$skip', '$offset', '_skip'],
    page: ['_page', 'pageNumber', 'page_number'],
    search: ['q', 'query', '_search', 'keyword', '_q', '$search'],
    sort: ['orderBy', 'order_by', 'sortBy', 'sort_by', 'ordering', '_sort', '$orderby', '$sort'],
    _and: ['and', '$and', '_all'],
    _or: ['or', '$or', '_any'],
    _not: ['not', '$not', '$nor', '_nor'],
  }).flatMap(([name, others]) => others.map((other) => [other, name] as const)),
);

/** What to write for parameters of other services that have no single parameter here. */
const written = new Map(
  Object.entries({
    'sort=field, or sort=-field to descend': ['_order', 'order', 'direction', 'dir', 'sortOrder'],
    'field=value or field_operator=value for each filter': [
      'filter',
      'filters',
      'where',
      '$filter',
      '$where',
      '_where',
      '_filter',
    ],
    'Prefer: count=none or count=estimated as a header; the total is in X-Total-Count': [
      'count',
      'total',
      '_total',
      '$count',
      'include_total',
    ],
    'X-Simulate: latency=500 as a header, where debug is on': ['_delay', 'delay'],
  }).flatMap(([line, others]) => others.map((other) => [other, line] as const)),
);

/**
 * The message for an unknown filter name that is a known mistake: a parameter name of another service, a comparison
 * sign, a parameter of a collection that is not expanded. `others` are the parameters that this request accepts.
 * Undefined for any other name.
 */
export function adviceOn(
  name: string,
  resourceView: ResourceView,
  others: readonly string[],
): string | undefined {
  if (name === '') return 'a parameter has no name; write name=value';
  const meant = otherNames.get(name);
  if (meant !== undefined && others.includes(meant))
    return `there is no field or parameter ${name}; did you mean ${meant}?`;
  const line = written.get(name);
  if (line !== undefined && others.length > 0)
    return `there is no field or parameter ${name}; write ${line}`;
  return (
    belowRelation(name, resourceView, others.length > 0) ??
    comparison(name, resourceView) ??
    operatorElsewhere(name, resourceView)
  );
}

/** `fee_ne`, `fee:gte` and `fee__gte`. */
function operatorElsewhere(name: string, resourceView: ResourceView): string | undefined {
  const [, base = '', word = ''] = /^(.+?)(?:__?|:)([A-Za-z]+)$/u.exec(name) ?? [];
  const asked = word.toLowerCase();
  const type = typeOf(base, resourceView);
  const operator =
    type &&
    operatorsOf(type.comparison).find(
      (one) => one.toLowerCase() === asked || operators[one].otherNames?.includes(asked) === true,
    );
  return operator && `there is no field ${name}; write ${base}${operators[operator].suffix}=value`;
}

/** The parameter name of `fee>5` is `fee>5`, that of `fee>=5` is `fee>`. */
function comparison(name: string, resourceView: ResourceView): string | undefined {
  const [, field = '', sign] = /^([^!<>]+)(<>|[!<>])/u.exec(name) ?? [];
  if (sign === undefined || !resolvePath(field, resourceView).ok) return undefined;
  const isOrEqual = name.length === field.length + sign.length;
  const ordered = `${sign === '<' ? '_lt' : '_gt'}${isOrEqual ? 'e' : ''}`;
  return `there is no field ${name}; write ${field}${sign === '<' || sign === '>' ? ordered : '_neq'}=value`;
}

/** `comments.limit` without `expand=comments`, `comments.limt` and `comments.fields`. */
function belowRelation(
  name: string,
  resourceView: ResourceView,
  isParameter: boolean,
): string | undefined {
  const dot = name.lastIndexOf('.');
  const [path, last] = [name.slice(0, Math.max(dot, 0)), name.slice(dot + 1)];
  const found = path === '' ? undefined : resolvePath(path, resourceView);
  if (found?.ok !== true || found.value.kind !== 'relation') return undefined;
  const unknown = `there is no field ${name}`;
  // Only filters may name a target of a morphTo.
  const plain = path.replace(/:[^.]+/gu, '');
  if (['fields', 'exclude', 'expand'].includes(last))
    return `${unknown}; write ${last}=${plain}.${last === 'expand' ? 'relation' : 'field'}`;
  if (!isCollection(found.value)) return undefined;
  if (collectionParameters.some((one) => one === last))
    return plain !== path
      ? `${unknown}; write ${plain}.${last}=value`
      : `${unknown}; to page or sort ${path}, add expand=${path}`;
  const problem = resolvePath(name, resourceView);
  const fields = problem.ok ? [] : problem.error.candidates;
  const meant = isParameter ? nearest(last, [...fields, ...collectionParameters]) : undefined;
  return meant === undefined || fields.includes(meant)
    ? undefined
    : `${unknown}; did you mean ${plain}.${meant}?`;
}

function isCollection(path: Path): boolean {
  if (path.kind !== 'relation') return false;
  const next = path.branches.flatMap((branch) => branch.next ?? []);
  return next.length === 0 ? isToMany(path.relation) : next.some(isCollection);
}

/** For a field with an unknown operator suffix: the field, and a message with the operators that the field accepts. */
export function unknownOperator(
  name: string,
  resourceView: ResourceView,
): { readonly base: string; readonly message: string } | undefined {
  const [, base = '', suffix = ''] = /^(.+)(_[A-Za-z]+)$/u.exec(name) ?? [];
  const type = typeOf(base, resourceView);
  if (type === undefined) return undefined;
  const suffixes = operatorsOf(type.comparison).map((one) => operators[one].suffix);
  const guess = nearest(suffix, suffixes);
  const message =
    guess === undefined
      ? `there is no field ${name} and no operator ${suffix}; ${base} takes ${suffixes.join(', ')}`
      : `there is no field ${name}; did you mean ${base}${guess}?`;
  return { base, message };
}

function typeOf(name: string, resourceView: ResourceView): FieldType | undefined {
  const path = name === '' ? undefined : resolvePath(name, resourceView);
  return path?.ok === true ? typeAt(path.value) : undefined;
}

/** The type at the end of a path; through a morphTo, that of the first target that has the field. */
function typeAt(path: Path): FieldType | undefined {
  if (path.kind === 'field') return path.ref.leaf.type;
  if (path.kind === 'items') return typeAt(path.next);
  const [next] = path.branches.flatMap((branch) => branch.next ?? []);
  return next && typeAt(next);
}
