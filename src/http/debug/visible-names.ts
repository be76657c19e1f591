import type { Field, Resource } from '../../model/api.ts';
import type { View } from '../../model/view.ts';

/**
 * Whether a statement names no table and no column that is hidden from the caller, so that debug members may include it.
 * An unknown name counts as hidden. A field that the caller may only write counts as hidden in a read, where only a row
 * rule can name it. See
 * docs/contract/7-data-debug-dashboard.md#who-may-debug, rule 3.
 */
export function namesNothingHidden(sql: string, view: View, isRead: boolean): boolean {
  const names = namesIn(sql);
  const resources = [...view.api.resources.values()].filter(({ table }) => names.has(table));
  const known = new Set(view.resourceViews().map(({ resource }) => resource));
  if (!resources.every((resource) => known.has(resource))) return false;
  const tables = new Set(resources.map(({ table }) => table));
  const visible = new Map(
    resources.map((resource) => [resource, visibleFields(resource, view, isRead)]),
  );
  return [...names].every((name) => {
    // Several of the tables may have a column of the same name. It must be visible in all of them.
    const fields = resources.flatMap((resource) =>
      [...resource.fields.values()].filter(({ column }) => column === name),
    );
    if (fields.length === 0) return tables.has(name);
    return fields.every((field) => visible.get(field.resource)?.has(field) === true);
  });
}

function visibleFields({ name }: Resource, view: View, isRead: boolean): ReadonlySet<Field> {
  const resourceView = view.resource(name);
  const inputs = isRead ? [] : (resourceView?.inputs.values() ?? []);
  const entries = [...(resourceView?.fields.values() ?? []), ...inputs];
  return new Set(entries.map(({ field }) => field));
}

/** The quoted names of a statement, which are those of the model; without string literals and collations. */
function namesIn(sql: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [found] of sql.matchAll(/'(?:[^']|'')*'|COLLATE "[^"]*"|"(?:[^"]|"")*"/gu))
    if (found.startsWith('"')) names.add(found.slice(1, -1).replaceAll('""', '"'));
  return names;
}
