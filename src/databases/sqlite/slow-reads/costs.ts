import type Driver from 'better-sqlite3';
import { valuesFor, type Statement, type Values } from '../../../sql/statement.ts';
import { quote } from '../../../sql/dialect.ts';
import { hasTable } from '../catalog.ts';

/**
 * A statement that has taken longer twice in a row, or once far longer, is slow; what a plan bounds has to be far
 * longer twice. What was long by the clock alone is only suspected: the machine may have had something else to do. In ms.
 */
const slowAfter = 20;
const farLonger = 100;
/** Slow for so many times as long as it took. */
const fading = 1_000;
/** A table with more rows is large; all of one that is huge cannot be read while others wait. */
const large = 20_000;
const huge = 200_000;
/** So many steps through rows are few, and too many, in one statement that goes through several tables. */
const fewSteps = 1_000_000;
const tooManySteps = 1_000_000_000;
/** Rows that may be skipped while others wait. */
const fewSkipped = 100_000;
/** In a file of more bytes, searching texts may take its time; so may a search of more bytes times signs sought. */
const smallFile = 4 * 1024 * 1024;
const fewComparisons = 16 * smallFile;
/** How long what was found out of a plan and of a table's size holds, in ms. */
const keptFor = 60_000;
/**
 * What rests on sizes is looked at anew once the file has got so much larger: by this part of its pages, or so many of
 * them. A few thousand rows make some statements endless, and come with a few writes.
 */
const growth = { part: 1 / 16, most: 64 } as const;

/**
 * What a plan says: `point`, a few rows by unique keys; `bounded`, never much; `open`, anything; `endless`, so much
 * that it must not be tried where others wait.
 */
type Kind = 'point' | 'bounded' | 'open' | 'endless';

interface Judgement {
  readonly kind: Kind;
  /** Whether rows come one by one in the order of an index, however many there are. */
  readonly inOrder: boolean;
  /** How many bytes there may be in which it looks for a text that it is given. */
  readonly searched: number;
  /** Whether it is so whatever the tables hold. */
  readonly isFixed: boolean;
}

/** What is known of a statement. */
interface Verdict extends Judgement {
  /** When it is judged anew. */
  readonly until: number;
  /** How many pages of the file were in use then, and the last commit after which that was looked at. */
  readonly pages: number;
  version: number;
  /** When it is slow no more; 0: it has never been. */
  slowUntil: number;
  /** Whether it has run since it was slow last. */
  hasRun: boolean;
  /** Whether its last run was. The next one is timed so that nothing else can be the reason. */
  wasSlow: boolean;
}

/**
 * Knows which reads may take long. They run where they can be ended, the others at once. A plan alone does not tell:
 * what it calls a scan may stop after a page, and what it calls a search may find half of the table.
 */
export class ReadCosts {
  private readonly driver: Driver.Database;
  private readonly verdicts = new WeakMap<Statement, Verdict>();
  private readonly sizes = new Map<string, Size>();

  /** The connection is asked for plans and sizes. */
  constructor(driver: Driver.Database) {
    this.driver = driver;
  }

  /**
   * Whether a read is to run where it can be ended; `now` in ms, `version` another one after each commit. Reading a file
   * that is locked throws.
   */
  mayBeSlow(statement: Statement, values: Values, now: number, version: number): boolean {
    const verdict = this.verdictOf(statement, values, now, version);
    if (verdict.kind === 'point') return false;
    if (verdict.kind === 'endless' || now < verdict.slowUntil) return true;
    if (verdict.searched > 0 && longest(values) * verdict.searched > fewComparisons) return true;
    if (Number(values.offset ?? 0) > fewSkipped) return true;
    return verdict.kind === 'open' && !verdict.hasRun;
  }

  /** As `mayBeSlow`, of a read that hands its rows over one by one. */
  mayStreamSlowly(statement: Statement, values: Values, now: number, version: number): boolean {
    const { kind, inOrder } = this.verdictOf(statement, values, now, version);
    return (kind === 'open' || kind === 'endless') && !inOrder;
  }

