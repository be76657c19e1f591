import { takesNow } from '../../../query/filter/now.ts';
import { takesAnyValue } from '../../../query/filter/operand.ts';
import { isParameter } from '../../../query/request/parameters.ts';
import { isToMany, type Limits } from '../../../model/api.ts';
import {
  isFlag,
  operators,
  takes,
  type Comparison,
  type Operator,
} from '../../../model/operators.ts';
import type { ResourceView, View } from '../../../model/view.ts';
import { valueSchema } from '../field-schemas.ts';
import {
  filterables,
  filterName,
  isBareFilter,
  itemFilterables,
  type Filterable,
} from './filters.ts';
import { ref, type JsonSchema } from '../schema.ts';

/** Form style sends each member of the object as a parameter of its own. */
const asMembers = { in: 'query', style: 'form', explode: true } as const;

/**
 * What a list is filtered by: a parameter for each field and relation, whose description lists its operators, and
 * `filters`, an object that has every filter by name. See docs/contract/7-data-debug-dashboard.md#openapi, rule 7.
 */
export function listFilters(
  resourceView: ResourceView,
  name: string,
  limits: Limits,
): readonly JsonSchema[] {
  const families = filterables(resourceView, limits).flatMap((filter) =>
    family(filter, resourceView),
  );
  if (families.length === 0) return [];
  const description =
    'Every filter with its value, by name: each is sent as a parameter of its own, such as `price_gte=5`. Operators with a list take values with commas between them.';
  const taken = new Set(families.map((one) => one['name']));
  let own = 'filters';
  while (taken.has(own)) own += '_';
  return [
    ...families,
    { name: own, ...asMembers, description, schema: ref(`schemas/${name}Filters`) },
  ];
}

/** The filters that choose the records of a change of many. */
export function neededFilters(name: string): JsonSchema {
  return {
    name: 'filters',
    ...asMembers,
    required: true,
    description:
      'The filters of the list, such as `status=draft`: at least one. They choose the records that are changed.',
    schema: { allOf: [ref(`schemas/${name}Filters`)], minProperties: 1 },
  };
}

/** What leaves out items of the collections that a record comes with. */
export function itemFilters(
  resourceView: ResourceView,
  name: string,
  limits: Limits,
): readonly JsonSchema[] {
  if (itemFilterables(resourceView, limits).length === 0) return [];
  const description =
    'Filters into collections that expand names, such as `comments.status=approved`: they leave out items. Each is sent as a parameter of its own.';
  return [
    { name: 'filters', ...asMembers, description, schema: ref(`schemas/${name}ItemFilters`) },
  ];
}

/** The schemas of the filters of a list, and of those into the collections of a record. */
export function filterSchemas(
  resourceView: ResourceView,
  name: string,
  limits: Limits,
): Readonly<Record<string, JsonSchema>> {
  const all = filterables(resourceView, limits);
  const ofItems = new Set(itemFilterables(resourceView, limits).map(({ path }) => path));
  // A field of a related record may be called as the paging of the collection is, which comes first.
  const paging = new Set(collectionNames(resourceView));
  const schema = (description: string, filters: readonly Filterable[]): JsonSchema => ({
    type: 'object',
    description,
    properties: Object.fromEntries(
      filters
        .flatMap((one) => members(one, resourceView.view))
        .filter(([member]) => !paging.has(member)),
    ),
  });
  return {
    [`${name}Filters`]: schema(
      `The filters of ${resourceView.name}. Longer paths, and the suffixes of paths, are taken too.`,
      all,
    ),
    [`${name}ItemFilters`]: schema(
      `The filters into the collections of ${resourceView.name}. They take the suffixes of their fields too.`,
      all.filter(({ path }) => ofItems.has(path)),
    ),
  };
}

/** What pages and sorts the collections that a record comes with. */
function collectionNames({ relations }: ResourceView): readonly string[] {
  return [...relations.values()].flatMap(({ name, relation }) =>
    isToMany(relation) ? ['page', 'limit', 'offset', 'sort'].map((part) => `${name}.${part}`) : [],
  );
}

/** A field of the resource or a relation has all its operators by name. Paths that go on have equality, if they take it. */
function isWhole({ kind }: Filterable): boolean {
  return kind === 'field' || kind === 'relation';
}

