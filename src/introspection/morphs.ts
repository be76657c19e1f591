import type { FieldTypes } from '../model/api.ts';
import { enumType } from '../model/field-types/enum.ts';
import { stringType } from '../model/field-types/string.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import { quote } from '../sql/dialect.ts';
import type { ActualColumn, ActualTable } from '../databases/existing/actual-schema.ts';
import { isNeeded, keyType } from './attributes.ts';
import type { FieldDraft, ResourceDraft } from './draft.ts';
import { resourceName } from './names.ts';

/** Two fields that say of which resource a record's owner is, and which one, as Rails and Laravel keep them. */
export interface MorphPair {
  readonly owner: ResourceDraft;
  /** What both names begin with: `commentable` of `commentableType` and `commentableId`. */
  readonly base: string;
  readonly typeField: FieldDraft;
  readonly idField: FieldDraft;
  /** The resources by what the type field holds for them. */
  readonly targets: ReadonlyMap<string, ResourceDraft>;
}

/** So many kinds of owners a pair may have; a column with more different texts is none that names kinds. */
const mostKinds = 50;

/** How the two columns of a pair end. */
const endings = [
  [/_type$/u, '_id'],
  [/_TYPE$/u, '_ID'],
  [/(?<=[a-z\d])Type$/u, 'Id'],
] as const;

/**
 * What finds the different texts of a column that by its name may be the type of a pair, of which the id is in the same
 * table; undefined for any other column.
 */
export function kindsQuery(table: ActualTable, { name }: ActualColumn): string | undefined {
  const ending = endings.find(([type]) => type.test(name));
  if (ending === undefined) return undefined;
  const partner = name.replace(ending[0], ending[1]);
  const column = quote(name);
  return [...table.columns.values()].some((one) => one.name === partner)
    ? `SELECT DISTINCT ${column} FROM ${quote(table.name)} WHERE ${column} IS NOT NULL LIMIT ${mostKinds + 1}`
    : undefined;
}

/** The pairs of fields of which every type that is stored, or that a CHECK allows, names a resource. */
export function morphPairs(
  resources: readonly ResourceDraft[],
  types: FieldTypes,
): readonly MorphPair[] {
  return resources.flatMap((owner) =>
    owner.fields.flatMap((typeField): readonly MorphPair[] => {
      const [, base] = /^(.+?)_?Type$/u.exec(typeField.name) ?? [];
      const idField = owner.fields.find(
        ({ name }) => name === typeField.name.replace(/Type$/u, 'Id'),
      );
      if (base === undefined || idField === undefined) return [];
      const targets = targetsOf(typeField, resources);
      return targets !== undefined && areFitting(typeField, idField, [...targets.values()], types)
        ? [{ owner, base, typeField, idField, targets }]
        : [];
    }),
  );
}

function targetsOf(
  { attributes, kinds }: FieldDraft,
  resources: readonly ResourceDraft[],
): MorphPair['targets'] | undefined {
  const named = attributes.type === enumType.name ? (attributes.values ?? []).map(String) : kinds;
  const targets = new Map<string, ResourceDraft>();
  for (const kind of named) {
    const target = resourceOf(kind, resources);
    if (target === undefined) return undefined;
    targets.set(kind, target);
  }
  const { default: usual } = attributes;
  // The type field takes nothing else, and its default least of all.
  if (usual !== undefined && !targets.has(String(usual))) return undefined;
  return targets.size === 0 || targets.size > mostKinds ? undefined : targets;
}

/** The resource that a program calls so: `Post`, `posts`, `Blog::Post` and `App\Models\Post` are posts. */
function resourceOf(kind: string, resources: readonly ResourceDraft[]): ResourceDraft | undefined {
  const parts = kind.split(/[\\/.:]+/u);
  for (const start of parts.keys()) {
    const name = resourceName(parts.slice(start).join(' '));
    const found = resources.find((resource) => resource.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two fields may be a pair that leads to these resources. */
function areFitting(
  { attributes: type, target: ofType }: FieldDraft,
  { attributes: id, target: ofId }: FieldDraft,
  targets: readonly ResourceDraft[],
  types: FieldTypes,
): boolean {
  const [one = 'integer', ...others] = new Set(
    targets.map((target) => keyType(idOf(target), types)),
  );
  return (
    ofType === undefined &&
    ofId === undefined &&
    [stringType.name, enumType.name].includes(type.type) &&
    keyType(id, types) === (others.length > 0 ? 'string' : one) &&
    isNeeded(type) === isNeeded(id)
  );
}

/** The id of a resource, which a file leaves out where it is a plain one. */
function idOf({ fields }: ResourceDraft): FieldSpecification {
  return fields.find(({ name }) => name === 'id')?.attributes ?? { type: 'id' };
}
