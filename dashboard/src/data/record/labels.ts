import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Model, ResourceInfo, ValueInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../api.ts';
import type { Column } from '../grid/columns.ts';
import { recordsOf } from '../grid/records.ts';
import { chunkSize } from '../grid/rows.ts';
import { listOf } from '../query.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { labelBy, labelFields } from './label-fields.ts';

export type Reference = NonNullable<ValueInfo['reference']>;

/** Keys of records of one resource, in any order and more than once. */
export interface Keys {
  readonly reference: Reference;
  readonly values: readonly unknown[];
}

/** What the record of a key is called; undefined: nothing says it, or it has not come. */
export type Labels = (reference: Reference, value: unknown) => string | undefined;

/** The keys that records hold in these columns. */
export function keysIn(
  columns: readonly Pick<Column, 'name' | 'field'>[],
  records: readonly ApiRecord[],
): readonly Keys[] {
  return columns.flatMap(({ name, field }) =>
    field?.reference === undefined
      ? []
      : [{ reference: field.reference, values: records.map((record) => memberOf(record, name)) }],
  );
}

/** The labels of these keys, asked for by resource. */
export function useLabels(wanted: readonly Keys[], model: Model): Labels {
  const portions = wanted.flatMap(({ reference: { resource, field }, values }) => {
    const target = model.resources.find(({ name }) => name === resource);
    if (target?.operations.includes('read') !== true) return [];
    const told = labelFields(target);
    const isKey = keyTest(target, field);
    const known = values.filter((value) => value !== null && value !== undefined).map(String);
    const keys = [...new Set(known)].filter(isKey).toSorted();
    return told.length === 0
      ? []
      : Array.from({ length: Math.ceil(keys.length / chunkSize) }, (_, index) => ({
          resource,
          field,
          told,
          keys: keys.slice(index * chunkSize, (index + 1) * chunkSize),
        }));
  });
  const answers = useQueries({
    queries: portions.map(({ resource, field, told, keys }) => ({
      queryKey: ['labels', model.path, resource, field, keys.join()] as const,
      queryFn: async () => {
        const limit = Math.min(keys.length, model.limits.maxLimit);
        const url = `${model.path}/${resource}?${field}_in=${encodeURIComponent(listOf(keys))}&fields=${[...new Set([field, ...told])].join()}&page=1&limit=${limit}`;
        const { body } = await ask(url);
        return new Map(
          recordsOf(body).map((one) => [String(memberOf(one, field)), labelBy(told, one)]),
        );
      },
      staleTime: 30_000,
    })),
    combine: labelsOf,
  });
  const names = portions.map(({ resource, field }) => `${resource} ${field}`).join();
  return useMemo(() => {
    const known = new Map<string, string>();
    for (const [index, name] of names.split(',').entries())
      for (const [key, label] of answers[index] ?? []) known.set(`${name} ${key}`, label);
    return ({ resource, field }, value) => {
      const label = known.get(`${resource} ${field} ${String(value)}`);
      return label === '' ? undefined : label;
    };
  }, [answers, names]);
}

/** Tests for what can be a key at all: a filter may hold any text, and the server refuses a list with a wrong one. */
function keyTest({ fields }: ResourceInfo, name: string): (text: string) => boolean {
  const { type, constraints } = fields.find((field) => field.name === name) ?? {};
  const format = constraints?.['format'];
  if (format === 'uuid' || type === 'uuid')
    return (text) => /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text);
  const isNumber = type === 'integer' || (type === 'id' && format !== 'string');
  return isNumber ? (text) => /^-?\d{1,15}$/u.test(text) : (text) => text !== '';
}

/** Outside of the hook: the same function gives the same list while nothing has come. */
function labelsOf(
  results: readonly { readonly data: ReadonlyMap<string, string> | undefined }[],
): readonly (ReadonlyMap<string, string> | undefined)[] {
  return results.map(({ data }) => data);
}
