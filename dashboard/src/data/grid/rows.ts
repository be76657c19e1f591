import { useQueries, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ask, type ApiAnswer, type Refusal } from '../../api.ts';
import type { ApiRecord } from '../record/draft.ts';
import { recordsOf } from './records.ts';

/** The rows of a list, as far as they have come. */
export interface Rows {
  /** How many there are. */
  readonly count: number;
  /** Undefined: it has not come yet. */
  readonly at: (index: number) => ApiRecord | undefined;
  /** The records from one row to another, those that have not come yet included. */
  readonly between: (first: number, last: number) => Promise<readonly ApiRecord[]>;
  /** What has come of those in sight. */
  readonly loaded: readonly ApiRecord[];
  /** The first answer; undefined: nothing has come yet. */
  readonly answer: ApiAnswer | undefined;
  /** What is shown was asked for before, and what is asked for now has not come. */
  readonly isStale: boolean;
  readonly isFetching: boolean;
  readonly error: Refusal | Error | null;
}

/** How many records are asked for at once. */
export const chunkSize = 100;
/** A browser draws nothing farther down than about 30 million px. */
export const mostRows = 500_000;

interface Asked {
  /** The URL of the list, without paging. */
  readonly url: string;
  /** Whether the URL names a page itself, which then is all that is shown. */
  readonly isPaged: boolean;
  readonly maxLimit: number;
  /** The rows in sight. */
  readonly first: number;
  readonly last: number;
  readonly isEnabled: boolean;
}

/** The records of a list: the page that the URL names, else those in sight of all. */
export function useRows({ url, isPaged, maxLimit, first, last, isEnabled }: Asked): Rows {
  const size = Math.min(chunkSize, maxLimit);
  const seen = isPaged ? [0] : chunksOf(first, last, size);
  // The first one has the total.
  const numbers = [...new Set([0, ...seen])];
  const client = useQueryClient();
  const chunk = (number: number) => ({
    queryKey: ['list', url, isPaged ? 'page' : number] as const,
    queryFn: () =>
      isPaged
        ? ask(url)
        : ask(`${url}${url.includes('?') ? '&' : '?'}page=${number + 1}&limit=${size}`, {
            headers: number === 0 ? {} : { prefer: 'count=none' },
          }),
    staleTime: 2_000,
  });
  const results = useQueries({
    queries: numbers.map((number) => ({ ...chunk(number), enabled: isEnabled })),
  });
  const [begin] = results;
  const answer = begin?.data;
  const current: Shown | undefined =
    answer === undefined
      ? undefined
      : {
          answer,
          count: isPaged
            ? recordsOf(answer.body).length
            : Math.min(
                mostRows,
                Number(answer.headers.get('x-total-count') ?? recordsOf(answer.body).length),
              ),
          chunks: new Map(
            numbers.flatMap((number, index) => {
              const body = results[index]?.data?.body;
              return body === undefined ? [] : [[number, recordsOf(body)] as const];
            }),
          ),
        };
  /** What was shown last stays until what is asked for comes. */
  const before = useRef<Shown>(undefined);
  if (current !== undefined) before.current = current;
  const shown = current ?? before.current;
  const error = results.find((one) => one.error !== null)?.error ?? null;
  return {
    count: shown?.count ?? 0,
    at: (index) => shown?.chunks.get(Math.floor(index / size))?.[index % size],
    between: async (from, to) => {
      const [begin, end] = [Math.floor(from / size), Math.floor(to / size)];
      const wanted = Array.from({ length: end - begin + 1 }, (_, index) => begin + index);
      const answers = await Promise.all(
        wanted.map((number) => client.ensureQueryData(chunk(number))),
      );
      const records = answers.flatMap(({ body }) => recordsOf(body));
      return records.slice(from - begin * size, to - begin * size + 1);
    },
    loaded: shown === undefined ? [] : [...shown.chunks.values()].flat(),
    answer: shown?.answer,
    isStale: current === undefined && shown !== undefined,
    isFetching: results.some((one) => one.isFetching),
    error,
  };
}

interface Shown {
  readonly answer: ApiAnswer;
  readonly count: number;
  readonly chunks: ReadonlyMap<number, readonly ApiRecord[]>;
}

function chunksOf(first: number, last: number, size: number): readonly number[] {
  const [begin, end] = [Math.floor(first / size), Math.floor(Math.max(first, last) / size)];
  return Array.from({ length: Math.min(8, end - begin + 1) }, (_, index) => begin + index);
}
