import { recordName } from '../../lib/text/singular.ts';
import type { MapNode, Path, SourceNode } from '../yaml/node.ts';
import { junctionBetween } from './common.ts';

/**
 * Words of other tools that have no key of another name here, and what does it instead. `object` takes them as `unknown`;
 * other names of keys are `otherNames`.
 */

/** A word in the file: its value, and the path of the map that it is in. */
interface Found {
  readonly value: SourceNode;
  readonly path: Path;
}

/** What does it here. The lines to write have the names and values that are in the file, if they fit. */
type Advice = string | ((found: Found) => string);

/** A scalar as the file writes it, if it is a match of a pattern. */
function scalarLike(node: SourceNode | undefined, pattern: RegExp): string | undefined {
  if (node?.kind !== 'scalar' || node.origin !== 'written') return undefined;
  return pattern.test(node.source) ? node.source : undefined;
}

/** The items of a list, or a single value as one, if each is a match of a pattern; else none. */
function itemsLike(node: SourceNode, pattern: RegExp): readonly string[] {
  const nodes = node.kind === 'list' ? node.items : [node];
  const items = nodes.map((item) => scalarLike(item, pattern));
  return items.every((item) => item !== undefined) ? items : [];
}

const fieldName = /^[a-z]\w{0,62}$/iu;
const resourceName = /^[a-z][a-z\d-]{0,62}$/u;
const word = /^[\w-]{1,40}$/u;
const count = /^\d{1,9}$/u;
const duration = /^\d{1,9}(?:ms|s|m)?$/u;
const isSwitch = /^(?:true|false|yes|no|on|off)$/iu;

/** The line `key: value` with the file's value if it is a match, else with another one. */
const line =
  (before: string, pattern: RegExp, otherwise: string, after: string) =>
  ({ value }: Found): string =>
    `${before}${scalarLike(value, pattern) ?? otherwise}${after}`;

const toComputed = ({ value, path }: Found): string => {
  const isField = path.length > 2;
  const named = isField ? path.at(-1) : value.kind === 'map' ? [...value.entries.keys()][0] : '';
  const name = fieldName.test(String(named)) ? named : 'fullName';
  return `a value that follows from others is a field with \`computed\`, such as \`${name}: { type: string, computed: { join: [firstName, lastName] } }\``;
};
const toSoftDelete = ({ value }: Found): string => {
  const name = itemsLike(value, fieldName).find((one) => !isSwitch.test(one)) ?? 'deletedAt';
  return `a delete removes the record; to keep it, add \`${name}: { type: datetime }\`, set it by PATCH, and read with \`${name}_null=true\``;
};
const toDelay = ({ value }: Found): string => {
  const [min, max] = ['min', 'max'].map((name) =>
    value.kind === 'map' ? scalarLike(value.entries.get(name)?.value, duration) : undefined,
  );
  const latency =
    min !== undefined && max !== undefined
      ? `{ min: ${min}, max: ${max} }`
      : (scalarLike(value, duration) ?? '500');
  return `to wait before answers, write \`network: { latency: ${latency} }\``;
};
const toHooks = line(
  'code of your own is in a module that the file names: `code: ',
  /^\.{1,2}\/[\w./-]+\.[cm]?[jt]s$/u,
  './api.ts',
  '`',
);
const toRoutes = line(
  'each resource has the path of its name; `api: { basePath: ',
  /^(?:\/[\w-]+)+$/u,
  '/api',
  ' }` goes before all of them, and other paths are endpoints of the module that `code` names',
);
/** In a resource, a path of one segment is a name for it. */
const toPath = (found: Found): string => {
  const name = scalarLike(found.value, /^\/?[a-z][a-z\d-]*$/u)?.replace('/', '');
  if (name === undefined) return toRoutes(found);
  const isOwn = name === found.path.at(-1);
  return `each resource has the path of its name; ${isOwn ? 'leave this out' : `name it \`${name}\``}`;
};
const operations = /^(?:read|write|list|get|create|update|delete)$/u;
const toAccess = ({ value }: Found): string => {
  const own =
    value.kind === 'map'
      ? [...value.entries].flatMap(([name, entry]) => {
          const role = operations.test(name) ? scalarLike(entry.value, word) : undefined;
          return role === undefined ? [] : [`${name}: ${role}`];
        })
      : [];
  const role = itemsLike(value, word).find((item) => !isSwitch.test(item)) ?? 'editor';
  const shown = own.length > 0 ? own.join(', ') : `read: public, write: ${role}`;
  return `who may do what is said by \`access\`, such as \`access: { ${shown} }\``;
};
const bounds = /^(?:minLength|maxLength|minimum|maximum|multipleOf)$/u;
const toValidate = ({ value }: Found): string => {
  const own =
    value.kind === 'map'
      ? [...value.entries].flatMap(([name, entry]) => {
          const bound = bounds.test(name) ? scalarLike(entry.value, /^-?[\d.]{1,20}$/u) : undefined;
          return bound === undefined ? [] : [`\`${name}: ${bound}\``];
        })
      : [];
  const shown = own.length > 0 ? own.join(', ') : '`minLength: 3`, `minimum: 0` or `pattern`';
  return `a rule is a key of a field, such as ${shown}; one in code is a hook of the module that \`code\` names`;
};
const toSeed = line('write `generate: { seed: ', count, '1', ' }`');
const toCount = line('write `generate: { count: ', count, '50', ' }`');
const toData = ({ value }: Found): string => {
  const number = scalarLike(value, count);
  return number === undefined
    ? 'records to start with are in the files of `data`'
    : `write \`generate: { count: ${number} }\`; records to start with are in the files of \`data\``;
};
const camelCase = (name: string): string =>
  name.replaceAll(/-+(.)/gu, (_, first: string) => first.toUpperCase());
