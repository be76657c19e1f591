import { readFileSync } from 'node:fs';
import { errorTypes } from './client-errors.ts';
import { targetsOf } from '../query/filter/path.ts';
import { decide } from '../model/access.ts';
import { isToMany, type Field, type Limits } from '../model/api.ts';
import { packageFile } from '../lib/modules/package-files.ts';
import { recordName } from '../lib/text/singular.ts';
import { filterOperators, isFlag, operators, type Operator } from '../model/operators.ts';
import {
  fieldNameIn,
  mayCarry,
  pivotInputs,
  type InputView,
  type RelationView,
  type ResourceView,
  type View,
} from '../model/view.ts';
import { aggregables } from './document/parameters/aggregables.ts';
import { filterables, isBareFilter, sortables } from './document/parameters/filters.ts';
import { pascal, typeNames } from './document/names.ts';
import type { DocumentedEndpoint } from './document/endpoints.ts';
import { endpointsType } from './endpoint-types.ts';
import { isIncrementable } from '../query/write/revisions.ts';
import { changeInputs, creatableInputs, requiredInputs } from './document/inputs.ts';
import { linkable, neededPivot } from './document/links.ts';
import { keysOrParents, nestables, type KeyOrParent, type Nestable } from './document/nested.ts';
import { nameOf, type Naming } from './document/records.ts';

/** A typed TypeScript client of the API as a view shows it: one file that needs nothing else. */
export function clientSource(view: View, endpoints: readonly DocumentedEndpoint[] = []): string {
  const { api, version } = view;
  const naming: Naming = { names: typeNames(view) };
  const resourceViews = view.resourceViews();
  const root = `${api.basePath}/v${version.number}`;
  const declared = new DeclaredTypes([...naming.names.values()]);
  const types = resourceViews.flatMap((resourceView) =>
    resourceTypes(resourceView, naming, declared),
  );
  const resources = resourcesType(resourceViews, naming, declared, api.limits);
  const parts = [
    endpointsType(endpoints),
    errorTypes(),
    filtersSource(),
    ...['types.ts', 'batch.ts', 'calls.ts', 'client.ts', 'runtime.ts'].map(source),
    apiType,
  ];
  return [
    `// ${oneLine(api.name)}, version ${version.number}: made by "plinth types". Changes to this file are lost when it is made again.\n`,
    `const root = ${JSON.stringify(root)};\n`,
    `const resourceNames: readonly string[] = ${JSON.stringify(resourceViews.map(({ name }) => name))};\n`,
    'export type JsonValue =\n  | null\n  | boolean\n  | number\n  | string\n  | JsonValue[]\n  | { [member: string]: JsonValue };\n',
    '/** JSON in a body. */\nexport type JsonInput =\n  | null\n  | boolean\n  | number\n  | string\n  | readonly JsonInput[]\n  | { readonly [member: string]: JsonInput | undefined };\n',
    ...types,
    resources,
    ...declared.take(),
    withoutClashes(parts.join('\n'), declared),
  ].join('\n');
}

/** The types of records, bodies and the objects in them, whose names are different. */
class DeclaredTypes {
  private readonly texts = new Map<string, string>();
  private readonly waiting: string[] = [];
  private readonly used: Set<string>;

  /** `names` are those of records. */
  constructor(names: readonly string[]) {
    const bodies = names.flatMap((name) => [
      `${name}Create`,
      `${name}CreateMembers`,
      `${name}Replace`,
      `${name}ReplaceMembers`,
      `${name}Update`,
    ]);
    this.used = new Set([...names, ...bodies, 'JsonValue', 'JsonInput']);
  }

  has(name: string): boolean {
    return this.used.has(name);
  }

  /** The name of the type of an object: `base`, or a longer one if another type has that. */
  nameFor(base: string, members: readonly string[]): string {
    const text = members.join('\n');
    for (let number = 0; ; number += 1) {
      const name = number === 0 ? base : number === 1 ? `${base}Input` : `${base}Input${number}`;
      if (this.texts.get(name) === text) return name;
      if (this.used.has(name)) continue;
      this.used.add(name);
      this.texts.set(name, text);
      this.waiting.push(interfaceOf(name, members));
      return name;
    }
  }

  /** The types since the last call. */
  take(): readonly string[] {
    return this.waiting.splice(0);
  }
}

