import { recordName } from '../../lib/text/singular.ts';
import type { ResourceView, View } from '../../model/view.ts';

/**
 * The names that no record may have: what the document calls its own schemas, and globals and exports of the client. Other types
 * of the client give way (`client.ts`).
 */
const taken =
  'Error ProblemRule ProblemParams Increment Totals Array Exclude Extract Headers JSON Map Number Object Omit Promise Readonly Record ReturnType String AbortSignal ' +
  'AsyncGenerator NoInfer TypeError URLSearchParams WeakMap JsonValue JsonInput Resources OwnerResources AllResources CodeResources ErrorBody PlinthError ' +
  'UnexpectedAnswer BrokenRule FieldProblem';

/** What follows a resource's name in the names made from it. */
const suffixes = [
  '',
  'Selection',
  'List',
  'Page',
  'Create',
  'CreateMembers',
  'Replace',
  'ReplaceMembers',
  'Update',
  'MergePatch',
  'Id',
  'Filters',
  'ItemFilters',
];

/** `media-types` → `MediaTypes`. */
export function pascal(name: string): string {
  return name
    .split(/[-_]/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/**
 * The name of one record of each resource that a view shows, and of `more`: `posts` → `Post`. Names are different, whatever
 * is made from them, and stay when resources are added at the end of the file.
 */
export function typeNames(
  view: View,
  more: readonly ResourceView[] = [],
): ReadonlyMap<string, string> {
  const used = new Set(taken.toLowerCase().split(' '));
  const names = new Map<string, string>();
  for (const resourceView of [...view.resourceViews(), ...more]) {
    const own = (name: string): readonly string[] =>
      [...suffixes, ...relationSuffixes(resourceView)].map((suffix) =>
        `${name}${suffix}`.toLowerCase(),
      );
    for (const name of candidates(resourceView.name)) {
      if (own(name).some((part) => used.has(part))) continue;
      for (const part of own(name)) used.add(part);
      names.set(resourceView.name, name);
      break;
    }
  }
  return names;
}

function relationSuffixes({ relations }: ResourceView): readonly string[] {
  return [...relations.keys()].flatMap((relation) => [
    `${pascal(relation)}Item`,
    `${pascal(relation)}ItemSelection`,
    `${pascal(relation)}Links`,
    `${pascal(relation)}NewLinks`,
    `${pascal(relation)}Create`,
    `${pascal(relation)}Write`,
  ]);
}

/** Ever further names, as many as are asked for. */
function* candidates(resource: string): Generator<string, never, undefined> {
  const [one, many] = [pascal(recordName(resource)), pascal(resource)];
  yield one;
  yield many;
  yield `${many}Record`;
  for (let number = 2; ; number += 1) yield `${many}${number}`;
}
