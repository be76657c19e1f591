import { breaks } from '../../problem-rules.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { Field, FieldType, Resource } from '../api.ts';
import { plainText } from '../exact-number.ts';
import { accept, wrongType, wrongValue } from '../values.ts';
import { plain } from './plain.ts';

/** Whether an id or a foreign key is made of several fields. It has no column of its own. */
export function isComposite(field: Field): boolean {
  return field.type === compositeIdType;
}

/** The fields of a composite id or foreign key. */
export function partsOf({ parts = [] }: Field): readonly Field[] {
  return parts;
}

/** The fields that hold a key: the parts of a composite one, otherwise the key itself. */
export function keyFields(key: Field): readonly Field[] {
  return isComposite(key) ? partsOf(key) : [key];
}

/** All foreign keys of a resource, of one field and of several. */
export function foreignKeysOf({ fields, compositeKeys }: Resource): readonly Field[] {
  const single = [...fields.values()].filter(({ reference }) => reference !== undefined);
  return [...single, ...compositeKeys];
}

/**
 * The id of a record with these values: its own value, or one made of the values of its fields. Undefined if it depends on
 * a value that is not there.
 */
export function idIn(
  id: Field,
  valueOf: (field: Field) => JsonValue | undefined,
): JsonValue | undefined {
  if (id.parts === undefined) return valueOf(id);
  const values = id.parts.map(valueOf);
  if (!values.every((value) => value !== undefined && value !== null)) return undefined;
  return isComposite(id) ? joined(values) : values[0];
}

/** What separates parts, and what a path or a decoder of URLs would take apart. */
const written: ReadonlyMap<string, string> = new Map([
  ['%', '%25'],
  [',', '%2C'],
  ['/', '%2F'],
]);

/** The values of the parts as one text. See docs/contract/8-existing-databases.md#keys, rule 2. */
export function joined(values: readonly JsonValue[]): string {
  return values
    .map((value) =>
      plainText(value).replaceAll(/[%,/]/gu, (character) => written.get(character) ?? character),
    )
    .join(',');
}

/** The texts of the parts; undefined if the text is no id of so many parts. */
function partTexts(text: string, count: number): readonly string[] | undefined {
  const texts = text.split(',');
  if (texts.length !== count || /%(?!25|2c|2f)|\//iu.test(text)) return undefined;
  return texts.map((part) => part.replaceAll(/%(?:25|2c|2f)/giu, decodeURIComponent));
}

/** The fields of a key with their values in a record that leads to the record with this id. */
export function keyValues(
  key: Field,
  id: JsonValue,
  target: Field,
): readonly (readonly [Field, JsonValue])[] {
  if (!isComposite(key)) return [[key, id]];
  const values = partValues(String(id), target) ?? [];
  return partsOf(key).map((part, index) => [part, values[index] ?? null]);
}

/** The values of the parts of an id; undefined if the text is no id of the field. */
export function partValues(text: string, field: Field): readonly JsonValue[] | undefined {
  const parts = partsOf(field);
  const values = partTexts(text, parts.length)?.map((part, index) => {
    const of = parts[index];
    return of?.type.parse(part, of);
  });
  return values?.every((value) => value !== undefined) === true ? values : undefined;
}

/** The items of a list of ids: their commas are those of the list as well. */
export function wholeIds(items: readonly string[], field: Field): readonly string[] {
  const { length } = partsOf(field);
  const isTakenApart = items.length % length === 0 && items.every((item) => !item.includes(','));
  if (!isTakenApart) return items;
  return Array.from({ length: items.length / length }, (_, index) =>
    items.slice(index * length, (index + 1) * length).join(','),
  );
}

function parse(text: string, field: Field): string | undefined {
  const values = partValues(text, field);
  return values && joined(values);
}

const names = (field: Field): string =>
  partsOf(field)
    .map(({ name }) => name)
    .join(',');

/** An id made of the values of several fields, for tables whose key has several columns. */
export const compositeIdType: FieldType = {
  name: 'id',
  attributes: ['described'],
  isOfId: true,
  json: 'string',
  kind: 'string',
  comparison: 'equality',
  sortable: true,
  read: (value, field) => {
    if (typeof value !== 'string')
      return wrongType('must be a string', breaks('type', { expected: 'string' }));
    const id = parse(value, field);
    return id === undefined
      ? wrongValue(`must be ${compositeIdType.expects(field)}`, breaks('format', { format: 'id' }))
      : accept(id);
  },
  parse,
  expects: (field) => `an id in the form ${names(field)}`,
  sqlite: { column: () => 'TEXT', form: 'plain' },
  postgres: { column: () => 'text', form: 'plain' },
  // Codecs are those of the parts (`codecOf`).
  forms: { plain },
  // A character takes up to six in JSON.
  longest: (field) => 6 * partsOf(field).reduce((sum, part) => sum + part.type.longest(part), 0),
  schema: () => ({ type: 'string' }),
  note: (field) =>
    `The values of ${names(field)}, joined with commas; a comma, % or / inside one is percent-encoded.`,
  wireName: () => 'string',
  examples: (field, exampleOf) => {
    const values = partsOf(field).map(exampleOf);
    return values.every((value) => value !== undefined) ? [joined(values)] : [];
  },
  generated: 'id',
  fromDefault: () => undefined,
};
