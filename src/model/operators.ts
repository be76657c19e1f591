import { searchFolded, searchPattern } from '../lib/text/search-folding.ts';
import {
  foldingPattern,
  foundFunction,
  globLiteral,
  globPattern,
  likeLiteral,
  longFolded,
} from './text-patterns.ts';

/** How the values of a type compare; an operator names those that it takes. */
export type Comparability =
  /** Not at all: only whether a value is there can be asked. */
  | 'none'
  | 'equality'
  | 'order'
  | 'text'
  /** By the items of an array. */
  | 'items';

/**
 * A condition in SQL; the operand is one parameter, which a condition names once. `held` makes of the text of an item of a
 * list what the column holds, where that is something else.
 */
export type Condition = (
  column: string,
  operand: string,
  held?: (item: string) => string,
) => string;

/** What an operator means on one database. */
interface OperatorSql {
  readonly condition: Condition;
  /** What is bound for the text of the operand; absent: the operand itself. */
  readonly operand?: (text: string) => string;
}

interface OperatorRow {
  readonly suffix: string;
  /** How the text of a filter's value is read: one value, a comma list, or `true` / `false`. */
  readonly operand: 'value' | 'list' | 'flag';
  /** What it keeps, in words for messages and documents. */
  readonly meaning: string;
  /** What other services call it, in lower case. */
  readonly otherNames?: readonly string[];
  readonly takes: readonly Comparability[];
  /**
   * What it compares with: values that the field may have (`listed`), any value of the type, also where the field
   * lists its values (`any`), or a part of a text (`part`). Absent: with nothing, as of a flag.
   */
  readonly comparesWith?: 'listed' | 'any' | 'part';
  /** The longest operand, in characters. */
  readonly longest?: number;
  /** How an index serves it. */
  readonly index?: 'equal' | 'range';
  /** The operator that asks of a list what this one asks of one value. */
  readonly ofList?: string;
  /** Whether it keeps what differs: null, too, and what the operand does not fit the type of. */
  readonly isNegated?: boolean;
  /**
   * How it compares a JSON member that nothing declares, where the operand may be a text, a number or a boolean: with
   * all of these as with a list, with each by its own type (`each`), or as text (`text`).
   */
  readonly undeclared?: 'list' | 'each' | 'text';
  /** Of arrays: whether any of the wanted items has to be there, or all. */
  readonly items?: 'any' | 'all';
  readonly sql?: { readonly sqlite?: OperatorSql; readonly postgres: OperatorSql };
}

const scalars = ['equality', 'order', 'text'] as const;
const ordered = ['order', 'text'] as const;
const all = ['none', ...scalars, 'items'] as const;

/** Databases bound the length of patterns. */
const longestPattern = 1_000;

const items = (operand: string, held = (item: string): string => item): string =>
  `(SELECT ${held('value')} FROM json_each(${operand}))`;

/** The same condition on both databases. */
function alike(condition: Condition): NonNullable<OperatorRow['sql']> {
  return { sqlite: { condition }, postgres: { condition } };
}

/** What the operators that look into a text share. */
const ofTexts = {
  takes: ['text'],
  comparesWith: 'part',
  longest: longestPattern,
  undeclared: 'text',
} as const satisfies Partial<OperatorRow>;

const contains = {
  sqlite: { condition: (column, operand) => `instr(${column}, ${operand}) > 0` },
  postgres: { condition: (column, operand) => `strpos(${column}, ${operand}) > 0` },
} as const satisfies OperatorRow['sql'];

const containsFolded = {
  sqlite: {
    condition: (column, operand) => `${column} GLOB ${operand}`,
    operand: (text) => `*${globPattern(text)}*`,
  },
  postgres: { condition: (column, operand) => `${column} ~ ${operand}`, operand: foldingPattern },
} as const satisfies OperatorRow['sql'];

/** The opposite of conditions, which also keeps null. */
function negated({
  sqlite,
  postgres,
}: Required<NonNullable<OperatorRow['sql']>>): NonNullable<OperatorRow['sql']> {
  const not =
    ({ condition }: OperatorSql, yes: string): Condition =>
    (column, operand) =>
      `coalesce(NOT (${condition(column, operand)}), ${yes})`;
  // In SQLite TRUE would be the column of that name, where a table of the statement has one.
  return {
    sqlite: { ...sqlite, condition: not(sqlite, '1') },
    postgres: { ...postgres, condition: not(postgres, 'true') },
  };
}

/**
 * What a filter can ask of a field: all that the service knows of an operator, one row each, in the order of documents.
 * See docs/contract/2-reading.md#filters. See `docs/development/add-an-operator.md`.
 */
