import type { Report } from '../spec/problems.ts';
import type { FieldSpecification } from '../spec/specification.ts';
import type { Field } from './api.ts';
import { compareNumbers } from './constraints.ts';
import type { DraftResource } from './draft.ts';
import { unknownName } from './names.ts';
import { readValue } from './validation.ts';

type Path = readonly (string | number)[];

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

/** Reports attributes of one field that contradict each other. Contract 1, Bad specification files. */
export function checkField(field: Field, path: Path, report: Report): void {
  const { attributes } = field;
  const at = (key: string): Path => [...path, key];
  for (const [low, high, open] of ranges) {
    const [from, to] = [attributes[low], attributes[high]];
    if (from === undefined || to === undefined) continue;
    const order = compareNumbers(from, to);
    if (order > 0 || (open && order === 0))
      report(at(low), `${low} ${from} leaves no value under ${high} ${to}`);
  }
  if (attributes.multipleOf !== undefined && compareNumbers(attributes.multipleOf, 0) <= 0)
    report(at('multipleOf'), 'multipleOf must be greater than 0');
  if (field.readOnly && field.writeOnly)
    report(at('writeOnly'), 'a field cannot be both readOnly and writeOnly');
  if (field.required && field.readOnly && field.default === undefined)
    report(at('readOnly'), 'nobody could set it: a required readOnly field needs a default');
  if (field.scale > field.precision)
    report(at('scale'), `scale ${field.scale} is over precision ${field.precision}`);
  checkValues(field, path, report);
  for (const property of field.properties?.values() ?? [])
    checkField(property, [...path, 'properties', property.name], report);
  if (field.items !== undefined && attributes.items !== undefined)
    checkField(field.items, at('items'), report);
}

function checkValues(field: Field, path: Path, report: Report): void {
  const { attributes } = field;
  const refuse = (key: string, value: unknown, index?: number): void => {
    const reading = readValue(value, field);
    if (reading.ok) return;
    for (const issue of reading.issues)
      report(
        index === undefined ? [...path, key] : [...path, key, index],
        `${JSON.stringify(value)} ${issue.path === '' ? '' : `at ${issue.path} `}${issue.message}`,
      );
  };
  for (const key of ['enum', 'values'] as const) {
    const list = attributes[key];
    if (list === undefined) continue;
    const seen = new Set<unknown>();
    for (const [index, value] of list.entries()) {
      if (key === 'enum' || field.type.name === 'enum') {
        if (seen.has(value))
          report([...path, key, index], `${JSON.stringify(value)} is there twice`);
        seen.add(value);
      }
      refuse(key, value, index);
    }
  }
  if (field.default?.kind === 'value') refuse('default', field.default.value);
  else if (attributes.default !== undefined && field.default === undefined)
    report([...path, 'default'], 'the default does not fit the type');
}

/** Templates may use other fields as `{{self.name}}`: they must exist and not run in a circle. */
export function checkTemplates(resource: DraftResource, report: Report): void {
  const uses = new Map<string, readonly string[]>();
  for (const field of resource.fields.values()) {
    const names = [...(field.attributes.template ?? '').matchAll(/\{\{\s*self\.(\w+)/gu)].map(
      ([, name = '']) => name,
    );
    uses.set(field.name, names);
    for (const name of names)
      if (!resource.fields.has(name))
        report(
          [...resource.path, 'fields', field.name, 'template'],
          unknownName('field', name, resource.fields.keys()),
        );
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
