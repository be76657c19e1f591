import { apiError, fail, ok, type FieldProblem, type Result } from '../../errors.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import { inBodyTime } from '../../lib/pattern.ts';
import { readValue } from '../../model/validation.ts';
import { revise } from '../../query/write/revisions.ts';
import { immutableMessage, validationError } from '../../query/write/write.ts';
import { foreignKeysOf, idIn, keyFields } from '../../model/field-types/composite-id.ts';
import { emptyHalves, halfIssue, touchedMorphs } from '../../query/write/morphs.ts';
import type { FieldValues, LinkChange, UpdatePlan, WritePlan } from '../../query/plan.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decodeValue, encodeValue, type Dialect } from '../../sql/dialect.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import {
  findConflicts,
  hiddenKeys,
  keptIn,
  missingOwners,
  type DataAccess,
  type Conflict,
  type IsKept,
} from './checks/conflicts.ts';
import {
  ConstraintError,
  requireOneRow,
  type Database,
  type Row,
  type Transaction,
} from '../../databases/database.ts';
import { explainConflicts } from './checks/database-rules.ts';
import { prepareLinks, writeLinks, type PreparedLinks } from './links/changes.ts';
import { boundFor } from '../../query/bind.ts';
import { matchesTag } from '../../query/request/headers.ts';
import { entityTag } from '../serialize/record.ts';
import { readOne } from '../read/read.ts';
import type { RecordValue } from '../serialize/record.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import {
  currentValues,
  encodedIn,
  inOrder,
  noValues,
  storedValues,
  valueIn,
} from './field-values.ts';
import { AuditTrail, isRecorded } from './audit/trail.ts';
import { deleteRecord } from './delete.ts';
import { mayResultIn } from './checks/resulting-rows.ts';
import { writeDirectly } from './direct/write.ts';
import { ApiFailure, invalidValues, rejectLinks } from '../api-failure.ts';
import { RowBudget } from '../row-budget.ts';
import { checkTarget, isUnrestricted } from './checks/access.ts';
import { createWithLinks } from './direct/create-with-links.ts';
import { readWritten } from './read-back.ts';
import {
  ifMatchFailed,
  ifNoneMatchFailed,
  notFound,
  unchangedError,
  type WriteContext,
  type Written,
  type WrittenRow,
} from './result.ts';

/** Runs a write in one transaction; returns every failure that the request is to blame for as an ApiError. */
export async function executeWrite(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  context: WriteContext,
): Promise<Result<Written>> {
  const { audited } = context;
  if (audited !== undefined) await audited.log.deleteOld(audited.at);
  try {
    const atOnce = await writeAtOnce(plan, database, statements, context);
    if (atOnce !== undefined) return atOnce;
  } catch (error) {
    // Run it again below, in a transaction that can look up the fields to blame.
    if (!(error instanceof ConstraintError)) throw error;
  }
  try {
    const written = await database.write(
      (transaction) => new Writer(transaction, database.dialect, statements, context).run(plan),
      context.requester,
    );
    return ok(await readWritten(written, context, database));
  } catch (error) {
    if (error instanceof ApiFailure) return fail(error.error);
    throw error;
  }
}

/** Runs a write that needs no look-ups and no open transaction; undefined for others. */
async function writeAtOnce(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  context: WriteContext,
): Promise<Result<Written> | undefined> {
  const { compiled, plain, rights, audited } = context;
  if (isRecorded(plan, audited)) return undefined;
  // If the response selects other fields, the entity tag needs a read of its own.
  if (plain !== undefined || !isUnrestricted(plan, compiled, rights)) return undefined;
  const plainly = writeDirectly(plan, compiled, database, statements);
  if (plainly !== undefined) {
    const written = await plainly;
    return written && ok({ records: written, isUnread: false });
  }
  const whole = await createWithLinks(plan, context, database, statements);
  return whole && ok({ records: [whole], isUnread: false });
}

/** One run of a plan inside a transaction. */
export class Writer {
  private readonly transaction: Transaction;
  private readonly dialect: Dialect;
  private readonly statements: WriteStatements;
  private readonly context: WriteContext;
  private readonly access: DataAccess;

