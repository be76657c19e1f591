import { ruleTable, type ParamType, type Rule } from '../../problem-rules.ts';
import type { JsonSchema } from './schema.ts';

const rules = Object.keys(ruleTable) as readonly Rule[];

/** The rule that a value or parameter breaks. */
export const ruleSchema: JsonSchema = {
  type: 'string',
  enum: rules,
  description: 'The rule that the value or parameter breaks, for programs.',
};

const schemas: Readonly<Record<ParamType, JsonSchema>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: ['number', 'string'] },
  strings: { type: 'array', items: { type: 'string' } },
  values: { type: 'array', items: {} },
};

/** What the rules ask for: every param of the table. Own code may give further ones to rules of its own. */
export function paramsSchema(hasCode: boolean): JsonSchema {
  return {
    type: 'object',
    description: `What the rule asks for. ${rules.flatMap(paramsOf).join('; ')}; none with other rules.`,
    properties: allParams(),
    ...(hasCode ? {} : { additionalProperties: false }),
  };
}

/** `range: min, max`. */
function paramsOf(rule: Rule): readonly string[] {
  const names = Object.keys(ruleTable[rule].params);
  return names.length === 0 ? [] : [`${rule}: ${names.join(', ')}`];
}

/** The schema of each param: the widest, if rules differ. */
function allParams(): Readonly<Record<string, JsonSchema>> {
  const all: Record<string, ParamType> = {};
  for (const rule of rules)
    for (const [name, written] of Object.entries(ruleTable[rule].params)) {
      const type = written.replace('?', '') as ParamType;
      if (all[name] !== 'number') all[name] = type;
    }
  return Object.fromEntries(Object.entries(all).map(([name, type]) => [name, schemas[type]]));
}
