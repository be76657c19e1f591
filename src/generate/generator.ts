import { getOrInsert } from '../lib/get-or-insert.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import { counted } from '../model/values.ts';
import { fieldsIn } from '../model/template.ts';
import { readValue } from '../model/validation.ts';
import type { JsonValue, ResourceSpecification } from '../specification/specification.ts';
import { customOrProblem } from './custom/custom.ts';
import { idOf } from './ids.ts';
import { loadFunctions, type UserFunctions } from './custom/modules.ts';
import { GenerationProblem, unlessProblem, without } from './problem.ts';
import type { Universe } from './distinct/dimensions.ts';
import type { Surroundings } from './fill/part.ts';
import { ResourceRows, type World } from './fill/rows.ts';
import { defaultCount, settingsOf, type GenerationSettings } from './settings.ts';
import { loadWords, localesAlike, type Words } from './words/words.ts';

/** What is said in place of the file. */
export interface GenerationOptions {
  readonly seed?: number | undefined;
  /** So many records of each of `resources`. */
  readonly count?: number | undefined;
  /** The resources that are filled; all if left out. */
  readonly resources?: ReadonlySet<Resource> | undefined;
  /** What stood in modules, by their paths; what stands there now if left out. */
  readonly modules?: ReadonlyMap<string, string> | undefined;
}

/** A generator, or what of the file cannot be generated. */
export type Made =
  | { readonly ok: true; readonly generator: Generator }
  | {
      readonly ok: false;
      readonly problems: readonly GenerationProblem[];
      /** Tells its warnings all the same; none where there is no such locale. */
      readonly generator?: Generator;
    };

/**
 * Makes the generator of a model: loads its locale, and the functions of modules beside the file, in `folder`. What
 * the file asks for and cannot be had comes back as problems, all of them.
 */
export async function makeGenerator(
  api: Api,
  folder: string | undefined,
  options: GenerationOptions = {},
): Promise<Made> {
  const { words, functions, problems } = await loadAll(api, folder, options);
  if (words === undefined) return { ok: false, problems };
  const generator = new Generator(api, words, functions, options);
  // A function that could not be loaded makes no value either.
  problems.push(...without(generator.problems(), problems));
  return problems.length > 0 ? { ok: false, problems, generator } : { ok: true, generator };
}

/**
 * What of all that a model names for its data does not exist; no value is made for it, so the file may have other errors,
 * of which some fields are missing.
 */
export async function missingSources(
  api: Api,
  folder: string | undefined,
): Promise<readonly GenerationProblem[]> {
  const { words, functions, problems } = await loadAll(api, folder);
  if (words === undefined) return problems;
  const look = (field: Field, path: readonly string[]): void => {
    const { problem } = customOrProblem(field, path, words, functions) ?? {};
    if (problem !== undefined) problems.push(problem);
    for (const [name, property] of field.properties ?? [])
      look(property, [...path, 'properties', name]);
    if (field.items !== undefined) look(field.items, [...path, 'items']);
  };
  for (const { name, fields } of api.resources.values())
    for (const field of fields.values()) look(field, ['resources', name, 'fields', field.name]);
  return problems;
}

/** Loads the locale and the functions that a model names. */
async function loadAll(
  api: Api,
  folder: string | undefined,
  options: GenerationOptions = {},
): Promise<{
  readonly words: Words | undefined;
  readonly functions: UserFunctions;
  readonly problems: GenerationProblem[];
}> {
  const problems: GenerationProblem[] = [];
  const { locale } = settingsOf(api, options);
  const words = await loadWords(locale);
  if (words === undefined) {
    const alike = await localesAlike(locale);
    const hint = alike.length === 0 ? '' : `, but for ${alike.join(', ')}`;
    problems.push(
      new GenerationProblem(
        ['generate', 'locale'],
        `there are no names and texts for the locale ${locale}${hint}`,
      ),
    );
  }
  const report = (problem: GenerationProblem): unknown => problems.push(problem);
  const functions = await loadFunctions(api, folder, report, options.modules);
  return { words, functions, problems };
}

/**
 * Makes the values of any row of any resource from seed, resource, field and row. See
 * docs/contract/7-data-debug-dashboard.md#generated-data, rule 2.
 */
