import { recordName } from '../../lib/text/singular.ts';
import type { OnDelete } from '../../specification/specification.ts';
import type { FieldDraft, ResourceDraft } from '../draft.ts';
import { capital, fieldName, plural } from './words.ts';

// The names of relations. The rules are docs/contract/8-existing-databases.md#names.

/** A foreign key and its target. */
export interface Key {
  readonly owner: ResourceDraft;
  /** Several for a composite key. */
  readonly fields: readonly FieldDraft[];
  readonly target: ResourceDraft;
  /** What the record is here: `artist` for `artistId`. */
  readonly base: string;
  /** The names of the belongsTo, the best first. */
  readonly names: readonly string[];
  readonly onDelete?: OnDelete | undefined;
}

/** The names of the fields of a key, joined with commas. */
export const nameOf = ({ fields }: Pick<Key, 'fields'>): string =>
  fields.map(({ name }) => name).join(',');

/** What a record of a resource is called in names. */
const recordOf = ({ name }: ResourceDraft): string => fieldName(recordName(name));

/** The foreign keys of a resource, named. */
export function keysOf(owner: ResourceDraft, resources: readonly ResourceDraft[]): readonly Key[] {
  const resourceNamed = (name: string | undefined): ResourceDraft | undefined =>
    resources.find((resource) => resource.name === name);
  const single = owner.fields.flatMap((field): readonly Key[] => {
    const target = resourceNamed(field.target?.resource);
    if (target === undefined) return [];
    const base = stemOf(field, target) ?? (owner === target ? 'parent' : undefined);
    const told = `${recordOf(target)}By${capital(fieldName(field.name))}`;
    const rivals = owner.fields.filter((one) => one.target?.resource === target.name);
    const key = { owner, fields: [field], target };
    if (base !== undefined) return [{ ...key, base, names: [base, told] }];
    return rivals.length > 1
      ? [{ ...key, base: fieldName(field.name), names: [told] }]
      : [{ ...key, base: recordOf(target), names: [recordOf(target), told] }];
  });
  const composite = owner.compositeKeys.flatMap((key): readonly Key[] => {
    const target = resourceNamed(key.target);
    const fields = key.fields.flatMap(
      (name) => owner.fields.find((one) => one.name === name) ?? [],
    );
    const last = fields.at(-1);
    if (target === undefined || last === undefined) return [];
    const rivals = owner.compositeKeys.filter((other) => other.target === key.target);
    const base =
      rivals.length > 1 ? fieldName(last.name) : owner === target ? 'parent' : recordOf(target);
    return [{ owner, fields, target, base, names: [base], onDelete: key.onDelete }];
  });
  return [...single, ...composite];
}

/** A key's name without `Id`, or without that of the column it leads to: `author`, or `origin` of `originCode`. */
function stemOf(
  { name, target }: FieldDraft,
  { fields, ...resource }: ResourceDraft,
): string | undefined {
  const [, stem, number = ''] = /^(.+?)(?:Id|_id)(\d*)$/u.exec(name) ?? [];
  if (stem !== undefined) return fieldName(`${stem}${number}`);
  const there = fields.find((one) => one.name === target?.field);
  const end = capital(fieldName(there?.attributes.column ?? target?.field ?? 'id'));
  const own = fieldName(name);
  if (own.endsWith(end) && own.length > end.length) return own.slice(0, -end.length);
  const record = fieldName(recordName(resource.name));
  return own.toLowerCase() === `${record}id`.toLowerCase() ? record : undefined;
}

/** `postsByEditor`; for a key called `createdBy`, `createdPosts`. */
export function toldApart(name: string, by: string): string {
  const [, participle] = /^(.+)By$/u.exec(by) ?? [];
  return participle === undefined ? `${name}By${capital(by)}` : `${participle}${capital(name)}`;
}

/** The names of the hasMany or hasOne of a key, the best first. */
export function backNames(
  { owner, target, base }: Key,
  isOne: boolean,
  hasRivals: boolean,
): readonly string[] {
  const plain = isOne ? recordOf(owner) : fieldName(owner.name);
  const told = toldApart(plain, base);
  if (owner === target)
    return /^parent|Parent$/u.test(base) ? [isOne ? 'child' : 'children', told] : [told];
  // Of several keys to users, `userId` is the one that makes posts theirs.
  return hasRivals && base !== recordOf(target) ? [told] : [plain, told];
}

/** The names of the belongsToMany from `here` to `there`, the best first. `isOnly`: nothing else joins the two resources. */
export function linkNames(here: Key, there: Key, isOnly: boolean): readonly string[] {
  const plain = fieldName(there.target.name);
  if (here.target === there.target) {
    // `friends` for friendId, but a userId or userId2 does not say what the other one is.
    const isTelling =
      there.base.length > 1 && there.base.replace(/\d+$/u, '') !== recordOf(there.target);
    const told = toldApart(plain, here.base);
    return isTelling ? [plural(there.base), told] : [told];
  }
  const told = toldApart(plain, recordOf(here.owner));
  return isOnly ? [plain, told] : [told];
}
