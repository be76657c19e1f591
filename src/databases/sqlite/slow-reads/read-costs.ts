import type Driver from 'better-sqlite3';
import { getOrInsert } from '../../../lib/get-or-insert.ts';
import { foundFunction } from '../../../model/text-patterns.ts';
import { quoteTable } from '../../../sql/dialect.ts';
import { searchPrefix } from '../../../sql/schema/search-index.ts';
import { valuesFor, type Statement, type Values } from '../../../sql/statement.ts';
import { tableQuery } from '../catalog.ts';

/** A table with more rows is large. To scan so many takes a few ms. */
const largeTable = 20_000;
/** The row combinations that nested loops of one plan may go through: a second or two. */
const mostCombinations = 10_000_000;
/** A text search in a larger file, in bytes, may meet long texts; its time grows with the text that it looks for. */
const largeFile = 4 * 1024 * 1024;
/** A run over this is slow, in ms. */
const slowAfter = 20;
/**
 * A run over this, in ms, is hardly the machine's doing alone. By the CPU, it makes a statement slow for 1,000 times as
 * long as it took, so that one whose values alternate between cheap and dear blocks at most a thousandth of the time.
 */
const longAfter = 200;
const longFactor = 1_000;

/** What the plan of a statement says of its cost. */
interface PlanCost {
  /** It finds single rows by unique keys, or the first rows of a table: its time is that of the rows it returns. */
  readonly isBounded: boolean;
  /** It reads all of a large table, searches long texts, or nests loops over too many rows. */
  readonly isSlow: boolean;
  /**
   * It scans a large table for rows that meet a filter, and stops at its limit: how soon depends on the data. Or it reads a
   * view: how long that takes, its first run shows.
   */
  readonly isUncertain: boolean;
  /** The same as `isSlow` where rows are handed over one by one, and the time between two of them counts. */
  readonly isSlowStream: boolean;
}

interface StatementCost extends PlanCost {
  /** The used pages of the file, and its version, when the plan was made. */
  readonly pages: number;
  version: number;
  /** Whether its last run was slow, or its first run may be. */
  wasSlow: boolean;
  /** Whether a run on the main thread was slow by the clock, so that the next one there is timed by the CPU. */
  isSuspected: boolean;
  slowUntil: number;
}

/**
 * Decides which reads run in a reader process, where they can be ended, because their plan scans a large table or their
 * last run was slow. Reads that are neither run on the main thread. See `docs/decisions/0013-slow-reads.md`.
 */
export class ReadCosts {
  private readonly driver: Driver.Database;
  private readonly costs = new WeakMap<Statement, StatementCost>();
  private readonly pageCount: Driver.Statement<[], number>;
  private readonly freePages: Driver.Statement<[], number>;
  private readonly pageSize: number;
  private readonly tableNamed: Driver.Statement<[string]>;
  private readonly viewNamed: Driver.Statement<[string]>;
  private readonly uniqueIndex: Driver.Statement<[string], { columns: number }>;
  /** The statements that count the rows of each table: to prepare them for every plan would take longer than to run them. */
  private readonly counts = new Map<string, Driver.Statement<[], number>>();

  /** The connection explains statements and counts rows. */
  constructor(driver: Driver.Database) {
    this.driver = driver;
    this.pageCount = driver.prepare<[], number>('PRAGMA page_count').pluck();
    this.freePages = driver.prepare<[], number>('PRAGMA freelist_count').pluck();
    this.pageSize = Number(driver.pragma('page_size', { simple: true }));
    this.tableNamed = driver.prepare<[string]>(tableQuery);
    this.viewNamed = driver.prepare<[string]>(
      `SELECT 1 FROM sqlite_schema WHERE type = 'view' AND name = ?`,
    );
    this.uniqueIndex = driver.prepare<[string], { columns: number }>(
      `SELECT (SELECT count(*) FROM pragma_index_info(list.name)) AS columns` +
        ` FROM sqlite_schema AS own, pragma_index_list(own.tbl_name) AS list` +
        ` WHERE own.type = 'index' AND own.name = ? AND list.name = own.name AND list."unique" = 1`,
    );
  }

  /**
   * Whether a read has to run in a reader process. `now` in ms; `version` differs after each commit. Throws if the file is
   * locked.
   */
  mayBeSlow(statement: Statement, values: Values, now: number, version: number): boolean {
    const cost = this.costOf(statement, values, version);
    return cost.isSlow || cost.wasSlow || now < cost.slowUntil || skipsMany(values);
  }

