import { noNested } from '../../query/write/nested.ts';
import { Children } from './children.ts';
import { Problems } from './problems.ts';
import { fail, type FieldProblem, type Result } from '../../errors.ts';
import type { Field, Limits, Resource } from '../../model/api.ts';
import type { SqlValue, ValueIssue } from '../../model/values.ts';
import { foreignKeysOf, idIn, keyFields, keyValues } from '../../model/field-types/composite-id.ts';
import { touchedMorphs } from '../../query/write/morphs.ts';
import {
  noPreconditions,
  type FieldValues,
  type NestedWrites,
  type NewRecord,
  type UpdatePlan,
  type Upsert,
  type WritePlan,
} from '../../query/plan.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decodeValue, encodeValue, type Dialect, type StoredValues } from '../../sql/dialect.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import {
  findConflicts,
  keptIn,
  namedProblems,
  type DataAccess,
  type Conflict,
  type IsKept,
} from './checks/conflicts.ts';
import { requireOneRow, type Row, type Transaction } from '../../databases/database.ts';
import { misfits, revisedValues } from './checks/current-record.ts';
import { conflictsOfNew, lookUpChange, never, unseenValues } from './checks/lookups.ts';
import { explainConflicts } from './checks/database-rules.ts';
import { requireShown } from './checks/shown.ts';
import { prepareLinks, writeLinks, type PreparedLinks } from './links/changes.ts';
import { boundFor } from '../../query/bind.ts';
import { matchesTag } from '../../query/request/headers.ts';
import { entityTag, type RecordValue } from '../serialize/record.ts';
import { readOne } from '../read/read.ts';
import type { CompiledRead } from '../../sql/compile/read.ts';
import { currentValues, encodedIn, inOrder, noValues, storedValues } from './field-values.ts';
import { AuditTrail } from './audit/trail.ts';
import { deleteIfThere, deleteRecord } from './delete.ts';
import { insertPortions, insertTogether, type WantedIds } from './inserts.ts';
import { amongParents, type FormerRows, type NewParent } from './checks/former-rows.ts';
import { mayResultIn } from './checks/resulting-rows.ts';
import { ApiFailure } from '../api-failure.ts';
import { RowBudget } from '../row-budget.ts';
import { checkTarget } from './checks/access.ts';
import { findExisting } from './checks/existing.ts';
import {
  ifMatchFailed,
  ifNoneMatchFailed,
  isReturned,
  notFound,
  unchangedError,
  type WriteContext,
  type WrittenRow,
} from './result.ts';

type CreatePlan = Extract<WritePlan, { kind: 'create' }>;

/** One run of a plan inside a transaction. */
export class Writer {
  private readonly transaction: Transaction;
  private readonly dialect: Dialect;
  private readonly statements: WriteStatements;
  private readonly context: WriteContext;
  private readonly access: DataAccess;
  private readonly children: Children;

  constructor(
    transaction: Transaction,
    dialect: Dialect,
    statements: WriteStatements,
    context: WriteContext,
    former: FormerRows | undefined,
  ) {
    const { names, audited } = context;
    const rights = former === undefined ? context.rights : context.rights.before(former);
    this.transaction = transaction;
    this.dialect = dialect;
    this.statements = statements;
    this.context = { ...context, rights };
    const trail = audited && new AuditTrail(audited, transaction, dialect, statements);
    this.access = { transaction, dialect, statements, names, rights, trail, former };
    this.children = new Children(
      { ...this.access, rights },
      {
        createAll: (...given) => this.createAll(...given),
        update: (...given) => this.update(...given),
        lookUp: async (resource, values, path) =>
          this.problems(await conflictsOfNew(this.access, resource, values), path),
        valueIn: (...given) => this.valueIn(...given),
      },
    );
  }

  /** Runs a plan, with what own code does around it. */
  async run(plan: WritePlan): Promise<readonly WrittenRow[]> {
    const { around } = this.context;
    if (around === undefined) return this.runPlan(plan);
    await around.begin(this.transaction);
    const rows = await this.runPlan(plan);
    await around.end(this.transaction);
    return rows;
  }

