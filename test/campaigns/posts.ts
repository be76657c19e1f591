import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';
import { Wire } from '../support/wire.ts';

export const specification = `
server: { bodyLimit: 64kb }
resources:
  posts:
    fields:
      title: { type: string, required: true }
`;

/** A server of posts for one test file, and raw connections to it that end with each test. */
export interface Posts {
  readonly api: () => TestApi;
  readonly open: (url?: string) => Promise<Wire>;
  readonly titles: () => Promise<readonly string[]>;
  /** The server answers, has met nothing unforeseen, and its records are those that they were. */
  readonly expectUnharmed: (before: readonly string[]) => Promise<void>;
}

/** Starts the server before the tests of the calling file, and stops it after them. */
export function servePosts(): Posts {
  let served: TestApi | undefined;
  let wires: Wire[] = [];
  const api = (): TestApi => {
    if (served === undefined) throw new Error('The server has not started');
    return served;
  };
  beforeAll(async () => {
    served = await serveApi(specification, { posts: [{ title: 'one' }] });
  });
  afterEach(() => {
    for (const wire of wires) wire.close();
    wires = [];
  });
  afterAll(() => served?.stop());
  const titles = async (): Promise<readonly string[]> => {
    const { body } = await api().get('/v1/posts?limit=1000&sort=id');
    return body.map(({ title }: { title: string }) => title);
  };
  return {
    api,
    open: async (url = api().url) => {
      const wire = await Wire.open(url);
      wires.push(wire);
      return wire;
    },
    titles,
    expectUnharmed: async (before) => {
      expect(await titles()).toEqual(before);
      expect(api().failures.splice(0)).toEqual([]);
    },
  };
}
