import { shapeOf, type Definition, type Value } from '../support/oracle-model.ts';
import { compare } from '../support/oracle-values.ts';
import { randomValue } from './records.ts';
import { poolOf } from './values.ts';
import { fieldNames, Names } from './random-names.ts';
import type { Draw } from './draw.ts';

/** Random fields of every type, with rules that some values keep. */

const scalarTypes = [
  ['string', 'string', 'text', 'integer', 'integer', 'number', 'decimal', 'decimal', 'boolean'],
  ['date', 'time', 'datetime', 'uuid', 'email', 'url', 'enum'],
].flat();

const formats = ['email', 'url', 'slug', 'hostname', 'ipv4', 'ipv6', 'uuid'];
const patterns = ['^[a-z]', String.raw`^\p{L}*$`, String.raw`\P{L}`, '^.{0,4}$', 'a|b'];
const enumValues = [
  ['', 'a', 'A', 'b', 'a,b', 'x:y', 'q"r', ' blank ', 'null', 'true', '1', 'é', '😀', '%', '_'],
  ['old one', String.raw`back\slash`, '+', '&', "it's", '-'],
].flat();

function someOf<Item>(draw: Draw, list: readonly Item[], least: number, most: number): Item[] {
  const wanted = least + draw.below(most - least + 1);
  const left = [...list];
  return Array.from({ length: Math.min(wanted, list.length) }, () =>
    left.splice(draw.below(left.length), 1),
  ).flat();
}

/** A definition with a bound that at least the drawn values keep. */
function bounded(draw: Draw, definition: Definition): Definition {
  // YAML does not take every double as it is written.
  const pool = poolOf(shapeOf(definition)).stored.filter(
    (value) => definition.type === 'decimal' || Math.abs(Number(value)) < 1e15,
  );
  const kind = definition.type === 'decimal' ? 'decimal' : 'number';
  const ends = [draw.pick(pool), draw.pick(pool)].toSorted((a, b) => compare(kind, a, b));
  const [low, high] = ends as (number | string)[];
  if (low === undefined || high === undefined) return definition;
  return {
    ...definition,
    ...(draw.chance(50) ? { minimum: low } : {}),
    ...(draw.chance(50) ? { maximum: high } : {}),
  };
}

function scalar(draw: Draw, type: string): Definition {
  switch (type) {
    case 'string':
      if (draw.chance(25)) return { type, format: draw.pick(formats) };
      if (draw.chance(20)) return { type, enum: someOf(draw, enumValues, 1, 6) };
      if (draw.chance(25)) return { type, pattern: draw.pick(patterns) };
      return draw.chance(30)
        ? { type, minLength: draw.below(2), maxLength: 1 + draw.below(4) }
        : { type };
    case 'text':
      return draw.chance(20) ? { type, minLength: 1 } : { type };
    case 'integer':
      if (draw.chance(15)) return { type, enum: someOf(draw, [0, 1, -1, 7, 2 ** 40], 1, 4) };
      if (draw.chance(15)) return { type, multipleOf: draw.pick([1, 2, 5]) };
      return draw.chance(30) ? bounded(draw, { type }) : { type };
    case 'number':
      if (draw.chance(15)) return { type, enum: someOf(draw, [0, 0.1, -1.5, 1e21, 3], 1, 4) };
      if (draw.chance(10)) return { type, multipleOf: 0.5, minimum: -1000, maximum: 1000 };
      return draw.chance(30) ? bounded(draw, { type }) : { type };
    case 'decimal': {
      const precision = 1 + draw.below(18);
      const scale = draw.below(precision + 1);
      const form = draw.chance(25) ? { type } : { type, precision, scale };
      return draw.chance(30) ? bounded(draw, form) : form;
    }
    case 'enum':
      return { type, values: someOf(draw, enumValues, 1, 6) };
    default:
      return { type };
  }
}

const memberNames = [
  ['a', 'b', 'code', 'width', 'width_gt', 'limit', 'id', 'pivot', 'UPPER', 'upper', 'toString'],
  ['order', 'key', 'x_in', 'z9', 'length'],
].flat();

function inner(draw: Draw, depth: number): Definition {
  const kind = draw.below(10);
  if (depth > 0 && kind === 0) return objectOf(draw, depth - 1);
  if (depth > 0 && kind === 1) return arrayOf(draw, depth - 1);
  return kind === 2 ? { type: 'json' } : scalar(draw, draw.pick(scalarTypes));
}