  /** The same for a read that hands over its rows one by one. */
  mayStreamSlowly(statement: Statement, values: Values, version: number): boolean {
    return this.costOf(statement, values, version).isSlowStream;
  }

  /** Whether the next run on the main thread is to be timed by the CPU: on a busy machine a quick read may take long. */
  isSuspected(statement: Statement): boolean {
    return this.costs.get(statement)?.isSuspected === true;
  }

  /** Records a run: when it ended, and how long it took, in ms. */
  ran(statement: Statement, values: Values, now: number, { took, timedBy }: Run): void {
    const cost = this.costs.get(statement);
    if (cost === undefined || cost.isBounded || skipsMany(values)) return;
    if (timedBy === 'clock') {
      cost.isSuspected = took > slowAfter;
      cost.wasSlow = took > longAfter;
      return;
    }
    if (timedBy === 'cpu') cost.isSuspected = false;
    cost.wasSlow = took > slowAfter;
    if (took > longAfter) cost.slowUntil = Math.max(cost.slowUntil, now + took * longFactor);
  }

  private costOf(statement: Statement, values: Values, version: number): StatementCost {
    const known = this.costs.get(statement);
    if (known !== undefined && (known.isBounded || known.version === version)) return known;
    const pages = Number(this.pageCount.get()) - Number(this.freePages.get());
    if (known !== undefined && !hasGrown(known.pages, pages)) {
      known.version = version;
      return known;
    }
    const plan = this.explain(statement, values, pages);
    const isNew = plan.isUncertain && known?.isUncertain !== true;
    const cost = {
      ...plan,
      pages,
      version,
      wasSlow: isNew || known?.wasSlow === true,
      isSuspected: known?.isSuspected === true,
      slowUntil: known?.slowUntil ?? 0,
    };
    this.costs.set(statement, cost);
    return cost;
  }

  private explain(statement: Statement, values: Values, pages: number): PlanCost {
    const { sql, parameters, isGiven } = statement;
    if (isGiven === true) return this.explainGiven(statement, values);
    const plan = /^(?:SELECT|WITH)\b/u.test(sql) ? this.planOf(statement, values) : [];
    const loops = this.loopsOf(plan, sql);
    const isLarge = loops.some(({ rows }) => rows > largeTable);
    const scansLarge = loops.some(({ isScan, rows }) => isScan && rows > largeTable);
    const combinations = loops.reduce((product, { rows }) => product * Math.max(1, rows), 1);
    const nests = loops.length > 1 && combinations > mostCombinations;
    const searches = looksIntoTexts(sql) && pages * this.pageSize > largeFile;
    const sorts = plan.some((line) => line.includes('TEMP B-TREE'));
    const filters = sql.includes(' WHERE ');
    // What a subquery collects is read in full, whatever the limit of the statement.
    const collects = plan.some((line) => line.startsWith('MATERIALIZE '));
    // A scan without a filter stops at its limit, and SQLite counts all rows of a table without reading them.
    const readsAll =
      scansLarge && (sorts || collects || (filters && !parameters.includes('limit')));
    // What a view goes through has names that the statement does not tell, and a recursion no end that a plan would tell.
    const readsView = this.readsView(sql);
    const isSlow = nests || searches || readsAll || plan.some(isRecursive);
    // Large rows take time, but through a process they would take more: 0.2 s and more for 7 MiB.
    const takesFirst = loops.length === 1 && !sorts && !filters && parameters.includes('limit');
    return {
      isBounded: !isSlow && !readsView && (loops.length === 0 || takesFirst),
      isSlow,
      isUncertain: readsView || (scansLarge && filters),
      isSlowStream: isSlow || readsView || (isLarge && (sorts || filters)),
    };
  }

