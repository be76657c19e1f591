import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Predicate } from '../../query/filter/predicate.ts';
import type { Field, MorphPair, Resource } from '../../model/api.ts';
import { keyFields } from '../../model/field-types/composite-id.ts';
import type { OnDelete } from '../../specification/specification.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { rowConditions } from './predicate.ts';
import { ownScope } from './scope.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** The statements for the cascades and dependents of a delete. */
export interface DeleteStatements {
  /** The references to records of a resource: their rows are deleted, released, or prevent the delete. */
  readonly edges: (resource: Resource) => readonly DeleteEdge[];
  /** The edges of all resources whose records may be deleted with one of this resource, itself included. */
  readonly reach: (resource: Resource) => readonly DeleteEdge[];
  /** The id of the record `id`, and its other values that `edges` reference. */
  readonly keyValues: (resource: Resource) => Statement;
  /** Counts the records that prevent a delete, one statement for each resource. */
  readonly dependents: (resource: Resource) => readonly Dependents[];
}

/** A reference from one resource to another, followed by a delete from the referenced rows. */
export interface DeleteEdge {
  /** The referenced resource. */
  readonly of: Resource;
  /** The position of the referenced value in a row of `keyValues`. */
  readonly position: number;
  /** The reference is stored as text, because owners have ids of different types. */
  readonly isText: boolean;
  readonly to: Resource;
  /** The referencing fields: a foreign key, or a morph pair. */
  readonly keys: readonly Field[];
  readonly onDelete: OnDelete;
  /** The rows that reference `keys`, at most `limit`, with the columns of `keyValues`. */
  readonly rows: Statement;
  /** Deletes or releases the rows that reference `keys`, if no database constraint does. */
  readonly change: Statement | undefined;
}

/** The records of one resource that prevent a delete. */
export interface Dependents {
  readonly resource: Resource;
  /** The references that lead to them. */
  readonly edges: readonly DeleteEdge[];
  /** Counts them without the record `id`; the keys of each edge are bound in order. */
  readonly count: Statement;
  /** Like `count`, but only of rows that access rules allow; the rules' `slots` values are bound before the keys. */
  readonly among: (access: readonly Predicate[], slots: number) => Statement;
}

type Cached = (key: string, text: (add: Add) => string) => Statement;

/** Makes these statements for a dialect; `cached` memoizes statements by key. */
export function deleteStatements(dialect: Dialect, cached: Cached): DeleteStatements {
  const byId = ({ id }: Resource, add: Add): string =>
    dialect.compare(quote(id.column), 'eq', add('id'), id);
  const leads = (resource: Resource): string =>
    referencedFields(resource)
      .map((field) => dialect.select(quote(field.column), field))
      .join(', ');
  const isMet = ({ key, pair }: Step, keys: string): string =>
    dialect.compare(quote(key.column), 'in', keys, key) +
    (pair === undefined
      ? ''
      : ` AND ${quote(pair.typeField.column)} = ${dialect.text(pair.typeValue)}`);
  // No constraint protects morph children, so lock the record: a concurrent create of a child waits, or is waited for.
  const held = (resource: Resource, lock: string): string => (hasMorphs(resource) ? lock : '');
  const edges = perResource((resource: Resource): readonly (DeleteEdge & Step)[] =>
    stepsOf(resource).map((one) => {
      const { to, label, from, onDelete, pair } = one;
      const table = quoteTable(to.table);
      return {
        ...one,
        of: resource,
        position: referencedFields(resource).indexOf(from),
        rows: cached(
          `follow ${resource.name} ${label}`,
          (add) =>
            `SELECT ${leads(to)} FROM ${table} WHERE ${isMet(one, add('keys'))} LIMIT ${add('limit')}${onDelete === 'cascade' ? held(to, dialect.forUpdateMany) : ''}`,
        ),
        change:
          pair === undefined || onDelete === 'restrict'
            ? undefined
            : cached(
                `morphs ${resource.name} ${label}`,
                (add) =>
                  (onDelete === 'setNull'
                    ? `UPDATE ${table} SET ${quote(pair.typeField.column)} = NULL, ${quote(pair.idField.column)} = NULL`
                    : `DELETE FROM ${table}`) + ` WHERE ${isMet(one, add('keys'))}`,
              ),
      };
    }),
  );
  const reach = perResource((resource: Resource) =>
    [...cascadeTargets(resource)].flatMap((one) => edges(one)),
  );
  const dependents = perResource((resource: Resource): readonly Dependents[] => {
    const restricting = reach(resource).filter(({ onDelete }) => onDelete === 'restrict');
    return [...Map.groupBy(restricting, ({ to }) => to)].map(([dependent, met]) => {
      const count = (add: Add, slots: number): string => {
        const where = met.map((one, index) => `(${isMet(one, add(slots + index))})`).join(' OR ');
        // A record that references itself does not prevent its own delete.
        const others = dependent === resource ? ` AND NOT (${byId(resource, add)})` : '';
        return `SELECT count(*) FROM ${quoteTable(dependent.table)} AS t WHERE (${where})${others}`;
      };
      return {
        resource: dependent,
        edges: met,
        count: cached(`dependents ${resource.name} ${dependent.name}`, (add) => count(add, 0)),
        among: (access, slots) =>
          buildStatement(dialect, (add) =>
            [count(add, slots), ...rowConditions(access, ownScope, dialect, add)].join(' AND '),
          ),
      };
    });
  });
  return {
    edges,
    reach,
    dependents,
    keyValues: (resource) =>
      cached(
        `leading ${resource.name}`,
        (add) =>
          `SELECT ${leads(resource)} FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}${held(resource, dialect.forUpdate)}`,
      ),
  };
}

