import { circleOf, importOrder, type ImportOrder } from '../../transfer/import/order.ts';
import type { Api, Resource } from '../../model/api.ts';
import { morphsOf } from '../distinct/dimensions.ts';
import { GenerationProblem } from '../problem.ts';

/** The order in which resources are filled: targets of keys and morph pairs come first, as far as cycles allow. */
export function fillOrder(api: Api): ImportOrder {
  return importOrder(api, (resource) =>
    morphsOf(resource).flatMap(({ targets }) => [...targets.values()]),
  );
}

/** Required keys in a cycle, which cannot be set: each record would have to exist before the other. */
export function circularKeys(
  resources: readonly Resource[],
  { deferred }: ImportOrder,
): readonly GenerationProblem[] {
  const found: GenerationProblem[] = [];
  const filled = new Set<Resource>();
  for (const resource of resources) {
    for (const field of resource.fields.values()) {
      const target = field.reference?.resource;
      const isLater = target !== undefined && resources.includes(target) && !filled.has(target);
      if (isLater && target !== resource && !deferred.has(field))
        found.push(
          new GenerationProblem(
            ['resources', resource.name, 'fields', field.name],
            circleOf(field),
            'warning',
          ),
        );
    }
    filled.add(resource);
  }
  return found;
}
