import type { FieldType } from '../api.ts';
import { plain } from './plain.ts';
import { accept, wrongType, wrongValue, type Reading } from '../values.ts';
import { ExactNumber, parseJsonNumber, rescale } from '../exact-number.ts';
import { operatorSets } from '../operators.ts';

/** Reads a whole number between −(2⁵³−1) and 2⁵³−1. */
export function readInteger(value: unknown): Reading {
  if (value instanceof ExactNumber) {
    const exact = parseJsonNumber(value.text);
    // Its double may be whole where the number itself is not.
    if (exact !== undefined && rescale(exact, 0) === undefined)
      return wrongValue('must be a whole number');
    value = Number(value.text);
  }
  if (typeof value !== 'number') return wrongType('must be a number');
  if (Number.isSafeInteger(value)) return accept(value === 0 ? 0 : value);
  return wrongValue(
    Number.isInteger(value) || !Number.isFinite(value)
      ? 'must be between -9007199254740991 and 9007199254740991'
      : 'must be a whole number',
  );
}

export function parseInteger(text: string): number | undefined {
  if (!/^-?\d{1,30}$/u.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? (value === 0 ? 0 : value) : undefined;
}

export const integerType: FieldType = {
  name: 'integer',
  operators: operatorSets.ordered,
  sortable: true,
  read: readInteger,
  parse: parseInteger,
  expects: () => 'a whole number',
  sqlite: { column: () => 'INTEGER', form: 'plain' },
  forms: { plain },
};
