import { readFileSync } from 'node:fs';
import { assert, constantFrom, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { attributeRows, fitting } from './attributes.ts';
import { keyRows } from './keys.ts';
import { resourceRows } from './resources.ts';
import { accepts, errorsIn, schemaAccepts } from './verdicts.ts';

describe('the JSON Schema', () => {
  const chinook = readFileSync(
    new URL('../../examples/chinook/plinth.yaml', import.meta.url),
    'utf8',
  );

  test('accepts the example, as the parser does', () => {
    expect(schemaAccepts(chinook)).toBe(true);
    expect(errorsIn(chinook)).toEqual([]);
  });

  test('describes every key and attribute for editors', () => {
    const schema: unknown = JSON.parse(JSON.stringify(specificationJsonSchema()));
    expect(membersWithoutDescription(schema, schema)).toEqual([]);
  });

  test('says the same as the parser of a file in which anything was replaced', () => {
    const file: unknown = parse(chinook);
    const places = placesIn(file, []);
    const values = [...new Set(replacements)].map((value): unknown => parse(value));
    assert(
      property(constantFrom(...places), constantFrom(...values), (place, value) => {
        const changed = replaced(file, place, value);
        const text = JSON.stringify(changed);
        const contradiction = errorsIn(text).filter(({ message }) =>
          onlyTheParserKnows.test(message),
        );
        const errors = errorsIn(text).length - contradiction.length;
        expect({ text: errors === 0 ? '' : text, good: accepts(changed) }).toEqual({
          text: errors === 0 ? '' : text,
          good: errors === 0,
        });
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

const rows = [...keyRows, ...resourceRows, ...attributeRows];
const replacements = rows
  .flatMap(({ good, bad }) => good.concat(bad))
  .concat(Object.keys(fitting).map((type) => type.split(' ').at(-1) ?? ''))
  .filter((value) => !value.includes('${'));
const onlyTheParserKnows =
  /in case only|calendar|is over|address or CIDR|browsers send|32 bytes|needs a `|two keys|there is no version|comes before|regular expression|the most is/;

type Place = readonly (string | number)[];

function placesIn(value: unknown, at: Place): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [at, ...keys.flatMap((key) => placesIn(Reflect.get(value, key), [...at, key]))];
}

function replaced(value: unknown, [step, ...rest]: Place, by: unknown): unknown {
  if (step === undefined) return by;
  const copy: object = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  Reflect.set(copy, step, replaced(Reflect.get(copy, step), rest, by));
  return copy;
}

/** The names of members in `properties` that have no description. */
function membersWithoutDescription(schema: unknown, root: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const members = Object.entries(objectAt(schema, 'properties'));
  const below = ['items', 'additionalProperties', 'then'].map((key): unknown =>
    Reflect.get(schema, key),
  );
  const lists = ['anyOf', 'allOf', '$defs'].flatMap((key) => Object.values(objectAt(schema, key)));
  const inner: unknown[] = [...members.map(([, member]): unknown => member), ...below, ...lists];
  return [
    ...members.filter(([, member]) => !isDescribed(member, root)).map(([name]) => name),
    ...inner.flatMap((part) => membersWithoutDescription(part, root)),
  ];
}

function objectAt(schema: object, key: string): object {
  const value: unknown = Reflect.get(schema, key);
  return typeof value === 'object' && value !== null ? value : {};
}

function isDescribed(member: unknown, root: unknown): boolean {
  if (typeof member !== 'object' || member === null) return false;
  if ('description' in member || 'const' in member) return true;
  const reference: unknown = Reflect.get(member, '$ref');
  if (typeof reference !== 'string') return false;
  const target = reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (node, step) => (node instanceof Object ? Reflect.get(node, step) : undefined),
      root,
    );
  return isDescribed(target, root);
}
