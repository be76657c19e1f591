import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import type { BelongsToMany, Field, Resource } from '../../model/api.ts';
import type { CompiledRead } from './read.ts';
import { createWithLinksSql, failUnless, type CreateWithLinks } from './create.ts';
import { deleteStatements, type DeleteStatements } from './delete.ts';
import { quote, quoteTable, type Dialect } from '../dialect.ts';
import { keyColumns } from '../key.ts';
import { buildStatement, type Add, type Statement } from '../statement.ts';

/**
 * The statements of writes. They depend only on the resource and the set of fields, in the order of the model, so similar
 * writes share them. A bounded cache keeps them.
 */
export interface WriteStatements extends DeleteStatements {
  readonly insert: (resource: Resource, fields: readonly Field[]) => Statement;
  /** Inserts `count` records. */
  readonly insertMany: (resource: Resource, fields: readonly Field[], count: number) => Statement;
  /** Inserts `count` records, at least two; returns their ids, in no certain order. */
  readonly insertTogether: (
    resource: Resource,
    fields: readonly Field[],
    count: number,
  ) => Statement;
  /** Updates the record `id`. */
  readonly update: (resource: Resource, fields: readonly Field[]) => Statement;
  /** Inserts `count` records, all or none; returns a row of the read for each, with the id as its last column. */
  readonly create: (read: CompiledRead, fields: readonly Field[], count: number) => Statement;
  /** Updates the record `id`; returns its row like `create`, or no row if there is no such record. */
  readonly change: (read: CompiledRead, fields: readonly Field[]) => Statement;
  /** Creates a record with its links; returns its row like `create`. Only if the dialect's `createsWhole` is true. */
  readonly createWithLinks: (read: CompiledRead, whole: CreateWithLinks) => Statement;
  /** The read's row of the record `id`, with its row version as text in the last column. */
  readonly versioned: (read: CompiledRead) => Statement;
  /** Like `change`, if the row still has the version that is bound after the values. */
  readonly changeVersion: (read: CompiledRead, fields: readonly Field[]) => Statement;
  /** The records whose ids are among `keys`, with rows like those of `create`. */
  readonly created: (read: CompiledRead) => Statement;
  readonly delete: (resource: Resource) => Statement;
  /** The values of `fields` of the record `id`. */
  readonly current: (resource: Resource, fields: readonly Field[]) => Statement;
  /**
   * The ids of the records whose ids are among `keys`, each followed by its values of `fields`. `isLocked`: locks the
   * records as `lock` does, as far as the database can.
   */
  readonly currentOf: (
    resource: Resource,
    fields: readonly Field[],
    isLocked: boolean,
  ) => Statement;
  /** Locks the record `id` against changes until the transaction ends; returns a row if it exists. */
  readonly lock: (resource: Resource) => Statement;
  /** Locks the record `id` against deletion until the transaction ends; returns a row if it exists. */
  readonly hold: (resource: Resource) => Statement;
  /**
   * The links of the owner whose key is bound first, at most `limit`: each link's id, and the key of the linked record. The
   * latest link comes first, since a later link may reference an earlier one when all are deleted.
   */
  readonly links: (relation: BelongsToMany) => Statement;
  /** Like `links`, only those to records whose keys are among `keys`. */
  readonly linksTo: (relation: BelongsToMany) => Statement;
  /** The records whose ids are among `keys`: their ids, and the keys that links reference. */
  readonly linkable: (relation: BelongsToMany) => Statement;
  /** A row if a record has the bound value in `field`. */
  readonly exists: (field: Field) => Statement;
  /** The id of a record with the bound values in `fields`. */
  readonly same: (fields: readonly Field[]) => Statement;
}

function wholeKey({ fields, links, keptIn, isDrawn }: CreateWithLinks): string {
  const names = (some: readonly Field[]): string => some.map(({ name }) => name).join(',');
  const linked = links.map(
    ({ relation: { through, ownerKey, targetKey }, shared }) =>
      `${through.name} ${names([ownerKey, targetKey, ...shared])}`,
  );
  return ['whole', keptIn, isDrawn, names(fields), ...linked].join('|');
}

/** How many statements are cached, and how many of those that return rows of one read. */
const keptStatements = 1_000;

