import { recordName } from '../../model/build/names.ts';
import type { ResourceView, View } from '../../model/view.ts';

/** What is called something else already, in the document or in a TypeScript file: no resource gets such a name. */
const taken =
  'Error Array Awaited Boolean Client Date Exclude Extract Function Headers JSON Map Math Number ' +
  'Object Omit Partial Pick Promise Proxy Readonly Record RegExp Request Required Response Set ' +
  'String Symbol URL AbortSignal JsonValue Resources PlinthError Link Links Page Selected ErrorBody ErrorBase ResourceName ' +
  'RecordOf IdOf RelationName TargetOf Head Tail Flat Loose Below ExpandPath FieldPath GroupMember OwnName Own ' +
  'Related CollectionPage Without ValueOperator ListOperator FilterValue OwnField Filters ReturnType RequestOptions Selection Hidden Listing Walk ' +
  'Reads Answer Creates Target Changed Updates Deletes ResourceClient Credential ClientOptions UnexpectedAnswer ' +
  'AnyReading Behind Change Collection Collections Created ItemFilters Known NoField NotExpanded PivotOf PivotPath Prefix ' +
  'Reading SomePivot ' +
  'Ask Told AnyListing AnySelection AnyWriting WeakMap URLSearchParams TypeError AsyncGenerator NoInfer';

/** What follows a resource's name in the names made from it. */
const suffixes = [
  '',
  'Selection',
  'List',
  'Page',
  'Create',
  'Replace',
  'Update',
  'MergePatch',
  'Id',
];

/** `media-types` → `MediaTypes`. */
export function pascal(name: string): string {
  return name
    .split(/[-_]/u)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

/**
 * The name of one record of each resource that a view shows: `posts` → `Post`. Names are different, whatever is made
 * from them, and stay when resources are added at the end of the file.
 */
export function typeNames(view: View): ReadonlyMap<string, string> {
  const used = new Set(taken.toLowerCase().split(' '));
  const names = new Map<string, string>();
  for (const resourceView of view.resourceViews()) {
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