const toRelation =
  (kind: 'belongsTo' | 'hasMany' | 'hasOne' | 'belongsToMany' | undefined) =>
  ({ value, path }: Found): string => {
    const [named] = value.kind === 'map' ? [...value.entries.keys()] : itemsLike(value, word);
    const isKnown = kind !== undefined && named !== undefined && resourceName.test(named);
    const [target, relation] = isKnown ? [named, kind] : ['authors', 'belongsTo' as const];
    const isOne = relation === 'belongsTo' || relation === 'hasOne';
    const name = isOne ? recordName(target) : camelCase(target);
    const through =
      relation === 'belongsToMany'
        ? `, through: ${junctionBetween(String(path.at(-1)), target).name}`
        : '';
    return `a relation is one of the \`fields\`, such as \`${name}: { type: relation, relation: ${relation}, resource: ${target}${through} }\``;
  };
const toKey = ({ value }: Found): string => {
  const own = itemsLike(value, fieldName);
  const shown =
    own.length === 0 || isSwitch.test(own.join())
      ? '`key: slug` or `key: [orderId, lineNo]`'
      : `\`key: ${value.kind === 'list' ? `[${own.join(', ')}]` : own.join()}\``;
  return `the id is the field \`id\`, which is added; ${shown} makes other fields the key`;
};

/** At the top of the file. */
export const otherRootWords: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ['delay', toDelay],
  ...['routes', 'rewrites', 'endpoints', 'paths', 'prefix'].map(
    (name) => [name, toRoutes] as const,
  ),
  ...['middlewares', 'middleware', 'hooks', 'plugins'].map((name) => [name, toHooks] as const),
  ['watch', '`plinth dev` reads the file again after each save'],
  ['readOnly', 'for an API that is only read, write `access: { read: public }`'],
  ['softDelete', toSoftDelete],
  ['static', 'files are served by another server; Plinth serves records'],
  ...['permissions', 'policies', 'acl', 'roles'].map((name) => [name, toAccess] as const),
  ...['openapi', 'swagger'].map(
    (name) =>
      [name, 'Plinth writes OpenAPI documents and reads none; describe the `resources`'] as const,
  ),
  ['seed', toSeed],
  ['count', toCount],
  ['seeds', 'records to start with are in the files of `data`; `generate: { seed }` is a number'],
]);

