import { afterEach, expect } from 'vitest';
import type { Mode } from '../../src/http/edge/edge.ts';
import { Simulation, type Conditions } from '../../src/http/simulation/conditions.ts';
import { serveApi, type Answer, type TestApi } from '../support/api.ts';

type Serve = (
  head: string,
  more?: string,
  titles?: readonly string[],
  mode?: Mode,
) => Promise<TestApi>;

/**
 * Lets the tests of a file serve, each until it ends, `notes` with `more` in its definition, and `others` with records of
 * these titles. Nothing unforeseen may have happened then.
 */
export function useServers(): Serve {
  const open: TestApi[] = [];
  afterEach(async () => {
    for (const api of open.splice(0)) {
      expect(api.failures).toEqual([]);
      await api.stop();
    }
  });
  return async (head, more = '', titles = [], mode = 'start') => {
    const specification = `
${head}
resources:
  notes: { fields: { title: { type: string } } ${more} }
  others: { fields: { title: { type: string } } }
`;
    const records = { others: titles.map((title) => ({ title })) };
    const api = await serveApi(specification, records, undefined, { mode });
    open.push(api);
    return api;
  };
}

/** Asks past the harness, which holds answers against the documented ones: simulated errors are none of them. */
export async function ask(
  api: TestApi,
  path: string,
  header?: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const asked = header === undefined ? more : { ...more, 'x-simulate': header };
  const response = await fetch(`${api.url}${path}`, { headers: asked });
  const { status, headers } = response;
  const text = await response.text();
  return { status, headers, text, body: JSON.parse(text) as unknown };
}

/** What happens to so many requests, one after the other. */
export function draws(settings: object, count: number): readonly Conditions[] {
  const simulation = new Simulation(settings);
  return Array.from({ length: count }, () => simulation.next());
}