const rows = {
  eq: {
    suffix: '_eq',
    operand: 'value',
    meaning: 'equals',
    takes: scalars,
    comparesWith: 'listed',
    index: 'equal',
    ofList: 'in',
    undeclared: 'list',
    sql: alike((column, operand) => `${column} = ${operand}`),
  },
  neq: {
    suffix: '_neq',
    operand: 'value',
    meaning: 'differs from',
    otherNames: ['ne', 'not'],
    takes: scalars,
    comparesWith: 'listed',
    ofList: 'nin',
    isNegated: true,
    undeclared: 'list',
    sql: {
      sqlite: { condition: (column, operand) => `${column} IS NOT ${operand}` },
      postgres: { condition: (column, operand) => `${column} IS DISTINCT FROM ${operand}` },
    },
  },
  gt: {
    suffix: '_gt',
    operand: 'value',
    meaning: 'greater than',
    takes: ordered,
    comparesWith: 'any',
    index: 'range',
    undeclared: 'each',
    sql: alike((column, operand) => `${column} > ${operand}`),
  },
  gte: {
    suffix: '_gte',
    operand: 'value',
    meaning: 'greater than or equal to',
    otherNames: ['ge'],
    takes: ordered,
    comparesWith: 'any',
    index: 'range',
    undeclared: 'each',
    sql: alike((column, operand) => `${column} >= ${operand}`),
  },
  lt: {
    suffix: '_lt',
    operand: 'value',
    meaning: 'less than',
    takes: ordered,
    comparesWith: 'any',
    index: 'range',
    undeclared: 'each',
    sql: alike((column, operand) => `${column} < ${operand}`),
  },
  lte: {
    suffix: '_lte',
    operand: 'value',
    meaning: 'less than or equal to',
    otherNames: ['le'],
    takes: ordered,
    comparesWith: 'any',
    index: 'range',
    undeclared: 'each',
    sql: alike((column, operand) => `${column} <= ${operand}`),
  },
  like: {
    suffix: '_like',
    operand: 'value',
    meaning: 'contains, case-sensitive',
    ...ofTexts,
    sql: contains,
  },
  ilike: {
    suffix: '_ilike',
    operand: 'value',
    meaning: 'contains, case-insensitive',
    otherNames: ['contains', 'icontains'],
    ...ofTexts,
    sql: containsFolded,
  },
  nlike: {
    suffix: '_nlike',
    operand: 'value',
    meaning: 'does not contain, case-sensitive',
    otherNames: ['notlike'],
    ...ofTexts,
    isNegated: true,
    sql: negated(contains),
  },
  nilike: {
    suffix: '_nilike',
    operand: 'value',
    meaning: 'does not contain, case-insensitive',
    otherNames: ['notilike', 'ncontains', 'notcontains'],
    ...ofTexts,
    isNegated: true,
    sql: negated(containsFolded),
  },
  startsWith: {
    suffix: '_startsWith',
    operand: 'value',
    meaning: 'starts with, case-sensitive',
    otherNames: ['beginswith', 'sw'],
    ...ofTexts,
    sql: {
      sqlite: { condition: (column, operand) => `instr(${column}, ${operand}) = 1` },
      postgres: {
        condition: (column, operand) => `${column} LIKE ${operand}`,
        operand: (text) => `${likeLiteral(text)}%`,
      },
    },
  },
  endsWith: {
    suffix: '_endsWith',
    operand: 'value',
    meaning: 'ends with, case-sensitive',
    otherNames: ['ew'],
    ...ofTexts,
    sql: {
      sqlite: {
        condition: (column, operand) => `${column} GLOB ${operand}`,
        operand: (text) => `*${globLiteral(text)}`,
      },
      postgres: {
        condition: (column, operand) => `${column} LIKE ${operand}`,
        operand: (text) => `%${likeLiteral(text)}`,
      },
    },
  },
  ieq: {
    suffix: '_ieq',
    operand: 'value',
    meaning: 'equals, case-insensitive',
    otherNames: ['iexact'],
    ...ofTexts,
    sql: {
      sqlite: { condition: (column, operand) => `${column} GLOB ${operand}`, operand: globPattern },
      postgres: {
        condition: (column, operand) => `${column} ~ ${operand}`,
        operand: (text) => `^${foldingPattern(text)}$`,
      },
    },
  },
  // Of the parameter `search` alone: no type takes it in a filter.
  search: {
    suffix: '',
    operand: 'value',
    meaning: 'contains, in any case and without marks',
    takes: [],
    comparesWith: 'part',
    undeclared: 'text',
    sql: {
      sqlite: {
        condition: (column, operand) => `${foundFunction}(${column}, ${operand})`,
        operand: searchFolded,
      },
      postgres: {
        condition: (column, operand) => `${longFolded(column)} ~ ${operand}`,
        operand: searchPattern,
      },
    },
  },
  // The same by an index of folded texts, of words that are long enough for it.
  indexedSearch: {
    suffix: '',
    operand: 'value',
    meaning: 'contains, in any case and without marks',
    takes: [],
    comparesWith: 'part',
    sql: {
      // A phrase of FTS5, in which only a quote has a meaning.
      sqlite: {
        condition: (column, operand) => `${column} MATCH ${operand}`,
        operand: (text) => `"${searchFolded(text).replaceAll('"', '""')}"`,
      },
      postgres: {
        condition: (column, operand) => `${column} LIKE ${operand}`,
        operand: (text) => `%${likeLiteral(searchFolded(text))}%`,
      },
    },
  },
  in: {
    suffix: '_in',
    operand: 'list',
    meaning: 'one of',
    takes: scalars,
    comparesWith: 'listed',
    index: 'equal',
    undeclared: 'list',
    sql: {
      sqlite: { condition: (column, operand, held) => `${column} IN ${items(operand, held)}` },
      postgres: { condition: (column, operand) => `${column} = ANY(${operand})` },
    },
  },
  nin: {
    suffix: '_nin',
    operand: 'list',
    meaning: 'none of',
    otherNames: ['notin'],
    takes: scalars,
    comparesWith: 'listed',
    isNegated: true,
    undeclared: 'list',
    sql: {
      sqlite: {
        condition: (column, operand, held) =>
          `(${column} IS NULL OR ${column} NOT IN ${items(operand, held)})`,
      },
      postgres: {
        condition: (column, operand) => `(${column} IS NULL OR ${column} <> ALL(${operand}))`,
      },
    },
  },
  exists: { suffix: '_exists', operand: 'flag', meaning: 'is there', takes: all },
  null: {
    suffix: '_null',
    operand: 'flag',
    meaning: 'is null',
    otherNames: ['isnull'],
    takes: all,
    isNegated: true,
  },
  contains: {
    suffix: '_contains',
    operand: 'value',
    meaning: 'array contains',
    takes: ['items'],
    comparesWith: 'listed',
    ofList: 'containsAny',
    items: 'any',
    sql: { postgres: { condition: (column, operand) => `${column} @> ANY(${operand})` } },
  },
  containsAll: {
    suffix: '_containsAll',
    operand: 'list',
    meaning: 'array contains all of',
    takes: ['items'],
    comparesWith: 'listed',
    items: 'all',
    sql: { postgres: { condition: (column, operand) => `${column} @> ${operand}` } },
  },
  containsAny: {
    suffix: '_containsAny',
    operand: 'list',
    meaning: 'array contains any of',
    takes: ['items'],
    comparesWith: 'listed',
    items: 'any',
    sql: { postgres: { condition: (column, operand) => `${column} @> ANY(${operand})` } },
  },
} as const satisfies Readonly<Record<string, OperatorRow>>;

