import { isDeepStrictEqual } from 'node:util';
import { ConstraintError, type Database } from '../../databases/database.ts';
import { portionsOf } from '../../records/read/portions.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { FieldSpecification, JsonValue } from '../../specification/specification.ts';
import { TimeSlice } from '../../lib/event-loop.ts';
import { encodeValue, quote } from '../../sql/dialect.ts';
import { buildStatement, type Statement, type Values } from '../../sql/statement.ts';
import type { Generator } from '../generator.ts';
import { rowOfId } from '../ids.ts';
import { morphsOf } from '../distinct/joint.ts';
import { unlessProblem } from '../problem.ts';
import { LackingKeys, type ValueOf } from './lacking-keys.ts';

/** Fields by their resources. */
export type FieldsOf = ReadonlyMap<Resource, readonly Field[]>;

/** What was given to the records of a resource. */
export interface Renewed {
  /** The names of the fields that have got values. */
  readonly fields: ReadonlySet<string>;
  /** How many generated records have. */
  readonly generated: number;
  /** How many others have got what may not be null. */
  readonly written: number;
}

/** So many rows of a resource tell whether values that the file says nothing else of are other ones. */
const sample = 25;

const nothing: ValueOf = () => undefined;

/**
 * The resources whose generated records may have other values by `generator` than by `former`: of fields that the file
 * says something else of, or as their first rows show. Keys stay as they are, and so does all where the seeds differ, as ids
 * follow from them.
 */
export function changedResources(generator: Generator, former: Generator): readonly Resource[] {
  if (generator.settings.seed !== former.settings.seed) return [];
  const numbers = Array.from({ length: sample }, (_, index) => index + 1);
  const definitions = definitionsIn(former);
  return [...generator.resources].filter((resource) =>
    unlessProblem(() => {
      generator.countOf(resource);
      const known = definitions.get(resource.table);
      // A bound or a value of many may show in a late row alone.
      if (
        freeFields(resource).some((field) => {
          const was = known?.get(field.column);
          return was !== undefined && !isDeepStrictEqual(was, field.attributes);
        })
      )
        return true;
      const [made, before] = [rowsOf(resource, generator), rowsOf(resource, former)];
      return numbers.some((number) => {
        const [valueOf, was] = [made?.(number), before?.(number)];
        return freeFields(resource).some((field) => {
          const value = was?.(field);
          return value !== undefined && !isDeepStrictEqual(value, valueOf?.(field));
        });
      });
    }),
  );
}

/** What the file says of each field, by table and column. */
function definitionsIn({
  resources,
}: Generator): ReadonlyMap<string, ReadonlyMap<string, FieldSpecification>> {
  return new Map(
    [...resources].map(({ table, fields }) => [
      table,
      new Map([...fields.values()].map(({ column, attributes }) => [column, attributes])),
    ]),
  );
}

/** Whether all that a field holds is what one of `generators` gives, so that it can be had again. */
export async function holdsGenerated(
  generators: readonly Generator[],
  database: Database,
  field: Field,
): Promise<boolean> {
  const { resource } = field;
  const made = generators.map((generator) => ({ generator, rows: rowsOf(resource, generator) }));
  for await (const rows of portionsOf(resource, [resource.id, field], database))
    for (const [id = null, value = null] of rows) {
      const isMade = made.some(({ generator, rows: valuesOf }) => {
        const number = rowOfId(resource, id, generator.settings.seed);
        const valueOf = number === undefined ? undefined : valuesOf?.(number);
        return isDeepStrictEqual(value, valueOf?.(field));
      });
      if (value !== null && !isMade) return false;
    }
  return true;
}

/**
 * Makes records what they would have been if they were generated now. A field that is null gets its value in those that
 * are for the most part still as they were generated; one that may not be null gets it in all, where more than half of
 * the records of the resource are generated ones. Any other value that is still that of one of `formers` becomes that of
 * `generator`, which some records may have already. What somebody has written stays. A key or pair that would lead to no record is left out, or leads to one
 * that is there where it may not be null; a value that the database refuses is left out. `resources`: which, with the
 * fields of each that may be null for want of a value. After `signal` no more records are looked at.
 */
