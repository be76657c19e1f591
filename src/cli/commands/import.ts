import { fromFolder, shellArgument, type Context } from '../../server/context.ts';
import { withStoredForms, withDatabase } from '../../server/database/database.ts';
import { loadData } from '../../server/dev/load-data.ts';
import { requireSpecification } from '../../server/files/specification.ts';
import { requireCurrent } from '../../server/database/schema.ts';
import { requireNamed } from '../consent.ts';
import { targetOrDevelopment } from '../../server/database/target.ts';
import { countLines, grouped, inFileOrder, recordsWere } from '../../server/output.ts';

interface Flags {
  readonly spec?: string;
  readonly database?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

/** `plinth import DATA…`: loads files and folders, all or nothing. */
export async function importCommand(
  context: Context,
  paths: readonly string[],
  flags: Flags,
): Promise<void> {
  // From now on a signal rolls the run back instead of ending the process.
  context.stop();
  const specification = requireSpecification(context, { spec: flags.spec });
  const target = targetOrDevelopment(context, specification, flags.database);
  const files = paths.map(shellArgument).join(' ');
  const command = `import ${files} --spec ${shellArgument(specification.name)}`;
  await requireNamed(context, target, command);
  const { api } = await withStoredForms(context, target, specification);
  await requireCurrent(context, target, api);
  await withDatabase(context, target, 'write', async (open) => {
    const absolute = paths.map((path) => fromFolder(context, path));
    const takenIds = flags.replace === true ? 'replace' : 'refuse';
    const result = await loadData(context, api, open, absolute, takenIds);
    const { byResource, skipped, replaced } = result;
    const counts = inFileOrder(api, byResource);
    const { output } = context;
    if (flags.json === true) {
      const data = { ok: true, records: Object.fromEntries(counts), skipped, replaced };
      output.print(JSON.stringify(data, undefined, 2));
      return;
    }
    for (const line of countLines(counts)) output.print(line);
    const total = counts.reduce((sum, [, count]) => sum + count, 0);
    const there =
      skipped === 0
        ? ''
        : skipped === 1
          ? '; 1 already existed and is equal'
          : `; ${grouped(skipped)} already existed and are equal`;
    const over = replaced === 0 ? '' : `; ${recordsWere(replaced)} replaced`;
    output.print(`${recordsWere(total)} imported into ${open.name}${there}${over}.`);
  });
}
