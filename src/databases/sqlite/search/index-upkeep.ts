import type Driver from 'better-sqlite3';
import { quote, type SqlSyntax } from '../../../sql/dialect.ts';
import { placeIn, searchIndexOf, searchPrefix } from '../../../sql/schema/search-index.ts';
import type { SearchSchema } from '../../../sql/schema/table.ts';
import type { FoundSearchIndex } from '../../existing/actual-schema.ts';
import { indexedFunction } from './search.ts';

// A search index is a table of FTS5 with the folded texts of each row, under its id, and a table of the ids of stale rows:
// those that were written since. Triggers name the stale rows, in SQL that every program runs that writes to the file.
// Plinth indexes them after its own writes. Until then a search reads their texts. See docs/decisions/0038-search-indexes.md.

/** The ids of rows whose texts the index does not have as they are. */
const staleTable = (name: string): string => quote(`${name}_stale`);
/** Numbers for ids that are not integers, since FTS5 knows rows by numbers alone. */
const keysTable = (name: string): string => quote(`${name}_keys`);
const triggerNames = (name: string): readonly string[] =>
  ['insert', 'update', 'delete'].map((event) => `${name}_${event}`);

/** The other names of an integer primary key. */
const rowidNames: readonly string[] = ['rowid', '_rowid_', 'oid'];

/** How a search is restricted to rows that the index finds. */
export const indexedSearch: NonNullable<SqlSyntax['indexedSearch']> = (
  resource,
  texts,
  column,
  words,
  plain,
) => {
  const schema = searchIndexOf(resource);
  if (schema === undefined) return plain();
  const { name, isInteger } = schema;
  const id = column(resource.id);
  const columns = texts.map((text) => `c${placeIn(schema, text)}`).join(' ');
  const match = `'{${columns}} : (' || ${words.map((word) => word()).join(` || ' AND ' || `)} || ')'`;
  const found = `SELECT rowid FROM ${quote(name)} WHERE ${quote(name)} MATCH (${match})`;
  const ids = isInteger
    ? found
    : `SELECT k.id FROM ${keysTable(name)} AS k WHERE k.n IN (${found})`;
  const stale = `SELECT s.id FROM ${staleTable(name)} AS s`;
  // What the index has of a row that is not stale is exact.
  return `(${id} IN (${ids} UNION ALL ${stale}) AND CASE WHEN EXISTS (${stale} WHERE s.id = ${id}) THEN ${plain()} ELSE 1 END)`;
};

/** Makes a search index of the rows that are there. The connection has the functions of `search`. */
export function makeIndex(driver: Driver.Database, table: string, schema: SearchSchema): void {
  for (const sql of makeStatements(table, schema)) driver.exec(sql);
  const index = new SearchIndex(driver, table, schema);
  while (index.keep());
}

/** The statements that make a search index, of which all rows are stale. */
function makeStatements(table: string, schema: SearchSchema): readonly string[] {
  const { name, columns, id, isInteger } = schema;
  const [own, stale] = [quote(table), staleTable(name)];
  const [insert = '', update = '', remove = ''] = triggerNames(name).map(quote);
  // `INSERT OR IGNORE` would do what the statement says that fires the trigger.
  const mark = (row: 'NEW' | 'OLD', where = ''): string =>
    `INSERT INTO ${stale} (id) SELECT ${row}.${quote(id)} WHERE NOT EXISTS (SELECT 1 FROM ${stale} WHERE id = ${row}.${quote(id)})${where};`;
  const isChanged = [id, ...columns].map((one) => `OLD.${quote(one)} IS NOT NEW.${quote(one)}`);
  // SQLite goes by the name that a statement writes.
  const updated = [id, ...(isInteger ? rowidNames : []), ...columns];
  const parts = columns.map((_, place) => `c${place}`).join(', ');
  return [
    `CREATE VIRTUAL TABLE ${quote(name)} USING fts5(${parts}, content='', contentless_delete=1, tokenize='trigram case_sensitive 1')`,
    `CREATE TABLE ${stale} (id ${isInteger ? 'INTEGER' : 'TEXT'} PRIMARY KEY NOT NULL)${isInteger ? '' : ' WITHOUT ROWID'}`,
    ...(isInteger
      ? []
      : [`CREATE TABLE ${keysTable(name)} (n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE)`]),
    `CREATE TRIGGER ${insert} AFTER INSERT ON ${own} BEGIN ${mark('NEW')} END`,
    `CREATE TRIGGER ${update} AFTER UPDATE OF ${updated.map(quote).join(', ')} ON ${own} WHEN ${isChanged.join(' OR ')}` +
      ` BEGIN ${mark('NEW')} ${mark('OLD')} END`,
    `CREATE TRIGGER ${remove} AFTER DELETE ON ${own} BEGIN ${mark('OLD')} END`,
    `INSERT INTO ${stale} (id) SELECT ${quote(id)} FROM ${own}`,
  ];
}