function objectOf(draw: Draw, depth: number): Definition {
  if (draw.chance(15)) return { type: 'object' };
  const properties: Record<string, Definition> = {};
  for (const name of someOf(draw, memberNames, 1, 4)) {
    const one = inner(draw, depth);
    properties[name] = { ...one, ...(draw.chance(15) ? { required: true } : {}) };
  }
  return { type: 'object', properties };
}

function arrayOf(draw: Draw, depth: number): Definition {
  const items = draw.chance(80) ? scalar(draw, draw.pick(scalarTypes)) : inner(draw, depth);
  const rules = draw.below(4);
  return {
    type: 'array',
    items: draw.chance(15) ? { ...items, nullable: true } : items,
    ...(rules === 0 ? { minItems: 1, maxItems: 2 } : {}),
    ...(rules === 1 ? { uniqueItems: true } : {}),
  };
}

/** Whether values of it can be told apart in an index. */
function isIndexable({ type }: Definition): boolean {
  return !['object', 'array', 'json'].includes(type);
}

/** Whether a key can point to it: unique, and shown to everyone. */
export function isReferable({ type, unique, writeOnly, readOnly, column }: Definition): boolean {
  const isPlain = unique === true && writeOnly !== true && readOnly !== true;
  return isPlain && column === undefined && type !== 'boolean';
}

/** How many different values a test has for a field. */
function plenty(definition: Definition): number {
  return poolOf(shapeOf(definition)).stored.length;
}

function withAttributes(draw: Draw, definition: Definition, columns: Names): Definition {
  const shape = shapeOf(definition);
  const chosen: { -readonly [K in keyof Definition]: Definition[K] } = { ...definition };
  const presence = draw.below(10);
  if (presence === 0) chosen.required = true;
  if (presence === 1) chosen.nullable = false;
  if (presence === 2) Object.assign(chosen, { required: true, nullable: true });
  const isUnique = isIndexable(definition) && plenty(definition) > 4 && draw.chance(8);
  if (isUnique) chosen.unique = true;
  else if (isIndexable(definition) && draw.chance(8)) chosen.index = true;
  const given = randomValue(draw, shape);
  // YAML does not take every double as it is written.
  const isExact = !/\d{17}/u.test(JSON.stringify(given)) || definition.type === 'decimal';
  if (!isUnique && isExact && draw.chance(15)) chosen.default = given;
  const access = draw.below(20);
  if (access === 0 && (presence > 2 || chosen.default !== undefined)) chosen.readOnly = true;
  if (access === 1) chosen.writeOnly = true;
  if (access === 2) chosen.immutable = true;
  if (draw.chance(8)) chosen.column = columns.from(odd);
  return chosen;
}

/** Names of columns and tables, as existing databases have them. */
export const odd = [
  ['a blank', 'quo"te', "apo'strophe", 'dot.ted', 'ünïcode', 'ORDER BY', '1st', '%', 'semi;colon'],
  ['[x]', '`y`', '$1', '?', ':named', '@at', 'back\\slash', '😀', 'per%cent', '--', '/*'],
].flat();

/** Those of tables: before a dot there is the name of a schema. */
export const oddTables = odd.filter((name) => !name.includes('.'));

/** Random fields that are no keys, by their names. */
export function randomFields(draw: Draw, names: Names, most: number): Record<string, Definition> {
  const fields: Record<string, Definition> = {};
  const columns = new Names(draw, fieldNames);
  for (let more = draw.below(most + 1); more > 0; more -= 1) {
    const definition = draw.chance(75) ? scalar(draw, draw.pick(scalarTypes)) : structured(draw);
    fields[names.from(fieldNames)] = withAttributes(draw, definition, columns);
  }
  return fields;
}

function structured(draw: Draw): Definition {
  const kind = draw.below(3);
  return kind === 0 ? { type: 'json' } : kind === 1 ? objectOf(draw, 2) : arrayOf(draw, 1);
}

/** Whether a create has to send it. */
export function mustBeSent({ required = false, nullable = !required, default: given }: Definition) {
  return given === undefined && (required || !nullable);
}

/** What an omitted field becomes. */
export function defaultOf({ default: given = null }: Definition): Value {
  return given;
}
