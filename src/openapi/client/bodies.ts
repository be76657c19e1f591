import type { Field } from '../../model/api.ts';
import {
  mayCarry,
  pivotInputs,
  type InputView,
  type RelationView,
  type ResourceView,
} from '../../model/view.ts';
import { isIncrementable } from '../../query/write/revisions.ts';
import { changeInputs, creatableInputs, requiredInputs } from '../document/inputs.ts';
import { linkable, neededPivot } from '../document/links.ts';
import { keysOrParents, nestables, type KeyOrParent, type Nestable } from '../document/nested.ts';
import { nameOf } from '../document/records.ts';
import { interfaceOf, key, memberOf, union, type DeclaredTypes } from './declarations.ts';
import { nestedName, readType, writeType, type Scope } from './field-types.ts';
import type { ClientNaming } from './naming.ts';

/** Types of records and bodies of one resource, and of the objects in them. */
export function resourceTypes(
  resourceView: ResourceView,
  naming: ClientNaming,
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
    const parts = either.map(({ key: member, relations }) => {
      const input = resourceView.inputs.get(member);
      if (input === undefined) throw new TypeError(`${member} is no field`);
      const value = writeType(input.field, { declared, base: nestedName(name, member) });
      const parents = nested.filter(({ view }) => relations.includes(view.name));
      const absent = parents.map(({ view }) => `${key(view.name)}?: undefined`);
      const alternatives = parents.map((one) =>
        parents.map(
          (other) =>
            `${key(other.view.name)}${other === one ? '' : '?'}: ${nestedType(other, naming)}`,
        ),
      );
      const members = [
        [`${key(member)}: ${value}`, ...absent],
        ...alternatives.map((ones) => [`${key(member)}?: undefined`, ...ones]),
      ];
      return `(${members.map((ones) => `{ ${ones.join('; ')} }`).join(' | ')})`;
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

function body(
  resourceView: ResourceView,
  kind: BodyKind,
  { declared, base }: Scope,
  naming: ClientNaming,
  apart: readonly KeyOrParent[] = [],
): readonly string[] {
  const { id } = resourceView.resource;
  const isApart = (name: string): boolean =>
    apart.some(({ key: own, relations }) => own === name || relations.includes(name));
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
  naming: ClientNaming,
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
  return `readonly (${link})[] | { ${more}add?: readonly (${link})[] | undefined; remove?: readonly (${id} | { id: ${id} })[] | undefined }`;
}

/** What a body has for the records of a relation. */
function nestedType(nestable: Nestable, naming: ClientNaming): string {
  if (nestable.view.relation.kind === 'belongsTo')
    return `{ create: ${nameOf(nestable.target, naming)}Create }`;
  return `{ ${nestedMembers(nestable, naming)} }`;
}

/** The operations on the records of a relation, as members; `pivot`: what each new one says of its link. */
function nestedMembers(
  { view, target, operations, keys }: Nestable,
  naming: ClientNaming,
  pivot?: { readonly type: string; readonly isNeeded: boolean },
): string {
  const name = nameOf(target, naming);
  const isOne = view.relation.kind === 'hasOne';
  const id = `AllResources[${JSON.stringify(naming.keyOf(target.name))}]['id']`;
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