export class Generator {
  readonly settings: GenerationSettings;
  private readonly api: Api;
  private readonly options: GenerationOptions;
  private readonly world: World;
  private readonly made = new Map<Resource, ResourceRows>();
  private readonly counts = new Map<Resource, number | 'open'>();
  /** What is known of the records that are there, in place of those that would be generated. */
  private readonly known = new Map<Resource, Universe>();

  constructor(api: Api, words: Words, functions: UserFunctions, options: GenerationOptions) {
    this.api = api;
    this.options = options;
    this.settings = settingsOf(api, options);
    this.world = {
      words,
      functions,
      seed: this.settings.seed,
      resources: () => api.resources.values(),
      countOf: (resource) => this.countOf(resource),
      universe: (resource, from) =>
        (resource === from ? undefined : this.known.get(resource)) ?? this.rowUniverse(resource),
      isGrouped: (resource) => this.isGrouped(resource),
      specificationOf: (resource) => this.specificationOf(resource),
      siblingOf: (around) => (names) => names.find((name) => isSibling(around, name)),
    };
  }

  /** All resources of the model, filled or not. */
  get resources(): Iterable<Resource> {
    return this.api.resources.values();
  }

  private specificationOf({ name }: Resource): ResourceSpecification {
    return this.api.settings.resources[name] ?? { fields: {} };
  }

  private isGrouped(resource: Resource): boolean {
    return (
      this.options.count === undefined && this.specificationOf(resource).generate?.per !== undefined
    );
  }

  /** The rows of a resource. Throws a `GenerationProblem` where its fields ask for what does not exist. */
  rowsOf(resource: Resource): ResourceRows {
    return getOrInsert(this.made, resource, () => new ResourceRows(resource, this.world));
  }

  /** How many rows a resource has. Throws a `GenerationProblem` where there cannot be as many as the file wants. */
  countOf(resource: Resource): number {
    const known = this.counts.get(resource);
    if (known === 'open') {
      if (!this.isGrouped(resource)) return this.settings.count;
      throw new GenerationProblem(
        ['resources', resource.name, 'generate', 'per'],
        'its records would be counted by themselves: `per` runs in a circle',
      );
    }
    if (known !== undefined) return known;
    this.counts.set(resource, 'open');
    try {
      const count = this.count(resource);
      this.counts.set(resource, count);
      return count;
    } finally {
      if (this.counts.get(resource) === 'open') this.counts.delete(resource);
    }
  }

  private count(resource: Resource): number {
    const rows = this.rowsOf(resource);
    const { generate } = this.specificationOf(resource);
    const path = ['resources', resource.name, 'generate'];
    const own = this.options.count === undefined ? generate?.count : undefined;
    const { groups, stand } = rows;
    const wanted = groups === undefined ? (own ?? this.settings.count) : stand.count + groups.total;
    if (own === undefined && groups === undefined) return Math.min(wanted, rows.sureCapacity);
    const { capacity } = rows;
    if (wanted <= capacity) return wanted;
    throw new GenerationProblem(
      own === undefined ? [...path, 'per'] : [...path, 'count'],
      `${wanted} records are wanted, but only ${capacity} can be told apart${this.reason(resource, wanted)}`,
    );
  }

  /** Which fields leave fewer records than are wanted. */
  private reason(resource: Resource, wanted: number): string {
    const narrow = this.rowsOf(resource)
      .narrowFields(wanted)
      .filter(([field]) => !field.nullable)
      .map(([{ name }, values]) => `${name} has ${counted(values, 'value')}`);
    return narrow.length === 0
      ? ' by their unique fields and keys'
      : `: each has a value of its own, and ${narrow.join(', ')}`;
  }

  /** Says which records of a resource keys lead to, where they are not all generated ones. */
  setKnown(resource: Resource, universe: Universe | undefined): void {
    if (universe === undefined) this.known.delete(resource);
    else this.known.set(resource, universe);
    this.counts.clear();
    for (const rows of this.made.values()) rows.forget();
  }

  /** The rows of a resource as records that keys lead to, at the places of their numbers. */
  rowUniverse(resource: Resource): Universe {
    const { seed } = this.settings;
    return {
      size: this.countOf(resource),
      valueAt: (place, field) =>
        field === resource.id ? idOf(resource, place + 1, seed) : this.valueOf(field, place + 1),
      numberAt: (place) => place + 1,
    };
  }

