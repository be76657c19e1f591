import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { loadSpecification } from '../../src/model/load-specification.ts';
import type { Problem } from '../../src/specification/problems.ts';

const environment = {
  NAME: 'a',
  YES: 'true',
  PORT: '80',
  SECRET: 's'.repeat(32),
  DATABASE: 'sqlite:data.db',
  LEVEL: 'info',
};

const ajv = new Ajv2020({ strict: true, strictRequired: false, formats: { date: true } });
const validate = ajv.compile(specificationJsonSchema());

/** The errors that the parser reports. */
export function errorsIn(text: string): readonly Problem[] {
  const { problems } = loadSpecification({ file: 'plinth.yaml', text, environment });
  return problems.filter(({ severity }) => severity === 'error');
}

/** The JSON Schema's verdict on a value. */
export function accepts(value: unknown): boolean {
  return validate(value);
}

/** The JSON Schema's verdict on a file, before variables are replaced. */
export function schemaAccepts(text: string): boolean {
  return validate(parse(text, { merge: true }));
}
