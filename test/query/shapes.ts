import { expect, test } from 'vitest';
import type { Records, TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';

/** Two servers with the same records: one has seen other values before, the other has not. */
export interface Pair {
  readonly warm: TestApi;
  /** How many shapes a request to the warm one adds. */
  readonly added: (target: string, headers?: Record<string, string>) => Promise<number>;
  /** Both have to answer alike. */
  readonly expectSame: (target: string) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export async function servePair(specification: string, records: Records): Promise<Pair> {
  const [warm, cold] = await Promise.all([
    serveBoth(specification, records),
    serveBoth(specification, records),
  ]);
  return {
    warm,
    added: async (target, headers = {}) => {
      const before = warm.servedApi.planCount;
      const { status, text } = await warm.get(target, headers);
      expect(status, text).toBe(200);
      return warm.servedApi.planCount - before;
    },
    expectSame: async (target) => {
      const [again, fresh] = await Promise.all([warm, cold].map((api) => api.get(target)));
      expect(again?.text).toBe(fresh?.text);
      expect(again?.headers.get('link')).toBe(fresh?.headers.get('link'));
    },
    stop: async () => {
      await warm.stop();
      await cold.stop();
    },
  };
}

/** One test a row: the second query adds `more` shapes to that of the first, and both are answered as if alone. */
export function expectShapes(
  pair: () => Pair,
  path: string,
  more: 0 | 1,
  rows: readonly (readonly [name: string, first: string, second: string])[],
): void {
  test.each(rows)('%s: %s, then %s', async (_, first, second) => {
    const { added, expectSame } = pair();
    expect(await added(`${path}?${first}`)).toBe(1);
    expect(await added(`${path}?${second}`)).toBe(more);
    expect(await added(`${path}?${first}`)).toBe(0);
    for (const query of [second, first]) await expectSame(`${path}?${query}`);
  });
}
