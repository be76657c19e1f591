import { apiError, fail, ok, type ApiError, type FieldProblem, type Result } from '../errors.ts';
import type { Field, Resource } from '../model/api.ts';
import type { SqlValue } from '../model/values.ts';
import { isGenerated } from '../model/field-types/id.ts';
import type { FieldValues, WritePlan } from '../plan/plan.ts';
import type { JsonValue } from '../spec/specification.ts';
import { codecOf, encodeValue, type Dialect } from '../sql/dialect.ts';
import type { WriteStatements } from '../sql/compile-write.ts';
import { findConflicts } from './conflicts.ts';
import { ConstraintError, type Database, type Transaction } from './database.ts';
import { readOne } from './read.ts';
import type { RecordValue } from '../shape/record.ts';
import type { CompiledRead } from '../sql/compile-read.ts';
import type { Limits } from '../model/api.ts';

/** How the answer of a write is read, in the write's own transaction. */
export interface Answering {
  /** The read of the written record, with what the request selects and expands. */
  readonly compiled: CompiledRead;
  /** The plain read, where the request asked for another: its digest is the entity tag. */
  readonly plain: CompiledRead | undefined;
  readonly limits: Limits;
}

/** One record as it is after a write. */
export interface Written {
  readonly id: JsonValue;
  readonly record: RecordValue | undefined;
  /** What a plain read shows, where `record` is not that. */
  readonly plain: RecordValue | undefined;
}

/** Ends a transaction with an answer instead of a result. */
class Refusal extends Error {
  readonly error: ApiError;
  constructor(error: ApiError) {
    super(error.message);
    this.error = error;
  }
}

/** Runs a write in one transaction; every failure that the request is to blame for comes back as an ApiError. */
export async function executeWrite(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  answering: Answering,
): Promise<Result<readonly Written[]>> {
  try {
    const written = await database.write((transaction) =>
      new Writer(transaction, database.dialect, statements, answering).run(plan),
    );
    return ok(written);
  } catch (error) {
    if (error instanceof Refusal) return fail(error.error);
    throw error;
  }
}

/** One run of a plan inside a transaction. */
class Writer {
  private readonly transaction: Transaction;
  private readonly dialect: Dialect;
  private readonly statements: WriteStatements;
  private readonly answering: Answering;

  constructor(
    transaction: Transaction,
    dialect: Dialect,
    statements: WriteStatements,
    answering: Answering,
  ) {
    this.transaction = transaction;
    this.dialect = dialect;
    this.statements = statements;
    this.answering = answering;
  }

  async run(plan: WritePlan): Promise<readonly Written[]> {
    switch (plan.kind) {
      case 'create': {
        const written: Written[] = [];
        for (const [index, values] of plan.records.entries())
          written.push(await this.create(plan.resource, values, plan.isArray ? `[${index}].` : ''));
        return written;
      }
      case 'update':
        return [await this.update(plan)];
      case 'delete':
        await this.delete(plan.resource, plan.id);
        return [];
      default:
        return plan satisfies never;
    }
  }

  private async create(resource: Resource, values: FieldValues, prefix: string): Promise<Written> {
    const statement = this.statements.insert(resource, [...values.keys()]);
    const bound = this.encodeAll(values);
    const { insertedId } = await this.changing(resource, values, undefined, prefix, () =>
      this.transaction.run(statement, { bound }),
    );
    const id = isGenerated(resource.id) ? insertedId : (values.get(resource.id) ?? null);
    return this.answer(id);
  }

  private async update(plan: Extract<WritePlan, { kind: 'update' }>): Promise<Written> {
    const { resource, id, values, unchanged } = plan;
    if (unchanged.size > 0 || values.size === 0) await this.checkUnchanged(resource, id, unchanged);
    if (values.size > 0) {
      const statement = this.statements.update(resource, [...values.keys()]);
      const bound = this.encodeAll(values);
      const { rows } = await this.changing(resource, values, id, '', () =>
        this.transaction.run(statement, { bound, id: this.encode(id, resource.id) }),
      );
      if (rows === 0) throw new Refusal(notFound(resource, id));
    }
    return this.answer(id);
  }

