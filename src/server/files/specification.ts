import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { buildApi, type ModelCheck } from '../../model/build/api.ts';
import type { Api } from '../../model/api.ts';
import type { FoundForms } from '../../model/field-types/stored-as.ts';
import { counted, isJsonObject } from '../../model/values.ts';
import { checkQueries } from '../../query/check.ts';
import {
  collectProblems,
  inOrder,
  type PositionOf,
} from '../../specification/parsers/collector.ts';
import { specificationJsonSchema } from '../../model/load-specification.ts';
import { loadSpecification } from '../../model/load-specification.ts';
import type { LoadedCode } from '../../extensions/load.ts';
import type { Problem } from '../../specification/problems.ts';
import type { Specification } from '../../specification/specification.ts';
import { CommandFailure, fileReason } from '../failure.ts';
import { shellArgument, fromFolder, shownPath, typedCommand, type Context } from '../context.ts';

/** The specification of a command. */
export interface SpecificationFile {
  /** For messages. */
  readonly name: string;
  /** Relative paths in it start here. */
  readonly folder: string;
  readonly text: string;
  readonly api: Api;
  readonly warnings: readonly Problem[];
  /** The line and column of a path in it. */
  readonly positionOf: PositionOf;
  /** Own code, once it is loaded; see `withCode`. */
  readonly code?: LoadedCode | undefined;
}

/** The part of a specification that depends on the database. */
export type ModelFile = Pick<SpecificationFile, 'name' | 'api' | 'positionOf'>;

/** The flags that name a specification. */
export interface SpecificationFlags {
  readonly file?: string | undefined;
  readonly spec?: string | undefined;
}

const defaultNames = ['plinth.yaml', 'plinth.yml', 'plinth.json'];
/** More than any real file: memory holds several copies. */
const maxSize = 16 * 1024 * 1024;

interface ReadOptions {
  /** The text, if it was read before. */
  readonly given?: string | undefined;
  /** Does not require the environment variables that only a server needs. */
  readonly isOnlyRead?: boolean;
}

/** Reads a specification and finds all of its problems. The Api is undefined if one of them is an error. */
export function readSpecification(
  context: Context,
  named: SpecificationFlags,
  { given, isOnlyRead = false }: ReadOptions = {},
): {
  name: string;
  path: string;
  text: string;
  api: Api | undefined;
  /** The model, as far as it can be built in spite of errors. */
  understood: Api | undefined;
  problems: readonly Problem[];
  positionOf: PositionOf;
} {
  const path = findFile(context, named);
  const name = shownPath(context, path);
  const text = given ?? readText(path, name);
  const loaded = loadSpecification({
    file: name,
    text,
    environment: context.environment,
    isOnlyRead,
  });
  const model = collectProblems(name, loaded.positionOf);
  const { leftOut } = loaded;
  let understood: Api | undefined;
  const check: ModelCheck = (built, report) => {
    understood = built;
    checkQueries(built, report);
  };
  // A document is the same whenever it is made.
  const specification =
    loaded.specification && !isOnlyRead
      ? untilNow(context, loaded.specification)
      : loaded.specification;
  const api = specification && buildApi(specification, model.report, { leftOut, check });
  const problems = inOrder([...loaded.problems, ...model.problems()]);
  const failed = problems.some(({ severity }) => severity === 'error');
  if (failed && holdsRecords(name, text))
    throw new CommandFailure(
      `${name} contains records, and is not a specification. Make one from it with "${typedCommand(context, `introspect ${shellArgument(name)} --out plinth.yaml`)}".`,
    );
  const { positionOf } = loaded;
  return { name, path, text, api: failed ? undefined : api, understood, problems, positionOf };
}

/** The hour of which each command takes `now`, until the day is over. */
const hours = new WeakMap<Context, Date>();

/**
 * Replaces `now` in `generate.until` by the present hour. A server keeps it for the day, so that not every edit moves all
 * generated dates.
 */
function untilNow(context: Context, specification: Specification): Specification {
  const { generate } = specification;
  if (generate?.until !== 'now') return specification;
  const hour = context.clockAndIds.now();
  hour.setUTCMinutes(0, 0, 0);
  const known = hours.get(context);
  const isToday = known?.toISOString().slice(0, 10) === hour.toISOString().slice(0, 10);
  const until = isToday ? known : hour;
  hours.set(context, until);
  return { ...specification, generate: { ...generate, until: until.toISOString() } };
}

