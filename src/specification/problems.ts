/** A position in a file; both numbers count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * The rule that a problem breaks, for programs: it stays when a message is reworded. With the path, a program knows
 * which key breaks it. See docs/contract/1-specification-file.md#problems-in-the-file, rule 7.
 */
export const problemRules = {
  syntax: 'The file is not valid YAML, or uses a part of YAML that is not supported.',
  variable: 'A `${NAME}` is malformed, or the environment variable is not set.',
  'duplicate-key': 'A map has the same key twice.',
  'unknown-key': 'The key does not exist here.',
  'missing-key': 'A required key is missing.',
  indentation: 'A key belongs below another one.',
  value: 'The value has another type or form than the key takes.',
  'duplicate-item': 'A list has the same item twice.',
  contradiction: 'Two keys of one map contradict each other.',
  name: 'The name of a resource, field, group or version is not allowed.',
  'name-advice': 'Warning: a name works, but is awkward or unusual.',
  'unknown-name': 'A resource, field or relation of this name does not exist.',
  table: 'The table is used twice, or its name is reserved or too long.',
  field: 'The attributes of a field contradict each other or its type.',
  relation: 'A relation lacks a key, or its key does not fit.',
  'foreign-key': 'A foreign key does not fit the field that it refers to, or its `onDelete`.',
  index: 'An index or a unique constraint cannot be built.',
  group: 'A field group names something that it cannot hold.',
  generate: 'Records cannot be generated as the file says.',
  data: 'Warning: `data` names no files of records, or files of no resource.',
  version: 'A version cannot change a resource in this way.',
  audit: 'The audit log cannot be set up as the file says.',
  auth: 'Credentials and roles do not fit together.',
  access: 'The `where` of an access rule cannot be read.',
  database: 'The existing database does not fit the file.',
  code: 'The module of own code cannot be loaded, or does not fit the file.',
} as const;

export type ProblemRule = keyof typeof problemRules;

/** A change that removes the problem: at this position, `old` is to be replaced by `new`. */
export interface Edit extends Position {
  readonly old: string;
  readonly new: string;
}

/** One error or warning about a specification file. */
export interface Problem extends Position {
  readonly severity: 'error' | 'warning';
  readonly rule: ProblemRule;
  readonly file: string;
  /** For example `resources.posts.fields.author`; empty for the whole file. */
  readonly path: string;
  /** One sentence: what is wrong, and what would be right. */
  readonly message: string;
  /** Only if one change is likely to be meant. */
  readonly edit?: Edit;
}

/** What to write instead of a key or value, or instead of a part of it that occurs in it once. */
export interface Replacement {
  readonly of?: string;
  readonly by: string;
}

/** What a problem has beside its message. */
export interface Details {
  readonly rule: ProblemRule;
  readonly instead?: Replacement | undefined;
}

/**
 * Reports a problem at a path, whose position is looked up in the file. A problem that may only follow from invalid parts
 * of the file names them in `unless` (see `lost`), and is dropped if one of them is. `details` are those of the checking
 * function unless it gives others.
 */
export type Report = (
  path: readonly (string | number)[],
  message: string,
  severity?: Problem['severity'],
  unless?: readonly string[],
  details?: Details,
) => void;

/** Takes the problems of every rule. */
export type ReportAll = (
  path: readonly (string | number)[],
  message: string,
  severity: Problem['severity'],
  details: Details,
) => void;
