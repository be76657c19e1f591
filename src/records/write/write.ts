import { fail, ok, type FieldProblem, type Result } from '../../errors.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import { inBodyTime } from '../../lib/pattern.ts';
import { readValue } from '../../model/validation.ts';
import { mergePatch } from '../../query/write/merge-patch.ts';
import { immutableMessage, validationError } from '../../query/write/write.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../query/write/morphs.ts';
import type { FieldValues, LinkChange, WritePlan } from '../../query/plan.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { encodeValue, type Dialect } from '../../sql/dialect.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import {
  findConflicts,
  hiddenKeys,
  keptIn,
  missingOwners,
  type Access,
  type Conflict,
  type IsKept,
} from './conflicts.ts';
import {
  ConstraintError,
  requireOneRow,
  type Database,
  type Row,
  type Transaction,
} from '../../databases/database.ts';
import { blaming } from './database-rules.ts';
import { changeLinks } from './links.ts';
import { boundFor } from '../../query/bind.ts';
import { matchesTag } from '../../query/request/headers.ts';
import { entityTag } from '../serialize/digest.ts';
import { readOne } from '../read/read.ts';
import { serializerOf, type RecordValue } from '../serialize/record.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import { currentValues, encodedIn, inOrder, noValues, valueIn } from './field-values.ts';
import { deleteRecord } from './delete.ts';
import { writePlainly } from './plain-write.ts';
import { Refusal, refusedValues, refuseLinks } from '../refusal.ts';
import { RowBudget } from '../row-budget.ts';
import { checkResult, checkTarget, isUnruled } from './write-rules.ts';
import { createWhole } from './whole-create.ts';
import {
  hasChanged,
  isAsNamed,
  notFound,
  notReached,
  type Answering,
  type Written,
} from './written.ts';

