import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Predicate } from '../../query/filter/predicate.ts';
import type { Field, MorphPair, Resource } from '../../model/api.ts';
import type { OnDelete } from '../../specification/specification.ts';
import { quote, type Dialect } from '../dialect.ts';
import { rowConditions } from './predicate.ts';
import { ownScope } from './scope.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/** The statements that find out and do what goes with a record that is deleted. */
export interface DeleteStatements {
  /** Where deleting records of a resource leads: one step, each to those that go, are released or keep them. */
  readonly edges: (resource: Resource) => readonly DeleteEdge[];
  /** The same of all resources whose records may go with one of this resource, its own among them. */
  readonly reach: (resource: Resource) => readonly DeleteEdge[];
  /** Of the record named by `id` its own id, and the other values by which `edges` go on. */
  readonly leading: (resource: Resource) => Statement;
  /** What counts the records that keep one from being deleted, one statement a resource. */
  readonly dependents: (resource: Resource) => readonly Dependents[];
}

/** The rows of one resource that point to those of another. */
export interface DeleteEdge {
  /** Where it begins. */
  readonly of: Resource;
  /** Where the value that leads on stands in a row of `leading`. */
  readonly position: number;
  /** It is kept as text, as the ids of owners of different types are. */
  readonly isText: boolean;
  readonly to: Resource;
  /** What holds it in those rows: a foreign key, or a morph pair. */
  readonly keys: readonly Field[];
  readonly onDelete: OnDelete;
  /** The rows led to by `keys`, at most `limit`, as `leading` gives them. */
  readonly rows: Statement;
  /** Deletes or releases the rows led to by `keys`, where no constraint of the database does. */
  readonly change: Statement | undefined;
}

/** What keeps a record from being deleted, in one resource. */
export interface Dependents {
  readonly resource: Resource;
  /** The ways on which they are met. */
  readonly edges: readonly DeleteEdge[];
  /** Counts those that are met, but the record named by `id`; the keys of each edge are bound in their order. */
  readonly count: Statement;
  /** As `count`, of those alone that access rules leave, whose `slots` values are bound before the keys. */
  readonly among: (access: readonly Predicate[], slots: number) => Statement;
}

type Cached = (key: string, text: (add: Add) => string) => Statement;

/** Makes these statements of one dialect; `cached` keeps what it builds under a key. */
export function deleteStatements(dialect: Dialect, cached: Cached): DeleteStatements {
  const byId = ({ id }: Resource, add: Add): string => `${quote(id.column)} = ${add('id')}`;
  const leads = (resource: Resource): string =>
    leadingFields(resource)
      .map((field) => quote(field.column))
      .join(', ');
  const isMet = ({ key, pair }: Step, keys: string): string =>
    dialect.compare(quote(key.column), 'in', keys, key) +
    (pair === undefined
      ? ''
      : ` AND ${quote(pair.typeField.column)} = ${dialect.text(pair.typeValue)}`);
  // A morph child may be made meanwhile, of which no constraint of the database knows: it waits, or is waited for.
  const held = (resource: Resource, lock: string): string => (hasMorphs(resource) ? lock : '');
  const edges = kept((resource: Resource): readonly (DeleteEdge & Step)[] =>
    stepsOf(resource).map((one) => {
      const { to, label, from, onDelete, pair } = one;
      const table = quote(to.table);
      return {
        ...one,
        of: resource,
        position: leadingFields(resource).indexOf(from),
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
  const reach = kept((resource: Resource) => [...goingWith(resource)].flatMap((one) => edges(one)));
  const dependents = kept((resource: Resource): readonly Dependents[] => {
    const restricting = reach(resource).filter(({ onDelete }) => onDelete === 'restrict');
    return [...Map.groupBy(restricting, ({ to }) => to)].map(([dependent, met]) => {
      const count = (add: Add, slots: number): string => {
        const where = met.map((one, index) => `(${isMet(one, add(slots + index))})`).join(' OR ');
        // A record that points to itself is no other record.
        const others = dependent === resource ? ` AND NOT (${byId(resource, add)})` : '';
        return `SELECT count(*) FROM ${quote(dependent.table)} AS t WHERE (${where})${others}`;
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
    leading: (resource) =>
      cached(
        `leading ${resource.name}`,
        (add) =>
          `SELECT ${leads(resource)} FROM ${quote(resource.table)} WHERE ${byId(resource, add)}${held(resource, dialect.forUpdate)}`,
      ),
  };
}

/** Makes a value once for each resource. */
function kept<Value>(make: (resource: Resource) => Value): (resource: Resource) => Value {
  const made = new WeakMap<Resource, Value>();
  return (resource) => getOrInsert(made, resource, make);
}

/** One step of a delete, from a record to those that point to it. */
interface Step {
  readonly label: string;
  readonly from: Field;
  readonly to: Resource;
  /** What holds the value of `from`. */
  readonly key: Field;
  readonly keys: readonly Field[];
  /** Of a morph relation, which no constraint of the database knows. */
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
    const [to, keys] = [key.resource, [key]];
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

/** The resources whose records may go with one of this one, which is the first of them. */
function goingWith(resource: Resource): ReadonlySet<Resource> {
  const going = new Set([resource]);
  for (const one of going)
    for (const { to, onDelete } of stepsOf(one)) if (onDelete === 'cascade') going.add(to);
  return going;
}

/** Whether morph children may keep or follow one of a resource, or what goes with it. */
function hasMorphs(resource: Resource): boolean {
  return [...goingWith(resource)].some((one) =>
    stepsOf(one).some(({ pair }) => pair !== undefined),
  );
}

/** The id, and what else the keys of those below point to. */
function leadingFields(resource: Resource): readonly Field[] {
  return [...new Set([resource.id, ...stepsOf(resource).map(({ from }) => from)])];
}

/** The ids of owners of different types are kept as text. */
function isKeptAsText({ idField }: MorphPair, id: Field): boolean {
  return idField.type.kind === 'string' && id.type.kind !== 'string';
}
