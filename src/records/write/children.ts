import { breaks } from '../../problem-rules.ts';
import type { FieldProblem } from '../../errors.ts';
import type { Field, Resource } from '../../model/api.ts';
import { keyValues } from '../../model/field-types/composite-id.ts';
import { readValue } from '../../model/validation/read-value.ts';
import type { SqlValue } from '../../model/values.ts';
import {
  noPreconditions,
  type ChildWrites,
  type FieldValues,
  type LinkChange,
  type MovedRecord,
  type NamedRecord,
  type NestedWrites,
  type NewRecord,
  type PlannedChange,
  type UpdatePlan,
} from '../../query/plan.ts';
import { clearedKeys } from '../../query/write/nested-rights.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { decodeValue, encodeValue } from '../../sql/dialect.ts';
import type { DataAccess } from './checks/conflicts.ts';
import type { RowRights } from './checks/row-rights.ts';
import { deleteIfThere } from './delete.ts';
import { linkedAmong } from './links/changes.ts';
import type { WantedIds } from './inserts.ts';
import type { Problems } from './problems.ts';

/** How records are written in the transaction. */
export interface RecordWriter {
  readonly createAll: (
    resource: Resource,
    records: readonly NewRecord[],
    problems: Problems,
    options?: { readonly ids: WantedIds },
  ) => Promise<readonly { readonly id: JsonValue | undefined }[]>;
  readonly update: (plan: UpdatePlan, problems: Problems) => Promise<unknown>;
  /** The problems of a new record that is not created. */
  readonly lookUp: (
    resource: Resource,
    values: FieldValues,
    path: string,
  ) => Promise<readonly FieldProblem[]>;
  readonly valueIn: (field: Field, id: JsonValue, values: FieldValues) => Promise<JsonValue>;
}

/** Writes the records that are nested in the body of another. See docs/contract/3-writing.md#nested-writes. */
export class Children {
  private readonly access: DataAccess & { readonly rights: RowRights };
  private readonly writer: RecordWriter;
  /** Linked records to delete once their links are gone. */
  private readonly unlinked = new Set<NamedRecord>();

  constructor(access: DataAccess & { readonly rights: RowRights }, writer: RecordWriter) {
    this.access = access;
    this.writer = writer;
  }

  /**
   * Changes and creates the records that are linked with a record by a belongsToMany; returns its changes of links with
   * those to the new records. `id` is undefined if the record itself was rejected.
   */
  async withTargets(
    links: readonly LinkChange[],
    { children }: NestedWrites,
    id: JsonValue | undefined,
    problems: Problems,
  ): Promise<readonly LinkChange[]> {
    let changes = links;
    for (const child of children) {
      const { relation, path, creates, updates, deletes } = child;
      if (relation.kind !== 'belongsToMany') continue;
      const named = [...updates, ...deletes];
      const linked =
        id === undefined ? new Set() : await linkedAmong(relation, idsOf(named), id, this.access);
      const reached = this.reached(relation.target, named, linked, problems);
      await this.judge(
        relation.target,
        'update',
        updates.filter((one) => reached.has(one)),
        problems,
      );
      await this.judge(
        relation.target,
        'delete',
        deletes.filter((one) => reached.has(one)),
        problems,
      );
      for (const one of deletes) if (reached.has(one)) this.unlinked.add(one);
      for (const update of updates)
        if (reached.has(update) && update.id !== undefined)
          await this.update(update.change, update.id, problems);
      const made = await this.writer.createAll(relation.target, creates, problems);
      const created = child.links.flatMap((link, index) => {
        const target = made[index]?.id;
        return target === undefined ? [] : { ...link, id: target };
      });
      const own = changes.find((one) => one.relation === relation) ?? {
        relation,
        path,
        isWhole: false,
        links: [],
        removed: [],
      };
      const whole = {
        ...own,
        links: [...own.links, ...created],
        removed: [...own.removed, ...idsOf(deletes)],
      };
      changes = [...changes.filter((one) => one !== own), whole];
    }
    return changes;
  }

  /** Writes the records that point to a record, and deletes those that were linked with it. */
  async write(
    children: readonly ChildWrites[],
    owner: Resource,
    id: JsonValue | undefined,
    values: FieldValues,
    problems: Problems,
  ): Promise<void> {
    for (const child of children) {
      if (id === undefined) await this.lookUp(child, problems);
      else if (child.relation.kind === 'belongsToMany')
        for (const one of child.deletes) {
          if (this.unlinked.has(one)) await this.delete(child.relation.target, one.id);
        }
      else await this.writeOf(child, owner, id, values, problems);
    }
  }

