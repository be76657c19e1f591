import { madeByOne, Provenance, seedOf } from '../../generate/fill/provenance.ts';
import { recipeOf } from '../../generate/fill/recipe.ts';
import type { Resource } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import { shellArgument, type Context } from '../../server/context.ts';
import { withStoredForms, withDatabase } from '../../server/database/database.ts';
import { CommandFailure } from '../../server/failure.ts';
import { fillResources } from '../../server/dev/fill-resources.ts';
import { refill, tablesLoaded, tablesOf, totalOf, type Filled } from '../../server/dev/fill.ts';
import { countLines, grouped, inFileOrder, recordsWere } from '../../server/output.ts';
import { requireCurrent } from '../../server/database/schema.ts';
import {
  requireSpecification,
  type SpecificationFlags,
  type SpecificationFile,
} from '../../server/files/specification.ts';
import { requireDeleting, requireNamed } from '../consent.ts';
import { targetOrDevelopment, type OpenDatabase } from '../../server/database/target.ts';

export interface GenerateFlags extends SpecificationFlags {
  readonly database?: string;
  readonly count?: string;
  readonly resource?: readonly string[];
  readonly seed?: string;
  readonly reset?: boolean;
  readonly deleteAll?: boolean;
  readonly json?: boolean;
}

/** `plinth generate [file]`: fills resources with generated records, all or nothing. */
export async function generate(context: Context, flags: GenerateFlags): Promise<void> {
  // From now on a signal rolls the run back instead of ending the process.
  context.stop();
  const count = wholeNumber('--count', flags.count, 0);
  const seed = wholeNumber('--seed', flags.seed, Number.MIN_SAFE_INTEGER);
  const read = requireSpecification(context, flags);
  const target = targetOrDevelopment(context, read, flags.database);
  const specification = await withStoredForms(context, target, read);
  const { api, name } = specification;
  const reset = flags.reset === true;
  const command = `generate ${shellArgument(name)}${reset ? ' --reset --delete-all' : ''}`;
  await requireNamed(context, target, command);
  const resources = namedResources(specification, flags.resource);
  await requireCurrent(context, target, api);
  await withDatabase(context, target, 'write', async (open) => {
    if (reset) await requireDeleting(context, target, open, resources, flags.deleteAll === true);
    const isWhole = flags.resource === undefined && count === undefined;
    const { loaded, generated } =
      reset && isWhole && api.settings.data !== undefined
        ? await refill(context, specification, open, seed)
        : {
            loaded: new Map<string, number>(),
            generated: await fillResources(context, specification, open, {
              count,
              seed,
              resources,
              reset,
            }),
          };
    const total = sumOf(generated);
    if (target.isOwn && (reset || total > 0)) {
      const isOnlySome = !reset || flags.resource !== undefined;
      await remember(specification, open, { loaded, generated }, { seed, reset, isOnlySome });
    }
    const { output } = context;
    const counts = inFileOrder(api, totalOf({ loaded, generated }));
    if (flags.json === true) {
      const data = { ok: true, database: open.name, records: Object.fromEntries(counts) };
      output.print(JSON.stringify(data, undefined, 2));
      return;
    }
    for (const line of countLines(counts)) output.print(line);
    const hint =
      total === 0 && !reset ? ' Existing records stay; give --reset to replace them.' : '';
    const from =
      loaded.size === 0 ? '' : `, ${grouped(sumOf(loaded))} loaded from ${api.settings.data}`;
    output.print(`${recordsWere(total)} generated in ${open.name}${from}.${hint}`);
  });
}

/**
 * Remembers the recipe of the records of the development database. Rows that were added to generated ones have the recipe of these, though it may be
 * that of a former file: `dev` brings all of them to the file at its next start.
 */
async function remember(
  specification: SpecificationFile,
  { database }: OpenDatabase,
  { loaded, generated }: Filled,
  options: {
    readonly seed: number | undefined;
    readonly reset: boolean;
    readonly isOnlySome: boolean;
  },
): Promise<void> {
  const { api, folder } = specification;
  const provenance = await Provenance.of(database, folder, true);
  const recipe = recipeOf(specification, options.seed);
  const all = madeByOne(recipe, tablesLoaded(api, { loaded, generated }));
  const known = await provenance.known();
  if (known === undefined || !options.isOnlySome) return provenance.remember(all);
  if ((seedOf(known) ?? recipe.seed) !== recipe.seed) return;
  const tables = tablesOf(api, generated);
  const anew = [...all].filter(
    ([table]) => tables.has(table) && (options.reset || !known.has(table)),
  );
  await provenance.remember(new Map([...known, ...anew]));
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function wholeNumber(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const number = /^-?\d{1,16}$/u.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new CommandFailure(
    `${flag} must be a whole number${least === 0 ? ' from 0 on' : ''}, not ${JSON.stringify(text)}. Change ${flag}.`,
    { exitCode: 2 },
  );
}

function namedResources(
  { api }: SpecificationFile,
  names: readonly string[] | undefined,
): ReadonlySet<Resource> {
  if (names === undefined)
    return new Set([...api.resources.values()].filter(({ isReadOnly }) => !isReadOnly));
  const resources = new Set<Resource>();
  for (const name of names) {
    const resource = api.resources.get(name);
    if (resource === undefined) {
      const reason = unknownName('resource', name, api.resources.keys());
      throw new CommandFailure(
        `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. Change --resource.`.replace(
          '?.',
          '?',
        ),
        {
          exitCode: 2,
        },
      );
    }
    if (resource.isReadOnly)
      throw new CommandFailure(`${name} is read-only. Change --resource.`, { exitCode: 2 });
    resources.add(resource);
  }
  return resources;
}
