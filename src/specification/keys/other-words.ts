/**
 * Words of other tools that have no key of another name here, and what does it instead. `object` takes them as `unknown`;
 * other names of keys are `otherNames`.
 */

const toComputed =
  'a value that follows from others is a field with `computed`, such as `fullName: { type: string, computed: { join: [firstName, lastName] } }`';
const toSoftDelete =
  'a delete removes the record; to keep it, add `deletedAt: { type: datetime }`, set it by PATCH, and read with `deletedAt_null=true`';
const toDelay = 'to wait before answers, write `network: { latency: 500 }`';
const toHooks = 'code of your own is in a module that the file names: `code: ./api.ts`';
const toRoutes =
  'each resource has the path of its name; `api: { basePath: /api }` goes before all of them, and other paths are endpoints of the module that `code` names';
const toAccess =
  'who may do what is said by `access`, such as `access: { read: public, write: editor }`';
const toValidate =
  'a rule is a key of a field, such as `minLength: 3`, `minimum: 0` or `pattern`; one in code is a hook of the module that `code` names';

/** At the top of the file. */
export const otherRootWords: ReadonlyMap<string, string> = new Map([
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
  ['seed', 'write `generate: { seed: 1 }`'],
  ['count', 'write `generate: { count: 50 }`'],
  ['seeds', 'records to start with are in the files of `data`; `generate: { seed }` is a number'],
]);

/** In a resource. */
export const otherResourceWords: ReadonlyMap<string, string> = new Map([
  ...['softDelete', 'softDeletes', 'paranoid', 'deletedAt'].map(
    (name) => [name, toSoftDelete] as const,
  ),
  ...['computed', 'virtuals', 'getters'].map((name) => [name, toComputed] as const),
  ['delay', toDelay],
  ...['route', 'routes', 'path', 'endpoint', 'endpoints', 'url', 'prefix'].map(
    (name) => [name, toRoutes] as const,
  ),
  ...['hooks', 'middleware', 'triggers'].map((name) => [name, toHooks] as const),
  ...['permissions', 'policies', 'acl', 'auth', 'roles'].map((name) => [name, toAccess] as const),
  ...['validate', 'validation', 'validations', 'rules'].map((name) => [name, toValidate] as const),
  ...[
    'relations',
    'relationships',
    'associations',
    'belongsTo',
    'hasMany',
    'hasOne',
    'belongsToMany',
    'manyToMany',
  ].map(
    (name) =>
      [
        name,
        'a relation is one of the `fields`, such as `author: { type: relation, relation: belongsTo, resource: authors }`',
      ] as const,
  ),
  [
    'primaryKey',
    'the id is the field `id`, which is added; `key: slug` or `key: [orderId, lineNo]` makes other fields the key',
  ],
  ['softDeleted', toSoftDelete],
  ['count', 'write `generate: { count: 50 }`'],
  ['locale', 'write `generate: { locale: de }`'],
  ['records', 'records to start with are in the files of `data`'],
]);

/** In a field. */
export const otherFieldWords: ReadonlyMap<string, string> = new Map([
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
export const otherAuthWords: ReadonlyMap<string, string> = new Map(
  ['enabled', 'disabled', 'required'].map((name) => [
    name,
    '`auth` is on once it is in the file; leave all of it out to do without',
  ]),
);

/** The message for a word of another tool; undefined for others. */
export function advised(words: ReadonlyMap<string, string>): (name: string) => string | undefined {
  return (name) => {
    const advice = words.get(name);
    return advice && `unknown key \`${name}\`; ${advice}`;
  };
}