  /** Whether the next run of a statement is to be timed by what it takes itself, not by the clock. */
  isSuspected(statement: Statement): boolean {
    return this.verdicts.get(statement)?.wasSlow === true;
  }

  /** Takes note of a run: when it has ended, how long it took, in ms, and whether that is its own time. */
  ran(statement: Statement, now: number, took: number, isOwn: boolean): void {
    const verdict = this.verdicts.get(statement);
    if (verdict === undefined || verdict.kind === 'point') return;
    const isBounded = verdict.kind === 'bounded';
    const isSlow = took > (isBounded ? farLonger : slowAfter);
    if (isSlow && isOwn && (verdict.wasSlow || (!isBounded && took > farLonger))) {
      verdict.slowUntil = Math.max(verdict.slowUntil, now + took * fading);
      verdict.hasRun = false;
    } else if (now >= verdict.slowUntil) verdict.hasRun = true;
    verdict.wasSlow = isSlow;
  }

  private verdictOf(statement: Statement, values: Values, now: number, version: number): Verdict {
    const known = this.verdicts.get(statement);
    if (known !== undefined && (known.kind === 'point' || now < known.until)) {
      if (known.isFixed || known.version === version) return known;
      known.version = version;
      const more = this.usedPages() - known.pages;
      if (more < Math.max(1, Math.min(growth.most, known.pages * growth.part))) return known;
    }
    const pages = this.usedPages();
    const judgement = this.judge(statement, values, now, pages);
    const { slowUntil = 0, hasRun = false, wasSlow = false } = known ?? {};
    const verdict = {
      ...judgement,
      until: now + keptFor,
      pages,
      version,
      slowUntil,
      // How it ran over a few rows says nothing of many.
      hasRun: hasRun && judgement.kind === known?.kind,
      wasSlow,
    };
    this.verdicts.set(statement, verdict);
    return verdict;
  }