/** The source with other names for its own types where a record or object has their names. */
function withoutClashes(text: string, declared: DeclaredTypes): string {
  const own = text.matchAll(/^(?:export )?(?:type|interface|class) (\w+)/gmu);
  let result = text;
  for (const name of new Set([...own].map(([, one = '']) => one)))
    if (declared.has(name))
      result = result.replaceAll(new RegExp(String.raw`\b${name}\b`, 'gu'), `Plinth${name}`);
  return result;
}

/** The package ships these sources beside `dist/`. */
const runtimeFolder = packageFile('src/client/');

/** The text of one source file of the client without its imports: the generated file defines what they import. */
function source(name: string): string {
  const text = readFileSync(new URL(name, runtimeFolder), 'utf8');
  return text.replaceAll(/^import [^;]+;\n/gmu, '').trimStart();
}

/** The types of filters, with all operators in the place of those that the file itself names. */
function filtersSource(): string {
  const some = (isOne: (name: Operator) => boolean): string =>
    union(filterOperators().filter(isOne)).replaceAll(`"`, `'`);
  const isPart = (name: Operator): boolean => operators[name].comparesWith === 'part';
  const isValue = (name: Operator): boolean => operators[name].operand === 'value' && !isPart(name);
  const isList = (name: Operator): boolean => operators[name].operand === 'list';
  return source('filters.ts')
    .replace(/(?<=type ValueOperator = )[^;]+/u, some(isValue))
    .replace(/(?<=type ListOperator = )[^;]+/u, some(isList))
    .replace(/'like' \|[^>]+(?=>)/u, some(isPart))
    .replace("'exists' | 'null'", some(isFlag));
}

const apiType =
  '/** What `defineCode` of plinth takes. */\nexport interface Api {\n  readonly resources: Resources;\n  readonly client: Client;\n}\n';

/** Types of records and bodies of one resource, and of the objects in them. */
function resourceTypes(
  resourceView: ResourceView,
  naming: Naming,
  declared: DeclaredTypes,
): readonly string[] {
  const name = nameOf(resourceView, naming);
  const { offered, resource } = resourceView;
  const record = [...resourceView.fields.values()].map(({ name: member, field }) =>
    memberOf(member, readType(field, { declared, base: nestedName(name, member) }), false, field),
  );
  const bodyType = (kind: BodyKind, suffix: string, does: string): string =>
    interfaceOf(
      `${name}${suffix}`,
      body(resourceView, kind, { declared, base: name }, naming),
      `The body that ${does}: ${name}.`,
    );
  const bodyTypes = (
    kind: 'create' | 'replace',
    suffix: string,
    does: string,
  ): readonly string[] => {
    const required = requiredInputs(resourceView, kind).map((input) => input.name);
    const nested = nestables(resourceView, kind);
    const either = keysOrParents(resourceView, required, nested);
    if (either.length === 0) return [bodyType(kind, suffix, does)];
    const parts = either.map(({ key: member, relation }) => {
      const one = nested.find(({ view }) => view.name === relation);
      const input = resourceView.inputs.get(member);
      if (one === undefined || input === undefined) throw new TypeError(`${member} leads nowhere`);
      const value = writeType(input.field, { declared, base: nestedName(name, member) });
      const parent = nestedType(one, naming);
      return `({ ${key(member)}: ${value}; ${key(relation)}?: undefined } | { ${key(member)}?: undefined; ${key(relation)}: ${parent} })`;
    });
    const base = `${name}${suffix}Members`;
    return [
      interfaceOf(base, body(resourceView, kind, { declared, base: name }, naming, either)),
      `/** The body that ${does}: ${name}. */\nexport type ${name}${suffix} = ${[base, ...parts].join(' & ')};\n`,
    ];
  };
  const types = [
    interfaceOf(name, record, resource.description),
    ...(offered.has('create') ? bodyTypes('create', 'Create', 'creates') : []),
    ...(offered.has('update')
      ? [...bodyTypes('replace', 'Replace', 'replaces'), bodyType('update', 'Update', 'changes')]
      : []),
  ];
  return [...types, ...declared.take()];
}

type BodyKind = 'create' | 'replace' | 'update';

