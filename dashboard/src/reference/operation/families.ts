import {
  nameOf,
  operationsOf,
  resolved,
  type OpenApi,
  type Operation,
  type Parameter,
  type Schema,
} from '../document.ts';

/** An operator as the document describes it. */
export interface FilterOperator {
  readonly suffix: string;
  readonly meaning: string;
}

/** What a field or relation is filtered by: a parameter, whose description lists its operators. */
export interface Family {
  readonly path: string;
  readonly operators: readonly FilterOperator[];
  readonly example: string;
  readonly schema: Schema;
}

export interface Filters {
  readonly families: readonly Family[];
  /** The paths behind relations, which are filtered as well. */
  readonly morePaths: readonly string[];
  /** The schema of each filter by its name. */
  readonly byName: Readonly<Record<string, Schema>>;
  /** Whether at least one has to be sent: a change of many. */
  readonly isRequired: boolean;
}

/** The object that has every filter by name. See docs/contract/7-data-debug-dashboard.md#openapi, rule 7. */
const isAll = ({ style, explode, schema }: Parameter): boolean =>
  style === 'form' && explode === true && (schema?.$ref ?? schema?.allOf) !== undefined;

/** The family that a parameter describes; undefined if it is no filter. */
function familyOf({ name, description = '', schema = {} }: Parameter): Family | undefined {
  const [, path = '', meaning = ''] = /^`([^`]+)` ([^`.;]+)/u.exec(description) ?? [];
  if (path === '' || !name.startsWith(path)) return undefined;
  const others = [...description.matchAll(/`(_\w+)` (.+?)(?=, `_|\. |$)/gu)];
  return {
    path,
    operators: [
      { suffix: name.slice(path.length), meaning },
      // `_eq` says what no suffix does.
      ...others.flatMap(([, suffix = '', words = '']) =>
        suffix === '_eq' ? [] : [{ suffix, meaning: words }],
      ),
    ],
    example: /Such as `([^`]+)`/u.exec(description)?.[1] ?? `${name}=`,
    schema: schema.items ?? schema,
  };
}

/** The filters that an operation takes; undefined if it takes none. */
export function filtersOf(document: OpenApi, { parameters }: Operation): Filters | undefined {
  const all = parameters.find(isAll);
  if (all === undefined) return undefined;
  const families = familiesOf(document, parameters);
  const { properties: byName = {} } = resolved<Schema>(document, schemaOf(all));
  const isOwn = (name: string): boolean =>
    families.some(
      ({ path, operators }) =>
        name === `${path}_eq` || operators.some(({ suffix }) => path + suffix === name),
    );
  return {
    families,
    morePaths: Object.keys(byName).filter((name) => !isOwn(name)),
    byName,
    isRequired: all.required === true,
  };
}

function schemaOf({ schema = {} }: Parameter): Schema {
  return schema.allOf?.[0] ?? schema;
}

/** The families of the parameters. A change of many has the object alone: then those of the list, which takes the same. */
function familiesOf(document: OpenApi, parameters: readonly Parameter[]): readonly Family[] {
  const found = parameters.flatMap((one) => (one.in === 'query' ? (familyOf(one) ?? []) : []));
  const all = parameters.find(isAll);
  if (found.length > 0 || all === undefined) return found;
  const list = operationsOf(document).find(
    (other) =>
      other.method === 'GET' &&
      other.parameters.some((one) => isAll(one) && nameOf(schemaOf(one)) === nameOf(schemaOf(all))),
  );
  return (list?.parameters ?? []).flatMap((one) =>
    one.in === 'query' ? (familyOf(one) ?? []) : [],
  );
}

/** The parameters that are no filters. */
export function plainParameters({ parameters }: Operation): readonly Parameter[] {
  return parameters.filter((one) => !isAll(one) && (one.in !== 'query' || !familyOf(one)));
}