  constructor(
    transaction: Transaction,
    dialect: Dialect,
    statements: WriteStatements,
    context: WriteContext,
  ) {
    this.transaction = transaction;
    this.dialect = dialect;
    this.statements = statements;
    this.context = context;
    const { names, rights, audited } = context;
    const trail = audited && new AuditTrail(audited, transaction, dialect, statements);
    this.access = { transaction, dialect, statements, names, rights, trail };
  }

  async run(plan: WritePlan): Promise<readonly WrittenRow[]> {
    switch (plan.kind) {
      case 'create':
        return this.create(plan);
      case 'update':
        await checkTarget(plan, this.access, this.context.rights);
        await this.checkPreconditions(plan);
        return [
          { id: plan.id, row: await this.update(plan, this.showing(plan.resource, plan.links)) },
        ];
      case 'delete':
        await checkTarget(plan, this.access, this.context.rights);
        await this.checkPreconditions(plan);
        await deleteRecord(this.access, plan.resource, plan.id);
        return [];
      default:
        return plan satisfies never;
    }
  }

  /**
   * Tries every record even if one is rejected, so that every problem is reported. All records are judged before the first is
   * created, and all links after the last record and before the first link.
   */
  private async create(
    plan: Extract<WritePlan, { kind: 'create' }>,
  ): Promise<readonly WrittenRow[]> {
    const { resource, records, isArray } = plan;
    const isAllowed = await mayResultIn(
      resource,
      'create',
      () => records.map(({ values }) => storedValues(values, this.dialect)),
      this.access,
    );
    const ids: (JsonValue | undefined)[] = [];
    const rows: (Row | undefined)[] = [];
    const own: (readonly FieldProblem[])[] = [];
    for (const [index, { values, links }] of records.entries()) {
      const fields = [...values.keys()];
      // Later records of an array may change the response for this one, so arrays are read back at the end.
      const returningRead = isArray ? undefined : this.showing(resource, links);
      const statement =
        returningRead === undefined
          ? this.statements.insert(resource, fields)
          : this.statements.create(returningRead, fields, 1);
      const bound = encodedIn(fields, values, this.dialect);
      const insert = async () => requireOneRow(await this.transaction.run(statement, { bound }));
      const outcome = await this.attempt(resource, values, undefined, noValues, never, insert);
      if (outcome.ok) {
        const given = idIn(resource.id, (field) => values.get(field));
        const { id } = resource;
        ids.push(given ?? decodeValue(this.dialect, outcome.value.insertedId, id));
        rows.push(returningRead && outcome.value.returned[0]);
      } else ids.push(undefined);
      own.push(outcome.ok ? [] : this.problems(outcome.error, isArray ? `[${index}].` : ''));
    }
    const prepared: (readonly PreparedLinks[])[] = [];
    for (const [index, { values, links }] of records.entries())
      prepared.push(await prepareLinks(links, ids[index], values, this.access));
    const made = ids.filter((id) => id !== undefined);
    if (made.length === ids.length)
      await this.access.trail?.created(
        resource,
        made.map((id) => this.encode(id, resource.id)),
      );
    const problems: FieldProblem[] = [];
    const missing: ValueIssue[] = [];
    let isForbidden = !isAllowed;
    for (const [index, some] of prepared.entries()) {
      const linked = await writeLinks(some, this.access);
      for (const problem of [...(own[index] ?? []), ...linked.refused]) problems.push(problem);
      for (const issue of linked.missing) missing.push(issue);
      isForbidden ||= linked.isForbidden;
    }
    rejectLinks(missing, problems);
    if (made.length < ids.length) throw invalidValues(problems);
    if (isForbidden) this.context.rights.reject();
    return made.map((id, index) => ({ id, row: rows[index] }));
  }

  /**
   * The read whose row the write itself can return: if the response has only the record's own fields, and the caller may
   * read every record.
   */
  private showing(resource: Resource, links: readonly LinkChange[]): CompiledRead | undefined {
    const { compiled, plain, rights } = this.context;
    const isOwn = plain === undefined && compiled.selection.isStored;
    const isShown = rights.allowedRows(resource, 'read') === 'all';
    return isOwn && isShown && links.length === 0 ? compiled : undefined;
  }

