import { readFileSync } from 'node:fs';
import { errorTable, type ErrorCode } from '../errors.ts';
import { targetsOf } from '../query/filter/path.ts';
import { isToMany, type Field, type Limits } from '../model/api.ts';
import { isFlag, operators, type Operator } from '../model/operators.ts';
import {
  mayCarry,
  pivotInputs,
  type InputView,
  type RelationView,
  type ResourceView,
  type View,
} from '../model/view.ts';
import { filterables, isBareFilter, sortables } from './document/filters.ts';
import { typeNames } from './document/names.ts';
import { changeInputs, creatableInputs, requiredInputs } from './document/inputs.ts';
import { linkable, neededPivot } from './document/links.ts';
import { nameOf, type Naming } from './document/records.ts';

/** A typed TypeScript client of the API as a view shows it: one file that needs nothing else. */
export function clientSource(view: View): string {
  const { api, version } = view;
  const naming: Naming = { names: typeNames(view) };
  const resourceViews = view.resourceViews();
  const root = `${api.basePath}/v${version.number}`;
  return [
    `// ${oneLine(api.name)}, version ${version.number}: made by "plinth types". Changes to this file are lost when it is made again.\n`,
    `const root = ${JSON.stringify(root)};\n`,
    `const resourceNames: readonly string[] = ${JSON.stringify(resourceViews.map(({ name }) => name))};\n`,
    'export type JsonValue =\n  | null\n  | boolean\n  | number\n  | string\n  | JsonValue[]\n  | { [member: string]: JsonValue };\n',
    ...resourceViews.flatMap((resourceView) => resourceTypes(resourceView, naming)),
    resourcesType(resourceViews, naming, api.limits),
    errorType(),
    filtersSource(),
    source('types.ts'),
    source('runtime.ts'),
  ].join('\n');
}

/** The package ships these sources, so the path is the same from `src/` and from `dist/`. */
const runtimeFolder = new URL('../../packages/client/', import.meta.url);

/** The text of one source file of the client without its imports: the generated file defines what they import. */
function source(name: string): string {
  const text = readFileSync(new URL(name, runtimeFolder), 'utf8');
  return text.replaceAll(/^import [^;]+;\n/gmu, '').trimStart();
}

/** The types of filters, with all operators in the place of those that the file itself names. */
function filtersSource(): string {
  const some = (isOne: (name: Operator) => boolean): string =>
    union((Object.keys(operators) as Operator[]).filter(isOne)).replaceAll(`"`, `'`);
  const isPart = (name: Operator): boolean => operators[name].comparesWith === 'part';
  const isValue = (name: Operator): boolean => operators[name].operand === 'value' && !isPart(name);
  const isList = (name: Operator): boolean => operators[name].operand === 'list';
  return source('filters.ts')
    .replace(/(?<=type ValueOperator = )[^;]+/u, some(isValue))
    .replace(/(?<=type ListOperator = )[^;]+/u, some(isList))
    .replace("'like' | 'ilike'", some(isPart))
    .replace("'exists' | 'null'", some(isFlag));
}

/** Types of records and bodies of one resource. */
function resourceTypes(resourceView: ResourceView, naming: Naming): readonly string[] {
  const name = nameOf(resourceView, naming);
  const { offered, resource } = resourceView;
  const record = [...resourceView.fields.values()].map(({ name: member, field }) =>
    memberOf(member, readType(field), false, field),
  );
  const types = [interfaceOf(name, record, resource.description)];
  if (offered.has('create'))
    types.push(
      interfaceOf(`${name}Create`, body(resourceView, 'create'), `The body that creates: ${name}.`),
    );
  if (offered.has('update')) {
    types.push(
      interfaceOf(
        `${name}Replace`,
        body(resourceView, 'replace'),
        `The body that replaces: ${name}.`,
      ),
    );
    types.push(
      interfaceOf(`${name}Update`, body(resourceView, 'update'), `The body that changes: ${name}.`),
    );
  }
  return types;
}

function interfaceOf(name: string, members: readonly string[], description?: string): string {
  const doc = description === undefined ? '' : `${comment(description)}\n`;
  return `${doc}export interface ${name} {\n${members.map((line) => indent(line)).join('\n')}\n}\n`;
}

function memberOf(name: string, type: string, isOptional: boolean, field?: Field): string {
  const { description } = field?.attributes ?? {};
  const doc = description === undefined ? '' : `${comment(description)}\n`;
  return `${doc}${key(name)}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''};`;
}

/** A name as the member of an object has it. */
function key(name: string): string {
  return /^[a-z_$][\w$]*$/iu.test(name) ? name : JSON.stringify(name);
}

