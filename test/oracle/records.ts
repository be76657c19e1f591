import { shapeOf, type Item, type Shape, type Value, type World } from '../support/oracle-model.ts';
import { poolOf } from './values.ts';
import type { Draw } from './draw.ts';

/** What takes any value. */
const anything = shapeOf({ type: 'json' });

/** A value of a field as it comes back, not null itself. */
export function randomValue(draw: Draw, shape: Shape): Value {
  const { type, items, properties, definition } = shape;
  if (items !== undefined) {
    const { minItems = 0, maxItems = minItems + 3, uniqueItems = false } = definition;
    const list: Value[] = [];
    for (let more = minItems + draw.below(maxItems - minItems + 1); more > 0; more -= 1) {
      const isNull = items.definition.nullable === true && draw.chance(10);
      const item = isNull ? null : randomValue(draw, items);
      const isThere = list.some((one) => JSON.stringify(one) === JSON.stringify(item));
      if (!uniqueItems || !isThere) list.push(item);
      else if (list.length < minItems) more += 1;
    }
    return list;
  }
  if (type !== 'object') return draw.pick(poolOf(shape).stored);
  const members: Record<string, Value> = {};
  if (properties === undefined)
    for (const key of ['a', 'b', 'é', 'a_in', '7'])
      if (draw.chance(60)) members[key] = draw.chance(5) ? null : randomValue(draw, anything);
  for (const [key, property] of properties ?? []) {
    const { required = false, nullable = !required } = property.definition;
    if (required || draw.chance(85))
      members[key] = nullable && draw.chance(15) ? null : randomValue(draw, property);
  }
  return members;
}

const counts = {
  people: 14,
  profiles: 9,
  places: 8,
  labels: 12,
  things: 50,
  'thing-labels': 70,
  reviews: 60,
  notes: 60,
};

/** Ids that stand in no order. */
function idsOf(draw: Draw, type: string, count: number): Value[] {
  const ids = Array.from({ length: count }, (_, index) => {
    const hex = (draw.below(2 ** 32) * 2 ** 8 + index).toString(16).padStart(12, '0');
    return type === 'uuid' ? `0198c0de-0000-7000-8000-${hex}` : index + 1;
  });
  const texts = ['b', 'B', 'a b', 'é', '😀', '\uFFFD', 'a,b', 'a"b', 'z:1', '10', '9', 'a'];
  return type === 'text' ? texts.slice(0, count) : ids;
}

/** One record, its keys to records that are there; the first are related to many. */
export function itemOf(
  draw: Draw,
  world: World,
  name: string,
  data: Readonly<Record<string, readonly Item[]>>,
): Item {
  const { fields, relations } = world.resource(name);
  const values: Record<string, Value> = {};
  for (const [field, shape] of fields)
    if (shape.definition.computed === undefined)
      values[field] =
        shape.definition.nullable !== false && draw.chance(15) ? null : randomValue(draw, shape);
  for (const { kind, keys, targets } of relations.values()) {
    const type = kind === 'morphTo' ? draw.pick([...keys.owners.keys()]) : undefined;
    const target = data[keys.owners.get(type ?? '') ?? targets[0] ?? ''] ?? [];
    const isNull = target.length === 0 || (!name.includes('-') && draw.chance(20));
    const key = isNull ? null : (draw.pick(target.slice(0, 12))['id'] ?? null);
    if (kind === 'belongsTo') values[keys.foreignKey] = key;
    if (type === undefined) continue;
    values[keys.typeField] = isNull ? null : type;
    values[keys.idField] = key !== null && keys.idField === 'subjectId' ? String(key) : key;
  }
  return values;
}

/** Records of every resource, in an order in which they can be written; many ties and nulls, no dangling keys. */
export function recordsOf(draw: Draw, world: World): Readonly<Record<string, readonly Item[]>> {
  const data: Record<string, Item[]> = {};
  for (const [name, count] of Object.entries(counts)) {
    const ids = idsOf(draw, world.resource(name).fields.get('id')?.kind ?? '', count);
    const items: Item[] = [];
    data[name] = items;
    while (items.length < count) {
      const id = ids[items.length] ?? null;
      // One profile a person: a hasOne makes its key unique.
      const person = data['people']?.[items.length + 2]?.['id'] ?? null;
      const item = {
        ...itemOf(draw, world, name, data),
        id,
        ...(name === 'profiles' ? { personId: person } : {}),
      };
      if (name !== 'thing-labels' || !items.some((one) => isSameLink(one, item))) items.push(item);
    }
  }
  return data;
}

function isSameLink(a: Item, b: Item): boolean {
  return a['thingId'] === b['thingId'] && a['labelId'] === b['labelId'];
}
