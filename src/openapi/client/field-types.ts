import { recordName } from '../../lib/text/singular.ts';
import type { Field } from '../../model/api.ts';
import { pascal } from '../document/names.ts';
import { memberOf, type DeclaredTypes } from './declarations.ts';

/** The name of the type of an object: `Product`, `specs` → `ProductSpecs`. */
export function nestedName(owner: string, member: string): string {
  return `${owner}${pascal(member)}`;
}

/** Where types of objects are declared, and the name that one has here. */
export interface Scope {
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

export function readType(field: Field, scope: Scope): string {
  return typed(field, inRecords, scope, []);
}

export function writeType(field: Field, scope: Scope): string {
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
function plainType(
  { name, type, properties, isOpen, items }: Field,
  side: Side,
  scope: Scope,
): string {
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
      return scope.declared.nameFor(scope.base, [
        ...[...properties].map(([member, part]) =>
          memberOf(
            member,
            side.of(part, { ...scope, base: nestedName(scope.base, member) }),
            !part.required,
            part,
          ),
        ),
        ...(isOpen ? [`${isReadonly ? 'readonly ' : ''}[member: string]: unknown;`] : []),
      ]);
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
