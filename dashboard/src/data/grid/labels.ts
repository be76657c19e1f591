import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Model } from '../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../api.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';
import { labelBy, labelFields } from '../record/label-fields.ts';
import type { Column } from './columns.ts';
import { listOf } from '../query.ts';
import { chunkSize } from './rows.ts';
import { recordsOf } from './records.ts';

/** What the record of a key is called; undefined: nothing says it, or it has not come. */
export type Labels = (column: Column, value: unknown) => string | undefined;

/** The labels of the keys in these records, asked for by column. */
export function useLabels(
  columns: readonly Column[],
  records: readonly ApiRecord[],
  model: Model,
): Labels {
  const wanted = columns.flatMap(({ name, field }) => {
    const { reference } = field ?? {};
    const target = model.resources.find((one) => one.name === reference?.resource);
    if (reference === undefined || target?.operations.includes('read') !== true) return [];
    const told = labelFields(target);
    const values = records
      .map((record) => memberOf(record, name))
      .filter((value) => value !== null && value !== undefined);
    const keys = [...new Set(values.map(String))].toSorted();
    const portions = Math.ceil(keys.length / chunkSize);
    return told.length === 0
      ? []
      : Array.from({ length: portions }, (_, index) => ({
          name,
          target: target.name,
          key: reference.field,
          told,
          keys: keys.slice(index * chunkSize, (index + 1) * chunkSize),
        }));
  });
  const answers = useQueries({
    queries: wanted.map(({ target, key, told, keys }) => ({
      queryKey: ['labels', model.path, target, key, keys.join()] as const,
      queryFn: async () => {
        const limit = Math.min(keys.length, model.limits.maxLimit);
        const url = `${model.path}/${target}?${key}_in=${encodeURIComponent(listOf(keys))}&fields=${[key, ...told].join()}&page=1&limit=${limit}`;
        const { body } = await ask(url);
        return new Map(
          recordsOf(body).map((one) => [String(memberOf(one, key)), labelBy(told, one)]),
        );
      },
      staleTime: 30_000,
    })),
    combine: labelsOf,
  });
  const names = wanted.map(({ name }) => name).join();
  return useMemo(() => {
    const known = new Map<string, string>();
    for (const [index, name] of names.split(',').entries())
      for (const [key, label] of answers[index] ?? []) known.set(`${name} ${key}`, label);
    return ({ name }, value) => known.get(`${name} ${String(value)}`);
  }, [answers, names]);
}

/** Outside of the hook: the same function gives the same list while nothing has come. */
function labelsOf(
  results: readonly { readonly data: ReadonlyMap<string, string> | undefined }[],
): readonly (ReadonlyMap<string, string> | undefined)[] {
  return results.map(({ data }) => data);
}