  /** The problems of records whose owner was rejected. */
  private async lookUp({ relation, creates }: ChildWrites, problems: Problems): Promise<void> {
    // Those of a belongsToMany were created, and are rolled back.
    if (relation.kind === 'belongsToMany') return;
    for (const { values, path } of creates)
      problems.refuse(await this.writer.lookUp(relation.target, values, path));
  }

  private async writeOf(
    child: ChildWrites,
    owner: Resource,
    id: JsonValue,
    values: FieldValues,
    problems: Problems,
  ): Promise<void> {
    const { relation, path } = child;
    const { target } = relation;
    const keys = await this.keysTo(child, owner, id, values);
    if (keys === undefined) {
      problems.refuse([
        {
          field: path,
          message: 'cannot be written: the key that joins it is null',
          ...breaks('conflict'),
        },
      ]);
      return;
    }
    const updates = await this.identified(child, child.updates, keys);
    const deletes = await this.identified(child, child.deletes, keys);
    const { added, removed } = child;
    const named = [...updates, ...deletes, ...removed];
    const owned = await this.owned(target, idsOf(named), keys);
    const reached = this.reached(target, named, owned, problems);
    // A record with a key of its own that has a field in common, such as the tenant, cannot come from elsewhere.
    const fixed = new Map([...keys].filter(([{ immutable }]) => immutable));
    const there = await this.owned(target, idsOf(added), fixed);
    const whose = fixed.size === 0 ? '' : ' that can belong to this one';
    const found = this.reached(target, added, there, problems, whose);
    const isReached = (one: NamedRecord): boolean => reached.has(one) || found.has(one);
    await this.judge(target, 'delete', deletes.filter(isReached), problems);
    const changed = [...updates, ...removed, ...added].filter(isReached);
    await this.judge(target, 'update', changed, problems);
    // What goes makes room for what comes, since unique values may move from one record to another.
    for (const one of deletes) if (isReached(one)) await this.delete(target, one.id);
    // A delete may have cascaded to records that are to be changed.
    const left =
      deletes.length === 0 ? new Set(changed) : await this.left(target, changed, problems);
    const isLeft = (one: NamedRecord): boolean => left.has(one);
    const cleared = new Map<Field, JsonValue>(clearedKeys(relation).map((key) => [key, null]));
    const changing = new Map([...keys].filter(([key]) => !fixed.has(key)));
    for (const one of removed) if (isLeft(one)) await this.move(one, cleared, problems);
    for (const one of updates)
      if (isLeft(one) && one.id !== undefined) await this.update(one.change, one.id, problems);
    for (const one of added) if (isLeft(one)) await this.move(one, changing, problems);
    const records = child.creates.map((record) => {
      const all = new Map(record.values);
      for (const [key, value] of keys) all.set(key, value);
      return { ...record, values: all };
    });
    if (records.length > 0) await this.writer.createAll(target, records, problems, { ids: 'none' });
  }

  /** The values by which records belong to a record; undefined if it has none. */
  private async keysTo(
    { relation }: ChildWrites,
    owner: Resource,
    id: JsonValue,
    values: FieldValues,
  ): Promise<FieldValues | undefined> {
    if (relation.kind === 'belongsToMany') return undefined;
    if (relation.kind === 'morphMany') {
      const { typeField, idField, typeValue } = relation;
      // An id that is stored as text is so because the owners' ids differ in type.
      const parsed = readValue(id, idField);
      return new Map<Field, JsonValue>([
        [typeField, typeValue],
        [idField, parsed.ok ? parsed.value : String(id)],
      ]);
    }
    const { ownerField, key } = relation;
    const value = ownerField === owner.id ? id : await this.writer.valueIn(ownerField, id, values);
    return value === null ? undefined : new Map(keyValues(key, value, ownerField));
  }

