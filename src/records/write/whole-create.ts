import type { BelongsToMany, Field } from '../../model/api.ts';
import { isGenerated } from '../../model/field-types/id.ts';
import type { SqlValue } from '../../model/values.ts';
import { touchedMorphs } from '../../query/write/morphs.ts';
import type { LinkChange, WritePlan } from '../../query/plan.ts';
import { serializerOf } from '../serialize/record.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { encodeValue, type Dialect } from '../../sql/dialect.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import type { Database } from '../../databases/database.ts';
import { encodedIn } from './field-values.ts';
import type { RowRights } from './row-rights.ts';
import { isUnruled } from './write-rules.ts';
import { idReader, type Answering, type Written } from './written.ts';

/** What is kept of a create under an Idempotency-Key; the ids and the location may depend on an id that is drawn. */
export interface Kept {
  readonly scope: string;
  readonly request: string;
  readonly at: Date;
  readonly status: number;
  /** How long the locks of others are waited for, in ms. */
  readonly wait: number;
  /** What stands before the id in the Location. */
  readonly before: string;
}

/**
 * Creates one record with its links, and with what is kept of it under a key, in one statement that commits itself:
 * where the database can do that, and constraints alone can refuse it. Undefined where not. Resolves with undefined
 * where the key is known; throws a ConstraintError, after which nothing has happened.
 */
export function createWhole(
  plan: WritePlan,
  { compiled, plain, rights }: Answering,
  database: Database,
  statements: WriteStatements,
  kept?: Kept,
): Promise<Written | undefined> | undefined {
  const { dialect } = database;
  if (plan.kind !== 'create' || plan.isArray || !dialect.createsWhole) return undefined;
  const [record] = plan.records;
  if (record === undefined || record.values.size === 0) return undefined;
  const { values, links } = record;
  const isPlain = plain === undefined && compiled.selection.expand.length === 0;
  if (!isPlain || touchedMorphs(plan.resource, values).length > 0) return undefined;
  if (!isUnruled(plan, compiled, rights)) return undefined;
  const added = links.map((change) => linksOf(change, rights, dialect));
  if (!added.every((one) => one !== undefined)) return undefined;
  const { id } = plan.resource;
  const fields = [...values.keys()];
  const given = values.get(id);
  const isDrawn = isGenerated(id) && given === undefined;
  const statement = statements.createWhole(compiled, {
    fields,
    links: added,
    isKept: kept !== undefined,
    isDrawn,
  });
  const bound = [
    ...encodedIn(fields, values, dialect),
    ...added.flatMap((one) => one.bound),
    ...(kept === undefined ? [] : keptValues(kept, isDrawn ? undefined : (given ?? null))),
  ];
  const serialize = serializerOf(compiled.selection.columns);
  const idOf = idReader(id, dialect);
  const write = async (): Promise<Written | undefined> => {
    const [row] = await database.writeOne(statement, { bound });
    return row && { id: idOf(row), record: serialize(row), plain: undefined };
  };
  return write();
}

function keptValues(
  { scope, request, at, status, wait, before }: Kept,
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
 * The links that a new record begins with, where each differs from the others in its key alone, leads by the record's
 * id, and no rule looks at it. Undefined where not.
 */
function linksOf(
  { relation, links }: LinkChange,
  rights: RowRights,
  dialect: Dialect,
): NewLinks | undefined {
  const { owner, target, through, ownerField, targetField } = relation;
  const isKeyed = ownerField === owner.id && targetField === target.id;
  const isFree =
    rights.leaves(through, 'create') === 'all' && rights.leaves(target, 'read') === 'all';
  if (!isKeyed || !isFree) return undefined;
  const [first] = links;
  const row = first?.row ?? new Map<Field, JsonValue>();
  // In the order of the model, so that one text serves all.
  const shared = [...through.fields.values()].filter((field) => row.has(field));
  const isSame = links.every(
    (link) =>
      link.row.size === row.size &&
      shared.every(
        (field) => JSON.stringify(link.row.get(field)) === JSON.stringify(row.get(field)),
      ),
  );
  const isFixed = shared.every(
    ({ reference }) =>
      reference === undefined || rights.leaves(reference.resource, 'read') === 'all',
  );
  const isOwnerless = touchedMorphs(through, row).length === 0;
  if (!isSame || !isFixed || !isOwnerless) return undefined;
  const keys = dialect.keys(links.map((link) => encodeValue(dialect, link.id, target.id)));
  return { relation, shared, bound: [keys, ...encodedIn(shared, row, dialect)] };
}