  private valueOf(field: Field, row: number): JsonValue {
    const rows = this.rowsOf(field.resource);
    const position = rows.positionOf(field.name) ?? -1;
    return this.world.words.random.keeping(() => rows.row(row).at(position));
  }

  /** Everything that keeps this generator from making data, as the first rows of each resource show. */
  problems(): readonly GenerationProblem[] {
    const found: GenerationProblem[] = [];
    const note = <Value>(work: () => Value): Value | undefined => {
      try {
        return work();
      } catch (error) {
        if (!(error instanceof GenerationProblem)) throw error;
        found.push(error);
        return undefined;
      }
    };
    for (const resource of this.chosen())
      note(() => {
        const rows = this.rowsOf(resource);
        const count = note(() => this.countOf(resource)) ?? 1;
        const first = Array.from({ length: Math.min(count, 3) }, (_, index) => rows.row(index + 1));
        for (const position of rows.fields.keys())
          note(() => {
            for (const row of first) row.at(position);
          });
      });
    return once(found);
  }

  /** What is made otherwise than one would think; nothing of resources of which no record can be made. */
  warnings(): readonly GenerationProblem[] {
    return once(
      this.chosen().flatMap((resource) => unlessProblem(() => this.warningsOf(resource)) ?? []),
    );
  }

  private warningsOf(resource: Resource): readonly GenerationProblem[] {
    const found: GenerationProblem[] = [];
    const warn = (path: GenerationProblem['path'], message: string): void =>
      void found.push(new GenerationProblem(path, message, 'warning'));
    const path = ['resources', resource.name];
    const rows = this.rowsOf(resource);
    const count = this.countOf(resource);
    const { count: usual } = this.settings;
    const own = this.specificationOf(resource).generate?.count;
    if (rows.groups === undefined && count < usual && (own === undefined || own > count))
      warn(
        path,
        `${usual} records are wanted, but only ${count} can be told apart${this.reason(resource, usual)}`,
      );
    for (const [field, values] of rows.narrowFields(count))
      warn(
        [...path, 'fields', field.name],
        `it is unique and has ${counted(values, 'value')}: ${count - values} of ${count} records get none`,
      );
    for (const field of rows.fields) {
      const reason = this.strangeKey(field, count);
      if (reason !== undefined)
        warn(
          [...path, 'fields', field.name],
          `generated records have keys that it refuses: ${reason}`,
        );
    }
    for (const maker of rows.makers.values())
      for (const [place, message] of maker.warnings()) warn(place, message);
    return found;
  }

  /** Why the key of one of the first records breaks a rule of its own field, as what it leads to has no such rule. */
  private strangeKey(field: Field, count: number): string | undefined {
    if (field.reference === undefined) return undefined;
    for (let row = 1; row <= Math.min(count, defaultCount); row += 1) {
      const value = this.valueOf(field, row);
      if (value === null) continue;
      const reading = readValue(value, field);
      if (reading.ok) continue;
      const { resource, field: target } = field.reference;
      const reasons = reading.issues.map(({ message }) => message).join(', ');
      return `${JSON.stringify(value)} ${reasons}; give ${resource.name}.${target.name} the same rules`;
    }
    return undefined;
  }

  private chosen(): readonly Resource[] {
    const { resources } = this.options;
    return [...this.api.resources.values()].filter((one) => resources?.has(one) !== false);
  }
}

function once(problems: readonly GenerationProblem[]): readonly GenerationProblem[] {
  return [
    ...new Map(
      problems.map((problem) => [`${problem.path.join('.')} ${problem.message}`, problem]),
    ).values(),
  ];
}

/** Whether a value may be made from this field's: it is beside it, and its template does not lead back. */
function isSibling({ fields, whole }: Surroundings, name: string): boolean {
  const leadsBack = (other: string, seen: ReadonlySet<string>): boolean => {
    if (other === whole.name) return true;
    if (seen.has(other)) return false;
    const { template = '' } = whole.resource.fields.get(other)?.attributes ?? {};
    return fieldsIn(template).some((used) => leadsBack(used, new Set([...seen, other])));
  };
  const field = fields.get(name);
  if (field === undefined) return false;
  return field !== whole.resource.fields.get(name) || !leadsBack(name, new Set());
}