  private async runPlan(plan: WritePlan): Promise<readonly WrittenRow[]> {
    switch (plan.kind) {
      case 'create':
        return this.create(plan);
      case 'update':
        await checkTarget(plan, this.access, this.context.rights);
        await this.checkPreconditions(plan);
        return [
          { id: plan.id, row: await this.updateOne(plan, this.showing(plan.resource, plan)) },
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

  private async create(plan: CreatePlan): Promise<readonly WrittenRow[]> {
    const { resource, records, isArray } = plan;
    const [first] = records;
    // Later records of an array may change the response for this one, so arrays are read back at the end.
    const showing = isArray || first === undefined ? undefined : this.showing(resource, first);
    const problems = new Problems();
    if (plan.upsert !== undefined) return this.upsert(plan, plan.upsert, problems);
    const made = await this.createAll(resource, records, problems, { showing });
    problems.reject(this.context.rights);
    return made.map(({ id, row }) => ({ id: id ?? null, row }));
  }

  /** Creates the records that do not exist, and changes the others. See docs/contract/3-writing.md#upsert. */
  private async upsert(
    { resource, records }: CreatePlan,
    { key, sent, changes, mustBeNew }: Upsert,
    problems: Problems,
  ): Promise<readonly WrittenRow[]> {
    const { rights } = this.context;
    const found: (JsonValue | undefined)[] = [];
    for (const values of sent ?? records.map((record) => record.values))
      found.push(await findExisting(key, values, this.access, rights));
    await this.context.around?.found(found, this.transaction);
    if (mustBeNew && found.some((id) => id !== undefined))
      throw new ApiFailure(ifNoneMatchFailed());
    const old = found.filter((id) => id !== undefined);
    const keys = old.map((id) => this.encode(id, resource.id));
    if (changes.length > 0) {
      const allowed = await rights.allowedKeys(resource.id, 'update', keys, this.transaction);
      if (allowed !== undefined && keys.some((one) => !allowed.has(one))) problems.forbid();
    }
    for (const [index, id] of found.entries()) {
      const change = changes[index];
      if (id === undefined || change === undefined) continue;
      await this.update({ ...change, id, preconditions: noPreconditions }, problems);
    }
    const fresh = records.filter((_, index) => found[index] === undefined);
    const made = await this.createAll(resource, fresh, problems);
    problems.reject(rights);
    const ids = made.map(({ id }) => id ?? null);
    return found.map((id) =>
      id === undefined
        ? { id: ids.shift() ?? null, row: undefined }
        : { id, row: undefined, isOld: true },
    );
  }

  /**
   * Tries every record even if one is rejected, so that every problem is reported. All records are judged before the first is
   * created, all links after the last record and before the first link, and nested records after the links of theirs.
   */
  private async createAll(
    resource: Resource,
    records: readonly NewRecord[],
    problems: Problems,
    { showing, ids: wanted = 'all' }: CreateOptions = {},
  ): Promise<readonly MadeRow[]> {
    const all: (FieldValues | undefined)[] = [];
    const parents: NewParent[] = [];
    for (const { values, nested } of records)
      all.push(await this.withParents(resource, values, nested, problems, parents));
    const rows = (): readonly StoredValues[] =>
      all.flatMap((values) => (values === undefined ? [] : storedValues(values, this.dialect)));
    const isAllowed = await mayResultIn(resource, 'create', rows, { ...this.access, parents });
    if (!isAllowed) problems.forbid();
    const made = await this.insertAll(resource, records, all, problems, {
      showing,
      ids: resource.isView || this.needsIds(resource, records) ? 'all' : wanted,
    });
    const ids = made.flatMap(({ id }) => id ?? []);
    const keys = ids.map((id) => this.encode(id, resource.id));
    this.access.former?.created(resource, keys, this.access);
    const prepared: (readonly PreparedLinks[])[] = [];
    for (const [index, { values, links, nested }] of records.entries()) {
      if (links.length === 0 && nested.children.length === 0) {
        prepared.push([]);
        continue;
      }
      const id = made[index]?.id;
      const changes = await this.children.withTargets(links, nested, id, problems);
      prepared.push(await prepareLinks(changes, id, values, this.access));
    }
    const { around } = this.context;
    if (around !== undefined)
      for (const [index, { path }] of records.entries())
        around.created(path, made[index]?.id ?? null);
    if (ids.length === made.length) await this.access.trail?.created(resource, keys);
    for (const [index, { nested }] of records.entries()) {
      await this.writePrepared(prepared[index] ?? [], made[index]?.problems ?? [], problems);
      if (nested.children.length === 0) continue;
      const values = all[index] ?? noValues;
      const id = made[index]?.id;
      await amongParents(this.access.former, id === undefined ? [] : [{ resource, id }], () =>
        this.children.write(nested.children, resource, id, values, problems),
      );
    }
    return made;
  }

  /** Whether something is done with the ids of records once they are created. */
  private needsIds(resource: Resource, records: readonly NewRecord[]): boolean {
    const { around, rights } = this.context;
    const { trail, former } = this.access;
    return (
      around !== undefined ||
      trail !== undefined ||
      (former !== undefined && rights.leadsBack(resource)) ||
      records.some(({ links, nested }) => links.length > 0 || nested.children.length > 0)
    );
  }

  /** Creates records whose values are complete, as many as possible by one statement; one by one if any is rejected. */
  private async insertAll(
    resource: Resource,
    records: readonly NewRecord[],
    all: readonly (FieldValues | undefined)[],
    problems: Problems,
    { showing, ids }: Required<CreateOptions>,
  ): Promise<readonly MadeRow[]> {
    const made: MadeRow[] = [];
    for (const { from, count } of insertPortions(resource, all)) {
      const some = all.slice(from, from + count).filter((values) => values !== undefined);
      const together =
        count > 1 ? await insertTogether(resource, some, this.access, ids) : undefined;
      for (const id of together ?? []) made.push({ id, row: undefined, problems: [] });
      if (together !== undefined) continue;
      for (const [index, record] of records.slice(from, from + count).entries())
        made.push(await this.insert(resource, record, all[from + index], problems, showing));
    }
    return made;
  }

  /** Creates one record, if its values are complete. */
  private async insert(
    resource: Resource,
    { values: sent, path }: NewRecord,
    values: FieldValues | undefined,
    problems: Problems,
    showing: CompiledRead | undefined,
  ): Promise<MadeRow> {
    // A record that it points to was rejected: its other problems are reported as well.
    if (values === undefined) {
      const conflicts = await conflictsOfNew(this.access, resource, sent);
      problems.refuse([]);
      return { id: undefined, row: undefined, problems: this.problems(conflicts, path) };
    }
    const fields = [...values.keys()];
    const statement =
      showing === undefined
        ? this.statements.insert(resource, fields)
        : this.statements.create(showing, fields, 1);
    const bound = encodedIn(fields, values, this.dialect);
    const given = idIn(resource.id, (field) => values.get(field));
    const insert = async () => {
      const { insertedId, returned } = requireOneRow(
        await this.transaction.run(statement, { bound }),
      );
      const id = given ?? decodeValue(this.dialect, insertedId, resource.id);
      await requireShown(resource, [id], this.access);
      return { id, row: showing && returned[0] };
    };
    // What a view does not show is taken back before the fields to blame are looked for.
    const change = resource.isView ? () => this.transaction.attempt(insert) : insert;
    const outcome = await this.attempt(resource, values, undefined, noValues, never, change);
    if (outcome.ok) return { ...outcome.value, problems: [] };
    problems.refuse([]);
    return { id: undefined, row: undefined, problems: this.problems(outcome.error, path) };
  }

  /**
   * The values of a record with its keys to new parents, which are created first and added to `created`; undefined if one is
   * rejected.
   */
  private async withParents(
    resource: Resource,
    values: FieldValues,
    { parents }: NestedWrites,
    problems: Problems,
    created: NewParent[],
  ): Promise<FieldValues | undefined> {
    if (parents.length === 0) return values;
    const keyed = new Map(values);
    let isWhole = true;
    for (const { relation, record } of parents) {
      const [made] = await this.createAll(relation.target, [record], problems);
      if (made?.id === undefined) isWhole = false;
      else {
        created.push({ resource: relation.target, id: made.id });
        const { targetField } = relation;
        const value = await this.valueIn(targetField, made.id, record.values);
        for (const [key, one] of keyValues(relation.key, value, targetField)) keyed.set(key, one);
      }
    }
    return isWhole ? inOrder(resource, keyed, keyed) : undefined;
  }

  /** The value of a field in a record that this transaction has written or is about to write with `values`. */
  private async valueIn(field: Field, id: JsonValue, values: FieldValues): Promise<JsonValue> {
    const { resource } = field;
    if (field === resource.id) return id;
    const given = values.get(field);
    if (given !== undefined) return given;
    const key = this.encode(id, resource.id);
    const current = await currentValues(this.access, resource, [field], key, false);
    return current?.get(field) ?? null;
  }

  /** Makes prepared changes of links; `own` are the problems of their record. */
  private async writePrepared(
    prepared: readonly PreparedLinks[],
    own: readonly FieldProblem[],
    problems: Problems,
  ): Promise<void> {
    if (own.length > 0) problems.refuse(own);
    if (prepared.length === 0) return;
    const { missing, refused, isForbidden } = await writeLinks(prepared, this.access);
    problems.note(missing);
    if (refused.length > 0) problems.refuse(refused);
    if (isForbidden) problems.forbid();
  }

  /**
   * The read whose row the write itself can return: if the response has only the record's own fields, and the caller may
   * read every record.
   */
  private showing(
    resource: Resource,
    { links, nested }: Pick<NewRecord, 'links' | 'nested'>,
  ): CompiledRead | undefined {
    const { compiled, plain, rights } = this.context;
    const isOwn = plain === undefined && isReturned(compiled, resource);
    const isShown = rights.allowedRows(resource, 'read') === 'all';
    const isAlone = links.length === 0 && nested === noNested;
    return isOwn && isShown && isAlone ? compiled : undefined;
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
    await deleteIfThere(this.access, resource, id);
  }

  /** Runs an update, whose problems it throws; returns the row of the read `showing`. */
  async updateOne(plan: UpdatePlan, showing: CompiledRead | undefined): Promise<Row | undefined> {
    const problems = new Problems();
    const row = await this.update(plan, problems, showing);
    problems.reject(this.context.rights);
    return row;
  }

  private async update(
    plan: UpdatePlan,
    problems: Problems,
    showing?: CompiledRead,
  ): Promise<Row | undefined> {
    const { resource, id, nested, path } = plan;
    let row: Row | undefined;
    const issues: ValueIssue[] = [];
    const parents: NewParent[] = [];
    const sent = await this.withParents(resource, plan.values, nested, problems, parents);
    const known = { ...plan, values: sent ?? plan.values };
    const current = await this.checkCurrent(known, issues);
    const { names, rights, bodyLimit } = this.context;
    const revised = revisedValues(known, current, names, bodyLimit, issues);
    if (sent === undefined || issues.length > 0) {
      const own = issues.map((issue) => ({ ...issue, path: path + issue.path }));
      problems.note([...own, ...(await lookUpChange(plan, own, { ...this.access, rights }))]);
      return undefined;
    }
    const values = inOrder(resource, sent, revised);
    // A record that keeps its values was judged when the target was checked.
    const isAllowed =
      values.size === 0 ||
      (await mayResultIn(
        resource,
        'update',
        () => [storedValues(values, this.dialect)],
        { ...this.access, parents },
        this.encode(id, resource.id),
      ));
    if (!isAllowed) problems.forbid();
    const changes = await this.children.withTargets(plan.links, nested, id, problems);
    const prepared = await prepareLinks(changes, id, values, this.access);
    let own: readonly FieldProblem[] = [];
    if (values.size > 0) {
      const fields = [...values.keys()];
      const statement =
        showing === undefined
          ? this.statements.update(resource, fields)
          : this.statements.change(showing, fields);
      const bound = {
        bound: encodedIn(fields, values, this.dialect),
        id: this.encode(id, resource.id),
      };
      const isKept = keptIn(current, rights);
      const { trail, former } = this.access;
      await former?.changing(resource, [bound.id], this.access);
      const before = await trail?.before(resource, [bound.id]);
      const outcome = await this.attempt(resource, values, id, current, isKept, async () => {
        const changed = await this.transaction.run(statement, bound);
        if (changed.rows === 0) throw await unchangedError(this.access, resource, id);
        return changed;
      });
      if (!outcome.ok) {
        problems.refuse([]);
        own = this.problems(outcome.error, path);
      } else {
        await trail?.changed(before);
        if (showing !== undefined) [row] = outcome.value.returned;
      }
    }
    await this.writePrepared(prepared, own, problems);
    if (nested.children.length > 0)
      await this.children.write(nested.children, resource, id, values, problems);
    return row;
  }

  /**
   * Checks what depends on the current record: that it exists, that immutable fields keep their value, and that no morph
   * pair ends up half null. Returns the values that were looked up.
   */
  private async checkCurrent(change: UpdatePlan, issues: ValueIssue[]): Promise<FieldValues> {
    const { resource, id, values, unchanged, revised } = change;
    const morphs = touchedMorphs(resource, values);
    const halves = morphs.flatMap(({ typeField, idField }) => [typeField, idField]);
    const { rights, names } = this.context;
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
    issues.push(...misfits(change, current, names));
    return current;
  }

  private read(
    compiled: CompiledRead,
    id: JsonValue,
    limits: Limits,
  ): MaybePromise<RecordValue | undefined> {
    const key = this.encode(id, compiled.plan.resource.id);
    const { claims, now } = this.context.rights;
    const bound = boundFor(claims, now);
    const budget = new RowBudget({ requester: this.context.requester });
    return readOne(compiled, key, bound, this.transaction, this.dialect, limits, budget);
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
    const unseen = await unseenValues(this.access, resource, values, current, isKept);
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
    return namedProblems(this.context.names, conflicts, prefix);
  }

  private encode(value: JsonValue, field: Field): SqlValue {
    return encodeValue(this.dialect, value, field);
  }
}

interface CreateOptions {
  /** The read whose row the insert of one record returns. */
  readonly showing?: CompiledRead | undefined;
  /** What the caller does with the ids. */
  readonly ids?: WantedIds;
}

/** A record that was created; without an id if it was rejected, or if ids are not wanted. */
export interface MadeRow {
  readonly id: JsonValue | undefined;
  readonly row: Row | undefined;
  readonly problems: readonly FieldProblem[];
}
