import { readFileSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { good, makeFolder } from './command.ts';

interface Introspected {
  readonly specification: {
    readonly resources: Readonly<
      Record<string, { readonly table?: string; readonly fields: Record<string, object> }>
    >;
  };
  readonly left: readonly string[];
}

/** A SQLite file of this SQL as a specification, which has to be one without errors. */
export async function fromSql(
  sql: string,
): Promise<Introspected & { readonly text: string; readonly cwd: string }> {
  const folder = makeFolder();
  const driver = new Driver(folder.at('old.db'));
  driver.exec(sql);
  driver.close();
  const { out } = await good(
    ['introspect', 'sqlite:old.db', '--managed', '--out', 'plinth.yaml', '--json'],
    folder.path,
  );
  await good(['check'], folder.path);
  const text = readFileSync(folder.at('plinth.yaml'), 'utf8');
  return { ...(JSON.parse(out) as Introspected), text, cwd: folder.path };
}
