import type { Predicate } from '../filter/predicate.ts';
import type { Field, MorphMany, MorphPair, Resource } from '../model/api.ts';
import { quote, type Dialect } from './dialect.ts';
import { wherePart } from './predicate.ts';
import { ownScope } from './scope.ts';
import { buildStatement, type Add, type Statement } from './statement.ts';

/** The statements that find out and do what goes with a record that is deleted. */
export interface DeleteStatements {
  /** Counts the records that keep the one named by `id` from being deleted, one statement a resource. */
  readonly dependents: (resource: Resource) => readonly Dependents[];
  /** Deletes or releases the morph children of all that goes with the record named by `id`, from the leaves up. */
  readonly morphChildren: (resource: Resource) => readonly Statement[];
  /** Where deleting records of a resource leads: one step, each to those that go with them or are released. */
  readonly follows: (resource: Resource) => readonly Follow[];
  /** Of the record named by `id` its own id, and the other values by which `follows` goes on. */
  readonly leading: (resource: Resource) => Statement;
}

export interface Dependents {
  readonly resource: Resource;
  readonly count: Statement;
  /** The ways on which the delete meets them. */
  readonly ways: readonly Way[];
  /** As `count`, of those alone that access rules leave, met on some of the ways. */
  readonly among: (access: readonly Predicate[], ways: readonly Way[]) => Statement;
}

/** How a delete comes to records: by the keys that lead down to them, through records of these resources. */
export interface Way {
  readonly keys: readonly Field[];
  readonly through: readonly Resource[];
}

/** The rows of one resource that go with those of another, or lose the key to them. */
export interface Follow {
  /** Where the value that leads to them stands in a row of `leading`. */
  readonly position: number;
  /** It is kept as text, as the ids of owners of different types are. */
  readonly isText: boolean;
  readonly to: Resource;
  /** They go as well, so that others may go with them; else they are released. */
  readonly isGoing: boolean;
  /** The rows led to by `keys`, at most `limit`, as `leading` gives them. */
  readonly rows: Statement;
}

type Cached = (key: string, text: (add: Add) => string) => Statement;

/** Makes these statements of one dialect; `cached` keeps what it builds under a key. */
export function deleteStatements(dialect: Dialect, cached: Cached): DeleteStatements {
  const byId = ({ id }: Resource, add: Add): string => `${quote(id.column)} = ${add('id')}`;
  const leads = (resource: Resource): string =>
    leadingFields(resource)
      .map((field) => quote(field.column))
      .join(', ');
  return {
    dependents: (resource) =>
      [...Map.groupBy(reachOf(resource).restricting, (one) => one.resource)].map(
        ([dependent, paths]) => {
          const count = (add: Add, met: readonly Reached[]): string => {
            const where = met.map((path) => path.where(add)).join(' OR ');
            // A record that points to itself is no other record.
            const others = dependent === resource ? ` AND NOT (${byId(resource, add)})` : '';
            return `SELECT count(*) FROM ${quote(dependent.table)} AS t WHERE (${where})${others}`;
          };
          return {
            resource: dependent,
            count: cached(`dependents ${resource.name} ${dependent.name}`, (add) =>
              count(add, paths),
            ),
            ways: paths.map(({ way }) => way),
            among: (access, ways) =>
              buildStatement(dialect, (add) => {
                const met = paths.filter(({ way }) => ways.includes(way));
                return [count(add, met), ...wherePart(access, ownScope, dialect, add)].join(
                  ' AND ',
                );
              }),
          };
        },
      ),
    morphChildren: (resource) =>
      reachOf(resource).morphs.map(({ label, relation, where }) =>
        cached(`morphs ${resource.name} ${label}`, (add) => {
          const { target, typeField, idField, onDelete } = relation;
          return onDelete === 'setNull'
            ? `UPDATE ${quote(target.table)} SET ${quote(typeField.column)} = NULL, ${quote(idField.column)} = NULL WHERE ${where(add)}`
            : `DELETE FROM ${quote(target.table)} WHERE ${where(add)}`;
        }),
      ),
    follows: (resource) =>
      edgesOf(resource).map(({ label, from, key, onDelete, to, isText, condition }) => ({
        position: leadingFields(resource).indexOf(from),
        isText,
        to,
        isGoing: onDelete === 'cascade',
        rows: cached(`follow ${resource.name} ${label}`, (add) => {
          const isWanted = dialect.compare(quote(key.column), 'in', add('keys'), key);
          return `SELECT ${leads(to)} FROM ${quote(to.table)} WHERE ${isWanted}${condition} LIMIT ${add('limit')}`;
        }),
      })),
    leading: (resource) =>
      cached(
        `leading ${resource.name}`,
        (add) =>
          `SELECT ${leads(resource)} FROM ${quote(resource.table)} WHERE ${byId(resource, add)}`,
      ),
  };
}