/** Memoizes a function of a resource. */
function perResource<Value>(make: (resource: Resource) => Value): (resource: Resource) => Value {
  const made = new WeakMap<Resource, Value>();
  return (resource) => getOrInsert(made, resource, make);
}

/** One step of a delete, from a record to the rows that reference it. */
interface Step {
  readonly label: string;
  readonly from: Field;
  readonly to: Resource;
  /** The fields that hold the value of `from`. */
  readonly key: Field;
  readonly keys: readonly Field[];
  /** For a morph relation, which no database constraint enforces. */
  readonly pair: MorphPair | undefined;
  readonly isText: boolean;
  readonly onDelete: OnDelete;
}

function stepsOf({ incoming, relations, pairs, id }: Resource): readonly Step[] {
  const steps: Step[] = [];
  for (const key of incoming) {
    const { reference } = key;
    if (reference === undefined) continue;
    const { field: from, onDelete } = reference;
    const label = `${key.resource.name}.${key.name}`;
    const [to, keys] = [key.resource, keyFields(key)];
    steps.push({ label, from, to, key, keys, pair: undefined, isText: false, onDelete });
  }
  const morph = (pair: MorphPair, label: string, onDelete: OnDelete): Step => ({
    label,
    from: id,
    to: pair.target,
    key: pair.idField,
    keys: [pair.typeField, pair.idField],
    pair,
    isText: isKeptAsText(pair, id),
    onDelete,
  });
  for (const pair of pairs)
    steps.push(morph(pair, `${pair.target.name}.${pair.idField.name}`, 'restrict'));
  for (const relation of relations.values())
    if (relation.kind === 'morphMany')
      steps.push(morph(relation, relation.name, relation.onDelete));
  return steps;
}

/** The resources whose records may be deleted with one of this resource, which is the first of them. */
function cascadeTargets(resource: Resource): ReadonlySet<Resource> {
  const going = new Set([resource]);
  for (const one of going)
    for (const { to, onDelete } of stepsOf(one)) if (onDelete === 'cascade') going.add(to);
  return going;
}

/** Whether morph children may prevent or follow a delete in a resource or its cascade targets. */
function hasMorphs(resource: Resource): boolean {
  return [...cascadeTargets(resource)].some((one) =>
    stepsOf(one).some(({ pair }) => pair !== undefined),
  );
}

/** The id, and the other fields that keys reference. */
function referencedFields(resource: Resource): readonly Field[] {
  return [...new Set([resource.id, ...stepsOf(resource).map(({ from }) => from)])];
}

/** Whether a morph pair stores ids as text, because its owners have ids of different types. */
function isKeptAsText({ idField }: MorphPair, id: Field): boolean {
  return idField.type.kind === 'string' && id.type.kind !== 'string';
}
