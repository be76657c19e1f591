import { getOrInsert } from '../lib/get-or-insert.ts';
import type { Api, Field, Resource } from '../model/api.ts';
import { counted } from '../model/values.ts';
import { fieldsIn } from '../model/template.ts';
import { readValue } from '../model/validation/read-value.ts';
import type { JsonValue, ResourceSpecification } from '../specification/specification.ts';
import { customOrProblem } from './custom/custom.ts';
import { fillOrder } from './fill/order.ts';
import { idOf } from './ids.ts';
import { loadFunctions, type UserFunctions } from './custom/modules.ts';
import { GenerationProblem, unlessProblem, without } from './problem.ts';
import type { KeyTargets } from './distinct/dimensions.ts';
import type { Surroundings } from './surroundings.ts';
import { ResourceRows, type RowContext } from './resource-rows.ts';
import { Random } from './random.ts';
import { defaultCount, settingsOf, timesOf, type GenerationSettings } from './settings.ts';
import { loadWords, localesAlike, type Words } from './words/words.ts';

/** Options that override the file. */
export interface GenerationOptions {
  readonly seed?: number | undefined;
  /** The number of records of each of `resources`. */
  readonly count?: number | undefined;
  /** The resources to fill; all by default. */
  readonly resources?: ReadonlySet<Resource> | undefined;
  /** The source of modules by path, instead of the present files. */
  readonly modules?: ReadonlyMap<string, string> | undefined;
}

/** A generator, or why the file cannot be generated. */
export type Made =
  | { readonly ok: true; readonly generator: Generator }
  | {
      readonly ok: false;
      readonly problems: readonly GenerationProblem[];
      /** Still gives values and warnings; undefined if the locale does not exist. */
      readonly generator?: Generator;
    };

/** Makes the generator of a model: loads its locale, and the functions of modules in `folder`. Returns all problems at once. */
export async function makeGenerator(
  api: Api,
  folder: string | undefined,
  options: GenerationOptions = {},
): Promise<Made> {
  const { words, locales, functions, problems } = await loadAll(api, folder, options);
  if (words === undefined) return { ok: false, problems };
  const generator = new Generator(api, words, locales, functions, options);
  // A missing function is reported once, not again for its values.
  problems.push(...without(generator.problems(), problems));
  return problems.length > 0 ? { ok: false, problems, generator } : { ok: true, generator };
}

/** The generators, functions and locale that a model names and that do not exist. No value is made, so the model may be incomplete. */
export async function missingSources(
  api: Api,
  folder: string | undefined,
): Promise<readonly GenerationProblem[]> {
  const { words, locales, functions, problems } = await loadAll(api, folder);
  if (words === undefined) return problems;
  const look = (field: Field, path: readonly string[]): void => {
    const own = locales.get(field.attributes.locale ?? '') ?? words;
    const { problem } = customOrProblem(field, path, own, functions) ?? {};
    if (problem !== undefined) problems.push(problem);
    for (const [name, property] of field.properties ?? [])
      look(property, [...path, 'properties', name]);
    if (field.items !== undefined) look(field.items, [...path, 'items']);
  };
  for (const { name, fields } of api.resources.values())
    for (const field of fields.values()) look(field, ['resources', name, 'fields', field.name]);
  return problems;
}

