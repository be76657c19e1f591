import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FieldSpecification } from '../../src/specification/specification.ts';
import type { ResourceDraft, SpecificationDraft } from '../../src/introspection/draft.ts';
import { specificationText } from '../../src/introspection/document.ts';
import { build } from '../support/api.ts';
import { existingPostgres, existingSqlite } from '../support/existing.ts';
import { draftFromPostgres, draftFromSqlite } from '../support/introspect.ts';

// What introspect makes of the tables of web frameworks. See docs/contract/8-existing-databases.md#names.
const folder = join(import.meta.dirname, 'frameworks');

const sqlOf = (name: string): string => {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

const kinds = {
  PostgreSQL: { draftOf: draftFromPostgres, serve: existingPostgres, end: 'postgres' },
  SQLite: { draftOf: draftFromSqlite, serve: existingSqlite, end: 'sqlite' },
};

const frameworks = ['rails', 'django', 'laravel', 'prisma', 'typeorm', 'sequelize', 'hasura'];

const cases = frameworks.flatMap((framework) =>
  (['PostgreSQL', 'SQLite'] as const).flatMap((kind) => {
    const tables = sqlOf(`${framework}.${kinds[kind].end}.sql`);
    return tables === '' ? [] : [{ framework, kind, sql: tables + sqlOf(`${framework}.rows.sql`) }];
  }),
);

function relationLine([name, attributes]: readonly [string, FieldSpecification]): string {
  const { relation, resource, through, foreignKey, typeValue } = attributes;
  const by = foreignKey === undefined ? '' : ` by ${foreignKey.toString()}`;
  return [
    `  ${name}: ${relation}${resource === undefined ? '' : ` ${resource}`}`,
    through === undefined ? '' : ` through ${through}`,
    by,
    typeValue === undefined ? '' : ` as ${typeValue}`,
  ].join('');
}

/** What is left out, and of each resource its table, key and relations. */
function outline({ resources, left }: SpecificationDraft): string {
  const lines = resources
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((resource: ResourceDraft) => [
      `${resource.name}: ${resource.table ?? resource.name}`,
      ...(resource.key === undefined ? [] : [`  key: ${resource.key.toString()}`]),
      ...(resource.timestamps ? ['  timestamps'] : []),
      ...[...resource.relations].map(relationLine),
      ...resource.fields.flatMap(({ name, attributes }) =>
        attributes.writeOnly === true ? [`  ${name}: writeOnly`] : [],
      ),
    ]);
  return [...left, ...lines, ''].join('\n');
}

describe.each(cases)('$framework on $kind', ({ framework, kind, sql }) => {
  const { draftOf, serve } = kinds[kind];

  test('is named as its developers name things, and served with every relation', async () => {
    const draft = await draftOf(sql);
    await expect(outline(draft)).toMatchFileSnapshot(join(folder, `${framework}.txt`));
    const text = `access: public\n${specificationText(draft, [], undefined)}`;
    expect(build(text).problems).toEqual([]);
    const { api, next, stop } = await serve(text, sql);
    try {
      expect(await next()).toEqual([]);
      const wrong: string[] = [];
      for (const { name, relations } of draft.resources)
        for (const query of ['', ...[...relations.keys()].map((one) => `?expand=${one}`)]) {
          const { status, text: said } = await api.get(`/v1/${name}${query}`);
          if (status !== 200) wrong.push(`${name}${query}: ${status} ${said}`);
        }
      expect(wrong).toEqual([]);
    } finally {
      await stop();
    }
  });
});