export async function renewRecords(
  generator: Generator,
  formers: readonly Generator[],
  database: Database,
  resources: FieldsOf,
  signal: AbortSignal,
): Promise<ReadonlyMap<Resource, Renewed>> {
  const renewed = new Map<Resource, Renewed>();
  for (const [resource, lacking] of resources) {
    const renewal = new Renewal(generator, formers, database, resource, lacking, signal);
    renewed.set(resource, await renewal.run());
  }
  return renewed;
}

/**
 * Makes what gives the values of a row by its number; undefined where the generator has no such resource. Resources and
 * fields may have had other names: their tables and columns tell which they are.
 */
function rowsOf(
  { table }: Resource,
  generator: Generator,
): ((number: number) => ValueOf) | undefined {
  const resource = [...generator.resources].find((one) => one.table === table);
  if (resource === undefined) return undefined;
  const rows = generator.rowsOf(resource);
  const positions = new Map(rows.fields.map(({ column }, position) => [column, position]));
  return (number) => {
    const row = rows.row(number);
    return ({ column }) => {
      const position = positions.get(column);
      return position === undefined ? undefined : unlessProblem(() => row.at(position));
    };
  };
}

/** The fields that are no part of what leads to other records, nor the id. */
function freeFields(resource: Resource): readonly Field[] {
  const pairs = new Set(
    morphsOf(resource).flatMap(({ typeField, idField }) => [typeField, idField]),
  );
  return [...resource.fields.values()].filter(
    (field) => field !== resource.id && field.reference === undefined && !pairs.has(field),
  );
}

/** Whether a value is the one that was made, or what a migration to another type has made of that. */
function isAsMade(value: JsonValue, made: JsonValue | undefined, { type }: Field): boolean {
  if (isDeepStrictEqual(value, made)) return true;
  if (value === null || typeof value === 'object') return false;
  if (made === null || made === undefined || typeof made === 'object') return false;
  // `3` is `"3.00"` as a decimal, and `true` is 1.
  const isNumber = type.number !== undefined && made !== '';
  return String(value) === String(made) || (isNumber && Number(value) === Number(made));
}

/** What a field gets, in place of what. */
interface Given {
  readonly old: JsonValue;
  readonly value: JsonValue;
}

/** What a record gets. */
interface Change {
  readonly id: JsonValue;
  readonly values: ReadonlyMap<Field, Given>;
}

/** One resource. */
class Renewal {
  private readonly generator: Generator;
  private readonly formers: readonly Generator[];
  private readonly database: Database;
  private readonly resource: Resource;
  private readonly lacking: readonly Field[];
  private readonly signal: AbortSignal;
  private readonly free: readonly Field[];
  private readonly keys: LackingKeys;
  private readonly updates = new Map<string, Statement>();
  private readonly names = new Set<string>();
  private readonly slice = new TimeSlice();

  constructor(
    generator: Generator,
    formers: readonly Generator[],
    database: Database,
    resource: Resource,
    lacking: readonly Field[],
    signal: AbortSignal,
  ) {
    this.signal = signal;
    this.generator = generator;
    this.formers = formers;
    this.database = database;
    this.resource = resource;
    this.lacking = lacking;
    this.keys = new LackingKeys(resource, lacking);
    this.free = freeFields(resource);
  }

  async run(): Promise<Renewed> {
    const { database, resource, generator, formers, lacking, names } = this;
    await this.keys.read(database);
    const fields = [...resource.fields.values()];
    const made = rowsOf(resource, generator);
    const before = formers.flatMap((former) => rowsOf(resource, former) ?? []);
    const required = lacking.filter(({ nullable }) => !nullable);
    const counts = { generated: 0, others: 0 };
    const refused: Change[] = [];
    let generated = 0;
    const waiting: Change[] = [];
    const last = generator.countOf(resource);
    let further = last;
    for await (const rows of portionsOf(resource, fields, database)) {
      if (this.signal.aborted) break;
      const changes: Change[] = [];
      for (const row of rows) {
        const stored = (field: Field): JsonValue => row[fields.indexOf(field)] ?? null;
        const number = rowOfId(resource, stored(resource.id), generator.settings.seed);
        const place = number ?? (further += 1);
        const valueOf = made?.(place) ?? nothing;
        const was =
          number === undefined ? [] : [...before.map((valuesOf) => valuesOf(number)), valueOf];
        const isGenerated = was.some((one) => this.isGenerated(stored, one, place > last));
        counts[isGenerated ? 'generated' : 'others'] += 1;
        const values = new Map<Field, Given>();
        const wanted = isGenerated ? lacking : required;
        for (const [field, value] of this.keys.fitting(place, stored, valueOf, wanted))
          values.set(field, { old: null, value });
        if (isGenerated)
          for (const field of this.free) {
            const [old, value] = [stored(field), valueOf(field)];
            // What cannot be generated stays.
            if (value === undefined || values.has(field) || isDeepStrictEqual(old, value)) continue;
            if (was.some((one) => isAsMade(old, one(field), field)))
              values.set(field, { old, value });
          }
        const change = { id: stored(resource.id), values };
        if (values.size > 0) (isGenerated ? changes : waiting).push(change);
        if (this.slice.isOver) await this.slice.yield();
      }
      generated += changes.length;
      refused.push(...(await this.write(changes)));
    }
    generated -= (await this.repeat(refused)).length;
    const isFilled = counts.generated > counts.others && !this.signal.aborted;
    const written = isFilled
      ? waiting.length - (await this.repeat(await this.write(waiting))).length
      : 0;
    return { fields: names, generated, written };
  }

