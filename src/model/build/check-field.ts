import { isOtherType, stringFormats } from '../../specification/keys/formats.ts';
import { either } from '../../specification/parsers/definition.ts';
import type { Report } from '../../specification/problems.ts';
import type { FieldSpecification, JsonValue } from '../../specification/specification.ts';
import type { Field } from '../api.ts';
import { compareNumbers } from '../validation/constraints.ts';
import { plainText } from '../exact-number.ts';
import type { Draft, DraftResource, Path } from './draft.ts';
import { endOf, isBeyond, liesBetweenSteps, numberBounds } from '../validation/steps.ts';
import { reportUnknown } from './names.ts';
import { fieldsIn } from '../template.ts';
import { readValue } from '../validation/read-value.ts';

const ranges = [
  ['minLength', 'maxLength', false],
  ['minItems', 'maxItems', false],
  ['minimum', 'maximum', false],
  ['exclusiveMinimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', true],
  ['exclusiveMinimum', 'exclusiveMaximum', true],
] as const satisfies readonly (readonly [
  keyof FieldSpecification,
  keyof FieldSpecification,
  boolean,
])[];

/**
 * Reports attributes of one field that contradict each other. See
 * docs/contract/1-specification-file.md#problems-in-the-file, rule 4. `hasCode`: own code may set what clients cannot.
 */
export function checkField(field: Draft<Field>, path: Path, report: Report, hasCode = false): void {
  const { attributes } = field;
  const { multipleOf } = attributes;
  const at = (key: string): Path => [...path, key];
  for (const [low, high, open] of ranges) {
    const [from, to] = [attributes[low], attributes[high]];
    if (from === undefined || to === undefined) continue;
    const order = compareNumbers(from, to);
    const words = `${low} ${plainText(from)} leaves no value under ${high} ${plainText(to)}`;
    if (order > 0 || (open && order === 0)) report(at(low), words);
    else if (liesBetweenSteps(low, from, high, to, field))
      report(at(low), words + (multipleOf === undefined ? '' : ` by multipleOf ${multipleOf}`));
  }
  checkTypeBounds(field, path, report);
  if (field.readOnly && field.writeOnly)
    report(at('writeOnly'), 'a field cannot be both readOnly and writeOnly');
  if (field.required && field.readOnly && field.default === undefined && !hasCode)
    report(at('readOnly'), 'nobody could set it: a required readOnly field needs a default');
  if (attributes.scale === 'any') {
    for (const key of ['precision', 'storedAs'] as const)
      if (attributes[key] !== undefined)
        report(at(key), `${key} does not go with scale: any; leave one of them out`);
  } else if (field.type.number === 'exact' && field.scale > field.precision)
    report(at('scale'), `scale ${field.scale} is over precision ${field.precision}; lower it`);
  if (
    field.type.kind === 'datetime' &&
    attributes.storedAs &&
    field.precision !== field.type.digits?.precision
  )
    report(at('precision'), '`storedAs` says how fine the column is; leave the precision out');
  checkFormat(field, path, report);
  checkValues(field, path, report);
  checkClaim(field, path, report);
  warnOfWord(field, path, report);
  warnOfSlashes(field, path, report);
  warnOfRepeats(field, path, report);
  for (const property of field.properties?.values() ?? []) {
    const place = [...path, 'properties', property.name];
    if (property.default !== undefined && property.default.kind !== 'value')
      report(
        [...place, 'default'],
        'only a field of a resource takes now, uuid or a claim; give a value',
      );
    checkField(property, place, report);
  }
  if (field.items !== undefined) checkField(field.items, at('items'), report);
}

/** Reports a type of the database where Plinth makes the column. */
function checkFormat({ type, resource }: Field, path: Path, report: Report): void {
  const { columnType } = type;
  if (columnType !== undefined && isOtherType(columnType) && resource.isManaged)
    report(
      [...path, 'format'],
      `\`format\` must be ${either(stringFormats)}, not \`${columnType}\`; a column of another type needs managed: false`,
    );
}

/** Reports a bound beyond all values that the type has, and a list that needs more items than there are to be distinct. */
function checkTypeBounds(field: Field, path: Path, report: Report): void {
  const { attributes, items } = field;
  for (const key of numberBounds) {
    const bound = attributes[key];
    if (bound !== undefined && isBeyond(key, bound, field))
      report(
        [...path, key],
        `${key} ${plainText(bound)} leaves no value: they end at ${endOf(key, field)}`,
      );
  }
  const words = items?.values?.length ?? (items?.type.json === 'boolean' ? 2 : Infinity);
  const distinct = words + (items?.nullable === true ? 1 : 0);
  const { minItems = 0, uniqueItems } = attributes;
  if (uniqueItems === true && minItems > distinct)
    report(
      [...path, 'minItems'],
      `minItems ${minItems} leaves no value: there are ${distinct} items, of which none may come twice`,
    );
}

/**
 * Warns of fields that keep every create from succeeding: nobody sends them, and they may not be null. It is no error,
 * since a trigger may fill them.
 */
export function checkFilled(
  { fields, access, path, isManaged }: DraftResource,
  report: Report,
): void {
  // `migrate` asks the database itself whether it fills the columns of others.
  if (!isManaged) return;
  if (access.create.every(({ role }) => role === 'none')) return;
  for (const field of fields.values())
    if (
      field.readOnly &&
      !field.nullable &&
      !field.required &&
      field.default === undefined &&
      field.parts === undefined
    )
      report(
        [...path, 'fields', field.name, 'readOnly'],
        `no create can succeed: nobody can set ${field.name}, which may not be null; give it a default, unless the database fills it itself`,
        'warning',
      );
}

