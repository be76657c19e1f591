import { apiError } from '../../../errors.ts';
import type { WriteOperation } from '../../../model/access.ts';
import type { Field, Resource } from '../../../model/api.ts';
import type { SqlValue } from '../../../model/values.ts';
import type { FieldValues, WritePlan } from '../../../query/plan.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import type { WriteStatements } from '../../../sql/compile/write.ts';
import { decodeValue, decoderOf, encodeValue, type Dialect } from '../../../sql/dialect.ts';
import { noNested } from '../../../query/write/nested.ts';
import { lengthOf, type Transaction } from '../../../databases/database.ts';
import { ApiFailure } from '../../api-failure.ts';
import { portionsOf } from '../portions.ts';
import type { AuditLog } from './log.ts';

/** A request whose changes are recorded. */
export interface AuditedRequest {
  readonly log: AuditLog;
  readonly at: Date;
  /** Null if the caller has no name. */
  readonly caller: string | null;
  readonly requestId: string;
  /** Makes a UUIDv7. */
  readonly uuid: () => string;
}

/** Whether a write may change records whose changes are recorded, so that their values have to be read as well. */
export function isRecorded(plan: WritePlan, request: AuditedRequest | undefined): boolean {
  if (request === undefined) return false;
  const { recorded } = request.log.audit;
  if (plan.kind === 'delete' || recorded.has(plan.resource)) return true;
  const nested = plan.kind === 'create' ? plan.records : [plan];
  if (nested.some((one) => one.nested !== noNested)) return true;
  const changes = plan.kind === 'create' ? plan.records.flatMap(({ links }) => links) : plan.links;
  // Deleting a link may change records that reference it.
  return changes.length > 0;
}

/** Values of several records of one resource before a change, by id. */
export interface ValuesBefore {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly keys: readonly SqlValue[];
  readonly values: ReadonlyMap<JsonValue, FieldValues>;
}

/** How many records are read and recorded at a time: each may be as long as a body. A power of two. */
const portion = 16;
/** The most characters of values that are held while a write changes them. */
const mostHeld = 8 * 1024 * 1024;

/**
 * Writes the changes of one transaction to the audit log, in the same transaction. Values are read from the database before
 * and after a change, so that defaults and what triggers do are recorded too.
 */
export class AuditTrail {
  private readonly request: AuditedRequest;
  private readonly transaction: Transaction;
  private readonly dialect: Dialect;
  private readonly statements: WriteStatements;
  /** The characters of all values before changes. */
  private held = 0;
  /** The characters of the longest of these rows. */
  private longest = 0;

  constructor(
    request: AuditedRequest,
    transaction: Transaction,
    dialect: Dialect,
    statements: WriteStatements,
  ) {
    this.request = request;
    this.transaction = transaction;
    this.dialect = dialect;
    this.statements = statements;
  }

  records(resource: Resource): boolean {
    return this.request.log.audit.recorded.has(resource);
  }

  /** Records new rows. */
  async created(resource: Resource, keys: readonly SqlValue[]): Promise<void> {
    await this.recordWhole('create', resource, keys);
  }

  /** Records rows that are about to be deleted. */
  async deleting(resource: Resource, keys: readonly SqlValue[]): Promise<void> {
    await this.recordWhole('delete', resource, keys);
  }

  /** Reads what a change may change; undefined if changes of the resource are not recorded. */
  async before(
    resource: Resource,
    keys: readonly SqlValue[],
    fields: readonly Field[] = [...resource.fields.values()],
  ): Promise<ValuesBefore | undefined> {
    if (!this.records(resource)) return undefined;
    const values = new Map<JsonValue, FieldValues>();
    for (const some of portions(keys)) {
      for (const [id, { record, length }] of await this.read(resource, some, fields, true)) {
        values.set(id, record);
        this.held += length;
        this.longest = Math.max(this.longest, length);
      }
      // One record is always recorded, whatever `server.bodyLimit` allows it to be.
      if (this.held - this.longest > mostHeld) throw new ApiFailure(tooLong);
    }
    return { resource, fields, keys, values };
  }

  /** Records what has changed since. */
  async changed(before: ValuesBefore | undefined): Promise<void> {
    if (before === undefined) return;
    const { resource, fields, keys, values } = before;
    for (const some of portions(keys)) {
      const entries: Entry[] = [];
      for (const [id, { record }] of await this.read(resource, some, fields, false)) {
        const former = values.get(id);
        if (former === undefined) continue;
        const changed = fields.filter((field) => !isSame(former.get(field), record.get(field)));
        if (changed.length > 0)
          entries.push(this.entry('update', resource, id, changed, former, record));
      }
      await this.write(entries);
    }
  }