  private judge(statement: Statement, values: Values, now: number, pages: number): Judgement {
    const { sql, parameters } = statement;
    const nothing = { kind: 'point', inOrder: true, searched: 0, isFixed: true } as const;
    // What asks for a plan, or is no query.
    if (!/^(?:SELECT|WITH)\b/u.test(sql)) return nothing;
    const plan = this.driver
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(...valuesFor(statement, values))
      .map(({ detail }) => detail);
    const loops = this.loopsOf(plan, sql, now, pages);
    if (loops.length === 0) return nothing;
    const steps = loops.reduce((product, { rows }) => product * Math.max(1, rows), 1);
    const largest = Math.max(...loops.map(({ rows }) => rows));
    const [only] = loops;
    const inOrder =
      loops.length === 1 &&
      only !== undefined &&
      !plan.some((line) => line.includes('TEMP B-TREE')) &&
      takesAll(statement, only);
    const isPlainCount = /^SELECT count\(\*\) FROM "(?:[^"]|"")+" AS \w+$/u.test(sql);
    const isLimited = isPlainCount || (inOrder && parameters.includes('limit'));
    const searched = /\bGLOB\b|\binstr\(/u.test(sql) ? this.fileSize() : 0;
    const isSmall = largest <= large && steps <= fewSteps && searched <= smallFile;
    const isFixed = isLimited && searched === 0;
    if (isLimited || isSmall) return { kind: 'bounded', inOrder, searched, isFixed };
    const readsAll = loops.some(({ rows, bySame }) => rows > huge && !bySame);
    const isEndless = readsAll || (loops.length > 2 && steps > tooManySteps);
    return { kind: isEndless ? 'endless' : 'open', inOrder, searched, isFixed };
  }

  /** The loops of a plan over rows of tables, but for those that find one row by a unique key. */
  private loopsOf(
    plan: readonly string[],
    sql: string,
    now: number,
    pages: number,
  ): readonly Loop[] {
    const sizeOf = (table: string | undefined): number => this.sizeOf(table, now, pages);
    const tables = new Map<string, string>();
    for (const [, name = '', alias] of sql.matchAll(/"((?:[^"]|"")+)"(?: AS (\w+))?/gu)) {
      const table = name.replaceAll('""', '"');
      // One alias may stand for several tables in a statement; the largest counts.
      for (const key of [table, alias])
        if (key !== undefined && sizeOf(table) >= sizeOf(tables.get(key))) tables.set(key, table);
    }
    return plan.flatMap((line): readonly Loop[] => {
      const [, kind, name = '', how = ''] = /^(SCAN|SEARCH) (\S+)(.*)$/u.exec(line) ?? [];
      const table = tables.get(name);
      if (kind === undefined || table === undefined || how.startsWith(' VIRTUAL')) return [];
      if (how.includes('(rowid=?)') || this.isUnique(how)) return [];
      const bounds = how.split('?').length - 1;
      return [{ rows: sizeOf(table), bounds, bySame: how.includes('=?') }];
    });
  }

  /** Whether an index finds at most one row, as in `USING INDEX name (a=? AND b=?)`. */
  private isUnique(how: string): boolean {
    const [, name, terms = ''] = / INDEX (\S+) \((.*)\)/u.exec(how) ?? [];
    if (name === undefined || /[<>]/u.test(terms)) return false;
    const index = this.driver
      .prepare<[string], { columns: number }>(
        `SELECT (SELECT count(*) FROM pragma_index_info(list.name)) AS columns` +
          ` FROM sqlite_schema AS own, pragma_index_list(own.tbl_name) AS list` +
          ` WHERE own.type = 'index' AND own.name = ? AND list.name = own.name AND list."unique" = 1`,
      )
      .get(name);
    return index !== undefined && index.columns === terms.split('=?').length - 1;
  }

  /** How many rows a table has, up to one more than `huge`; 0 where there is none of that name. */
  private sizeOf(table: string | undefined, now: number, pages: number): number {
    if (table === undefined) return 0;
    const known = this.sizes.get(table);
    // Few rows are soon counted again.
    const holds = known !== undefined && (known.pages === pages || known.rows > large);
    if (holds && now < known.until) return known.rows;
    const count = `SELECT count(*) FROM (SELECT 1 FROM ${quote(table)} LIMIT ${huge + 1})`;
    const rows = hasTable(this.driver, table)
      ? Number(this.driver.prepare(count).pluck().get())
      : 0;
    this.sizes.set(table, { rows, until: now + keptFor, pages });
    return rows;
  }

  private fileSize(): number {
    return this.pragma('page_count') * this.pragma('page_size');
  }

  private usedPages(): number {
    return this.pragma('page_count') - this.pragma('freelist_count');
  }

  private pragma(name: string): number {
    return Number(this.driver.pragma(name, { simple: true }));
  }
}

/** The rows of a table, how long they are good for, and with how many pages of the file they were counted. */
interface Size {
  readonly rows: number;
  readonly until: number;
  readonly pages: number;
}

/** A step of a plan that goes through rows of a table. */
interface Loop {
  readonly rows: number;
  /** How many values it is bounded by. */
  readonly bounds: number;
  /** Whether one of them has to be met exactly. */
  readonly bySame: boolean;
}

const pageParameters: ReadonlySet<unknown> = new Set(['limit', 'offset', 'cap']);

/** Whether every row that the loop meets is one of the result: the index answers all of the conditions. */
function takesAll({ sql, parameters }: Statement, { bounds }: Loop): boolean {
  if (!sql.includes(' WHERE ')) return true;
  const bound = parameters.filter((parameter) => !pageParameters.has(parameter)).length;
  return bound === bounds && !/\bNULL\b|\bEXISTS\b|\bOR\b|\bNOT\b|<>|\bCASE\b/u.test(sql);
}

/** The length of the longest text that is bound. */
function longest({ bound }: Values): number {
  let length = 0;
  for (const value of bound)
    if (typeof value === 'string' && value.length > length) length = value.length;
  return length;
}
