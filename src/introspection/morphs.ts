import type { FieldTypes } from '../model/api.ts';
import { enumType } from '../model/field-types/enum.ts';
import { stringType } from '../model/field-types/texts/string.ts';
import type { FieldSpecification } from '../specification/specification.ts';
import { quote, quoteTable } from '../sql/dialect.ts';
import type { ActualColumn, ActualTable } from '../databases/existing/actual-schema.ts';
import { isNeeded, keyType } from './attributes.ts';
import type { FieldDraft, ResourceDraft } from './draft.ts';
import { resourceName } from './names/words.ts';

/** A pair of fields with the type and the id of a record's owner, as Rails and Laravel use it. */
export interface MorphPair {
  readonly owner: ResourceDraft;
  /** The common prefix: `commentable` of `commentableType` and `commentableId`. */
  readonly base: string;
  readonly typeField: FieldDraft;
  readonly idField: FieldDraft;
  /** The resources by value of the type field. */
  readonly targets: ReadonlyMap<string, ResourceDraft>;
}

/** The most owner types of a pair. A column with more distinct texts does not hold types. */
const mostKinds = 50;

/** The suffixes of the two columns of a pair. */
const endings = [
  [/_type$/u, '_id'],
  [/_TYPE$/u, '_ID'],
  [/(?<=[a-z\d])Type$/u, 'Id'],
] as const;

/**
 * The statement for the distinct texts of a column that may be the type of a pair, by its name and an id column in the same
 * table; undefined for any other column.
 */
export function kindsQuery(table: ActualTable, { name }: ActualColumn): string | undefined {
  const ending = endings.find(([type]) => type.test(name));
  if (ending === undefined) return undefined;
  const partner = name.replace(ending[0], ending[1]);
  const column = quote(name);
  return [...table.columns.values()].some((one) => one.name === partner)
    ? `SELECT DISTINCT ${column} FROM ${quoteTable(table.name)} WHERE ${column} IS NOT NULL LIMIT ${mostKinds + 1}`
    : undefined;
}

/** The pairs of fields in which every stored type, or every type that a CHECK allows, names a resource. */
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
    // One field cannot refer to a key of several.
    if (target === undefined || Array.isArray(target.key)) return undefined;
    targets.set(kind, target);
  }
  const { default: usual } = attributes;
  // The type field will accept only these values, so its default must be one of them.
  if (usual !== undefined && !targets.has(String(usual))) return undefined;
  return targets.size === 0 || targets.size > mostKinds ? undefined : targets;
}

/** The resource for a type name: `Post`, `posts`, `Blog::Post` and `App\Models\Post` are posts. */
function resourceOf(kind: string, resources: readonly ResourceDraft[]): ResourceDraft | undefined {
  const parts = kind.split(/[\\/.:]+/u);
  for (const start of parts.keys()) {
    const name = resourceName(parts.slice(start).join(' '));
    const found = resources.find((resource) => resource.name === name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether two fields may be a pair with these owners. */
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

/** The id of a resource, which a file may omit. */
function idOf({ fields }: ResourceDraft): FieldSpecification {
  return fields.find(({ name }) => name === 'id')?.attributes ?? { type: 'id' };
}