/** The name of the type of an object: `Product`, `specs` → `ProductSpecs`. */
function nestedName(owner: string, member: string): string {
  return `${owner}${pascal(member)}`;
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
  kind: BodyKind,
  { declared, base }: Scope,
  naming: Naming,
  apart: readonly KeyOrParent[] = [],
): readonly string[] {
  const { id } = resourceView.resource;
  const isApart = (name: string): boolean =>
    apart.some(({ key: own, relation }) => own === name || relation === name);
  const nested = nestables(resourceView, kind).filter(
    ({ view }) => !resourceView.inputs.has(view.name),
  );
  const needed = new Set<InputView>(kind === 'update' ? [] : requiredInputs(resourceView, kind));
  const inputs =
    kind === 'create'
      ? creatableInputs(resourceView)
      : changeInputs(resourceView).filter(({ field, updatable }) => updatable || field === id);
  const scopeOf = (name: string): Scope => ({ declared, base: nestedName(base, name) });
  return [
    ...inputs
      .filter(({ name }) => !isApart(name))
      .map((input) =>
        memberOf(
          input.name,
          kind === 'update' && isIncrementable(input) && resourceView.fields.has(input.name)
            ? `${writeType(input.field, scopeOf(input.name))} | { readonly increment: ${incrementType(input.field)} }`
            : writeType(input.field, scopeOf(input.name)),
          !needed.has(input),
          input.field,
        ),
      ),
    ...nested
      .filter(({ view }) => view.relation.kind !== 'belongsToMany' && !isApart(view.name))
      .map((one) => memberOf(one.view.name, nestedType(one, naming), true)),
    ...linkable(resourceView, [kind === 'create' ? kind : 'update']).map((view) => {
      const needed = kind === 'create' ? neededPivot(view) : [];
      const scope = scopeOf(`${view.name}Pivot`);
      const one = nested.find((other) => other.view === view);
      return memberOf(view.name, linksType(view, needed, scope, one, naming), true);
    }),
  ];
}

function incrementType({ type }: Field): string {
  return type.takesNumbers === true ? 'string | number' : 'number';
}

/** The links in a body, which say at least what is `needed` of each; undefined where there can be none. */
function linksType(
  view: RelationView,
  needed: readonly InputView[] | undefined,
  { declared, base }: Scope,
  nestable: Nestable | undefined,
  naming: Naming,
): string {
  const { relation } = view;
  if (relation.kind !== 'belongsToMany') throw new TypeError(`${view.name} has no links`);
  if (needed === undefined) return 'readonly []';
  const id = readType(relation.target.id, { declared, base });
  const pivot = [...pivotInputs(view).values()]
    .filter((input) => mayCarry(relation, input))
    .map((input) =>
      memberOf(
        input.name,
        writeType(input.field, { declared, base: nestedName(base, input.name) }),
        !needed.includes(input),
      ),
    );
  const members = `{ ${pivot.join(' ')} }`;
  const link =
    needed.length === 0
      ? `${id} | { id: ${id}; pivot?: ${members} | undefined }`
      : `{ id: ${id}; pivot: ${members} }`;
  const isPivotNeeded = needed.length > 0;
  const more =
    nestable === undefined
      ? ''
      : `${nestedMembers(nestable, naming, { type: members, isNeeded: isPivotNeeded })} `;
  return `readonly (${link})[] | { ${more}add?: readonly (${link})[] | undefined; remove?: readonly ${id}[] | undefined }`;
}

/** What a body has for the records of a relation. */
function nestedType(nestable: Nestable, naming: Naming): string {
  if (nestable.view.relation.kind === 'belongsTo')
    return `{ create: ${nameOf(nestable.target, naming)}Create }`;
  return `{ ${nestedMembers(nestable, naming)} }`;
}

/** The operations on the records of a relation, as members; `pivot`: what each new one says of its link. */
function nestedMembers(
  { view, target, operations, keys }: Nestable,
  naming: Naming,
  pivot?: { readonly type: string; readonly isNeeded: boolean },
): string {
  const name = nameOf(target, naming);
  const isOne = view.relation.kind === 'hasOne';
  const id = `Resources[${JSON.stringify(target.name)}]['id']`;
  const list = (type: string): string => (isOne ? type : `readonly (${type})[]`);
  const create = keys.length === 0 ? `${name}Create` : `Lacking<${name}Create, ${union(keys)}>`;
  const linked =
    pivot === undefined
      ? create
      : `${create} & { pivot${pivot.isNeeded ? '' : '?'}: ${pivot.type}${pivot.isNeeded ? '' : ' | undefined'} }`;
  const types = {
    create: list(linked),
    update: list(isOne ? `${name}Update` : `${name}Update & { id: ${id} }`),
    delete: isOne ? 'true' : `readonly ${id}[]`,
    add: `readonly (${id} | { id: ${id} })[]`,
    remove: `readonly (${id} | { id: ${id} })[]`,
  };
  const isLinked = view.relation.kind === 'belongsToMany';
  return operations
    .filter((one) => !(isLinked && (one === 'add' || one === 'remove')))
    .map((one) => `${one}?: ${types[one]} | undefined;`)
    .join(' ');
}

