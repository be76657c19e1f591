import type { BelongsToMany, Field } from '../../../model/api.ts';
import { idIn, isComposite } from '../../../model/field-types/composite-id.ts';
import { isGenerated } from '../../../model/field-types/id.ts';
import type { SqlValue } from '../../../model/values.ts';
import { noNested } from '../../../query/write/nested.ts';
import { touchedMorphs } from '../../../query/write/morphs.ts';
import type { LinkChange, WritePlan } from '../../../query/plan.ts';
import { serializerOf } from '../../serialize/record.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { encodeValue, type Dialect } from '../../../sql/dialect.ts';
import type { WriteStatements } from '../../../sql/compile/write.ts';
import type { Database } from '../../../databases/database.ts';
import { encodedIn } from '../field-values.ts';
import type { RowRights } from '../checks/row-rights.ts';
import { isUnrestricted } from '../checks/access.ts';
import { idReader, isReturned, type WriteContext, type WrittenRecord } from '../result.ts';

/** The Idempotency-Key row to keep with a create; the database fills in a generated id. */
export interface KeyToKeep {
  /** The table as SQL names it. */
  readonly table: string;
  readonly scope: string;
  readonly request: string;
  readonly at: Date;
  readonly status: number;
  /** The lock timeout in ms. */
  readonly wait: number;
  /** The Location without the id. */
  readonly locationPrefix: string;
}

/**
 * Creates one record, its links and its Idempotency-Key row in a single statement. Undefined if the database cannot do
 * that, or if anything has to be looked up first. Resolves with undefined if the key is known. Throws a ConstraintError,
 * after which nothing is written.
 */
export function createWithLinks(
  plan: WritePlan,
  { compiled, plain, rights }: WriteContext,
  database: Database,
  statements: WriteStatements,
  kept?: KeyToKeep,
): Promise<WrittenRecord | undefined> | undefined {
  const { dialect } = database;
  if (plan.kind !== 'create' || plan.isArray || plan.upsert !== undefined) return undefined;
  if (!dialect.createsWhole || plan.resource.isView) return undefined;
  const [record] = plan.records;
  if (record === undefined || record.values.size === 0 || record.nested !== noNested)
    return undefined;
  const { values, links } = record;
  const isPlain = plain === undefined && isReturned(compiled, plan.resource);
  if (!isPlain || touchedMorphs(plan.resource, values).length > 0) return undefined;
  if (!isUnrestricted(plan, compiled, rights)) return undefined;
  const added = links.map((change) => linksOf(change, rights, dialect));
  if (!added.every((one) => one !== undefined)) return undefined;
  const { id } = plan.resource;
  const fields = [...values.keys()];
  const given = idIn(id, (field) => values.get(field));
  const isDrawn = isGenerated(id) && given === undefined;
  // Another id that the database gives is not known before it.
  if (kept !== undefined && given === undefined && !isDrawn) return undefined;
  const statement = statements.createWithLinks(compiled, {
    fields,
    links: added,
    keptIn: kept?.table,
    isDrawn,
  });
  const bound = [
    ...encodedIn(fields, values, dialect),
    ...added.flatMap((one) => one.bound),
    ...(kept === undefined ? [] : keptValues(kept, isDrawn ? undefined : (given ?? null))),
  ];
  const serialize = serializerOf(compiled.selection.columns);
  const idOf = idReader(id, dialect);
  const write = async (): Promise<WrittenRecord | undefined> => {
    const [row] = await database.writeOne(statement, { bound });
    return row && { id: idOf(row), record: serialize(row), plain: undefined };
  };
  return write();
}

function keptValues(
  { scope, request, at, status, wait, locationPrefix: before }: KeyToKeep,
  id: JsonValue | undefined,
): readonly SqlValue[] {
  const ids = id === undefined ? null : JSON.stringify([id]);
  const location = id === undefined ? before : before + encodeURIComponent(String(id));
  return [scope, request, at.toISOString(), String(wait), String(status), ids, location];
}

interface NewLinks {
  readonly relation: BelongsToMany;
  readonly shared: readonly Field[];
  readonly bound: readonly SqlValue[];
}

/**
 * The links of a new record, if they differ only in their keys, reference records by id, and need no access check.
 * Undefined otherwise.
 */
function linksOf(
  { relation, links }: LinkChange,
  rights: RowRights,
  dialect: Dialect,
): NewLinks | undefined {
  const { owner, target, through, ownerField, targetField } = relation;
  const isKeyed =
    ownerField === owner.id &&
    targetField === target.id &&
    ![ownerField, targetField].some(isComposite);
  const isFree =
    rights.allowedRows(through, 'create') === 'all' && rights.allowedRows(target, 'read') === 'all';
  // Whether a view shows the links is seen after they are inserted.
  if (!isKeyed || !isFree || through.isView) return undefined;
  const [first] = links;
  const row = first?.newRow ?? new Map<Field, JsonValue>();
  // In the order of the model, so that writes share the statement.
  const shared = [...through.fields.values()].filter((field) => row.has(field));
  const isSame = links.every(
    (link) =>
      link.newRow.size === row.size &&
      shared.every(
        (field) => JSON.stringify(link.newRow.get(field)) === JSON.stringify(row.get(field)),
      ),
  );
  const isFixed = shared.every(
    ({ reference }) =>
      reference === undefined || rights.allowedRows(reference.resource, 'read') === 'all',
  );
  const isOwnerless = touchedMorphs(through, row).length === 0;
  if (!isSame || !isFixed || !isOwnerless) return undefined;
  const keys = dialect.keys(links.map((link) => encodeValue(dialect, link.id, target.id)));
  return { relation, shared, bound: [keys, ...encodedIn(shared, row, dialect)] };
}