/** The statements that drop a search index. */
export function dropStatements(name: string): readonly string[] {
  return [
    ...triggerNames(name).map((trigger) => `DROP TRIGGER IF EXISTS ${quote(trigger)}`),
    ...[quote(name), staleTable(name), keysTable(name)].map(
      (table) => `DROP TABLE IF EXISTS ${table}`,
    ),
  ];
}

/** The search indexes of a database. */
export function searchIndexes(driver: Driver.Database): readonly FoundSearchIndex[] {
  const objects = driver
    .prepare<[string], { name: string; type: string; tbl_name: string; sql: string }>(
      `SELECT name, type, tbl_name, sql FROM sqlite_schema WHERE type IN ('table', 'trigger') AND substr(name, 1, ${searchPrefix.length}) = ?`,
    )
    .all(searchPrefix);
  const named = new Map(objects.map((one) => [one.name, one]));
  return objects
    .filter(({ sql }) => sql.startsWith('CREATE VIRTUAL TABLE'))
    .map(({ name }) => {
      const triggers = triggerNames(name).map((trigger) => named.get(trigger));
      const stale = named.get(`${name}_stale`);
      const hasKeys = stale?.sql.endsWith('WITHOUT ROWID') !== true || named.has(`${name}_keys`);
      return {
        name,
        table: triggers.find((one) => one !== undefined)?.tbl_name,
        isWhole: !triggers.includes(undefined) && stale !== undefined && hasKeys,
      };
    });
}

/** How many rows are indexed at once. */
const portion = 64;
/** After so many rows parts are merged, so many pages at once. */
const worthMerging = 5_000;
const mergedPages = 200;
/** How long a commit may take longer for it, in ms; the rest follows in transactions of their own. */
const longest = 20;

/** Keeps one search index. */
class SearchIndex {
  readonly table: string;
  private readonly any: Driver.Statement<[], number>;
  private readonly steps: readonly Driver.Statement<[]>[];
  private readonly merging: Driver.Statement<[{ pages: number }]>;
  private readonly changes: Driver.Statement<[], number>;
  /** How many rows were indexed since the last merge. */
  private unmerged = 0;
  private isMerging = false;

  constructor(driver: Driver.Database, table: string, schema: SearchSchema) {
    const { name, columns, id, isInteger } = schema;
    this.table = table;
    const [index, own, stale, keys] = [
      quote(name),
      quote(table),
      staleTable(name),
      keysTable(name),
    ];
    // The ids stay in SQL: those of other programs may be texts that JavaScript cannot hold.
    const ids = `SELECT id FROM ${stale} ORDER BY id LIMIT ${portion}`;
    const isThere = `SELECT 1 FROM ${own} AS t WHERE t.${quote(id)}`;
    const folded = columns.map((column) => `${indexedFunction}(t.${quote(column)})`).join(', ');
    const parts = columns.map((_, place) => `c${place}`).join(', ');
    const insert = `INSERT OR REPLACE INTO ${index} (rowid, ${parts})`;
    const steps = isInteger
      ? [
          `DELETE FROM ${index} WHERE rowid IN (${ids}) AND NOT EXISTS (${isThere} = ${index}.rowid)`,
          `${insert} SELECT t.${quote(id)}, ${folded} FROM ${own} AS t WHERE t.${quote(id)} IN (${ids})`,
        ]
      : [
          `INSERT INTO ${keys} (id) SELECT id FROM (${ids}) WHERE id NOT IN (SELECT id FROM ${keys})`,
          `DELETE FROM ${index} WHERE rowid IN (SELECT n FROM ${keys} AS k WHERE id IN (${ids}) AND NOT EXISTS (${isThere} = k.id))`,
          `DELETE FROM ${keys} AS k WHERE id IN (${ids}) AND NOT EXISTS (${isThere} = k.id)`,
          `${insert} SELECT k.n, ${folded} FROM ${own} AS t JOIN ${keys} AS k ON k.id = t.${quote(id)} WHERE t.${quote(id)} IN (${ids})`,
        ];
    this.any = driver.prepare<[], number>(`SELECT EXISTS (SELECT 1 FROM ${stale})`).pluck();
    this.merging = driver.prepare(`INSERT INTO ${index} (${index}, rank) VALUES ('merge', :pages)`);
    this.changes = driver.prepare<[], number>('SELECT total_changes()').pluck();
    this.steps = [...steps, `DELETE FROM ${stale} WHERE id IN (${ids})`].map((sql) =>
      driver.prepare<[]>(sql),
    );
  }