  /** Keeps other transactions from changing these rows, and from referencing them. */
  async lock(resource: Resource, keys: readonly SqlValue[]): Promise<void> {
    if (this.dialect.forUpdateMany === '' || keys.length === 0) return;
    const statement = this.statements.currentOf(resource, [], true);
    await this.transaction.all(statement, { bound: [], keys: this.dialect.keys(keys) });
  }

  private async recordWhole(
    operation: 'create' | 'delete',
    resource: Resource,
    keys: readonly SqlValue[],
  ): Promise<void> {
    if (!this.records(resource)) return;
    const fields = [...resource.fields.values()];
    for (const some of portions(keys)) {
      const rows = await this.read(resource, some, fields, operation === 'delete');
      const entries = [...rows].map(([id, { record }]) => {
        const changed = fields.filter((field) => record.get(field) !== null);
        return operation === 'create'
          ? this.entry(operation, resource, id, changed, undefined, record)
          : this.entry(operation, resource, id, changed, record, undefined);
      });
      await this.write(entries);
    }
  }

  /** Values of the rows with these keys, in the order of the keys. */
  private async read(
    resource: Resource,
    keys: readonly SqlValue[],
    fields: readonly Field[],
    isLocked: boolean,
  ): Promise<ReadonlyMap<JsonValue, { readonly record: FieldValues; readonly length: number }>> {
    const { dialect } = this;
    const rows = await this.transaction.all(this.statements.currentOf(resource, fields, isLocked), {
      bound: [],
      keys: dialect.keys(keys),
    });
    const records = rows.map((row) => {
      const values = fields.map(
        (field, index) => [field, decodeValue(dialect, row[index + 1] ?? null, field)] as const,
      );
      const id = decodeValue(dialect, row[0] ?? null, resource.id);
      return { id, record: new Map(values), length: lengthOf(row) };
    });
    const idOf = decoderOf(dialect, resource.id);
    const places = new Map(keys.map((key, index) => [String(idOf(key)), index]));
    const placeOf = (id: JsonValue): number => places.get(String(id)) ?? 0;
    return new Map(
      records
        .sort((a, b) => placeOf(a.id) - placeOf(b.id))
        .map(({ id, record, length }) => [id, { record, length }]),
    );
  }

  private entry(
    operation: WriteOperation,
    resource: Resource,
    id: JsonValue,
    changed: readonly Field[],
    before: FieldValues | undefined,
    after: FieldValues | undefined,
  ): Entry {
    const { log, at, caller, requestId, uuid } = this.request;
    const shown = log.audit.recorded.get(resource) ?? new Set();
    const told = changed.filter((field) => shown.has(field));
    const valuesIn = (values: FieldValues | undefined): JsonValue =>
      values === undefined
        ? null
        : Object.fromEntries(told.map((field) => [field.name, values.get(field) ?? null]));
    return {
      id: uuid(),
      at: at.toISOString(),
      caller,
      requestId,
      resource: resource.name,
      recordId: String(id),
      operation,
      changed: changed.map(({ name }) => name),
      before: valuesIn(before),
      after: valuesIn(after),
    };
  }

  private async write(entries: readonly Entry[]): Promise<void> {
    const { resource } = this.request.log.audit;
    const fields = [...resource.fields.values()];
    for (const { from, count } of portionsOf(entries.length, portion)) {
      const bound = entries
        .slice(from, from + count)
        .flatMap((entry) =>
          fields.map((field) => encodeValue(this.dialect, entry[field.name] ?? null, field)),
        );
      const statement = this.statements.insertMany(resource, fields, count);
      await this.transaction.service.run(statement, { bound });
    }
  }
}

/** The values of a record of the audit log, by name. */
type Entry = Readonly<Record<string, JsonValue>>;

function* portions(keys: readonly SqlValue[]): Generator<readonly SqlValue[]> {
  for (let from = 0; from < keys.length; from += portion) yield keys.slice(from, from + portion);
}

function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}

const tooLong = apiError(
  'LIMIT_EXCEEDED',
  'The write would change more than the audit log can record at once; change fewer records',
);
