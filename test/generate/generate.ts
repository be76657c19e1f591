import { expect } from 'vitest';
import { fillDatabase, type FillOptions, type FillResult } from '../../src/generate/fill/fill.ts';
import {
  makeGenerator,
  type GenerationOptions,
  type Generator,
} from '../../src/generate/generator.ts';
import type { Database } from '../../src/databases/database.ts';
import type { Api } from '../../src/model/api.ts';
import type { JsonValue } from '../../src/specification/specification.ts';
import { writeStatements } from '../../src/sql/compile/write.ts';
import { buildValid } from '../support/api.ts';
import { serveBoth, type Both } from '../support/both.ts';

export type Row = Record<string, JsonValue>;

/** The generator of a specification that has one. */
export async function generatorOf(
  text: string,
  options: GenerationOptions = {},
  folder?: string,
): Promise<{ readonly api: Api; readonly generator: Generator }> {
  const api = buildValid(text);
  const made = await makeGenerator(api, folder, options);
  if (!made.ok) throw new Error(made.problems.map(({ message }) => message).join('\n'));
  return { api, generator: made.generator };
}

/** The generated rows of every resource, or the first `most` of each. */
export function rowsOf(api: Api, generator: Generator, most = Infinity): Record<string, Row[]> {
  const all: Record<string, Row[]> = {};
  for (const resource of api.resources.values()) {
    const rows = generator.rowsOf(resource);
    const count = Math.min(most, generator.countOf(resource));
    all[resource.name] = Array.from({ length: count }, (_, index) => {
      const row = rows.row(index + 1);
      return Object.fromEntries(rows.fields.map(({ name }, position) => [name, row.at(position)]));
    });
  }
  return all;
}

/** The rows of a specification. */
export async function generated(
  text: string,
  options: GenerationOptions = {},
  folder?: string,
): Promise<Record<string, Row[]>> {
  const { api, generator } = await generatorOf(text, options, folder);
  return rowsOf(api, generator);
}

/** The values of one field of the resource `things`, of which the fields are given as lines of YAML. */
export async function valuesOf(
  field: string,
  definition: string,
  count = 40,
): Promise<JsonValue[]> {
  const text = `generate: { count: ${count} }\nresources:\n  things:\n    fields:\n      ${field}: ${definition}\n`;
  const { things = [] } = await generated(text);
  return things.map((row) => row[field] ?? null);
}

/** What keeps a specification from being generated: `path message`. */
export async function problemsOf(text: string, folder?: string): Promise<string[]> {
  const made = await makeGenerator(buildValid(text), folder);
  return made.ok ? [] : made.problems.map(({ path, message }) => `${path.join('.')} ${message}`);
}

/** Serves a specification over both databases, with the generated records of each resource. */
export async function serveGenerated(text: string): Promise<Both> {
  const both = await serveBoth(text);
  for (const { servedApi } of both.sides)
    expect(await fillAll(servedApi.api, servedApi.database)).toMatchObject({ ok: true });
  return both;
}

/** Fills every resource of a database. */
export async function fillAll(
  api: Api,
  database: Database,
  options: GenerationOptions & Partial<Pick<FillOptions, 'reset' | 'onProgress'>> = {},
): Promise<FillResult> {
  const made = await makeGenerator(api, undefined, options);
  if (!made.ok) return made;
  return fillDatabase(made.generator, api, database, writeStatements(database.dialect), {
    resources: options.resources ?? new Set(api.resources.values()),
    reset: options.reset ?? false,
    onProgress: options.onProgress ?? (() => undefined),
  });
}