function comment(text: string): string {
  return `/** ${oneLine(text).replaceAll('*/', '* /')} */`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function indent(text: string): string {
  return text.replaceAll(/^/gmu, '  ');
}

function body(
  resourceView: ResourceView,
  kind: 'create' | 'replace' | 'update',
): readonly string[] {
  const { id } = resourceView.resource;
  const needed = new Set<InputView>(kind === 'update' ? [] : requiredInputs(resourceView, kind));
  const inputs =
    kind === 'create'
      ? creatableInputs(resourceView)
      : changeInputs(resourceView).filter(({ field, updatable }) => updatable || field === id);
  return [
    ...inputs.map((input) =>
      memberOf(input.name, writeType(input.field), !needed.has(input), input.field),
    ),
    ...linkable(resourceView).map((view) =>
      memberOf(view.name, linksType(view, kind === 'create' ? neededPivot(view) : []), true),
    ),
  ];
}

/** The links in a body, which say at least what is `needed` of each; undefined where there can be none. */
function linksType(view: RelationView, needed: readonly InputView[] | undefined): string {
  const { relation } = view;
  if (relation.kind !== 'belongsToMany') throw new TypeError(`${view.name} has no links`);
  if (needed === undefined) return 'readonly []';
  const id = readType(relation.target.id);
  const pivot = [...pivotInputs(view).values()]
    .filter((input) => mayCarry(relation, input))
    .map((input) => memberOf(input.name, writeType(input.field), !needed.includes(input)));
  const members = `{ ${pivot.join(' ')} }`;
  const link =
    needed.length === 0
      ? `${id} | { id: ${id}; pivot?: ${members} | undefined }`
      : `{ id: ${id}; pivot: ${members} }`;
  return `readonly (${link})[] | { add?: readonly (${link})[] | undefined; remove?: readonly ${id}[] | undefined }`;
}

function readType(field: Field): string {
  return typed(field, readType, []);
}

function writeType(field: Field): string {
  return typed(field, writeType, field.type.takesNumbers === true ? ['number'] : []);
}

/** What a field's value is in TypeScript; `more` are further types that it takes. */
function typed(field: Field, below: (part: Field) => string, more: readonly string[]): string {
  const plain = field.values?.map((value) => JSON.stringify(value)) ?? [plainType(field, below)];
  const isNull = field.nullable && field.type.json !== 'any';
  return [...plain, ...more, ...(isNull ? ['null'] : [])].join(' | ');
}

/** The type of the JSON that a value is. */
function plainType({ type, properties, items }: Field, below: (part: Field) => string): string {
  switch (type.json) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'string':
      return type.json;
    case 'any':
      return 'JsonValue';
    case 'array':
      return items === undefined ? 'JsonValue[]' : `(${below(items)})[]`;
    case 'object':
      return properties === undefined
        ? '{ [member: string]: JsonValue }'
        : `{ ${[...properties]
            .map(([name, part]) => memberOf(name, below(part), !part.required))
            .join(' ')} }`;
    default:
      return type.json satisfies never;
  }
}

function resourcesType(
  resourceViews: readonly ResourceView[],
  naming: Naming,
  limits: Limits,
): string {
  const members = resourceViews.map(
    (resourceView) =>
      `${key(resourceView.name)}: {\n${indent(resourceType(resourceView, naming, limits))}\n};`,
  );
  return `/** Every resource: its records, relations, filters and what can be done with it. */\nexport interface Resources {\n${indent(members.join('\n'))}\n}\n`;
}

function resourceType(resourceView: ResourceView, naming: Naming, limits: Limits): string {
  const name = nameOf(resourceView, naming);
  const { offered, resource } = resourceView;
  const objects = [...resourceView.fields.values()].filter(({ field }) =>
    ['object', 'any'].includes(field.type.json),
  );
  const groups = [...resourceView.groups].map(([group, members]) =>
    memberOf(group, union(members), false),
  );
  return [
    `id: ${readType(resource.id)};`,
    `record: ${name};`,
    `objects: ${union(objects.map((one) => one.name))};`,
    `relations: {\n${indent([...resourceView.relations.values()].map(relationType).join('\n'))}\n};`,
    `expand: ${union(expandPaths(resourceView, limits))};`,
    `groups: { ${groups.join(' ')} };`,
    `operations: ${union([...offered])};`,
    `create: ${offered.has('create') ? `${name}Create` : 'never'};`,
    `replace: ${offered.has('update') ? `${name}Replace` : 'never'};`,
    `update: ${offered.has('update') ? `${name}Update` : 'never'};`,
    `where: Filters<{\n${indent(filterTypes(resourceView, limits).join('\n'))}\n}, ${union([...resourceView.relations.keys()])}, ${union(freeJson(resourceView, limits))}>;`,
    `sort: ${union(sortables(resourceView, limits))};`,
  ].join('\n');
}