/** Makes the write statements for a dialect. */
export function writeStatements(dialect: Dialect): WriteStatements {
  const common = new BoundedCache<Statement>(keptStatements);
  const ofReads = new WeakMap<CompiledRead, BoundedCache<Statement>>();
  const cacheOf = (read: CompiledRead): BoundedCache<Statement> =>
    getOrInsert(ofReads, read, () => new BoundedCache(keptStatements));
  const cached = (key: string, text: (add: Add) => string, cache = common): Statement =>
    getOrInsert(cache, key, () => buildStatement(dialect, text));
  const keyOf = (kind: string, resource: Resource, fields: readonly Field[] = []): string =>
    `${kind} ${resource.name} ${fields.map((field) => field.name).join(',')}`;
  const columns = (fields: readonly Field[]): string[] =>
    fields.map((field) => quote(field.column));
  const shown = (field: Field): string => dialect.select(quote(field.column), field);
  const isOne = (field: Field, placeholder: string): string =>
    dialect.compare(quote(field.column), 'eq', placeholder, field);
  const byId = ({ id }: Resource, add: Add): string => isOne(id, add('id'));
  const insertSql = (
    { table }: Resource,
    fields: readonly Field[],
    count: number,
    add: Add,
  ): string => {
    if (fields.length === 0) return `INSERT INTO ${quoteTable(table)} DEFAULT VALUES`;
    const rows = Array.from(
      { length: count },
      (_, row) =>
        `(${fields.map((field, index) => dialect.assigned(add(row * fields.length + index), field)).join(', ')})`,
    );
    return `INSERT INTO ${quoteTable(table)} (${columns(fields).join(', ')}) VALUES ${rows.join(', ')}`;
  };
  const updateSql = (resource: Resource, fields: readonly Field[], add: Add): string => {
    const sets = fields.map(
      (field, index) => `${quote(field.column)} = ${dialect.assigned(add(index), field)}`,
    );
    return `UPDATE ${quoteTable(resource.table)} SET ${sets.join(', ')} WHERE ${byId(resource, add)}`;
  };
  const shownOf = ({ selection }: CompiledRead): string[] => {
    const all: string[] = [];
    for (const { position, field } of selection.columns)
      if (position !== undefined) all[position] = shown(field);
    return all;
  };
  const rowOf = (read: CompiledRead): string =>
    [...shownOf(read), shown(read.plan.resource.id)].join(', ');
  const { rowVersion } = dialect;
  const linksSql = (
    { through, ownerKey, targetKey }: BelongsToMany,
    owner: string,
    keys?: string,
  ): string => {
    const target = quote(targetKey.column);
    const isNamed =
      keys === undefined ? '' : ` AND ${dialect.compare(target, 'in', keys, targetKey)}`;
    const order = keyColumns(quote(through.id.column), through.id).map((one) => `${one} DESC`);
    return (
      `SELECT ${shown(through.id)}, ${shown(targetKey)} FROM ${quoteTable(through.table)}` +
      ` WHERE ${isOne(ownerKey, owner)}${isNamed} ORDER BY ${order.join(', ')}`
    );
  };
  return {
    insert: (resource, fields) =>
      cached(
        keyOf('insert', resource, fields),
        (add) =>
          insertSql(resource, fields, 1, add) +
          // A driver tells a counted id alone.
          (resource.id.parts === undefined
            ? (dialect.returning?.(shown(resource.id)) ?? '')
            : ` RETURNING ${shown(resource.id)}`),
      ),
    insertMany: (resource, fields, count) =>
      cached(keyOf(`insert ${count}`, resource, fields), (add) =>
        insertSql(resource, fields, count, add),
      ),
    insertTogether: (resource, fields, count) =>
      cached(
        keyOf(`insert together ${count}`, resource, fields),
        (add) => `${insertSql(resource, fields, count, add)} RETURNING ${shown(resource.id)}`,
      ),
    update: (resource, fields) =>
      cached(keyOf('update', resource, fields), (add) => updateSql(resource, fields, add)),
    create: (read, fields, count) =>
      cached(
        keyOf(`create ${count}`, read.plan.resource, fields),
        (add) => {
          const made = `${insertSql(read.plan.resource, fields, count, add)} RETURNING ${rowOf(read)}`;
          if (count === 1) return made;
          const names = [...shownOf(read).map((_, index) => `c${index}`), 'id'].join(', ');
          const isWhole = failUnless(`(SELECT count(*) FROM made) = ${count}`);
          return `WITH made(${names}) AS (${made}) SELECT * FROM made WHERE ${isWhole}`;
        },
        cacheOf(read),
      ),
    change: (read, fields) =>
      cached(
        keyOf('change', read.plan.resource, fields),
        (add) => `${updateSql(read.plan.resource, fields, add)} RETURNING ${rowOf(read)}`,
        cacheOf(read),
      ),
    createWithLinks: (read, whole) =>
      cached(
        wholeKey(whole),
        (add) => createWithLinksSql(read.plan.resource, shownOf(read), whole, dialect, add),
        cacheOf(read),
      ),
    versioned: (read) =>
      cached(
        'versioned',
        (add) => {
          const { resource } = read.plan;
          const row = [...shownOf(read), rowVersion?.text ?? 'NULL'].join(', ');
          return `SELECT ${row} FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}`;
        },
        cacheOf(read),
      ),
    changeVersion: (read, fields) =>
      cached(
        keyOf('change version', read.plan.resource, fields),
        (add) =>
          `${updateSql(read.plan.resource, fields, add)} AND ${rowVersion?.column ?? 'NULL'} =` +
          ` ${add(fields.length)} RETURNING ${rowOf(read)}`,
        cacheOf(read),
      ),
    created: (read) =>
      cached(
        'created',
        (add) => {
          const { table, id } = read.plan.resource;
          const isWanted = dialect.compare(quote(id.column), 'in', add('keys'), id);
          return `SELECT ${rowOf(read)} FROM ${quoteTable(table)} WHERE ${isWanted}`;
        },
        cacheOf(read),
      ),
    delete: (resource) =>
      cached(
        keyOf('delete', resource),
        (add) => `DELETE FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}`,
      ),
    current: (resource, fields) =>
      cached(keyOf('current', resource, fields), (add) => {
        const selected = fields.map(shown);
        return `SELECT ${['1', ...selected].join(', ')} FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}`;
      }),
    currentOf: (resource, fields, isLocked) =>
      cached(keyOf(isLocked ? 'locked' : 'current of', resource, fields), (add) => {
        const { id, table } = resource;
        const selected = [id, ...fields].map(shown);
        const isWanted = dialect.compare(quote(id.column), 'in', add('keys'), id);
        return `SELECT ${selected.join(', ')} FROM ${quoteTable(table)} WHERE ${isWanted}${isLocked ? dialect.forUpdateMany : ''}`;
      }),
    lock: (resource) =>
      cached(
        keyOf('lock', resource),
        (add) =>
          `SELECT 1 FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}${dialect.forUpdate}`,
      ),
    hold: (resource) =>
      cached(
        keyOf('hold', resource),
        (add) =>
          `SELECT 1 FROM ${quoteTable(resource.table)} WHERE ${byId(resource, add)}${dialect.forKeyShare}`,
      ),
    links: (relation) =>
      cached(
        keyOf('links', relation.through, [relation.ownerKey, relation.targetKey]),
        (add) => `${linksSql(relation, add(0))} LIMIT ${add('limit')}`,
      ),
    linksTo: (relation) =>
      cached(keyOf('linksTo', relation.through, [relation.ownerKey, relation.targetKey]), (add) =>
        linksSql(relation, add(0), add('keys')),
      ),
    linkable: ({ target, targetField }) =>
      cached(keyOf('linkable', target, [targetField]), (add) => {
        const isWanted = dialect.compare(quote(target.id.column), 'in', add('keys'), target.id);
        return `SELECT ${shown(target.id)}, ${shown(targetField)} FROM ${quoteTable(target.table)} WHERE ${isWanted}`;
      }),
    exists: (field) =>
      cached(
        keyOf('exists', field.resource, [field]),
        (add) =>
          `SELECT 1 FROM ${quoteTable(field.resource.table)} WHERE ${isOne(field, add(0))} LIMIT 1`,
      ),
    same: (fields) => {
      const [first] = fields;
      if (first === undefined) throw new TypeError('A key has at least one field');
      const { resource } = first;
      return cached(keyOf('same', resource, fields), (add) => {
        const where = fields.map((field, index) => isOne(field, add(index)));
        return `SELECT ${shown(resource.id)} FROM ${quoteTable(resource.table)} WHERE ${where.join(' AND ')} LIMIT 1`;
      });
    },
    ...deleteStatements(dialect, cached),
  };
}