/**
 * The default and the listed values pass the field's own rules; the default is kept as it would be read. An example
 * that does not is no contradiction, as no record gets it: it is warned of, since the documents leave it out.
 */
function checkValues(field: Draft<Field>, path: Path, report: Report): void {
  const check = (value: JsonValue, ...key: (string | number)[]): JsonValue => {
    const parsed = readValue(value, field);
    if (parsed.ok) return parsed.value;
    for (const issue of parsed.issues) {
      const place = issue.path === '' ? '' : `, at ${issue.path.replace(/^\./u, '')},`;
      const shown = typeof value === 'number' ? plainText(value) : JSON.stringify(value);
      const severity = key[0] === 'example' ? 'warning' : 'error';
      const word =
        key[0] === 'default' && path.at(-2) === 'fields' ? field.type.drawn?.word : undefined;
      const other = word === undefined ? '' : `, or the word \`${word}\``;
      report([...path, ...key], `${shown}${place} ${issue.message}${other}`, severity);
    }
    return value;
  };
  for (const key of ['enum', 'values'] as const)
    for (const [index, value] of (field.attributes[key] ?? []).entries()) check(value, key, index);
  if (field.attributes.example !== undefined) check(field.attributes.example, 'example');
  if (field.default?.kind === 'value')
    field.default = { kind: 'value', value: check(field.default.value, 'default') };
}

/** A claim as the default is one value, written as it is in row rules. */
function checkClaim({ type, items, default: given }: Field, path: Path, report: Report): void {
  const at = [...path, 'default'];
  if (
    given?.kind === 'claim' &&
    (type.json === 'any' || type.json === 'object' || items !== undefined)
  )
    report(at, `a field of type ${type.name} takes no claim as its default; give a value`);
  if (
    given?.kind === 'value' &&
    typeof given.value === 'string' &&
    /\{\s*user\s*\./iu.test(given.value)
  )
    report(
      at,
      `${JSON.stringify(given.value)} is not a claim: {user.<claim>} is the whole default, and its name has letters, digits and _ - . : / @`,
    );
}

/** What `now` and `uuid` are where the type fits; elsewhere they are texts, which is seldom meant. */
const drawn: ReadonlyMap<JsonValue, string> = new Map([
  ['now', 'a datetime, date or time takes the moment of the create'],
  ['uuid', 'the type uuid takes a new one for each record'],
]);

function warnOfWord({ type, values, default: given }: Field, path: Path, report: Report): void {
  if (given?.kind !== 'value' || values !== undefined) return;
  const meant = drawn.get(given.value);
  if (meant === undefined || type.text === undefined) return;
  report(
    [...path, 'default'],
    `of type ${type.name} the default is the text \`${String(given.value)}\` itself; ${meant}`,
    'warning',
  );
}

/** In JavaScript a regular expression stands between slashes, which belong to the text here. */
function warnOfSlashes({ attributes: { pattern } }: Field, path: Path, report: Report): void {
  if (pattern !== undefined && /^\/.*[^\\]\/[gimsuy]*$/su.test(pattern))
    report(
      [...path, 'pattern'],
      'a text has to hold these slashes as well; leave them out, with what stands behind the last one, or write `\\/` where they are meant',
      'warning',
    );
}

/** Whether records that are created without the field get a value that only one record may have. */
export function repeatsDefault({ unique, default: given }: Field): boolean {
  return unique && given?.kind === 'value' && given.value !== null;
}

function warnOfRepeats(field: Field, path: Path, report: Report): void {
  if (repeatsDefault(field))
    report(
      [...path, 'default'],
      'only one record can be created without this field, since its values are unique; leave the default out',
      'warning',
    );
}

/** Templates may use other fields as `{{self.name}}`: they must exist and not run in a circle. */
export function checkTemplates(resource: DraftResource, report: Report): void {
  const uses = new Map<string, readonly string[]>();
  for (const field of resource.fields.values()) {
    const path = [...resource.path, 'fields', field.name];
    const used: string[] = [];
    for (const [place, template] of templatesOf(field, path)) {
      for (const name of fieldsIn(template)) {
        used.push(name);
        if (!resource.fields.has(name))
          reportUnknown(place, 'field', name, resource.fields.keys(), report);
      }
    }
    uses.set(field.name, used);
  }
  const done = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    if (trail.includes(name)) {
      const circle = [...trail.slice(trail.indexOf(name)), name];
      report(
        [...resource.path, 'fields', name, 'template'],
        `templates run in a circle: ${circle.join(' → ')}`,
      );
      return;
    }
    if (done.has(name)) return;
    done.add(name);
    for (const next of uses.get(name) ?? []) visit(next, [...trail, name]);
  };
  for (const name of uses.keys()) visit(name, []);
}

/** The templates of a field and of what is in it, each with its place. */
function templatesOf(field: Field, path: Path): readonly (readonly [Path, string])[] {
  const { attributes, properties, items } = field;
  return [
    ...(attributes.template === undefined
      ? []
      : [[[...path, 'template'], attributes.template] as const]),
    ...[...(properties?.values() ?? [])].flatMap((property) =>
      templatesOf(property, [...path, 'properties', property.name]),
    ),
    ...(items === undefined ? [] : templatesOf(items, [...path, 'items'])),
  ];
}