/** Runs a write in one transaction; every failure that the request is to blame for comes back as an ApiError. */
export async function executeWrite(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  answering: Answering,
): Promise<Result<readonly Written[]>> {
  try {
    const atOnce = await writeAtOnce(plan, database, statements, answering);
    if (atOnce !== undefined) return atOnce;
  } catch (error) {
    // Run again below, where what is to blame can be looked up.
    if (!(error instanceof ConstraintError)) throw error;
  }
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

/** Runs a write for which no transaction has to be held open; undefined for any other. */
async function writeAtOnce(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  answering: Answering,
): Promise<Result<readonly Written[]> | undefined> {
  const { compiled, plain, rights } = answering;
  // With another selection, the entity tag needs a read of its own.
  if (plain !== undefined || !isUnruled(plan, compiled, rights)) return undefined;
  const plainly = writePlainly(plan, compiled, database, statements);
  if (plainly !== undefined) {
    const written = await plainly;
    return written && ok(written);
  }
  const whole = await createWhole(plan, answering, database, statements);
  return whole && ok([whole]);
}

/** One run of a plan inside a transaction. */
export class Writer {
  private readonly transaction: Transaction;
  private readonly dialect: Dialect;
  private readonly statements: WriteStatements;
  private readonly answering: Answering;
  private readonly access: Access;

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
    const { names, rights } = answering;
    this.access = { transaction, dialect, statements, names, rights };
  }

  async run(plan: WritePlan): Promise<readonly Written[]> {
    switch (plan.kind) {
      case 'create':
        return this.create(plan);
      case 'update':
        await checkTarget(plan, this.access, this.answering.rights);
        await this.checkMatch(plan);
        return this.changed(plan);
      case 'delete':
        await checkTarget(plan, this.access, this.answering.rights);
        await this.checkMatch(plan);
        await deleteRecord(this.access, plan.resource, plan.id);
        return [];
      default:
        return plan satisfies never;
    }
  }

  /** Records that are refused do not keep the others from being tried, so that every problem is reported. */
  private async create(plan: Extract<WritePlan, { kind: 'create' }>): Promise<readonly Written[]> {
    const { resource, records, isArray } = plan;
    let isForbidden = false;
    const ids: JsonValue[] = [];
    const rows: (Row | undefined)[] = [];
    const problems: FieldProblem[] = [];
    const missing: ValueIssue[] = [];
    let refused = false;
    for (const [index, { values, links }] of records.entries()) {
      const fields = [...values.keys()];
      // What stands behind it in the array may change what is shown of it.
      const showing = isArray ? undefined : this.showing(resource, links);
      const statement =
        showing === undefined
          ? this.statements.insert(resource, fields)
          : this.statements.create(showing, fields, 1);
      const bound = encodedIn(fields, values, this.dialect);
      const insert = async () => requireOneRow(await this.transaction.run(statement, { bound }));
      const outcome = await this.changing(resource, values, undefined, noValues, never, insert);
      let id: JsonValue | undefined;
      if (outcome.ok) {
        const { insertedId } = outcome.value;
        id = isGenerated(resource.id) ? insertedId : (values.get(resource.id) ?? null);
        ids.push(id);
        rows.push(showing && outcome.value.returned[0]);
      } else {
        refused = true;
        problems.push(...this.problems(outcome.error, isArray ? `[${index}].` : ''));
      }
      const changed = await changeLinks(links, id, this.access);
      for (const issue of changed.missing) missing.push(issue);
      for (const problem of changed.refused) problems.push(problem);
      isForbidden ||= changed.isForbidden;
    }
    refuseLinks(missing, problems);
    if (refused) throw refusedValues(problems);
    if (isForbidden) this.answering.rights.refuse();
    await checkResult(plan, ids, this.access, this.answering.rights);
    return this.answer(ids, rows);
  }

  private async changed(plan: Extract<WritePlan, { kind: 'update' }>): Promise<readonly Written[]> {
    const row = await this.update(plan);
    await checkResult(plan, [plan.id], this.access, this.answering.rights);
    return this.answer([plan.id], [row]);
  }

  /**
   * The read whose row the change itself can return: where it shows nothing but the record's own fields, and the caller
   * every record.
   */
  private showing(resource: Resource, links: readonly LinkChange[]): CompiledRead | undefined {
    const { compiled, plain, rights } = this.answering;
    const isOwn = plain === undefined && compiled.selection.expand.length === 0;
    const isShown = rights.leaves(resource, 'read') === 'all';
    return isOwn && isShown && links.length === 0 ? compiled : undefined;
  }

  /**
   * `If-Match`: the record is still the one that the caller has read; `If-None-Match`: it no longer is, or `*`, it is not
   * there. From here on nobody else changes it.
   */
  private async checkMatch({
    resource,
    id,
    demands: { ifMatch, ifNoneMatch },
  }: Exclude<WritePlan, { kind: 'create' }>): Promise<void> {
    if (ifMatch === undefined && ifNoneMatch === undefined) return;
    const values = { bound: [], id: this.encode(id, resource.id) };
    const [row] = await this.transaction.all(this.statements.lock(resource), values);
    if (row === undefined) throw new Refusal(notFound(resource, id));
    const { plain, compiled, limits } = this.answering;
    const isAny = (header = '*'): boolean => header.trim() === '*';
    const needsTag = !isAny(ifMatch) || !isAny(ifNoneMatch);
    const record = needsTag ? await this.read(plain ?? compiled, id, limits) : undefined;
    const tag = record && entityTag(JSON.stringify(record));
    // Who does not see the record has no tag of it; `*` asks only for its being there.
    const isNamed = (header: string): boolean =>
      isAny(header) || (tag !== undefined && matchesTag(header, tag));
    if (ifMatch !== undefined && !isNamed(ifMatch)) throw new Refusal(hasChanged());
    if (ifNoneMatch !== undefined && isNamed(ifNoneMatch)) throw new Refusal(isAsNamed());
  }

  /** Gives the row that is shown, where the change has returned it. */
  private async update(plan: Extract<WritePlan, { kind: 'update' }>): Promise<Row | undefined> {
    const { resource, id } = plan;
    const showing = this.showing(resource, plan.links);
    let row: Row | undefined;
    const issues: ValueIssue[] = [];
    const current = await this.checkCurrent(plan, issues);
    const values = inOrder(resource, plan.values, this.merge(plan, current, issues));
    if (issues.length > 0) throw new Refusal(validationError(issues));
    const problems: FieldProblem[] = [];
    if (values.size > 0) {
      const fields = [...values.keys()];
      const statement =
        showing === undefined
          ? this.statements.update(resource, fields)
          : this.statements.change(showing, fields);
      const own = encodedIn(fields, values, this.dialect);
      const bound = { bound: own, id: this.encode(id, resource.id) };
      const isKept = keptIn(current, this.answering.rights);
      const outcome = await this.changing(resource, values, id, current, isKept, async () => {
        const changed = await this.transaction.run(statement, bound);
        if (changed.rows === 0) throw await notReached(this.access, resource, id);
        return changed;
      });
      if (!outcome.ok) {
        if (plan.links.length === 0) throw refusedValues(this.problems(outcome.error, ''));
        problems.push(...this.problems(outcome.error, ''));
      } else if (showing !== undefined) [row] = outcome.value.returned;
    }
    const links = await changeLinks(plan.links, id, this.access);
    refuseLinks(links.missing, [...problems, ...links.refused]);
    if (links.isForbidden) this.answering.rights.refuse();
    return row;
  }

  /**
   * What the request leaves open until the record is known: it has to be there where anything is asked of it,
   * immutable fields keep their value, and no morph pair ends half null. Gives the values that were looked up.
   */
  private async checkCurrent(
    { resource, id, values, unchanged, merged }: Extract<WritePlan, { kind: 'update' }>,
    issues: ValueIssue[],
  ): Promise<FieldValues> {
    const morphs = touchedMorphs(resource, values);
    const halves = morphs.flatMap(({ typeField, idField }) => [typeField, idField]);
    const { rights } = this.answering;
    // A key to what the caller does not see may stay as it is.
    const keys = [...values.keys()].filter(
      ({ reference }) =>
        reference !== undefined && rights.leaves(reference.resource, 'read') !== 'all',
    );
    const fields = [...new Set([...unchanged.keys(), ...halves, ...merged.keys(), ...keys])];
    if (fields.length === 0 && values.size > 0) return noValues;
    const key = this.encode(id, resource.id);
    const isHeld = merged.size > 0 || halves.length > 0;
    const current = await currentValues(this.access, resource, fields, key, isHeld);
    if (current === undefined) throw new Refusal(notFound(resource, id));
    const isStill = keptIn(current, undefined);
    const conflicts = [
      ...[...unchanged]
        .filter(([field, value]) => !isStill(field, value))
        .map(([field]) => ({ field, message: immutableMessage })),
      ...emptyHalves(morphs, valueIn(values, current)).map((half) =>
        halfIssue(half, this.answering.names.field),
      ),
    ];
    for (const { field, message } of this.problems(conflicts, ''))
      issues.push({ kind: 'type', path: field, message });
    return current;
  }

  /** What parts that are merged make of the values that are there; the whole has to be valid then. */
  private merge(
    { merged }: Extract<WritePlan, { kind: 'update' }>,
    current: FieldValues,
    issues: ValueIssue[],
  ): FieldValues {
    const values = new Map<Field, JsonValue>();
    for (const [field, part] of merged) {
      const whole = mergePatch(current.get(field) ?? null, part);
      const reading = inBodyTime(() => readValue(whole, field));
      const name = this.answering.names.field(field) ?? field.name;
      if (!reading.ok)
        for (const issue of reading.issues) issues.push({ ...issue, path: `${name}${issue.path}` });
      else if (!field.immutable) values.set(field, reading.value);
      else if (JSON.stringify(reading.value) !== JSON.stringify(current.get(field)))
        issues.push({ kind: 'type', path: name, message: immutableMessage });
    }
    return values;
  }

  /** What the answer shows, once everything is written: made of the rows that there are, else read. */
  async answer(
    ids: readonly JsonValue[],
    rows: readonly (Row | undefined)[] = [],
  ): Promise<readonly Written[]> {
    const { compiled, plain, limits } = this.answering;
    const serialize = serializerOf(compiled.selection.columns);
    // All records of one answer share the limit.
    const responseItems = Math.floor(limits.responseItems / Math.max(ids.length, 1));
    const shared = { ...limits, responseItems };
    const budget = new RowBudget();
    const written: Written[] = [];
    const isKnown = plain === undefined && ids.every((_, index) => rows[index] !== undefined);
    if (!isKnown) this.transaction.enter?.(`fetch_${compiled.plan.resource.name}`);
    for (const [index, id] of ids.entries()) {
      const row = rows[index];
      written.push({
        id,
        record: row === undefined ? await this.read(compiled, id, shared, budget) : serialize(row),
        plain: plain && (await this.read(plain, id, shared, budget)),
      });
    }
    return written;
  }

  private read(
    compiled: CompiledRead,
    id: JsonValue,
    limits: Limits,
    budget = new RowBudget(),
  ): MaybePromise<RecordValue | undefined> {
    const key = this.encode(id, compiled.plan.resource.id);
    const bound = boundFor(this.answering.rights.claims);
    return readOne(compiled, key, bound, this.transaction, this.dialect, limits, budget);
  }

  /** Runs a change of values; when the database refuses them, finds every field that is to blame. */
  private async changing<Value>(
    resource: Resource,
    values: FieldValues,
    id: JsonValue | undefined,
    current: FieldValues,
    isKept: IsKept,
    change: () => Promise<Value>,
  ): Promise<Result<Value, readonly Conflict[]>> {
    const morphs = touchedMorphs(resource, values);
    const unseen = [
      ...(await missingOwners(this.access, morphs, valueIn(values, current), isKept, (field) =>
        values.has(field),
      )),
      ...(await hiddenKeys(this.access, values, isKept)),
    ];
    const { access } = this;
    // Not even tried, so that neither time nor statements tell a hidden record from a missing one.
    if (unseen.length > 0) {
      const told = new Set(unseen.map(({ field }) => field));
      const others = await findConflicts(access, resource, values, id, 'foreignKey', told);
      return fail([...unseen, ...others.filter(({ field }) => !told.has(field))]);
    }
    return blaming(access, { resource, values, id }, change);
  }

  /** Conflicts under the names that the caller knows; what it does not know is not named. */
  private problems(conflicts: readonly Conflict[], prefix: string): readonly FieldProblem[] {
    return conflicts.flatMap(({ field, message }) => {
      const name = this.answering.names.field(field);
      return name === undefined ? [] : { field: `${prefix}${name}`, message };
    });
  }

  private encode(value: JsonValue, field: Field): SqlValue {
    return encodeValue(this.dialect, value, field);
  }
}

const never: IsKept = () => false;