/** Loads the locale and the functions of a model. */
async function loadAll(
  api: Api,
  folder: string | undefined,
  options: GenerationOptions = {},
): Promise<{
  readonly words: Words | undefined;
  /** The words of every locale that the file names. */
  readonly locales: ReadonlyMap<string, Words>;
  readonly functions: UserFunctions;
  readonly problems: GenerationProblem[];
}> {
  const problems: GenerationProblem[] = [];
  const { locale: usual } = settingsOf(api, options);
  const shared = { random: new Random(), times: timesOf(api) };
  const locales = new Map<string, Words>();
  for (const [locale, path] of [[usual, ['generate', 'locale']] as const, ...localesIn(api)]) {
    const found = locales.get(locale) ?? (await loadWords(locale, shared));
    if (found !== undefined) {
      locales.set(locale, found);
      continue;
    }
    const alike = await localesAlike(locale);
    const hint = alike.length === 0 ? '' : `, but for ${alike.join(', ')}`;
    problems.push(
      new GenerationProblem(path, `there are no names and texts for the locale ${locale}${hint}`),
    );
  }
  const words = locales.get(usual);
  const report = (problem: GenerationProblem): unknown => problems.push(problem);
  const functions = await loadFunctions(api, folder, report, options.modules);
  return { words, locales, functions, problems };
}

/** The locales of resources and fields, with their paths. */
function localesIn(api: Api): readonly (readonly [locale: string, path: readonly string[]])[] {
  const found: (readonly [string, readonly string[]])[] = [];
  const look = (field: Field, path: readonly string[]): void => {
    const { locale } = field.attributes;
    if (locale !== undefined) found.push([locale, [...path, 'locale']]);
    for (const [name, property] of field.properties ?? [])
      look(property, [...path, 'properties', name]);
    if (field.items !== undefined) look(field.items, [...path, 'items']);
  };
  for (const { name, fields } of api.resources.values()) {
    const path = ['resources', name];
    const { locale } = api.settings.resources[name]?.generate ?? {};
    if (locale !== undefined) found.push([locale, [...path, 'generate', 'locale']]);
    for (const field of fields.values()) look(field, [...path, 'fields', field.name]);
  }
  return found;
}

/**
 * Makes the values of any row of any resource from seed, resource, field and row. See
 * docs/contract/7-data-debug-dashboard.md#generated-data, rule 2.
 */
export class Generator {
  readonly settings: GenerationSettings;
  private readonly api: Api;
  private readonly options: GenerationOptions;
  private readonly context: RowContext;
  private readonly made = new Map<Resource, ResourceRows>();
  private readonly counts = new Map<Resource, number | 'open'>();
  /** How many resources are being counted: the records of one may depend on those of another. */
  private counting = 0;
  /** Stored records that keys lead to, instead of generated ones. */
  private readonly known = new Map<Resource, KeyTargets>();

  constructor(
    api: Api,
    words: Words,
    locales: ReadonlyMap<string, Words>,
    functions: UserFunctions,
    options: GenerationOptions,
  ) {
    this.api = api;
    this.options = options;
    this.settings = settingsOf(api, options);
    const order = new Map(fillOrder(api).resources.map((resource, place) => [resource, place]));
    const placeOf = (resource: Resource): number => order.get(resource) ?? Infinity;
    this.context = {
      words,
      // A locale without words is a problem that was reported.
      wordsIn: (locale) => locales.get(locale) ?? words,
      functions,
      seed: this.settings.seed,
      resources: () => api.resources.values(),
      countOf: (resource) => this.countOf(resource),
      isCounting: () => this.counting > 0,
      keyTargets: (resource, from) =>
        (resource === from ? undefined : this.known.get(resource)) ?? this.rowTargets(resource),
      isGrouped: (resource) => this.isGrouped(resource),
      specificationOf: (resource) => this.specificationOf(resource),
      rowsOf: (resource) => this.rowsOf(resource),
      isBefore: (resource, other) => placeOf(resource) < placeOf(other),
      siblingOf: (around) => (names) => names.find((name) => isSibling(around, name)),
    };
  }

  /** All resources of the model. */
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

  /** The rows of a resource. Throws a `GenerationProblem` if a source of its fields does not exist. */
  rowsOf(resource: Resource): ResourceRows {
    return getOrInsert(this.made, resource, () => new ResourceRows(resource, this.context));
  }