export type Operator = keyof typeof rows;

/** The operators that compare with a value; flags become a predicate of their own. */
export type Comparison = {
  [Name in Operator]: (typeof rows)[Name]['operand'] extends 'flag' ? never : Name;
}[Operator];

type OperatorDefinition = OperatorRow & { readonly ofList?: Comparison };

const table: Record<Operator, OperatorDefinition> = { ...rows };

export const operators: Readonly<Record<Operator, OperatorDefinition>> = table;

/** The operators that filters may use, in the order of documents. */
export function filterOperators(): readonly Operator[] {
  return (Object.keys(table) as Operator[]).filter((name) => table[name].takes.length > 0);
}

/** Whether the operator asks if a value is there. */
export function isFlag(operator: Operator): operator is Exclude<Operator, Comparison> {
  return operators[operator].operand === 'flag';
}

/** Longest suffix first, so that `x_containsAll` is never read as `x_contains` and a rest. */
let bySuffixLength: readonly (readonly [Operator, string])[];
/** The operators of each way to compare: those that most types take come first, flags last. */
let byComparability: ReadonlyMap<Comparability, readonly Operator[]>;

function indexOperators(): void {
  const names = filterOperators();
  bySuffixLength = names
    .map((name) => [name, table[name].suffix] as const)
    .sort(([, a], [, b]) => b.length - a.length);
  const inOrder = names.toSorted(
    (a, b) =>
      Number(isFlag(a)) - Number(isFlag(b)) || table[b].takes.length - table[a].takes.length,
  );
  byComparability = new Map(
    all.map((comparison) => [
      comparison,
      inOrder.filter((name) => table[name].takes.includes(comparison)),
    ]),
  );
}
indexOperators();

/** Adds an operator for a trial; the function that it returns takes it away again. */
export function addOperator(name: string, row: OperatorDefinition): () => void {
  table[name as Operator] = row;
  indexOperators();
  return () => {
    delete (table as Partial<typeof table>)[name as Operator];
    indexOperators();
  };
}

/** The ways to read `name` as a field name and an operator suffix, longest suffix first. */
export function splitSuffix(name: string): readonly { base: string; operator: Operator }[] {
  if (!name.includes('_')) return [];
  return bySuffixLength
    .filter(([, suffix]) => name.endsWith(suffix) && name.length > suffix.length)
    .map(([operator, suffix]) => ({ base: name.slice(0, -suffix.length), operator }));
}

/** The operators that values take which compare so. */
export function operatorsOf(comparison: Comparability): readonly Operator[] {
  return byComparability.get(comparison) ?? [];
}

/** Whether a type takes an operator. */
export function takes(
  { comparison }: { readonly comparison: Comparability },
  operator: Operator,
): boolean {
  return operators[operator].takes.includes(comparison);
}
