import { splitNames } from '../filter/text.ts';
import type { Field, Limits } from '../model/api.ts';
import { unknownName } from '../model/names.ts';
import type { ResourceView } from '../model/view.ts';
import type { ParameterName } from '../request/parameters.ts';
import type { QueryProblem } from '../request/problem.ts';
import type { SortKey } from './plan.ts';

/**
 * Plans the order of a list: the keys of `sort`, then `id` in the direction of the last key, so that the order is
 * total. Contract 2, Sorting.
 */
export function planSort(
  face: ResourceView,
  limits: Limits,
  reserved: ReadonlyMap<ParameterName, string>,
  problems: QueryProblem[],
): readonly SortKey[] {
  const refuse = (message: string, parameter: ParameterName = 'sort'): void => {
    problems.push({
      parameter,
      code: parameter === 'sort' ? 'INVALID_SORT' : 'INVALID_PARAMETER',
      message,
    });
  };
  const nulls = reserved.get('nulls');
  const placed = nulls === 'first' || nulls === 'last' ? nulls : undefined;
  if (nulls !== undefined && placed === undefined) refuse('takes first or last', 'nulls');
  const text = reserved.get('sort');
  const names = text === undefined ? undefined : splitNames(text);
  if (names?.ok === false) refuse(names.error);
  const listed = names?.ok === true ? names.value : [];
  if (listed.length > limits.sorts)
    problems.push({
      parameter: 'sort',
      code: 'LIMIT_EXCEEDED',
      message: `takes at most ${limits.sorts} keys (limits.sorts)`,
    });
  const keys: SortKey[] = [];
  for (const item of listed) {
    const descending = item.startsWith('-');
    const name = descending ? item.slice(1) : item;
    const field = face.fields.get(name)?.field;
    const [head = '', ...rest] = name.split('.');
    if (rest.length > 0 && (face.relations.has(head) || face.fields.has(head)))
      refuse(`sorting by paths, such as ${name}, is not served yet`);
    else if (face.relations.has(name)) refuse(`${name} is a relation, which cannot be sorted by`);
    else if (field === undefined) {
      const sortable = [...face.fields.values()].filter((view) => view.field.type.sortable);
      refuse(
        unknownName(
          'field',
          name,
          sortable.map((view) => view.name),
        ),
      );
    } else if (!field.type.sortable)
      refuse(`${name} cannot be sorted by: it is of type ${field.type.name}`);
    else if (field.items !== undefined && !isScalar(field.items))
      refuse(`${name} cannot be sorted by: its items are of type ${field.items.type.name}`);
    else if (keys.some((key) => key.field === field)) refuse(`${name} is there twice`);
    else keys.push({ field, descending, nulls: canBeNull(field) ? placed : undefined });
  }
  const { id } = face.resource;
  if (!keys.some((key) => key.field === id))
    keys.push({ field: id, descending: keys.at(-1)?.descending ?? false, nulls: undefined });
  return keys;
}

function isScalar({ type }: Field): boolean {
  return type.sortable && type.name !== 'array';
}

/** Whether rows can be without a value under this key; an empty array has no first element. */
function canBeNull(field: Field): boolean {
  return field.nullable || field.items !== undefined;
}