  /**
   * Whether a record is that of its row still, in more than half of what it had; behind the last row (`isFurther`), where
   * written ones are, in all of it.
   */
  private isGenerated(
    stored: (field: Field) => JsonValue,
    was: ValueOf,
    isFurther: boolean,
  ): boolean {
    const { resource, lacking } = this;
    const made = [...resource.fields.values()].filter(
      (field) => field !== resource.id && !lacking.includes(field) && was(field) !== undefined,
    );
    // Records that were there before a field with a default have that.
    const telling = made.filter((field) => field.default === undefined);
    const others = telling.length > 0 ? telling : made;
    const same = others.filter((field) => isAsMade(stored(field), was(field), field));
    if (isFurther || others.length === 0) return same.length === others.length;
    return same.length * 2 > others.length;
  }

  /** Writes what the database takes, and gives back the others. */
  private async write(changes: readonly Change[]): Promise<readonly Change[]> {
    const refused = await this.tryAll(changes);
    return refused.length === 0 ? [] : this.tryEach(refused);
  }

  /** A value may be free once another record, be it a later one, has got its own. */
  private async repeat(refused: readonly Change[]): Promise<readonly Change[]> {
    let left = refused;
    for (let before = Infinity; left.length > 0 && left.length < before;) {
      before = left.length;
      left = await this.tryEach(left);
    }
    return left;
  }

  private async tryEach(changes: readonly Change[]): Promise<readonly Change[]> {
    const refused: Change[] = [];
    for (const change of changes) refused.push(...(await this.tryAll([change])));
    return refused;
  }

  /** Writes all, or gives them back where the database refuses one. */
  private async tryAll(changes: readonly Change[]): Promise<readonly Change[]> {
    if (changes.length === 0) return [];
    try {
      await this.database.write(async (transaction) => {
        for (const change of changes)
          await transaction.run(this.update(change), this.bound(change));
      });
    } catch (error) {
      if (error instanceof ConstraintError) return changes;
      throw error;
    }
    for (const { values } of changes) for (const { name } of values.keys()) this.names.add(name);
    return [];
  }

  /** Somebody may have written to one of the fields meanwhile: then it stays. */
  private update({ values }: Change): Statement {
    const { resource, database, updates } = this;
    const kinds = [...values].map(([{ name }, { old }]) => [name, old === null]);
    const key = JSON.stringify(kinds);
    const known = updates.get(key);
    if (known !== undefined) return known;
    const statement = buildStatement(database.dialect, (add) => {
      const sets = [...values].map(([{ column }, { old }], at) => {
        const name = quote(column);
        return old === null
          ? `${name} = coalesce(${name}, ${add(2 * at)})`
          : `${name} = CASE WHEN ${name} = ${add(2 * at + 1)} THEN ${add(2 * at)} ELSE ${name} END`;
      });
      return `UPDATE ${quote(resource.table)} SET ${sets.join(', ')} WHERE ${quote(resource.id.column)} = ${add('id')}`;
    });
    updates.set(key, statement);
    return statement;
  }

  private bound({ id, values }: Change): Values {
    const { database, resource } = this;
    const bound = [...values].flatMap(([field, { old, value }]) => [
      encodeValue(database.dialect, value, field),
      encodeValue(database.dialect, old, field),
    ]);
    return { bound, id: encodeValue(database.dialect, id, resource.id) };
  }
}
