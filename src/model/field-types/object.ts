import type { FieldType } from '../api.ts';
import { wrongType, type Reading } from '../values.ts';
import { operatorSets } from '../operators.ts';
import { nearest } from '../../spec/nearest.ts';
import { defaultValue, readValue } from '../validation.ts';
import { below, gather, jsonText, readJson } from './json.ts';

export const objectType: FieldType = {
  name: 'object',
  operators: operatorSets.presence,
  sortable: false,
  read: (value, field) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrongType('must be an object');
    const { properties } = field;
    if (properties === undefined) return readJson(value);
    const members = new Map(Object.entries(value));
    const names: string[] = [];
    const parts: Reading[] = [];
    for (const [name, property] of properties) {
      const given = members.get(name);
      const member = given === undefined ? defaultValue(property) : given;
      if (member === undefined && !property.required) continue;
      names.push(name);
      parts.push(
        below(
          `.${name}`,
          member === undefined ? wrongType('is required') : readValue(member, property),
        ),
      );
    }
    for (const name of members.keys()) {
      if (properties.has(name)) continue;
      const guess = nearest(name, [...properties.keys()]);
      parts.push(
        wrongType(
          `is not a member${guess === undefined ? '' : `; did you mean ${guess}?`}`,
          `.${name}`,
        ),
      );
    }
    return gather(parts, (values) =>
      Object.fromEntries(names.map((name, index) => [name, values[index] ?? null])),
    );
  },
  parse: () => undefined,
  expects: () => 'a path below it',
  sqlite: { column: () => 'TEXT', form: 'jsonText' },
  forms: { jsonText },
};