  /**
   * Checks `If-Match` and `If-None-Match` against the record's current entity tag; `*` matches any existing record. Locks
   * the record.
   */
  private async checkPreconditions({
    resource,
    id,
    preconditions: { ifMatch, ifNoneMatch },
  }: Exclude<WritePlan, { kind: 'create' }>): Promise<void> {
    if (ifMatch === undefined && ifNoneMatch === undefined) return;
    const values = { bound: [], id: this.encode(id, resource.id) };
    const [row] = await this.transaction.all(this.statements.lock(resource), values);
    // A policy may let the caller see a row that it may not lock.
    if (row === undefined)
      throw this.transaction.isOfCaller === true
        ? await unchangedError(this.access, resource, id)
        : new ApiFailure(notFound(resource, id));
    const { plain, compiled, limits } = this.context;
    const isAny = (header = '*'): boolean => header.trim() === '*';
    const needsTag = !isAny(ifMatch) || !isAny(ifNoneMatch);
    const record = needsTag ? await this.read(plain ?? compiled, id, limits) : undefined;
    const tag = record && entityTag(JSON.stringify(record));
    // There is no tag for a record that the caller cannot read; `*` only asks whether it exists.
    const isNamed = (header: string): boolean =>
      isAny(header) || (tag !== undefined && matchesTag(header, tag));
    if (ifMatch !== undefined && !isNamed(ifMatch)) throw new ApiFailure(ifMatchFailed());
    if (ifNoneMatch !== undefined && isNamed(ifNoneMatch))
      throw new ApiFailure(ifNoneMatchFailed());
  }

  /** Deletes a record, unless another delete of this transaction has done so. */
  async deleteIfThere(resource: Resource, id: JsonValue): Promise<void> {
    try {
      await deleteRecord(this.access, resource, id);
    } catch (error) {
      if (!(error instanceof ApiFailure) || error.error.code !== 'RESOURCE_NOT_FOUND') throw error;
    }
  }

  /** Runs an update; returns the row of the read `showing`. */
  async update(plan: UpdatePlan, showing: CompiledRead | undefined): Promise<Row | undefined> {
    const { resource, id } = plan;
    let row: Row | undefined;
    const issues: ValueIssue[] = [];
    const current = await this.checkCurrent(plan, issues);
    const values = inOrder(resource, plan.values, this.revise(plan, current, issues));
    if (issues.length > 0) throw new ApiFailure(validationError(issues));
    const { rights } = this.context;
    // A record that keeps its values was judged when the target was checked.
    const isAllowed =
      values.size === 0 ||
      (await mayResultIn(
        resource,
        'update',
        () => [storedValues(values, this.dialect)],
        this.access,
        this.encode(id, resource.id),
      ));
    const prepared = await prepareLinks(plan.links, id, values, this.access);
    const problems: FieldProblem[] = [];
    if (values.size > 0) {
      const fields = [...values.keys()];
      const statement =
        showing === undefined
          ? this.statements.update(resource, fields)
          : this.statements.change(showing, fields);
      const own = encodedIn(fields, values, this.dialect);
      const bound = { bound: own, id: this.encode(id, resource.id) };
      const isKept = keptIn(current, rights);
      const { trail } = this.access;
      const before = await trail?.before(resource, [bound.id]);
      const outcome = await this.attempt(resource, values, id, current, isKept, async () => {
        const changed = await this.transaction.run(statement, bound);
        if (changed.rows === 0) throw await unchangedError(this.access, resource, id);
        return changed;
      });
      if (!outcome.ok) {
        if (plan.links.length === 0) throw invalidValues(this.problems(outcome.error, ''));
        problems.push(...this.problems(outcome.error, ''));
      } else {
        await trail?.changed(before);
        if (showing !== undefined) [row] = outcome.value.returned;
      }
    }
    const links = await writeLinks(prepared, this.access);
    rejectLinks(links.missing, [...problems, ...links.refused]);
    if (links.isForbidden || !isAllowed) rights.reject();
    return row;
  }