function members(filter: Filterable, view: View): readonly (readonly [string, JsonSchema])[] {
  const bare = isBareFilter(filter)
    ? [[filter.path, comparedSchema(filter, 'eq', view)] as const]
    : [];
  if (!isWhole(filter) && bare.length > 0) return bare;
  return [
    ...bare,
    ...named(filter).map(
      (operator) =>
        [filterName(filter.path, operator), operandSchema(filter, operator, view)] as const,
    ),
  ];
}

/** The operators of a filter whose parameter has no other meaning. */
function named({ path, operators: fit }: Filterable): readonly Operator[] {
  return fit.filter((operator) => !isParameter(filterName(path, operator)));
}

/** The parameter of a field or a relation. */
function family(filter: Filterable, resourceView: ResourceView): readonly JsonSchema[] {
  const { path, kind } = filter;
  const { view } = resourceView;
  // A resource that a morphTo leads to belongs to the family of the relation.
  if (!isWhole(filter) || path.includes(':')) return [];
  if (isBareFilter(filter)) {
    const value = comparedSchema(filter, 'eq', view);
    const description = `\`${path}\` equals${isId(filter, resourceView) ? '; given several times, one of' : ''}. ${suffixes(filter, named(filter), view)}`;
    return [
      isId(filter, resourceView)
        ? { name: path, ...asMembers, description, schema: { type: 'array', items: value } }
        : { name: path, in: 'query', description, schema: value },
    ];
  }
  const all = named(filter);
  const first = all.find((operator) => !isFlag(operator)) ?? all[0];
  if (first === undefined) return [];
  const rest = all.filter((operator) => operator !== first);
  const behind =
    kind === 'relation'
      ? ` Fields behind it are filtered by path, with the suffixes that they take: \`${path}.id_in=1,2\`.`
      : '';
  return [
    {
      name: filterName(path, first),
      in: 'query',
      description: `\`${path}\` ${operators[first].meaning}. ${suffixes(filter, rest, view)}${behind}`,
      schema: operandSchema(filter, first, view),
    },
  ];
}

function isId({ kind, leaves }: Filterable, { fields }: ResourceView): boolean {
  return kind === 'field' && leaves[0] === fields.get('id')?.field;
}

/** The operators in words, with an example. */
function suffixes(filter: Filterable, fit: readonly Operator[], view: View): string {
  if (fit.length === 0) return '';
  const words = fit.map((one) => `\`${operators[one].suffix}\` ${operators[one].meaning}`);
  return `With a suffix: ${words.join(', ')}. Such as \`${example(filter, fit, view)}\`.`;
}

/** A filter as somebody might send it. */
function example(filter: Filterable, fit: readonly Operator[], view: View): string {
  const asks = (operator: Operator, value: string): string =>
    `${filterName(filter.path, operator)}=${value}`;
  const [field] = filter.leaves;
  if (fit.includes('ilike')) return asks('ilike', 'abc');
  if (field !== undefined && takesNow(field) && fit.includes('gte')) return asks('gte', 'now-7d');
  if (fit.includes('in')) {
    const { type, enum: values } = comparedSchema(filter, 'in', view);
    if (Array.isArray(values)) return asks('in', values.slice(0, 2).join(','));
    if (type === 'integer' || type === 'number') return asks('gte', '5');
  }
  return asks(fit.find(isFlag) ?? 'exists', 'true');
}

/** What the parameter of an operator takes. The values of a list have commas between them. */
function operandSchema(filter: Filterable, operator: Operator, view: View): JsonSchema {
  if (isFlag(operator)) return { type: 'boolean' };
  const { operand, comparesWith } = operators[operator];
  if (operand === 'list' || comparesWith === 'part') return { type: 'string' };
  return comparedSchema(filter, operator, view);
}

/** What an operator compares with: behind a morphTo that which any of the fields takes that it fits. */
function comparedSchema({ leaves }: Filterable, operator: Comparison, view: View): JsonSchema {
  const schemas = leaves
    .filter(({ type }) => takes(type, operator))
    .map((leaf) => valueSchema(leaf, view, takesAnyValue(operator)));
  const kinds = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()];
  return kinds.length > 1 ? { anyOf: kinds } : (kinds[0] ?? {});
}
