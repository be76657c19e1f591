import type { FieldType } from '../api.ts';
import { isJsonObject, wrongType, type ParsedValue } from '../values.ts';
import { operatorSets } from '../operators.ts';
import { defaultValue, readValue } from '../validation.ts';
import { below, gather, readJson, storedAsJson } from './json.ts';

export const objectType: FieldType = {
  name: 'object',
  operators: operatorSets.presence,
  sortable: false,
  read: (value, { properties }) => {
    if (!isJsonObject(value)) return wrongType('must be an object');
    if (properties === undefined) return readJson(value);
    const members = new Map(Object.entries(value));
    const parts: [string, ParsedValue][] = [];
    for (const [name, property] of properties) {
      const member = members.has(name) ? members.get(name) : defaultValue(property);
      members.delete(name);
      if (member !== undefined) parts.push([name, readValue(member, property)]);
      else if (property.required) parts.push([name, wrongType('is required')]);
    }
    // What is not declared may be anything, and comes last.
    const others = readJson(Object.fromEntries(members));
    return gather(
      [...parts.map(([name, reading]) => below(`.${name}`, reading)), others],
      (values) => ({
        ...Object.fromEntries(parts.map(([name], index) => [name, values[index] ?? null])),
        ...(values.at(-1) as object),
      }),
    );
  },
  parse: () => undefined,
  expects: () => 'a path below it',
  ...storedAsJson,
};
