import { relative, resolve } from 'node:path';
import type { ColumnAdvice } from '../../databases/existing/actual-schema.ts';
import type { Database } from '../../databases/database.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import type { MigrationOptions } from '../../migrations/steps.ts';
import type { Api, Resource } from '../../model/api.ts';
import type { FoundForms } from '../../model/field-types/stored-as.ts';
import type { DatabaseSpecification } from '../../specification/specification.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import { shellArgument, typedCommand, type Context } from '../context.ts';
import { ownFolder } from '../files/own-folder.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** The address of a database, and how to use it. */
export interface Target {
  readonly url: string;
  /** Relative paths start here. */
  readonly folder: string;
  /** The arguments of a command line that name the specification and this database. */
  readonly again: string;
  /** Whether it is the database that `dev` creates itself. */
  readonly isOwn: boolean;
  /** The settings of `database` in the specification. */
  readonly options: Omit<DatabaseSpecification, 'url'>;
}

/** A database that a command has opened. Its errors contain no password. */
export interface OpenDatabase {
  /** As messages name it. */
  readonly name: string;
  readonly database: Database;
  /**
   * Whether requests may have a copy of its data for themselves. See
   * docs/contract/7-data-debug-dashboard.md#sandboxes.
   */
  readonly hasSandboxes: boolean;
  /** Whether it is known to have all that the Api needs. */
  readonly isUpToDate: (api: Api) => Promise<boolean>;
  /**
   * Brings it up to date in one transaction and returns the steps. If one of them is not possible, nothing changes.
   */
  readonly migrate: (api: Api, options?: MigrationOptions) => Promise<readonly MigrationStep[]>;
  /**
   * Updates the planner's statistics of these resources after many records were added. Does nothing if the database has
   * none, or refuses.
   */
  readonly analyze: (resources: Iterable<Resource>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * What a command does with a database: `create` a missing one, `write` to an existing one, or only `read` it, which needs no
 * write permission.
 */
export type DatabaseAccess = 'create' | 'write' | 'read';

/** A database that a URL names; `kinds.ts` lists the kinds. */
export interface NamedDatabase {
  /** As messages name it, without a password. */
  readonly name: string;
  /**
   * The steps that would bring it up to date. Changes and creates nothing. `missing` says whether a database that does not
   * exist counts as empty or is a failure.
   */
  readonly inspect: (
    api: Api,
    missing: 'empty' | 'failure',
    options?: MigrationOptions,
  ) => Promise<readonly MigrationStep[]>;
  /**
   * The stored forms of fields for which the specification names none. Changes nothing; empty if the database does not
   * exist.
   */
  readonly forms: (api: Api) => Promise<FoundForms>;
  /** The fields whose existing columns have another sort order than the API, or values that no request finds. */
  readonly columnAdvice: (api: Api) => Promise<readonly ColumnAdvice[]>;
  /** Reads its tables, whatever has created them. Changes nothing. */
  readonly introspect: () => Promise<FoundDatabase>;
  readonly open: (access: DatabaseAccess) => Promise<OpenDatabase>;
}

/** The database of a command: from the flag, or else the environment, or else the specification. */
export function databaseTarget(
  context: Context,
  { name, api, folder }: Pick<SpecificationFile, 'name' | 'api' | 'folder'>,
  flag: string | undefined,
): Target | undefined {
  const { url, ...options } = api.settings.database ?? {};
  if (flag !== undefined && flag !== '')
    return {
      url: flag,
      folder: context.folder,
      again: `${shellArgument(name)} --database ${shellArgument(withoutPassword(flag))}`,
      isOwn: false,
      options,
    };
  const variable = context.environment['PLINTH_DATABASE_URL'];
  if (variable !== undefined && variable !== '')
    return {
      url: variable,
      folder: context.folder,
      again: shellArgument(name),
      isOwn: false,
      options,
    };
  return url === undefined
    ? undefined
    : { url, folder, again: shellArgument(name), isOwn: false, options };
}

/** The database of a command, or else the development database beside the specification. */
export function targetOrDevelopment(
  context: Context,
  specification: SpecificationFile,
  flag: string | undefined,
): Target {
  return databaseTarget(context, specification, flag) ?? developmentTarget(context, specification);
}

/** The database of `dev` if none is named. */
export function developmentTarget(context: Context, { name, folder }: SpecificationFile): Target {
  const file = `${ownFolder}/dev.db`;
  const url = `sqlite:${file}`;
  const seen = relative(context.folder, resolve(folder, file));
  return {
    url,
    folder,
    again: `${shellArgument(name)} --database ${shellArgument(`sqlite:${seen}`)}`,
    isOwn: true,
    options: {},
  };
}

/** The command that brings a database up to date. */
export function migrateCommand(
  context: Context,
  { again }: Target,
  { allowDataLoss = false }: MigrationOptions = {},
): string {
  return typedCommand(
    context,
    `migrate ${again} --apply${allowDataLoss ? ' --allow-data-loss' : ''}`,
  );
}

/** Whether a text can only be the path of a file: it has no character of a URL, so it holds no password. */
export const isPath = (text: string): boolean => /^[^:@?#%\s]+$/u.test(text);

/** A URL without its password, for messages. If the URL is malformed, everything that may be a password is left out. */
export function withoutPassword(url: string): string {
  if (/^sqlite:(?!\/\/)/u.test(url) || isPath(url)) return url;
  const [, scheme = '', user = '', host = ''] =
    /^([^/]*\/\/)([^/:@?#]*)(?::?.*@)?(.*)$/su.exec(url) ?? [];
  const hasSecret = url.length > `${scheme}${user}${host}`.length;
  const shown = host.replaceAll(/([?&][^=&]*password=)[^&]*/giu, '$1…');
  if (hasSecret) return `${scheme}${user === '' ? '' : `${user}:`}…@${shown}`;
  return `${scheme}${user}${shown}`;
}