  /** The record must be there, with these values in its immutable fields. */
  private async checkUnchanged(
    resource: Resource,
    id: JsonValue,
    values: FieldValues,
  ): Promise<void> {
    const fields = [...values.keys()];
    const [row] = await this.transaction.all(this.statements.current(resource, fields), {
      bound: [],
      id: this.encode(id, resource.id),
    });
    if (row === undefined) throw new Refusal(notFound(resource, id));
    const problems = fields.flatMap((field, index): FieldProblem[] => {
      const stored = row[index + 1] ?? null;
      const current = stored === null ? null : this.decode(stored, field);
      return JSON.stringify(current) === JSON.stringify(values.get(field))
        ? []
        : [{ field: field.name, message: 'is immutable: it is set on create only' }];
    });
    if (problems.length > 0)
      throw new Refusal(apiError('VALIDATION_FAILED', 'Validation failed', { problems }));
  }

  private async delete(resource: Resource, id: JsonValue): Promise<void> {
    const values = { bound: [], id: this.encode(id, resource.id) };
    const dependents = new Map<string, number>();
    for (const dependent of this.statements.dependents(resource)) {
      const [row] = await this.transaction.all(dependent.count, values);
      const count = Number(row?.[0] ?? 0);
      const { name } = dependent.resource;
      if (count > 0) dependents.set(name, (dependents.get(name) ?? 0) + count);
    }
    if (dependents.size > 0)
      throw new Refusal(
        apiError('HAS_DEPENDENTS', 'Other records need this one, so it cannot be deleted', {
          members: {
            dependents: [...dependents].map(([name, count]) => ({ resource: name, count })),
          },
        }),
      );
    for (const relation of resource.relations.values())
      if (relation.kind === 'morphMany' && relation.onDelete !== 'restrict')
        await this.transaction.run(this.statements.morphChildren(relation), values);
    const { rows } = await this.transaction.run(this.statements.delete(resource), values);
    if (rows === 0) throw new Refusal(notFound(resource, id));
  }

  private async answer(id: JsonValue): Promise<Written> {
    const { compiled, plain, limits } = this.answering;
    const stored = this.encode(id, compiled.plan.resource.id);
    const read = (one: CompiledRead): Promise<RecordValue | undefined> =>
      readOne(one, stored, this.transaction, this.dialect, limits);
    return { id, record: await read(compiled), plain: plain && (await read(plain)) };
  }

  /** Runs a change; when a constraint refuses it, finds every field that is to blame. */
  private async changing<Value>(
    resource: Resource,
    values: FieldValues,
    id: JsonValue | undefined,
    prefix: string,
    change: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof ConstraintError)) throw error;
      const { transaction, dialect, statements } = this;
      const problems = await findConflicts(
        { transaction, dialect, statements },
        resource,
        values,
        id,
      );
      if (problems.length === 0) throw error;
      throw new Refusal(
        apiError('INVALID_VALUE', 'Some values are not allowed', {
          problems: problems.map((problem) => ({ ...problem, field: `${prefix}${problem.field}` })),
        }),
      );
    }
  }

  private encode(value: JsonValue, field: Field): SqlValue {
    return encodeValue(this.dialect, value, field);
  }

  private decode(stored: SqlValue, field: Field): JsonValue {
    const { decode } = codecOf(this.dialect, field);
    return decode === undefined ? (stored as JsonValue) : decode(stored, field);
  }

  private encodeAll(values: FieldValues): readonly SqlValue[] {
    return [...values].map(([field, value]) => this.encode(value, field));
  }
}

/** The answer when a record is not there. */
export function notFound({ name }: Resource, id: JsonValue | string): ApiError {
  return apiError(
    'RESOURCE_NOT_FOUND',
    `There is no record in ${name} with id ${JSON.stringify(id)}`,
  );
}
