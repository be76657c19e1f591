import type { Context } from '../context.ts';
import { migrateCommand, type NamedDatabase, type Target } from './target.ts';

/** A SQLite file, a temporary SQLite database, or a PostgreSQL server. */
export type DatabaseKind = 'file' | 'memory' | 'postgres';

interface Kind {
  /** The form of its URL, for messages. */
  readonly form: string;
  readonly pattern: RegExp;
  /** Loads the driver, so that no command waits for one that it does not need. */
  readonly reach: (context: Context, target: Target) => Promise<NamedDatabase>;
}

const scheme = 'sqlite:';

/** The kinds of databases. A URL matches at most one pattern. */
export const databaseKinds: Readonly<Record<DatabaseKind, Kind>> = {
  file: {
    form: `${scheme}PATH`,
    pattern: /^sqlite:(?!\/\/[^/]|:memory:$)./u,
    reach: async (context, target) => {
      const { sqliteFile } = await import('./sqlite.ts');
      const path = target.url.slice(scheme.length);
      const { memory, output } = context;
      return sqliteFile(target.folder, path, migrateCommand(context, target), {
        ...target.options,
        memory,
        report: (line) => output.note(line),
      });
    },
  },
  memory: {
    form: `${scheme}:memory:`,
    pattern: /^sqlite::memory:$/u,
    reach: async ({ memory, output }, { options }) => {
      const { temporaryFile } = await import('./sqlite.ts');
      return temporaryFile({ ...options, memory, report: (line) => output.note(line) });
    },
  },
  postgres: {
    form: 'postgres://user:password@host/name',
    pattern: /^postgres(?:ql)?:\/\//u,
    reach: async ({ environment, output }, { url, folder, options }) => {
      const { postgresDatabase } = await import('./postgres.ts');
      const report = (line: string): void => output.note(line);
      return postgresDatabase(url, { environment, folder }, options, report);
    },
  },
};

/** The kind of a database URL; undefined if it is unknown. */
export function databaseKindOf(url: string): DatabaseKind | undefined {
  const kinds = Object.keys(databaseKinds) as DatabaseKind[];
  return kinds.find((kind) => databaseKinds[kind].pattern.test(url));
}