/** Where types of objects are declared, and the name that one has here. */
interface Scope {
  readonly declared: DeclaredTypes;
  readonly base: string;
}

/** What a field's value is in TypeScript, in a record or in a body. */
interface Side {
  readonly of: (field: Field, scope: Scope) => string;
  readonly json: string;
  readonly isReadonly: boolean;
}

const inRecords: Side = { of: readType, json: 'JsonValue', isReadonly: false };
/** A body may be made of arrays that nobody may change. */
const inBodies: Side = { of: writeType, json: 'JsonInput', isReadonly: true };

function readType(field: Field, scope: Scope): string {
  return typed(field, inRecords, scope, []);
}

function writeType(field: Field, scope: Scope): string {
  return typed(field, inBodies, scope, field.type.takesNumbers === true ? ['number'] : []);
}

/** What a field's value is in TypeScript; `more` are further types that it takes. */
function typed(field: Field, side: Side, scope: Scope, more: readonly string[]): string {
  const plain = field.values?.map((value) => JSON.stringify(value)) ?? [
    plainType(field, side, scope),
  ];
  const isNull = field.nullable && field.type.json !== 'any';
  return [...plain, ...more, ...(isNull ? ['null'] : [])].join(' | ');
}

/** The type of the JSON that a value is. */
function plainType({ name, type, properties, items }: Field, side: Side, scope: Scope): string {
  const { json, isReadonly } = side;
  const list = (item: string): string => `${isReadonly ? 'readonly ' : ''}${item}[]`;
  switch (type.json) {
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
    case 'string':
      return type.json;
    case 'any':
      return json;
    case 'array':
      return items === undefined
        ? list(json)
        : list(`(${side.of(items, { ...scope, base: itemName(scope.base, name) })})`);
    case 'object':
      if (properties === undefined)
        return `{ ${isReadonly ? 'readonly ' : ''}[member: string]: ${json} }`;
      return scope.declared.nameFor(
        scope.base,
        [...properties].map(([member, part]) =>
          memberOf(
            member,
            side.of(part, { ...scope, base: nestedName(scope.base, member) }),
            !part.required,
            part,
          ),
        ),
      );
    default:
      return type.json satisfies never;
  }
}

/** The name of the type of an item: `OrderLines`, `lines` → `OrderLine`. */
function itemName(base: string, list: string): string {
  const [plural, one] = [pascal(list), pascal(recordName(list))];
  return plural !== one && base.endsWith(plural)
    ? `${base.slice(0, -plural.length)}${one}`
    : `${base}Item`;
}

function resourcesType(
  resourceViews: readonly ResourceView[],
  naming: Naming,
  declared: DeclaredTypes,
  limits: Limits,
): string {
  const members = resourceViews.map(
    (resourceView) =>
      `${key(resourceView.name)}: {\n${indent(resourceType(resourceView, naming, declared, limits))}\n};`,
  );
  return `/** Every resource: its records, relations, filters and what can be done with it. */\nexport interface Resources {\n${indent(members.join('\n'))}\n}\n`;
}

