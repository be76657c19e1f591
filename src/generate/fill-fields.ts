import { isDeepStrictEqual } from 'node:util';
import { ConstraintError, type Database, type Transaction } from '../execute/database.ts';
import { portionsOf } from '../execute/portions.ts';
import type { Field, Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import type { JsonValue } from '../spec/specification.ts';
import { encodeValue, quote } from '../sql/dialect.ts';
import { buildStatement, type Statement } from '../sql/statement.ts';
import type { Generator } from './generator.ts';
import { rowOfId } from './ids.ts';
import { unlessProblem } from './problem.ts';
import type { RowValues } from './row-values.ts';
import { storedValues } from './stored.ts';

/** Fields by their resources. */
export type FieldsOf = ReadonlyMap<Resource, readonly Field[]>;

/** How many records have got values: those that were generated, and others. */
export interface FilledRecords {
  readonly generated: number;
  readonly written: number;
}

/**
 * Gives fields that are null the values that generated records have in them. What somebody has written stays as it is:
 * only records that are for the most part still as they were generated get them. But what may not be null is needed in
 * each, so where more than half of the records of a resource are generated ones the others get that too. A key that would
 * lead to no record, or a value that the database refuses, is left out.
 */
export async function fillFields(
  generator: Generator,
  database: Database,
  fields: FieldsOf,
): Promise<ReadonlyMap<Resource, FilledRecords>> {
  const filled = new Map<Resource, FilledRecords>();
  for (const [resource, lacking] of fields)
    filled.set(resource, await new FieldFilling(generator, database, resource, lacking).run());
  return filled;
}

/** What is written to one record. */
interface Change {
  readonly bound: readonly SqlValue[];
  readonly id: SqlValue;
}

/** A record by the values of its fields. */
type Stored = (field: Field) => JsonValue;

/** The fields of one resource. */
class FieldFilling {
  private readonly generator: Generator;
  private readonly database: Database;
  private readonly resource: Resource;
  private readonly lacking: readonly Field[];
  private readonly fields: readonly Field[];
  /** The values that keys among the fields may have. */
  private readonly targets = new Map<Field, ReadonlySet<string>>();

  constructor(
    generator: Generator,
    database: Database,
    resource: Resource,
    lacking: readonly Field[],
  ) {
    this.generator = generator;
    this.database = database;
    this.resource = resource;
    this.lacking = lacking;
    this.fields = [...resource.fields.values()];
  }

  async run(): Promise<FilledRecords> {
    const { database, resource, fields, lacking, generator } = this;
    await this.readTargets();
    const required = new Set(lacking.filter(({ nullable }) => !nullable));
    const counts = { generated: 0, others: 0 };
    const filled = { generated: 0, written: 0 };
    const waiting: Change[] = [];
    let further = generator.countOf(resource);
    for await (const rows of portionsOf(resource, fields, database)) {
      const changes: Change[] = [];
      for (const row of rows) {
        const stored: Stored = (field) => row[fields.indexOf(field)] ?? null;
        const number = rowOfId(resource, stored(resource.id), generator.settings.seed);
        const made = generator.rowsOf(resource).row(number ?? (further += 1));
        const isGenerated = number !== undefined && this.isGenerated(stored, made);
        counts[isGenerated ? 'generated' : 'others'] += 1;
        const change = this.changeOf(stored, made, isGenerated ? new Set(lacking) : required);
        if (change !== undefined) (isGenerated ? changes : waiting).push(change);
      }
      filled.generated += await this.write(changes);
    }
    if (counts.generated > counts.others) filled.written = await this.write(waiting);
    return filled;
  }

  private async readTargets(): Promise<void> {
    const { database, lacking, targets } = this;
    for (const field of lacking)
      if (field.reference !== undefined) {
        const { resource, field: target } = field.reference;
        targets.set(field, await storedValues(resource, [target], database, database.dialect));
      }
  }

  /** What a record gets in some of the fields; undefined where that is nothing. */
  private changeOf(
    stored: Stored,
    made: RowValues,
    wanted: ReadonlySet<Field>,
  ): Change | undefined {
    const { resource, lacking, database, targets } = this;
    const values = lacking.map((field) => {
      if (stored(field) !== null || !wanted.has(field)) return stored(field);
      const value = unlessProblem(() => made.of(field)) ?? null;
      return targets.get(field)?.has(JSON.stringify([value])) === false ? null : value;
    });
    if (lacking.every((field, at) => values[at] === stored(field))) return undefined;
    const encode = (value: JsonValue, field: Field): SqlValue =>
      encodeValue(database.dialect, value, field);
    return {
      bound: lacking.map((field, at) => encode(values[at] ?? null, field)),
      id: encode(stored(resource.id), resource.id),
    };
  }

  /** Whether a record is that of its row still, in more than half of what it had. */
  private isGenerated(stored: Stored, made: RowValues): boolean {
    const { resource, lacking, fields } = this;
    const others = fields.filter((field) => field !== resource.id && !lacking.includes(field));
    const same = others.filter((field) =>
      isDeepStrictEqual(
        stored(field),
        unlessProblem(() => made.of(field)),
      ),
    );
    return others.length === 0 || same.length * 2 > others.length;
  }

  /** Somebody may have written to one of the fields meanwhile. */
  private update(): Statement {
    const { resource, lacking, database } = this;
    return buildStatement(database.dialect, (add) => {
      const sets = lacking.map(({ column }, at) => {
        const name = quote(column);
        return `${name} = coalesce(${name}, ${add(at)})`;
      });
      return `UPDATE ${quote(resource.table)} SET ${sets.join(', ')} WHERE ${quote(resource.id.column)} = ${add('id')}`;
    });
  }

  private async write(changes: readonly Change[]): Promise<number> {
    if (changes.length === 0) return 0;
    const update = this.update();
    const run = async (some: readonly Change[]): Promise<number> => {
      const work = async (transaction: Transaction): Promise<void> => {
        for (const change of some) await transaction.run(update, change);
      };
      return this.database.write(work).then(() => some.length);
    };
    try {
      return await run(changes);
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
    }
    let count = 0;
    for (const change of changes)
      try {
        count += await run([change]);
      } catch (error) {
        if (!(error instanceof ConstraintError)) throw error;
      }
    return count;
  }
}
