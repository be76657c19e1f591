import { relative, resolve } from 'node:path';
import type { ColumnAdvice } from '../../databases/existing/actual-schema.ts';
import type { Database } from '../../databases/database.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import type { UnprovenRules } from '../../migrations/rules.ts';
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
  /** The arguments of a command line with which it uses this database again. */
  readonly again: string;
  /** The flag that names this database. */
  readonly flag: string;
  /** Where its URL comes from. */
  readonly source: 'flag' | 'environment' | 'file' | 'none';
  /**
   * Whether `dev` creates, migrates and fills it: the development database, or one in memory. See
   * docs/contract/6-operation.md#databases-that-commands-change.
   */
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
  /** What a server that uses it says at the start. */
  readonly warnings: readonly string[];
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
  readonly hasSchemas: boolean;
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
  /** The rules that stored values may break. Changes nothing; undefined if the database does not exist. */
  readonly unprovenRules: (api: Api) => Promise<UnprovenRules | undefined>;
  /** Reads its tables, whatever has created them. Changes nothing. */
  readonly introspect: (isManaged: boolean, schemas?: readonly string[]) => Promise<FoundDatabase>;
  readonly open: (access: DatabaseAccess) => Promise<OpenDatabase>;
}

/** The database of a command: from the flag, or else the environment, or else the specification. */
export function databaseTarget(
  context: Context,
  { name, api, folder }: Pick<SpecificationFile, 'name' | 'api' | 'folder'>,
  flag: string | undefined,
): Target | undefined {
  const { url, ...options } = api.settings.database ?? {};
  const variable = context.environment[databaseVariable];
  const file = shellArgument(name);
  const own = resolve(folder, developmentFile);
  const target = (source: Target['source'], url: string, folder: string, shown: string): Target => {
    const flag = `--database ${shown}`;
    const again = source === 'flag' ? `${file} ${flag}` : file;
    return { url, folder, again, flag, source, isOwn: isOwnDatabase(url, folder, own), options };
  };
  if (flag !== undefined && flag !== '')
    return target('flag', flag, context.folder, shellArgument(withoutPassword(flag)));
  if (variable !== undefined && variable !== '')
    return target('environment', variable, context.folder, `$${databaseVariable}`);
  if (url === undefined) return undefined;
  const path = /^sqlite:(?!\/\/|:memory:$)(.+)$/u.exec(url)?.[1];
  const seen = path === undefined ? url : sqliteUrl(context, resolve(folder, path));
  return target('file', url, folder, shellArgument(withoutPassword(seen)));
}

/** The variable that names the database of a command. */
export const databaseVariable = 'PLINTH_DATABASE_URL';

/** The path of the development database, from the folder of the specification. */
const developmentFile = `${ownFolder}/dev.db`;

/** The URL of a SQLite file as the user would type it. */
const sqliteUrl = ({ folder }: Context, path: string): string => `sqlite:${relative(folder, path)}`;

/** `own` is the path of the development database. */
function isOwnDatabase(url: string, folder: string, own: string): boolean {
  if (!url.startsWith('sqlite:')) return false;
  const path = url.slice('sqlite:'.length);
  return path === ':memory:' || resolve(folder, path) === own;
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
  const seen = sqliteUrl(context, resolve(folder, developmentFile));
  const flag = `--database ${shellArgument(seen)}`;
  const again = `${shellArgument(name)} ${flag}`;
  const url = `sqlite:${developmentFile}`;
  return { url, folder, again, flag, source: 'none', isOwn: true, options: {} };
}

/** What the command line of `migrate` permits. */
export interface MigrateFlags {
  readonly allowDataLoss?: boolean;
  /** Stored values may break new rules of their fields. */
  readonly allowInvalid?: boolean;
}

/** The command that brings a database up to date. */
export function migrateCommand(
  context: Context,
  { again }: Target,
  { allowDataLoss = false, allowInvalid = false }: MigrateFlags = {},
): string {
  const flags = `${allowDataLoss ? ' --allow-data-loss' : ''}${allowInvalid ? ' --allow-invalid' : ''}`;
  return typedCommand(context, `migrate ${again} --apply${flags}`);
}

/** Whether a text can only be the path of a file: it has no character of a URL, so it holds no password. */
export const isPath = (text: string): boolean => /^[^:@?#%\s]+$/u.test(text);

/** A URL without its password, for messages. If the URL is malformed, everything that may be a password is left out. */
export function withoutPassword(url: string): string {
  if (/^sqlite:(?!\/\/)/u.test(url) || isPath(url)) return url;
  const parts = /^([^/]*\/\/)([^/:@?#]*)(.*@)?(.*)$/su.exec(url);
  if (parts === null) return '…';
  const [, scheme = '', user = '', secret = '', host = ''] = parts;
  const shown = host.replaceAll(/([?&][^=&]*password=)[^&]*/giu, '$1…');
  if (secret === '' || (secret === '@' && user !== '')) return `${scheme}${user}${secret}${shown}`;
  return `${scheme}${user === '' ? '' : `${user}:`}…@${shown}`;
}
