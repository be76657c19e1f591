import { counted } from '../../model/values.ts';
import { quote, quoteTable } from '../../sql/dialect.ts';
import { DatabaseFailure } from '../../databases/database.ts';
import type { Ask } from '../../databases/postgres/database.ts';
import { isLoss } from '../../databases/postgres/errors.ts';
import { indexStatement } from '../../databases/postgres/search/search.ts';
import type { SchemaRules } from '../../databases/existing/actual-schema.ts';
import type { IndexDrop, Migration, SchemaChanges } from '../changes.ts';
import { creationOf } from '../indexes.ts';
import { searchCreationOf } from '../search.ts';
import { addsReferences, indexName } from './changes.ts';
import { reasonOf } from './reasons.ts';

// What is done after the transaction of a migration, each statement by itself, while other sessions go on writing. See
// docs/contract/6-operation.md#migrate, rule 17.

interface LaterStep {
  readonly summary: string;
  readonly sql: readonly string[];
  /** Takes away what a failed statement leaves behind: an index that is not used but slows down writes, a key. */
  readonly undo: string;
}

/** Whether anything is left to do after the transaction. */
export function isFinishedLater(changes: SchemaChanges): boolean {
  return (
    changes.createIndexes.some(({ isLater }) => isLater) ||
    changes.search.create.some(({ isLater }) => isLater) ||
    changes.validations.length > 0 ||
    changes.alterTables.some((table) => table.isValidatedLater && addsReferences(table))
  );
}

function laterSteps(changes: SchemaChanges, rules: SchemaRules): readonly LaterStep[] {
  const indexStep = (summary: string, index: IndexDrop, create: string): LaterStep => {
    const sql = create.replace(
      /^CREATE (UNIQUE )?INDEX /u,
      (words: string) => `${words}CONCURRENTLY `,
    );
    const undo = `DROP INDEX CONCURRENTLY IF EXISTS ${indexName(index)}`;
    // If the session was lost amid it, the index is there and not finished.
    const dropped = [...changes.dropIndexes, ...changes.search.drop];
    const isBroken = dropped.some(({ name }) => name === index.name);
    return { summary, sql: isBroken ? [undo, sql] : [sql], undo };
  };
  const { create: searches, extension } = changes.search;
  return [
    ...changes.createIndexes
      .filter(({ isLater }) => isLater)
      .map(({ table, index, collated }) =>
        indexStep(
          creationOf(table.name, index),
          { name: index.name, table: table.name },
          rules.indexSql(table, index, collated),
        ),
      ),
    ...searches
      .filter(({ isLater }) => isLater)
      .map(({ table, schema }) =>
        indexStep(
          searchCreationOf(table, schema),
          { name: schema.name, table },
          indexStatement(table, schema, extension?.schema ?? ''),
        ),
      ),
    ...changes.validations.map(({ summary, table, constraint }) => ({
      summary,
      sql: [`ALTER TABLE ${quoteTable(table)} VALIDATE CONSTRAINT ${quote(constraint)}`],
      undo: `ALTER TABLE ${quoteTable(table)} DROP CONSTRAINT IF EXISTS ${quote(constraint)}`,
    })),
  ];
}

/**
 * Creates the indexes and validates the keys that are left. Those that fail are taken away and named together: a
 * DatabaseFailure. The rest is done all the same.
 */
export async function finish(ask: Ask, planned: Migration, rules: SchemaRules): Promise<void> {
  const failures: string[] = [];
  for (const { summary, sql, undo } of laterSteps(planned.changes, rules)) {
    const obstacle = planned.steps.find((step) => step.summary === summary)?.obstacle;
    try {
      if (obstacle === undefined) for (const one of sql) await ask(one);
    } catch (error) {
      if (isLoss(error)) throw error;
      await ask(undo);
      failures.push(`${summary}: ${reasonOf(error)}`);
      continue;
    }
    if (obstacle !== undefined) failures.push(`${summary}: ${obstacle}`);
  }
  if (failures.length > 0)
    throw new DatabaseFailure(
      `The migration is done but for ${counted(failures.length, 'step')}. ${failures.join('. ')}. Resolve that, and run it again.`,
    );
}