function resourceType(
  resourceView: ResourceView,
  naming: Naming,
  declared: DeclaredTypes,
  limits: Limits,
): string {
  const name = nameOf(resourceView, naming);
  const { offered, resource } = resourceView;
  const objects = [...resourceView.fields.values()].filter(({ field }) =>
    ['object', 'any'].includes(field.type.json),
  );
  const groups = [...resourceView.groups].map(([group, members]) =>
    memberOf(group, union(members), false),
  );
  return [
    `id: ${resource.hasKey ? readType(resource.id, { declared, base: `${name}Id` }) : 'never'};`,
    `record: ${name};`,
    `objects: ${union(objects.map((one) => one.name))};`,
    `relations: {\n${indent([...resourceView.relations.values()].map((view) => relationType(view, resourceView, { declared, base: name })).join('\n'))}\n};`,
    `expand: ${union(expandPaths(resourceView, limits))};`,
    `groups: { ${groups.join(' ')} };`,
    `operations: ${union([...offered])};`,
    `create: ${offered.has('create') ? `${name}Create` : 'never'};`,
    `replace: ${offered.has('update') ? `${name}Replace` : 'never'};`,
    `update: ${offered.has('update') ? `${name}Update` : 'never'};`,
    `where: Filters<{\n${indent(filterTypes(resourceView, limits).join('\n'))}\n}, ${union([...resourceView.relations.keys()])}, ${union(freeJson(resourceView, limits))}>;`,
    `sort: ${union(sortables(resourceView, limits))};`,
    ...aggregateTypes(resourceView, limits, { declared, base: name }),
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

function relationType(view: RelationView, owner: ResourceView, { declared, base }: Scope): string {
  const targets = [...new Set(targetsOf(view).map(({ resourceView }) => resourceView.name))];
  const scope = { declared, base: nestedName(base, `${view.name}Pivot`) };
  const pivot = view.pivot.map(({ name, field }) => memberOf(name, readType(field, scope), false));
  const added = pivot.length === 0 ? 'unknown' : `{ pivot: { ${pivot.join(' ')} } }`;
  return `${key(view.name)}: { to: ${union(targets)}; many: ${isToMany(view.relation)}; null: ${mayBeNull(view)}; pivot: ${added}; by: ${narrowing(view, owner)} };`;
}

/** Whether a single record may be missing: not where a key has to lead to one that the caller may read whatever it is. */
function mayBeNull(view: RelationView): boolean {
  const { relation } = view;
  if (relation.kind !== 'belongsTo' || relation.key.nullable) return true;
  const [target] = targetsOf(view);
  return target === undefined || decide(target.resourceView.rules.read).allowed !== 'all';
}

/** The field whose value tells which resource a morphTo leads to, and the resource of each value. */
function narrowing(view: RelationView, owner: ResourceView): string {
  const { relation } = view;
  if (relation.kind !== 'morphTo') return 'unknown';
  const field = fieldNameIn(owner.fields.values(), relation.typeField);
  if (field === undefined) return 'unknown';
  const types = targetsOf(view).map(
    ({ resourceView, typeValue = '' }) =>
      `${key(typeValue)}: ${JSON.stringify(resourceView.name)};`,
  );
  return `{ field: ${JSON.stringify(field)}; types: { ${types.join(' ')} }; null: ${relation.typeField.nullable} }`;
}

function union(names: readonly string[]): string {
  return names.length === 0 ? 'never' : names.map((name) => JSON.stringify(name)).join(' | ');
}

/** Of each path what it is compared with, its operators, and whether its name alone is a filter. */
function filterTypes(resourceView: ResourceView, limits: Limits): readonly string[] {
  return filterables(resourceView, limits).map((filter) => {
    const { path, leaves, kind, operators: fit } = filter;
    const isApart = ['related', 'pivot', 'item'].includes(kind);
    const several = isApart || leaves[0] === resourceView.resource.id;
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

function isFree({ type, properties, items }: Field): boolean {
  const isOpen = type.json === 'any' || (type.json === 'object' && properties === undefined);
  return isOpen || (items !== undefined && items.items === undefined && isFree(items));
}

/** What groups records, and what functions give for which paths. */
function aggregateTypes(
  resourceView: ResourceView,
  limits: Limits,
  scope: Scope,
): readonly string[] {
  const { keys, dates, moments, sums, extremes, distinct } = aggregables(resourceView, limits);
  const keyTypes = keys.map(({ name, field }) => memberOf(name, readType(field, scope), false));
  const numbers = (types: Readonly<Record<(typeof sums)[number]['sum'], string>>): string =>
    sums.map(({ name, sum }) => `${key(name)}: ${types[sum]} | null;`).join(' ');
  return [
    `keys: {\n${indent(keyTypes.join('\n'))}\n};`,
    `dates: ${union(dates)};`,
    `moments: ${union(moments)};`,
    `sums: { ${numbers({ whole: 'number | string', exact: 'string', double: 'number' })} };`,
    `averages: { ${numbers({ whole: 'string', exact: 'string', double: 'number' })} };`,
    `extremes: ${union(extremes)};`,
    `distinct: ${union(distinct)};`,
  ];
}

/** Behind a morphTo the fields of a name may be of several types. */
function filterType(leaves: readonly Field[]): string {
  return leaves.length === 0 ? 'never' : [...new Set(leaves.map(comparedType))].join(' | ');
}

function comparedType(leaf: Field): string {
  if (leaf.type.json === 'array') return filterType(leaf.items === undefined ? [] : [leaf.items]);
  const plain = leaf.values?.map((value) => JSON.stringify(value)).join(' | ');
  if (plain !== undefined) return plain;
  const type = scalarTypes.get(leaf.type.json) ?? 'string';
  if (leaf.type.takesNumbers === true) return 'string | number';
  return type;
}

/** What filters compare with, where it is no text. */
const scalarTypes: ReadonlyMap<string, string> = new Map([
  ['integer', 'number'],
  ['number', 'number'],
  ['boolean', 'boolean'],
]);
