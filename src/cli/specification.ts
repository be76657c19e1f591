import { existsSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { buildApi } from '../model/build.ts';
import type { Api } from '../model/api.ts';
import { loadSpecification } from '../spec/load.ts';
import type { Problem } from '../spec/problems.ts';
import { CommandFailure } from './failure.ts';
import { fromFolder, type Context } from './context.ts';

/** The specification of a command: where it is and what it says. */
export interface SpecificationFile {
  /** As messages name it. */
  readonly name: string;
  /** The folder that paths in it start from. */
  readonly folder: string;
  readonly api: Api;
  readonly warnings: readonly Problem[];
}

const defaultNames = ['plinth.yaml', 'plinth.yml', 'plinth.json'];

/** Reads a specification and every problem of it; the Api is undefined where one of them is an error. */
export function readSpecification(
  context: Context,
  named: string | undefined,
): { name: string; path: string; api: Api | undefined; problems: readonly Problem[] } {
  const path = fromFolder(
    context,
    named ?? defaultNames.find((name) => existsSync(fromFolder(context, name))) ?? '',
  );
  if (named === undefined && path === context.folder)
    throw new CommandFailure(
      `There is no ${defaultNames.join(', ')} in this folder. Make one with "plinth init", or name a file.`,
    );
  const name = relative(context.folder, path) || path;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    throw new CommandFailure(`${name} cannot be read: ${reasonOf(error)}.`, { cause: error });
  }
  const loaded = loadSpecification({ file: name, text, environment: context.environment });
  const problems = [...loaded.problems];
  const api =
    loaded.specification === undefined
      ? undefined
      : buildApi(loaded.specification, (at, message, severity = 'error') => {
          problems.push({
            file: name,
            path: at.join('.'),
            message,
            severity,
            ...loaded.positionOf(at),
          });
        });
  problems.sort((a, b) => a.line - b.line || a.column - b.column);
  const failed = problems.some(({ severity }) => severity === 'error');
  return { name, path, api: failed ? undefined : api, problems };
}

/** Reads a specification that a command cannot do without; warnings are noted. */
export function requireSpecification(
  context: Context,
  named: string | undefined,
): SpecificationFile {
  const { name, path, api, problems } = readSpecification(context, named);
  if (api === undefined) {
    const errors = problems.filter(({ severity }) => severity === 'error');
    throw new CommandFailure(
      `${name} has ${errors.length === 1 ? 'a problem' : `${errors.length} problems`}; nothing was started.`,
      { details: errors.map(formatProblem) },
    );
  }
  return { name, folder: dirname(path), api, warnings: problems };
}

/** `plinth.yaml:3:7 error resources.posts.fields: …` */
export function formatProblem({ file, line, column, severity, path, message }: Problem): string {
  return `${file}:${line}:${column} ${severity} ${path === '' ? '' : `${path}: `}${message}`;
}

function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'it is a folder';
  if (code === 'EACCES') return 'permission denied';
  return code === undefined || code.startsWith('ERR_ENCODING') ? 'it is not valid UTF-8' : code;
}