  /** The records, that of a hasOne with its id if there is one. */
  private async identified<Named extends NamedRecord>(
    { relation }: ChildWrites,
    named: readonly Named[],
    keys: FieldValues,
  ): Promise<readonly Named[]> {
    if (relation.kind !== 'hasOne' || named.every(({ id }) => id !== undefined)) return named;
    const { transaction, statements, dialect, rights } = this.access;
    const { id: idField } = relation.target;
    const fields = [...keys.keys()];
    const bound = fields.map((field) => encodeValue(dialect, keys.get(field) ?? null, field));
    const [row] = await transaction.all(statements.same(fields), { bound });
    const key = row?.[0] ?? null;
    // Problems name the id, so that of a hidden record is not looked up.
    if (key === null || !(await rights.isAllowed(idField, 'read', key, transaction))) return named;
    const id = decodeValue(dialect, key, idField);
    return named.map((one) => (one.id === undefined ? { ...one, id } : one));
  }

  /** Which of these records the caller sees, with these values in their keys. Locks them. */
  private async owned(
    resource: Resource,
    ids: readonly JsonValue[],
    keys: FieldValues,
  ): Promise<ReadonlySet<JsonValue>> {
    if (ids.length === 0) return new Set();
    const { id } = resource;
    const { transaction, statements, dialect, rights } = this.access;
    const fields = [...keys.keys()];
    const encoded = ids.map((one) => encodeValue(dialect, one, id));
    const rows = await transaction.all(statements.currentOf(resource, fields, true), {
      bound: [],
      keys: dialect.keys(encoded),
    });
    const found = rows.map(([key = null]): SqlValue => key);
    const seen = await rights.allowedKeys(id, 'read', found, transaction);
    const isOwned = (values: readonly SqlValue[]): boolean =>
      fields.every(
        (field, index) =>
          String(decodeValue(dialect, values[index] ?? null, field)) === String(keys.get(field)),
      );
    return new Set(
      rows
        .filter(([key = null, ...values]) => (seen?.has(key) ?? true) && isOwned(values))
        .map(([key = null]) => decodeValue(dialect, key, id)),
    );
  }

  /** Those of the named records that exist after deletes; the others are problems. */
  private async left(
    target: Resource,
    named: readonly NamedRecord[],
    problems: Problems,
  ): Promise<ReadonlySet<NamedRecord>> {
    const there = await this.owned(target, idsOf(named), new Map());
    return this.reached(target, named, there, problems);
  }

  /** Those of the named records that are among the `known` ones; the others are problems. */
  private reached(
    target: Resource,
    named: readonly NamedRecord[],
    known: ReadonlySet<unknown>,
    problems: Problems,
    whose = ' that belongs to this one',
  ): ReadonlySet<NamedRecord> {
    const reached = new Set<NamedRecord>();
    const resource = this.access.names.resource(target) ?? target.name;
    for (const one of named) {
      if (one.id !== undefined && known.has(one.id)) reached.add(one);
      else {
        const id = one.id === undefined ? '' : ` with id ${JSON.stringify(one.id)}`;
        const message = `there is no record in ${resource}${id}${whose}`;
        const broken = breaks('reference', { resource });
        problems.refuse([{ field: one.path, message, ...broken }]);
      }
    }
    return reached;
  }

  /** Checks that access rules allow an operation on each of these records. */
  private async judge(
    { id }: Resource,
    operation: 'update' | 'delete',
    named: readonly NamedRecord[],
    problems: Problems,
  ): Promise<void> {
    if (named.length === 0) return;
    const { transaction, dialect, rights } = this.access;
    const keys = idsOf(named).map((one) => encodeValue(dialect, one, id));
    const allowed = await rights.allowedKeys(id, operation, keys, transaction);
    if (allowed !== undefined && keys.some((key) => !allowed.has(key))) problems.forbid();
  }

  private async delete(target: Resource, id: JsonValue | undefined): Promise<void> {
    if (id !== undefined) await deleteIfThere(this.access, target, id);
  }

  private async update(change: PlannedChange, id: JsonValue, problems: Problems): Promise<void> {
    await this.writer.update({ ...change, id, preconditions: noPreconditions }, problems);
  }

  /** Takes a record over, or lets it go, by its key. What own code has set goes before. */
  private async move(
    { id, change }: MovedRecord,
    keys: FieldValues,
    problems: Problems,
  ): Promise<void> {
    const values = new Map([...keys, ...change.values]);
    await this.update({ ...change, values }, id, problems);
  }
}

function idsOf(named: readonly NamedRecord[]): readonly JsonValue[] {
  return named.flatMap(({ id }) => id ?? []);
}