  /** The number of rows of a resource. Throws a `GenerationProblem` if fewer are possible than the file wants. */
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
    this.counting += 1;
    try {
      const count = this.count(resource);
      this.counts.set(resource, count);
      return count;
    } finally {
      this.counting -= 1;
      if (this.counts.get(resource) === 'open') this.counts.delete(resource);
    }
  }

  private count(resource: Resource): number {
    const rows = this.rowsOf(resource);
    const { generate } = this.specificationOf(resource);
    const path = ['resources', resource.name, 'generate'];
    const own = this.options.count === undefined ? generate?.count : undefined;
    const { groups, storedRows } = rows;
    const wanted =
      groups === undefined ? (own ?? this.settings.count) : storedRows.count + groups.total;
    if (own === undefined && groups === undefined) return Math.min(wanted, rows.sureCapacity);
    const { capacity } = rows;
    if (wanted <= capacity) return wanted;
    throw new GenerationProblem(
      own === undefined ? [...path, 'per'] : [...path, 'count'],
      `${wanted} records are wanted, but only ${capacity} can be told apart${this.reason(resource, wanted)}`,
    );
  }

  /** Names the fields that allow too few records. */
  private reason(resource: Resource, wanted: number): string {
    const narrow = this.rowsOf(resource)
      .narrowFields(wanted)
      .filter(([field]) => !field.nullable)
      .map(([{ name }, values]) => `${name} has ${counted(values, 'value')}`);
    return narrow.length === 0
      ? ' by their unique fields and keys'
      : `: each has a value of its own, and ${narrow.join(', ')}`;
  }

  /** Sets the records that keys to a resource lead to, if they are not all generated. */
  setKnown(resource: Resource, keyTargets: KeyTargets | undefined): void {
    if (keyTargets === undefined) this.known.delete(resource);
    else this.known.set(resource, keyTargets);
    this.counts.clear();
    for (const rows of this.made.values()) rows.forget();
  }

  /** The rows of a resource as targets of keys, in order of their numbers. */
  rowTargets(resource: Resource): KeyTargets {
    const { seed } = this.settings;
    return {
      size: this.countOf(resource),
      valueAt: (place, field) =>
        field === resource.id && field.parts === undefined
          ? idOf(resource, place + 1, seed)
          : this.valueOf(field, place + 1),
      numberAt: (place) => place + 1,
    };
  }

  private valueOf(field: Field, row: number): JsonValue {
    const rows = this.rowsOf(field.resource);
    const position = rows.positionOf(field.name) ?? -1;
    return this.context.words.random.keeping(() => rows.row(row).at(position));
  }

  /** All errors in the first rows of each resource. */
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

  /** Warnings, except of resources that cannot be generated. */
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
    for (const fieldGenerator of rows.fieldGenerators.values())
      for (const [place, message] of fieldGenerator.warnings()) warn(place, message);
    return found;
  }

  /** Why a key breaks a rule of its field that the field it leads to does not have. */
  private strangeKey(field: Field, count: number): string | undefined {
    if (field.reference === undefined) return undefined;
    for (let row = 1; row <= Math.min(count, defaultCount); row += 1) {
      const value = this.valueOf(field, row);
      if (value === null) continue;
      const parsed = readValue(value, field);
      if (parsed.ok) continue;
      const { resource, field: target } = field.reference;
      const reasons = parsed.issues.map(({ message }) => message).join(', ');
      return `${JSON.stringify(value)} ${reasons}; give ${resource.name}.${target.name} the same rules`;
    }
    return undefined;
  }

  private chosen(): readonly Resource[] {
    const { resources } = this.options;
    return [...this.api.resources.values()].filter(
      (one) => !one.isReadOnly && resources?.has(one) !== false,
    );
  }
}

function once(problems: readonly GenerationProblem[]): readonly GenerationProblem[] {
  return [
    ...new Map(
      problems.map((problem) => [`${problem.path.join('.')} ${problem.message}`, problem]),
    ).values(),
  ];
}

/** Whether a field is a sibling that values may be made from: its template must not lead back. */
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