function findFile(context: Context, { file, spec }: SpecificationFlags): string {
  if (file !== undefined && spec !== undefined)
    throw new CommandFailure(
      'Two specifications are named. Give one, as an argument or as --spec.',
      {
        exitCode: 2,
      },
    );
  const named = file ?? spec;
  if (named === '')
    throw new CommandFailure('The name of the specification is empty. Name a file.', {
      exitCode: 2,
    });
  const found = named ?? defaultNames.find((name) => existsSync(fromFolder(context, name)));
  if (found !== undefined) return fromFolder(context, found);
  throw new CommandFailure(
    `There is no plinth.yaml, plinth.yml or plinth.json in this folder. Make one with "${typedCommand(context, 'init')}", or name a file.`,
  );
}

function readText(path: string, name: string): string {
  let bytes: Buffer;
  try {
    if (statSync(path).isDirectory())
      throw new CommandFailure(`${name} is a folder. Name the file in it, such as plinth.yaml.`);
    bytes = readStart(path, maxSize + 1);
    if (bytes.length > maxSize)
      throw new CommandFailure(
        `${name} is larger than ${maxSize / 1024 / 1024} MiB, so it cannot be a specification. Name another file.`,
      );
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(`${name} cannot be read: ${reason}. Name another file.`, {
      cause: error,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandFailure(`${name} is not valid UTF-8. Save it as UTF-8 text.`, {
      cause: error,
    });
  }
}

/** The first `most` bytes of a file: a pipe or a device has no size, and may have no end. */
function readStart(path: string, most: number): Buffer {
  const parts: Buffer[] = [];
  const file = openSync(path, 'r');
  try {
    for (let left = most; left > 0;) {
      const part = Buffer.alloc(Math.min(left, 64 * 1024));
      const length = readSync(file, part);
      if (length === 0) break;
      parts.push(part.subarray(0, length));
      left -= length;
    }
  } finally {
    closeSync(file);
  }
  return Buffer.concat(parts);
}

/** Whether a file is a `db.json` of json-server: lists of records, and no key of a specification. */
function holdsRecords(name: string, text: string): boolean {
  if (!/\.json$/iu.test(name)) return false;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isJsonObject(value)) return false;
  const { $schema: _, ...lists } = value;
  const known = Object.keys(specificationJsonSchema().properties ?? {});
  return (
    !known.some((key) => key in lists) &&
    Object.values(lists).some((list) => Array.isArray(list) && list.some(isJsonObject))
  );
}

/** Reads a specification; fails if it has errors. The command prints the warnings. */
export function requireSpecification(
  context: Context,
  named: SpecificationFlags,
  options: ReadOptions = {},
): SpecificationFile {
  const { name, path, text, api, problems, positionOf } = readSpecification(
    context,
    named,
    options,
  );
  if (api !== undefined)
    return { name, folder: dirname(path), text, api, warnings: problems, positionOf };
  const errors = problems.filter(({ severity }) => severity === 'error');
  throw new CommandFailure(
    `${name} has ${counted(errors.length, 'error')}. Fix ${errors.length === 1 ? 'it' : 'them'} and try again.`,
    { details: errors.map(formatProblem), data: { problems } },
  );
}

/** What a database says of how an Api is stored in it. */
export interface FoundStorage {
  readonly forms: FoundForms;
  /** Whether it has schemas; without them its tables have no other names than their own. */
  readonly hasSchemas: boolean;
}

/** Applies what was found in the database. Fails if the specification does not fit one of the stored forms. */
export function applyForms<File extends ModelFile>(
  specification: File,
  { forms, hasSchemas }: FoundStorage,
): File {
  const { name, positionOf } = specification;
  const { database, ...others } = specification.api.settings;
  const { serviceSchema, ...alike } = database ?? {};
  const isMoved = serviceSchema !== undefined && !hasSchemas;
  if (forms.size === 0 && !isMoved) return specification;
  const model = collectProblems(name, positionOf);
  const settings = isMoved ? { ...others, database: alike } : specification.api.settings;
  const api = buildApi(settings, model.report, { forms, check: checkQueries });
  const errors = model.problems().filter(({ severity }) => severity === 'error');
  if (api !== undefined && errors.length === 0) return { ...specification, api };
  throw new CommandFailure(
    `${name} does not go with how the database stores its values. Fix it and try again.`,
    { details: errors.map(formatProblem), data: { problems: errors } },
  );
}

/** `plinth.yaml:3:7 error resources.posts.fields: …` */
export function formatProblem({ file, line, column, severity, path, message }: Problem): string {
  return `${file}:${line}:${column} ${severity} ${path === '' ? '' : `${path}: `}${message}`;
}
