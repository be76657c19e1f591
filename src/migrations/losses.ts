import { counted } from '../model/values.ts';
import { kinds } from '../sql/kinds/registry.ts';
import { baseOf, digitsOf, precisionOf, type StoredKind } from '../sql/kinds/stored-kind.ts';
import type { ActualColumn, ActualTable } from '../databases/existing/actual-schema.ts';
import type { ColumnSchema } from '../sql/schema/table.ts';

// What a step loses, in words. See docs/contract/6-operation.md#migrate, rule 2.

/** The values that no conversion keeps, if there are any. */
export function lostValues(count: number): readonly string[] {
  return count === 0 ? [] : [`loses ${counted(count, 'value')}`];
}

/** What becomes of values that keep a part of their meaning: "rounds 3 values to milliseconds". */
export function changedValues(to: StoredKind, count: number): readonly string[] {
  return count === 0 ? [] : [changeOf(to, counted(count, 'value'))];
}

function changeOf(to: StoredKind, values: string): string {
  const { drops } = kinds[baseOf(to)];
  return drops === undefined ? `rounds ${values} to ${unitOf(to)}` : `drops ${drops} of ${values}`;
}

const unitOf = (kind: StoredKind): string => kinds[baseOf(kind)].unit?.(kind) ?? 'whole numbers';

/**
 * What other programs lose by a column with fewer digits, whether or not its values have more. A migration that made the
 * column knows of none.
 */
export function narrowing(from: StoredKind, to: StoredKind, isMade: boolean): readonly string[] {
  if (isMade || from === to || baseOf(from) !== baseOf(to)) return [];
  const isCoarser = baseOf(from) === 'datetime' && precisionOf(from) > precisionOf(to);
  const [before, after] = [digitsOf(from), digitsOf(to)];
  const isShorter = before !== undefined && after !== undefined && before.scale > after.scale;
  return isCoarser || isShorter ? [`rounds what other programs write there to ${unitOf(to)}`] : [];
}

/** A unique column whose values are equal in a wider sense than by their bytes until then. */
export function weakerUnique(
  { name, isLoose }: ActualColumn,
  { indexes }: ActualTable,
  { kind }: ColumnSchema,
): readonly string[] {
  const isUnique = indexes.some(({ unique, columns }) => unique && columns.includes(name));
  return isLoose && isUnique && baseOf(kind) === 'string'
    ? [`makes ${name} unique by bytes: texts that were equal, such as Bob and bob, become two`]
    : [];
}

/** Several losses as one: "loses 3 values and its default"; undefined for none. */
export function together(losses: readonly string[]): string | undefined {
  const [first, ...more] = losses.filter((one) => one.startsWith('loses '));
  const lost = first === undefined ? [] : [first, ...more.map((one) => one.slice('loses '.length))];
  const all = [...lost, ...losses.filter((one) => !one.startsWith('loses '))];
  return all.length === 0 ? undefined : all.join(' and ');
}