/** One step of a delete, from a record to those that go with it or are released. */
interface Edge {
  readonly label: string;
  readonly from: Field;
  readonly to: Resource;
  readonly key: Field;
  readonly isText: boolean;
  readonly onDelete: 'cascade' | 'setNull';
  readonly condition: string;
}

function edgesOf({ incoming, relations, id }: Resource): readonly Edge[] {
  const edges: Edge[] = [];
  for (const key of incoming) {
    const { reference } = key;
    if (reference === undefined || reference.onDelete === 'restrict') continue;
    const { field: from, onDelete } = reference;
    const label = `${key.resource.name}.${key.name}`;
    edges.push({ label, from, to: key.resource, key, isText: false, onDelete, condition: '' });
  }
  for (const relation of relations.values()) {
    if (relation.kind !== 'morphMany' || relation.onDelete === 'restrict') continue;
    const { name: label, target: to, idField: key, onDelete } = relation;
    const condition = ` AND ${typeCondition(relation)}`;
    edges.push({
      label,
      from: id,
      to,
      key,
      isText: isKeptAsText(relation, id),
      onDelete,
      condition,
    });
  }
  return edges;
}

/** The id, and what else the keys of those below point to. */
function leadingFields(resource: Resource): readonly Field[] {
  return [...new Set([resource.id, ...edgesOf(resource).map(({ from }) => from)])];
}

/** The ids of owners of different types are kept as text. */
function isKeptAsText({ idField }: MorphPair, id: Field): boolean {
  return idField.type.name === 'string' && id.attributes.format !== 'string';
}

function typeCondition({ typeField, typeValue }: MorphPair): string {
  return `${quote(typeField.column)} = '${typeValue.replaceAll("'", "''")}'`;
}

/** Rows that a delete meets, by the path that leads to them. */
interface Reached {
  readonly label: string;
  readonly way: Way;
  readonly where: (add: Add) => string;
}

/** What deleting a record of a resource reaches, its cascades included. */
interface Reach {
  /** What would keep it. */
  readonly restricting: readonly (Reached & { readonly resource: Resource })[];
  /** Morph children that go or are released with their owner, which no constraint of the database does. */
  readonly morphs: readonly (Reached & { readonly relation: MorphMany })[];
}

/** The deepest chain of cascades that is followed; below it the constraints of the database stand alone. */
const cascadeDepth = 8;

function column(field: Field, asText: boolean): string {
  return asText ? `CAST(${quote(field.column)} AS TEXT)` : quote(field.column);
}

function reachOf(resource: Resource): Reach {
  const restricting: (Reached & { resource: Resource })[] = [];
  const morphs: (Reached & { relation: MorphMany })[] = [];
  const visit = (
    { incoming, relations, pairs, id }: Resource,
    { label, way }: Omit<Reached, 'where'>,
    rows: (field: Field, add: Add, asText?: boolean) => string,
    depth: number,
  ): void => {
    const follow = (child: Resource, reached: Reached): void => {
      if (depth >= cascadeDepth) return;
      const select = (field: Field, add: Add, asText = false): string =>
        `SELECT ${column(field, asText)} FROM ${quote(child.table)} WHERE ${reached.where(add)}`;
      const { keys, through } = reached.way;
      const way = { keys, through: [...through, child] };
      visit(child, { label: reached.label, way }, select, depth + 1);
    };
    for (const key of incoming) {
      const { reference } = key;
      if (reference === undefined || reference.onDelete === 'setNull') continue;
      const reached: Reached = {
        label: `${label}/${key.resource.name}.${key.name}`,
        way: { ...way, keys: [...way.keys, key] },
        where: (add) => `${quote(key.column)} IN (${rows(reference.field, add)})`,
      };
      if (reference.onDelete === 'restrict')
        restricting.push({ ...reached, resource: key.resource });
      else follow(key.resource, reached);
    }
    const reachedBy = (pair: MorphPair, name: string): Reached => {
      const { typeField, idField } = pair;
      const asText = isKeptAsText(pair, id);
      return {
        label: `${label}/${name}`,
        way: { ...way, keys: [...way.keys, typeField, idField] },
        where: (add) =>
          `${quote(idField.column)} IN (${rows(id, add, asText)}) AND ${typeCondition(pair)}`,
      };
    };
    for (const pair of pairs)
      restricting.push({
        ...reachedBy(pair, `${pair.target.name}.${pair.idField.name}`),
        resource: pair.target,
      });
    for (const relation of relations.values()) {
      if (relation.kind !== 'morphMany') continue;
      const reached = reachedBy(relation, relation.name);
      if (relation.onDelete === 'restrict')
        restricting.push({ ...reached, resource: relation.target });
      else {
        if (relation.onDelete === 'cascade') follow(relation.target, reached);
        morphs.push({ ...reached, relation });
      }
    }
  };
  visit(
    resource,
    { label: '', way: { keys: [], through: [] } },
    (field, add, asText = false) =>
      `SELECT ${column(field, asText)} FROM ${quote(resource.table)} WHERE ${quote(resource.id.column)} = ${add('id')}`,
    0,
  );
  return { restricting, morphs };
}
