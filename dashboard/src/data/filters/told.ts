import { isGroup } from '../../../../src/query/filter/group.ts';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { keyAt } from '../paths.ts';
import type { Condition } from '../query.ts';
import { useLabels } from '../record/labels.ts';
import type { Part } from './parts.ts';
import { keysOf, type Told } from './words.ts';

/** What the records are called whose keys stand in filters. Those of the list itself keep their ids. */
export function useTold(parts: readonly Part[], resource: ResourceInfo, model: Model): Told {
  const keys = parts.flatMap(conditionsIn).flatMap((condition) => {
    const values = keysOf(condition);
    const key = values.length === 0 ? undefined : keyAt(condition.path, resource, model);
    return key === undefined || condition.path === 'id'
      ? []
      : [{ ...key, path: condition.path, values }];
  });
  const labels = useLabels(keys, model);
  return (path) => {
    const key = keys.find((one) => one.path === path);
    return key && { called: key.called, label: (value) => labels(key.reference, value) };
  };
}

function conditionsIn(part: Part): readonly Condition[] {
  return isGroup(part) ? part.parts.flatMap(conditionsIn) : [part];
}
