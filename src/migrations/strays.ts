import type { Api } from '../model/api.ts';
import { counted } from '../model/values.ts';
import { quote } from '../sql/dialect.ts';
import type { Counting, SchemaRules } from '../databases/existing/actual-schema.ts';
import type { Pair } from './changes.ts';

/**
 * Counts rows whose morph pair has a type without a resource, such as one that the file no longer names: "2 rows of
 * notes". They are kept but refer to nothing.
 */
export function* findStrays(
  { resources }: Api,
  pairs: readonly Pair[],
  { dialect }: SchemaRules,
): Counting<readonly string[]> {
  const found: string[] = [];
  for (const { name, relations } of resources.values()) {
    const pair = pairs.find(({ wanted }) => wanted.resource === name);
    for (const relation of relations.values()) {
      if (relation.kind !== 'morphTo') continue;
      const column = pair?.change?.columns.find((one) => one.name === relation.typeField.column);
      if (pair?.actual === undefined || column?.actual === undefined) continue;
      const types = [...relation.targets.keys()].map((type) => dialect.text(type)).join(', ');
      const rows =
        yield `SELECT count(*) FROM ${quote(pair.actual.name)} WHERE ${quote(column.actual.name)} NOT IN (${types})`;
      if (rows > 0) found.push(`${counted(rows, 'row')} of ${name}`);
    }
  }
  return found;
}