  /**
   * SQL of own code is fast if it combines few rows of the tables that it names, in whatever way. What is no table, such as an
   * alias, has as many rows as the largest of them, or as all before it together.
   */
  private explainGiven(statement: Statement, values: Values): PlanCost {
    const text = statement.sql.toLowerCase();
    let largest: number | undefined;
    let combinations = 1;
    for (const line of this.planOf(statement, values)) {
      if (isRecursive(line)) combinations = Infinity;
      const [, name] = /^(?:SCAN|SEARCH) (?!(?:\d+ )?CONSTANT ROW)(\S+)/u.exec(line) ?? [];
      if (name === undefined) continue;
      if (this.hasTable(name)) combinations *= Math.max(1, this.rowsOf(name));
      else {
        largest ??= Math.max(
          ...this.tables().map((table) =>
            text.includes(table.toLowerCase()) ? this.rowsOf(table) : 0,
          ),
        );
        combinations *= Math.max(1, largest, combinations);
      }
    }
    const isSlow = combinations > largeTable;
    return { isBounded: false, isSlow, isUncertain: false, isSlowStream: isSlow };
  }

  private tables(): readonly string[] {
    return this.driver
      .prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .pluck()
      .all();
  }

  private planOf(statement: Statement, values: Values): readonly string[] {
    return this.driver
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${statement.sql}`)
      .all(...valuesFor(statement, values))
      .map(({ detail }) => detail);
  }

  /** The loops of a plan over rows of tables, without those that find one row by a unique key. */
  private loopsOf(plan: readonly string[], sql: string): readonly Loop[] {
    const tables = new Map<string, Set<string>>();
    for (const [, name = '', alias = ''] of sql.matchAll(/"((?:[^"]|"")+)"(?: AS (\w+))?/gu)) {
      const table = name.replaceAll('""', '"');
      // Scopes of one statement may use an alias for different tables.
      for (const key of [table, alias]) tables.set(key, (tables.get(key) ?? new Set()).add(table));
    }
    return plan.flatMap((line) => {
      const [, step, name = '', how = ''] = /^(SCAN|SEARCH) (\S+)(.*)$/u.exec(line) ?? [];
      if (step === undefined || how.startsWith(' VIRTUAL')) return [];
      if (how.includes('(rowid=?)') || this.isUnique(how)) return [];
      const rows = Math.max(0, ...[...(tables.get(name) ?? [])].map((table) => this.rowsOf(table)));
      return [{ isScan: step === 'SCAN', rows }];
    });
  }

  /** Whether an index finds at most one row, as in `USING INDEX name (a=? AND b=?)`. */
  private isUnique(how: string): boolean {
    const [, name, terms = ''] = / INDEX (\S+) \((.*)\)/u.exec(how) ?? [];
    if (name === undefined || /[<>]/u.test(terms)) return false;
    const index = this.uniqueIndex.get(name);
    return index !== undefined && index.columns === terms.split('=?').length - 1;
  }

  /** The rows of a table, counted to one more than `largeTable`; 0 if the name is that of a column. */
  private rowsOf(table: string): number {
    if (!this.hasTable(table)) return 0;
    const count = getOrInsert(this.counts, table, () =>
      this.driver
        .prepare<[], number>(
          `SELECT count(*) FROM (SELECT 1 FROM ${quoteTable(table)} LIMIT ${largeTable + 1})`,
        )
        .pluck(),
    );
    return Number(count.get());
  }

  private readsView(sql: string): boolean {
    return [...sql.matchAll(/"((?:[^"]|"")+)"/gu)].some(
      ([, name = '']) => this.viewNamed.get(name.replaceAll('""', '"')) !== undefined,
    );
  }

  private hasTable(name: string): boolean {
    return this.tableNamed.get(name) !== undefined;
  }
}

/** A run on the main thread, timed by the `clock` or by the `cpu`, or in a `process`, which times it by the CPU. */
interface Run {
  readonly took: number;
  readonly timedBy: 'clock' | 'cpu' | 'process';
}

/** A step of a plan that goes through rows of a table. */
interface Loop {
  readonly isScan: boolean;
  readonly rows: number;
}

function isRecursive(line: string): boolean {
  return /^(?:SETUP|RECURSIVE STEP)/u.test(line);
}

/** Whether a file has changed so much that plans and table sizes may differ: a few thousand rows make some plans endless. */
function hasGrown(before: number, now: number): boolean {
  return Math.abs(now - before) > Math.min(64, before / 16);
}

/** Whether a statement looks into the text of each row; a search index finds few of them. */
function looksIntoTexts(sql: string): boolean {
  return (
    /\bGLOB\b|\binstr\(/u.test(sql) || (sql.includes(foundFunction) && !sql.includes(searchPrefix))
  );
}

/** Rows before the offset are read as well. */
function skipsMany({ offset }: Values): boolean {
  return Number(offset ?? 0) > largeTable;
}
