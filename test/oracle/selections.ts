import type { Shape, World } from '../support/oracle-model.ts';
import type { Expansion, Query, Selector } from '../support/oracle-query.ts';
import type { Draw } from './draw.ts';

/** Random `fields` and `exclude` of a request. */

const wildcards = ['*', 't*', '*e', '*_*', 'l*', 'zz*', 'p*r*e*'];

/** Names of a record's own fields. */
function ownSelector(draw: Draw, world: World, resources: readonly string[]): Selector {
  const fields = new Map(resources.flatMap((name) => [...world.resource(name).fields]));
  if (draw.chance(15)) return [draw.pick(wildcards)];
  if (draw.chance(10)) return ['@brief'];
  const name = draw.pick([...fields.keys()]);
  const shape = fields.get(name);
  if (shape?.properties === undefined || draw.chance(30))
    return shape?.type === 'object' && shape.properties === undefined && draw.chance(50)
      ? [name, draw.pick(['a', 'é', 'zz', 'a*'])]
      : [name];
  const member = draw.pick([...shape.properties.keys(), '*', 'w*']);
  const deeper = shape.properties.get(member)?.properties;
  return deeper === undefined || draw.chance(30)
    ? [name, member]
    : [name, member, draw.pick([...deeper.keys(), '*'])];
}

function selectorOf(
  draw: Draw,
  world: World,
  resources: readonly string[],
  expand: readonly Expansion[],
  isExclude: boolean,
): Selector {
  if (expand.length === 0 || draw.chance(50)) return ownSelector(draw, world, resources);
  const { relation, below } = draw.pick(expand);
  if (draw.chance(isExclude ? 10 : 15)) return [relation];
  const found = resources.flatMap((name) => world.resource(name).relations.get(relation) ?? []);
  const pivot = found[0]?.pivot ?? new Map<string, Shape>();
  if (pivot.size > 0 && draw.chance(20)) {
    const name = draw.pick([...pivot.keys(), '*']);
    const members = [...(pivot.get(name)?.properties?.keys() ?? [])];
    const path =
      members.length > 0 && draw.chance(60) ? [name, draw.pick([...members, '*'])] : [name];
    return [relation, 'pivot', ...(draw.chance(50) ? path : [])];
  }
  const targets = found.flatMap(({ targets: some }) => some);
  return [relation, ...selectorOf(draw, world, [...new Set(targets)], below, isExclude)];
}

export function randomSelection(
  draw: Draw,
  world: World,
  resource: string,
  expand: readonly Expansion[],
): Pick<Query, 'fields' | 'exclude'> {
  const kind = draw.pick(['neither', 'neither', 'fields', 'exclude'] as const);
  if (kind === 'neither') return { fields: undefined, exclude: undefined };
  const selectors = Array.from({ length: 1 + draw.below(4) }, () =>
    selectorOf(draw, world, [resource], expand, kind === 'exclude'),
  );
  return kind === 'fields'
    ? { fields: selectors, exclude: undefined }
    : { fields: undefined, exclude: selectors };
}
