import type { Context } from '../context.ts';
import { migrateCommand, type NamedDatabase, type Target } from './target.ts';

/** What the URL of a database names: a file, one in memory that is gone at the end, a PostgreSQL server. */
export type DatabaseKind = 'file' | 'memory' | 'postgres';

interface Kind {
  /** How its URL is written, as messages tell it. */
  readonly form: string;
  readonly pattern: RegExp;
  /** Loads what reaches it: nobody waits for a driver that is not needed. */
  readonly reach: (context: Context, target: Target) => Promise<NamedDatabase>;
}

const scheme = 'sqlite:';

/** The one table of the kinds of databases; a URL has the pattern of one at most. */
export const databaseKinds: Readonly<Record<DatabaseKind, Kind>> = {
  file: {
    form: `${scheme}PATH`,
    pattern: /^sqlite:(?!\/\/[^/]|:memory:$)./u,
    reach: async (context, target) => {
      const { sqliteFile } = await import('./sqlite.ts');
      const path = target.url.slice(scheme.length);
      const { memory } = context;
      return sqliteFile(target.folder, path, migrateCommand(context, target), {
        ...target.options,
        memory,
      });
    },
  },
  memory: {
    form: `${scheme}:memory:`,
    pattern: /^sqlite::memory:$/u,
    reach: async ({ memory }, { options }) => {
      const { temporaryFile } = await import('./sqlite.ts');
      return temporaryFile({ ...options, memory });
    },
  },
  postgres: {
    form: 'postgres://user:password@host/name',
    pattern: /^postgres(?:ql)?:\/\//u,
    reach: async ({ environment }, { url, folder, options }) => {
      const { postgresDatabase } = await import('./postgres.ts');
      return postgresDatabase(url, { environment, folder }, options);
    },
  },
};

/** Of which kind the URL of a database is; undefined for one that no kind has. */
export function kindOf(url: string): DatabaseKind | undefined {
  const kinds = Object.keys(databaseKinds) as DatabaseKind[];
  return kinds.find((kind) => databaseKinds[kind].pattern.test(url));
}
