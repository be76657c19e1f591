import type { Item, Resource, Value, World } from './oracle-model.ts';
import type { Selector } from './oracle-query.ts';

/** What of a record is shown: undefined stands for all of it. */
export interface Selection {
  readonly fields: readonly Selector[] | undefined;
  readonly exclude: readonly Selector[] | undefined;
}

/** Whether a name fits one in which `*` stands for any text. */
function fits(name: string, pattern: string): boolean {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 'u').test(name);
}

/** Groups as the names in them; one that this resource lacks is skipped. */
function opened(
  { groups, fields, relations }: Resource,
  selectors: readonly Selector[],
): Selector[] {
  return selectors.flatMap((selector) => {
    const [name = ''] = selector;
    if (!name.startsWith('@')) return [selector];
    return (groups.get(name.slice(1)) ?? [])
      .filter((member) => fields.has(member) || relations.has(member))
      .map((member) => [member]);
  });
}

const rest = (selectors: readonly Selector[], name: string): readonly Selector[] =>
  selectors.filter((one) => fits(name, one[0] ?? '')).map((one) => one.slice(1));

/** The members of an object that are named; a path into what is no object gives that. */
function kept(value: Value, selectors: readonly Selector[]): Value {
  if (selectors.some((one) => one.length === 0)) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => rest(selectors, name).length > 0)
      .map(([name, member]) => [name, kept(member, rest(selectors, name))]),
  );
}

function dropped(value: Value, selectors: readonly Selector[]): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => rest(selectors, name).every((one) => one.length > 0))
      .map(([name, member]) => [name, dropped(member, rest(selectors, name))]),
  );
}

function hasMembers(type: string | undefined): boolean {
  return type === undefined || type === 'object' || type === 'json';
}

/** The fields of a record that are shown; `id` always. */
export function selectFields(
  world: World,
  resource: string,
  item: Item,
  selection: Selection,
): Item {
  const own = world.resource(resource);
  const { fields, exclude } = selection;
  // A path into a field that has no members is one of another target of its relation.
  const hasPath = ([name = '', ...members]: Selector): boolean =>
    members.length === 0 || hasMembers(own.fields.get(name)?.definition.type);
  const shown = fields === undefined ? item : kept(item, opened(own, fields).filter(hasPath));
  const left = exclude === undefined ? shown : dropped(shown, opened(own, exclude));
  return { ...(left as Item), id: item['id'] ?? null };
}

/** What is shown of an expanded relation; undefined where it is left out. */
export function selectionBelow(
  world: World,
  resource: string,
  relation: string,
  { fields, exclude }: Selection,
): Selection | undefined {
  const own = world.resource(resource);
  const of = (selectors: readonly Selector[] | undefined): readonly Selector[] =>
    opened(own, selectors ?? [])
      .filter(([name]) => name === relation)
      .map((one) => one.slice(1));
  const [named, without] = [of(fields), of(exclude)];
  if (without.some((one) => one.length === 0)) return undefined;
  const isWhole = named.length === 0 || named.some((one) => one.length === 0);
  return { fields: isWhole ? undefined : named, exclude: without };
}

/**
 * What is shown of a link: all of it, whichever fields of the record are named, unless members of it are; less what
 * `exclude` says.
 */
export function selectPivot(pivot: Item, { fields, exclude }: Selection): Item | undefined {
  const below = (selectors: readonly Selector[] | undefined): readonly Selector[] =>
    (selectors ?? []).filter(([name]) => name === 'pivot').map((one) => one.slice(1));
  const [named, without] = [below(fields), below(exclude)];
  if (without.some((one) => one.length === 0)) return undefined;
  return dropped(named.length === 0 ? pivot : kept(pivot, named), without) as Item;
}
