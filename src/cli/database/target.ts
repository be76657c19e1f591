import { relative, resolve } from 'node:path';
import type { ColumnAdvice } from '../../databases/existing/actual-schema.ts';
import type { Database } from '../../databases/database.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import type { MigrationOptions } from '../../migrations/steps.ts';
import type { Api, Resource } from '../../model/api.ts';
import type { FoundForms } from '../../model/field-types/stored-as.ts';
import type { DatabaseSpecification } from '../../specification/specification.ts';
import type { MigrationStep } from '../../sql/schema/schema.ts';
import { argument, typed, type Context } from '../context.ts';
import { ownFolder } from '../files/own-folder.ts';
import type { SpecificationFile } from '../files/specification.ts';

/** Where a database is. */
export interface Target {
  readonly url: string;
  /** Relative paths start here. */
  readonly folder: string;
  /** The arguments that name the specification and this database again. */
  readonly again: string;
  /** Whether it is the one that `dev` makes for itself. */
  readonly isOwn: boolean;
  /** What the file says of how to use it. */
  readonly options: Omit<DatabaseSpecification, 'url'>;
}

/** A database that a command has opened. What it rejects with names no password. */
export interface OpenDatabase {
  /** As messages name it. */
  readonly name: string;
  readonly database: Database;
  /**
   * Whether requests may have a copy of its data for themselves. See
   * docs/contract/7-data-debug-dashboard.md#sandboxes.
   */
  readonly hasSandboxes: boolean;
  /** Whether it is as the Api needs it, and known to be. */
  readonly isUpToDate: (api: Api) => Promise<boolean>;
  /**
   * Brings it up to date in one transaction and gives the steps; nothing is done where one of them is not possible.
   */
  readonly migrate: (api: Api, options?: MigrationOptions) => Promise<readonly MigrationStep[]>;
  /**
   * After many records have come: the database looks at what it has of these resources, since it plans statements by that.
   * Where it plans without, or refuses, nothing happens.
   */
  readonly analyze: (resources: Iterable<Resource>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/**
 * What a command does with a database: it may `create` one that can be made and is not there, `write` to one that is, or
 * `read` one, nothing of it being changed; it needs no rights to write then.
 */
export type DatabaseAccess = 'create' | 'write' | 'read';

/** A database that a URL names; `kinds.ts` lists what there is. */
export interface NamedDatabase {
  /** As messages name it, without a password. */
  readonly name: string;
  /**
   * What would bring it up to date; nothing of it is changed or made. One that is not there and would be made counts
   * as empty where `missing` says so; else it is a failure.
   */
  readonly inspect: (
    api: Api,
    missing: 'empty' | 'failure',
    options?: MigrationOptions,
  ) => Promise<readonly MigrationStep[]>;
  /**
   * In which forms it has the fields that the file says nothing of, nothing of it being changed; none where it is not
   * there.
   */
  readonly forms: (api: Api) => Promise<FoundForms>;
  /** Which fields of an Api the columns of existing tables do not serve well: by their order or by their values. */
  readonly columnAdvice: (api: Api) => Promise<readonly ColumnAdvice[]>;
  /** Reads what tables it has and what is in them, of any maker; nothing of it is changed. */
  readonly introspect: () => Promise<FoundDatabase>;
  readonly open: (access: DatabaseAccess) => Promise<OpenDatabase>;
}

/** Which database a command means: the flag, the environment, then the file. */
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
      again: `${argument(name)} --database ${argument(withoutPassword(flag))}`,
      isOwn: false,
      options,
    };
  const variable = context.environment['PLINTH_DATABASE_URL'];
  if (variable !== undefined && variable !== '')
    return { url: variable, folder: context.folder, again: argument(name), isOwn: false, options };
  return url === undefined
    ? undefined
    : { url, folder, again: argument(name), isOwn: false, options };
}

/** The database that a flag or the file names, else the one of development beside the file. */
export function targetOrDevelopment(
  context: Context,
  specification: SpecificationFile,
  flag: string | undefined,
): Target {
  return databaseTarget(context, specification, flag) ?? developmentTarget(context, specification);
}

/** The database of `dev` where none is named. */
export function developmentTarget(context: Context, { name, folder }: SpecificationFile): Target {
  const file = `${ownFolder}/dev.db`;
  const url = `sqlite:${file}`;
  const seen = relative(context.folder, resolve(folder, file));
  return {
    url,
    folder,
    again: `${argument(name)} --database ${argument(`sqlite:${seen}`)}`,
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
  return typed(context, `migrate ${again} --apply${allowDataLoss ? ' --allow-data-loss' : ''}`);
}

/** Whether a text can be no more than the path of a file: it has nothing by which a URL is told, or keeps a secret. */
export const isPath = (text: string): boolean => /^[^:@?#%\s]+$/u.test(text);

/** A URL as messages may show it, however badly it is written: all that may belong to a password is left out. */
export function withoutPassword(url: string): string {
  if (/^sqlite:(?!\/\/)/u.test(url) || isPath(url)) return url;
  const [, scheme = '', user = '', host = ''] =
    /^([^/]*\/\/)([^/:@?#]*)(?::?.*@)?(.*)$/su.exec(url) ?? [];
  const hasSecret = url.length > `${scheme}${user}${host}`.length;
  const shown = host.replaceAll(/([?&][^=&]*password=)[^&]*/giu, '$1…');
  if (hasSecret) return `${scheme}${user === '' ? '' : `${user}:`}…@${shown}`;
  return `${scheme}${user}${shown}`;
}