/** The paths to expand, level by level, as long as they stay few enough for the compiler and the reader. */
function expandPaths(resourceView: ResourceView, { defaultDepth }: Limits): readonly string[] {
  const paths: string[] = [];
  let level = [{ path: '', resourceViews: [resourceView] }];
  for (let depth = 0; depth < defaultDepth; depth += 1) {
    level = level.flatMap(({ path, resourceViews }) => {
      const views = resourceViews.flatMap((one) => [...one.relations.values()]);
      return [...new Set(views.map(({ name }) => name))].map((name) => ({
        path: `${path}${name}.`,
        resourceViews: views.flatMap((view) =>
          view.name === name ? targetsOf(view).map((target) => target.resourceView) : [],
        ),
      }));
    });
    if (paths.length + level.length > mostPaths && depth > 0) break;
    paths.push(...level.map(({ path }) => path.slice(0, -1)));
  }
  return paths;
}

const mostPaths = 500;

function relationType(view: RelationView): string {
  const targets = [...new Set(targetsOf(view).map(({ resourceView }) => resourceView.name))];
  const pivot = view.pivot.map(({ name, field }) => memberOf(name, readType(field), false));
  const added = pivot.length === 0 ? 'unknown' : `{ pivot: { ${pivot.join(' ')} } }`;
  return `${key(view.name)}: { to: ${union(targets)}; many: ${isToMany(view.relation)}; pivot: ${added} };`;
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ');
}

/** Of each path what it is compared with, its operators, and whether its name alone is a filter. */
function filterTypes(resourceView: ResourceView, limits: Limits): readonly string[] {
  return filterables(resourceView, limits).map((filter) => {
    const { path, leaves, kind, operators: fit } = filter;
    const several =
      kind === 'related' || kind === 'pivot' || leaves[0] === resourceView.resource.id;
    const bare = isBareFilter(filter) ? (several ? 'many' : 'one') : 'none';
    return `${key(path)}: [${filterType(leaves)}, ${union(fit)}, ${JSON.stringify(bare)}];`;
  });
}

/** Where keys are that only the values know. */
function freeJson(resourceView: ResourceView, limits: Limits): readonly string[] {
  return filterables(resourceView, limits).flatMap(({ path, leaves, kind }) =>
    kind !== 'related' && kind !== 'pivot' && leaves.some(isFree) ? [path] : [],
  );
}

function isFree({ type, properties }: Field): boolean {
  return type.json === 'any' || (type.json === 'object' && properties === undefined);
}

/** Behind a morphTo the fields of a name may be of several types. */
function filterType(leaves: readonly Field[]): string {
  return leaves.length === 0 ? 'never' : [...new Set(leaves.map(comparedType))].join(' | ');
}

function comparedType(leaf: Field): string {
  if (leaf.type.json === 'array') return filterType(leaf.items === undefined ? [] : [leaf.items]);
  const plain = leaf.values?.map((value) => JSON.stringify(value)).join(' | ');
  if (plain !== undefined) return plain;
  const type = plainType(leaf, readType);
  if (leaf.type.takesNumbers === true) return 'string | number';
  return type === 'number' || type === 'boolean' ? type : 'string';
}

/** The errors as a union that `code` tells apart. */
function errorType(): string {
  const codes = Object.keys(errorTable) as readonly ErrorCode[];
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  const members = (status: number): string => {
    if (status === 400)
      return ' readonly validationErrors?: readonly { readonly field: string; readonly error: string }[];';
    if (status === 422)
      return ' readonly errors?: readonly { readonly field: string; readonly message: string }[];';
    return status === 409
      ? ' readonly dependents?: readonly { readonly resource: string; readonly count: number }[];'
      : '';
  };
  const kinds = statuses.map((status) => {
    const own = codes.filter((code) => errorTable[code].status === status);
    return `  | (ErrorBase & { readonly status: ${status}; readonly code: ${union(own)};${members(status)} })`;
  });
  return `interface ErrorBase {\n  readonly error: string;\n  readonly message: string;\n  readonly path: string;\n  readonly requestId: string;\n}\n\n/** Every error that the API answers with; \`code\` tells them apart. */\nexport type ErrorBody =\n${kinds.join('\n')};\n`;
}