  get isStale(): boolean {
    return this.any.get() === 1;
  }

  /** Whether `keep` has anything to do. */
  get isToKeep(): boolean {
    return this.unmerged >= worthMerging || this.isStale;
  }

  /** Indexes some stale rows, or does a part of what is left to do then; returns whether there was anything. */
  keep(): boolean {
    if (!this.isStale) return this.merge();
    for (const step of this.steps) step.run();
    this.unmerged += portion;
    return true;
  }

  /** After many rows, merges some of the parts of the index: a search of 50,000 texts is a third faster in one. */
  private merge(): boolean {
    if (this.unmerged < worthMerging) return false;
    const before = this.changes.get() ?? 0;
    // A negative number of pages begins to merge all of them.
    this.merging.run({ pages: this.isMerging ? mergedPages : -mergedPages });
    this.isMerging = (this.changes.get() ?? 0) - before > 1;
    if (!this.isMerging) this.unmerged = 0;
    return this.isMerging;
  }
}

/** How long an index is left alone after a failure, in ms: each write would fail in the same way. */
const rest = 60_000;

/** Keeps the search indexes of a database, within transactions of others. */
export class SearchIndexes {
  private readonly driver: Driver.Database;
  private readonly report: (line: string) => void;
  private indexes: readonly SearchIndex[] = [];
  /** The indexes that failed, each with the time until which it is left alone, on the clock of `performance.now()`. */
  private readonly resting = new Map<SearchIndex, number>();

  /** `report` takes a line for the log if an index cannot be kept. */
  constructor(driver: Driver.Database, report: (line: string) => void) {
    this.driver = driver;
    this.report = report;
  }

  /** Keeps these from now on, as far as they are there. */
  serve(wanted: readonly { readonly table: string; readonly schema: SearchSchema }[]): void {
    this.indexes = [];
    this.resting.clear();
    if (wanted.length === 0) return;
    const there = searchIndexes(this.driver);
    this.indexes = wanted
      .filter(({ schema }) => there.some(({ name, isWhole }) => isWhole && name === schema.name))
      .map(({ table, schema }) => new SearchIndex(this.driver, table, schema));
  }

  get any(): boolean {
    return this.indexes.length > 0;
  }

  /** Whether there is a row to index. */
  get areStale(): boolean {
    return this.indexes.some((index) => index.isStale);
  }

  /**
   * Indexes stale rows, as many as fit into a short time; returns whether some may be left. Does not throw: the rows of an
   * index that fails stay stale, and searches read them. The failure may have ended the transaction.
   */
  keep(time = longest): boolean {
    const end = performance.now() + time;
    for (const index of this.indexes) {
      if (this.isResting(index)) continue;
      try {
        if (index.isToKeep && this.keepOne(index, end)) return true;
      } catch (error) {
        this.leaveAlone(index, error);
        if (!this.driver.inTransaction) return false;
      }
    }
    return false;
  }

  /** FTS5 writes what it has in memory at a savepoint, or else at the commit, which would fail with it. */
  private keepOne(index: SearchIndex, end: number): boolean {
    const { driver } = this;
    driver.exec('SAVEPOINT search');
    try {
      let isMore = index.keep();
      while (isMore && performance.now() <= end) isMore = index.keep();
      driver.exec('SAVEPOINT written; RELEASE search');
      return isMore;
    } catch (error) {
      if (driver.inTransaction) driver.exec('ROLLBACK TO search; RELEASE search');
      throw error;
    }
  }

  private isResting(index: SearchIndex): boolean {
    return this.resting.size > 0 && performance.now() < (this.resting.get(index) ?? 0);
  }

  private leaveAlone(index: SearchIndex, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    // A migration of another process has dropped it.
    const isGone = reason.startsWith('no such table');
    if (isGone) this.indexes = this.indexes.filter((other) => other !== index);
    else this.resting.set(index, performance.now() + rest);
    this.report(
      `The search index of ${index.table} was not brought up to date: ${reason}. Until it is, searches read the changed rows, which takes longer.` +
        (isGone ? ' Run migrate, and start again.' : ' It is tried again in a minute.'),
    );
  }
}
