import { expect, test } from 'vitest';
import type { Api, Field, Resource } from '../../src/model/api.ts';
import { buildApi, type ModelCheck } from '../../src/model/build/api.ts';
import { readValue } from '../../src/model/validation/read-value.ts';
import { parseExactly } from '../../src/model/exact-number.ts';
import { collectProblems, inOrder } from '../../src/specification/parsers/collector.ts';
import { loadSpecification } from '../../src/model/load-specification.ts';

/** The model of a text and every error in it, as `line:column path: message` in the order of the file. */
export function modelOf(
  text: string,
  check?: ModelCheck,
): { api: Api | undefined; errors: readonly string[] } {
  const { specification, leftOut, positionOf, problems } = loadSpecification({
    file: 'plinth.yaml',
    text,
    environment: {},
  });
  const collector = collectProblems('plinth.yaml', positionOf);
  const options = { leftOut, ...(check === undefined ? {} : { check }) };
  const api = specification && buildApi(specification, collector.report, options);
  const errors = inOrder([...problems, ...collector.problems()])
    .filter(({ severity }) => severity === 'error')
    .map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`);
  return { api: errors.length === 0 ? api : undefined, errors };
}

/** The model of a text that has to be right. */
export function validModel(text: string): Api {
  const { api, errors } = modelOf(text);
  if (api === undefined) throw new Error(errors.join('\n'));
  return api;
}

export function resourceIn(api: Api, name: string): Resource {
  const resource = api.resources.get(name);
  if (resource === undefined) throw new Error(`There is no ${name}`);
  return resource;
}

export function fieldIn(api: Api, path: string): Field {
  const [resource = '', name = ''] = path.split('.');
  const field = resourceIn(api, resource).fields.get(name);
  if (field === undefined) throw new Error(`There is no ${path}`);
  return field;
}

/** Resources from their fields, each resource a line: from line 2 on, its fields from column 5 on. */
export function resources(fields: Readonly<Record<string, string>>): string {
  const lines = Object.entries(fields).map(([name, text]) => `  ${name}: { fields: { ${text} } }`);
  return ['resources:', ...lines].join('\n');
}

/** A field of a resource `r` by its attributes, such as `type: string, maxLength: 3`. */
export function fieldWith(attributes: string): Field {
  return fieldIn(validModel(resources({ r: `x: { ${attributes} }` })), 'r.x');
}

/** What reading a JSON text for a field gives: the value as JSON, or its issues. */
export function readJsonText(field: Field, json: string): string {
  const parsed = readValue(parseExactly(json), field);
  return parsed.ok
    ? JSON.stringify(parsed.value)
    : parsed.issues.map(({ kind, path, message }) => `${kind}${path}: ${message}`).join('; ');
}

/** `¦` in the text marks where the errors stand, in their order; an error is `path: message`. */
export type ErrorRow = readonly [name: string, text: string, ...errors: string[]];

/** One test a row: exactly these errors, and a model exactly where there is none. */
export function expectErrors(rows: readonly ErrorRow[]): void {
  test.each(rows.map(([name, text, ...errors]) => ({ name, text, errors })))(
    '$name',
    ({ text, errors }) => {
      const model = modelOf(text.replaceAll('¦', ''));
      const pieces = text.split('¦').slice(0, -1);
      const places = pieces.map((_, index) => {
        const lines = pieces
          .slice(0, index + 1)
          .join('')
          .split('\n');
        return `${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
      });
      expect(model.errors).toEqual(errors.map((error, index) => `${places[index]} ${error}`));
      expect(places).toHaveLength(errors.length);
      expect(model.api === undefined).toBe(errors.length > 0);
    },
  );
}

/** JSON texts for a field, and what comes of each. */
export type Readings = readonly (readonly [json: string, result: string])[];

/** One test a text: what a field with these attributes makes of it. */
export function expectReadings(attributes: string, rows: Readings): void {
  const field = fieldWith(attributes);
  test.each(rows)(`${attributes}: %s`, (json, result) => {
    expect(readJsonText(field, json)).toBe(result);
  });
}

/** One test a text of a filter: the value that a field with these attributes reads from it, or none. */
export function expectTexts(
  attributes: string,
  taken: Readonly<Record<string, unknown>>,
  refused: readonly string[],
): void {
  const field = fieldWith(attributes);
  test.each(Object.entries(taken))(`${attributes} takes the text %s`, (text, value) => {
    expect(field.type.parse(text, field)).toBe(value);
  });
  test.each(refused)(`${attributes} refuses the text %j`, (text) => {
    expect(field.type.parse(text, field)).toBeUndefined();
  });
}