/** In a resource. */
export const otherResourceWords: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ...['softDelete', 'softDeletes', 'paranoid', 'deletedAt'].map(
    (name) => [name, toSoftDelete] as const,
  ),
  ...['computed', 'virtuals', 'getters'].map((name) => [name, toComputed] as const),
  ['delay', toDelay],
  ...['route', 'path', 'endpoint', 'url'].map((name) => [name, toPath] as const),
  ...['routes', 'endpoints', 'prefix'].map((name) => [name, toRoutes] as const),
  ...['hooks', 'middleware', 'triggers'].map((name) => [name, toHooks] as const),
  ...['permissions', 'policies', 'acl', 'auth', 'roles'].map((name) => [name, toAccess] as const),
  ...['validate', 'validation', 'validations', 'rules'].map((name) => [name, toValidate] as const),
  ...['relations', 'relationships', 'associations'].map(
    (name) => [name, toRelation(undefined)] as const,
  ),
  ...(['belongsTo', 'hasMany', 'hasOne', 'belongsToMany'] as const).map(
    (kind) => [kind, toRelation(kind)] as const,
  ),
  ['manyToMany', toRelation('belongsToMany')],
  ['primaryKey', toKey],
  ['softDeleted', toSoftDelete],
  ['seed', toSeed],
  ['count', toCount],
  ['locale', line('write `generate: { locale: ', word, 'de', ' }`')],
  ['records', toData],
]);

/** In a field. */
export const otherFieldWords: ReadonlyMap<string, Advice> = new Map<string, Advice>([
  ...['virtual', 'get', 'expression', 'formula'].map((name) => [name, toComputed] as const),
  ...['hidden', 'private', 'select'].map(
    (name) =>
      [
        name,
        'a value that nobody reads is `writeOnly: true`; one that some roles read is `access: { read: [role] }`',
      ] as const,
  ),
  ...['primary', 'primaryKey', 'auto', 'autoIncrement', 'autoincrement', 'serial'].map(
    (name) =>
      [
        name,
        'the id is the field `id`, which is added and counted; `column` names its column',
      ] as const,
  ),
  ...['validate', 'validation', 'rules'].map((name) => [name, toValidate] as const),
  ...['as', 'morphName', 'morph', 'inverse', 'mappedBy', 'inversedBy'].map(
    (name) =>
      [
        name,
        'a relation finds its other side by the fields that hold the key; name them by `foreignKey`, and those of a morphTo by `typeField` and `idField`',
      ] as const,
  ),
  ['softDelete', toSoftDelete],
  ['onUpdate', 'keys of an id never change; `timestamps: true` of the resource keeps `updatedAt`'],
  ['autoNow', '`default: now`, or `timestamps: true` of the resource'],
  ['search', '`search` of the resource names the fields that `search=word` looks into'],
]);

/** In `auth`. */
export const otherAuthWords: ReadonlyMap<string, Advice> = new Map<string, Advice>(
  ['enabled', 'disabled', 'required'].map((name) => [
    name,
    '`auth` is on once it is in the file; leave all of it out to do without',
  ]),
);

/** The message for a word of another tool in a map of the file; undefined for others. */
export function advised(
  words: ReadonlyMap<string, Advice>,
): (name: string, beside: MapNode, path: Path) => string | undefined {
  return (name, beside, path) => {
    const advice = words.get(name);
    const value = beside.entries.get(name)?.value;
    if (advice === undefined || value === undefined) return undefined;
    const text = typeof advice === 'string' ? advice : advice({ value, path });
    return `unknown key \`${name}\`; ${text}`;
  };
}