  /**
   * Checks what depends on the current record: that it exists, that immutable fields keep their value, and that no morph
   * pair ends up half null. Returns the values that were looked up.
   */
  private async checkCurrent(
    { resource, id, values, unchanged, revised }: UpdatePlan,
    issues: ValueIssue[],
  ): Promise<FieldValues> {
    const morphs = touchedMorphs(resource, values);
    const halves = morphs.flatMap(({ typeField, idField }) => [typeField, idField]);
    const { rights } = this.context;
    // A key to a hidden row may keep its value.
    const keys = foreignKeysOf(resource)
      .filter(
        ({ reference }) => reference && rights.allowedRows(reference.resource, 'read') !== 'all',
      )
      .map(keyFields)
      .filter((parts) => parts.some((part) => values.has(part)))
      .flat();
    const fields = [...new Set([...unchanged.keys(), ...halves, ...revised.keys(), ...keys])];
    if (fields.length === 0 && values.size > 0) return noValues;
    const key = this.encode(id, resource.id);
    const isHeld = revised.size > 0 || halves.length > 0;
    const current = await currentValues(this.access, resource, fields, key, isHeld);
    if (current === undefined) throw new ApiFailure(notFound(resource, id));
    const isStill = keptIn(current, undefined);
    const conflicts = [
      ...[...unchanged]
        .filter(([field, value]) => !isStill(field, value))
        .map(([field]) => ({ field, message: immutableMessage })),
      ...emptyHalves(morphs, valueIn(values, current)).map((half) =>
        halfIssue(half, this.context.names.field),
      ),
    ];
    for (const { field, message } of this.problems(conflicts, ''))
      issues.push({ kind: 'type', path: field, message });
    return current;
  }

  /** Makes new values from the current ones, and validates the results. */
  private revise({ revised }: UpdatePlan, current: FieldValues, issues: ValueIssue[]): FieldValues {
    const values = new Map<Field, JsonValue>();
    for (const [field, revision] of revised) {
      const name = this.context.names.field(field) ?? field.name;
      const whole = revise(revision, current.get(field) ?? null, field);
      if (whole === undefined) {
        issues.push({ kind: 'value', path: name, message: 'is null and cannot be incremented' });
        continue;
      }
      const parsed = inBodyTime(() => readValue(whole, field));
      if (!parsed.ok)
        for (const issue of parsed.issues) issues.push({ ...issue, path: `${name}${issue.path}` });
      else if (!field.immutable) {
        this.checkLength(name, parsed.value, current.get(field));
        values.set(field, parsed.value);
      } else if (JSON.stringify(parsed.value) !== JSON.stringify(current.get(field)))
        issues.push({ kind: 'type', path: name, message: immutableMessage });
    }
    return values;
  }

  /** Rejects a merged value that is longer than any body, unless it shrinks. See docs/contract/3-writing.md#merge-patch, rule 5. */
  private checkLength(name: string, value: JsonValue, before: JsonValue | undefined): void {
    const { bodyLimit } = this.context;
    const length = lengthOf(value);
    if (length <= bodyLimit || length <= lengthOf(before ?? null)) return;
    throw new ApiFailure(
      apiError(
        'BODY_TOO_LARGE',
        `${name} would have ${length} bytes after the merge, more than ${bodyLimit} (server.bodyLimit)`,
      ),
    );
  }

  private read(
    compiled: CompiledRead,
    id: JsonValue,
    limits: Limits,
  ): MaybePromise<RecordValue | undefined> {
    const key = this.encode(id, compiled.plan.resource.id);
    const { claims, now } = this.context.rights;
    const bound = boundFor(claims, now);
    return readOne(compiled, key, bound, this.transaction, this.dialect, limits, new RowBudget());
  }

  /** Runs a change of values; if the database rejects them, finds every field that is to blame. */
  private async attempt<Value>(
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
      ...(await hiddenKeys(this.access, resource, values, valueIn(values, current), isKept)),
    ];
    const { access } = this;
    // Do not run it, so that neither timing nor statements distinguish a hidden record from a missing one.
    if (unseen.length > 0) {
      const told = new Set(unseen.map(({ field }) => field));
      const others = await findConflicts(access, resource, values, id, 'foreignKey', told);
      return fail([...unseen, ...others.filter(({ field }) => !told.has(field))]);
    }
    return explainConflicts(access, { resource, values, id }, change);
  }

  /** Conflicts under the caller's names; conflicts of hidden fields are omitted. */
  private problems(conflicts: readonly Conflict[], prefix: string): readonly FieldProblem[] {
    return conflicts.flatMap(({ field, message }) => {
      const name = this.context.names.field(field);
      return name === undefined ? [] : { field: `${prefix}${name}`, message };
    });
  }

  private encode(value: JsonValue, field: Field): SqlValue {
    return encodeValue(this.dialect, value, field);
  }
}

/** The bytes of a value in JSON. */
function lengthOf(value: JsonValue): number {
  return Buffer.byteLength(JSON.stringify(value));
}

const never: IsKept = () => false;
