import { isDeepStrictEqual } from 'node:util';
import { ConstraintError, type Database, type Transaction } from '../../databases/database.ts';
import { portionsOf } from '../../records/read/portions.ts';
import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Field, Resource } from '../../model/api.ts';
import type { JsonValue } from '../../specification/specification.ts';
import { TimeSlice } from '../../lib/event-loop.ts';
import { encodeValue, quote, quoteTable, type Dialect } from '../../sql/dialect.ts';
import { buildStatement, type Statement } from '../../sql/statement.ts';
import type { Generator } from '../generator.ts';
import { rowOfId } from '../ids.ts';
import { morphsOf } from '../distinct/dimensions.ts';
import { unlessProblem } from '../problem.ts';
import { sameField } from './recipe.ts';
import { MissingValues, type StoredValue, type ValueOf } from './missing-values.ts';

/** Fields by their resources. */
export type FieldsOf = ReadonlyMap<Resource, readonly Field[]>;

/** The generator by which the stored values of a field were made; undefined if none was. */
export type FormerGenerator = (field: Field) => Generator | undefined;

/** What the records of a resource were given. */
export interface Renewed {
  /** The names of the fields that got values. */
  readonly fields: ReadonlySet<string>;
  /** The number of generated records that got values. */
  readonly generated: number;
  /** The number of written records that got values, for fields that may not be null. */
  readonly written: number;
}

/** The number of rows in which a change that the definitions do not show is looked for. */
const sampledRows = 25;

/**
 * The resources in which a field may have other values by `generator` than by the generator that made them: its
 * definition differs, or a value of the first rows does. Keys never follow, and nothing does if the seeds differ, since
 * ids follow from the seed.
 */
export function changedResources(
  generator: Generator,
  formerOf: FormerGenerator,
): readonly Resource[] {
  const numbers = Array.from({ length: sampledRows }, (_, index) => index + 1);
  return [...generator.resources].filter((resource) =>
    unlessProblem(() => {
      generator.countOf(resource);
      const fields = plainFields(resource).filter(
        (field) => formerOf(field)?.settings.seed === generator.settings.seed,
      );
      // A changed bound may show in a late row only.
      const isRedefined = fields.some((field) => {
        const former = sameField(field, formerOf(field)?.resources ?? []);
        return former !== undefined && !isDeepStrictEqual(former.attributes, field.attributes);
      });
      if (isRedefined) return true;
      const [now, before] = [rowsBy(resource, () => generator), rowsBy(resource, formerOf)];
      return numbers.some((number) => {
        const [valueNow, valueBefore] = [now(number), before(number)];
        return fields.some((field) => {
          const value = valueBefore(field);
          return value !== undefined && !isDeepStrictEqual(value, valueNow(field));
        });
      });
    }),
  );
}

/** The ids of the records whose value of a field is neither null nor the generated one. */
export async function writtenValues(
  generator: Generator,
  database: Database,
  field: Field,
): Promise<readonly JsonValue[]> {
  const { resource } = field;
  const rows = rowsBy(resource, () => generator);
  const written: JsonValue[] = [];
  for await (const portion of portionsOf(resource, [resource.id, field], database))
    for (const [id = null, value = null] of portion) {
      if (value === null) continue;
      const number = rowOfId(resource, id, generator.settings.seed);
      const isGenerated = number !== undefined && isDeepStrictEqual(value, rows(number)(field));
      if (!isGenerated) written.push(id);
    }
  return written;
}

/**
 * Whether a generator gives values for a field, as its first rows show. Otherwise the stored ones stay, and their recipe
 * with them.
 */
export function isGiven(generator: Generator, field: Field): boolean {
  const rows = rowsBy(field.resource, () => generator);
  return (
    unlessProblem(() => generator.countOf(field.resource)) !== undefined &&
    [1, 2, 3].every((number) => rows(number)(field) !== undefined)
  );
}

/** What renewing needs to know. */
export interface Renewing {
  readonly generator: Generator;
  readonly formerOf: FormerGenerator;
  readonly dialect: Dialect;
  /** The resources to look at, with the fields of each that have no values yet. */
  readonly resources: FieldsOf;
  /** Ends the work with its reason as error. */
  readonly signal: AbortSignal;
}

/**
 * Gives generated records the values that `generator` has for them. A stored value counts as generated if it is the one
 * of `formerOf`; a record counts as generated if more than half of its values do. In such records generated values are
 * replaced, and fields without values that are null get one. Other records get values only for fields that may not be
 * null, and only if most records of the resource are generated.
 *
 * A key or pair to a record that is gone is left out, or leads to another record if it may not be null. A value that the
 * database refuses is left out.
 */
export async function renewRecords(
  renewing: Renewing,
  transaction: Transaction,
): Promise<ReadonlyMap<Resource, Renewed>> {
  const renewed = new Map<Resource, Renewed>();
  for (const [resource, missing] of renewing.resources)
    renewed.set(resource, await new Renewal(renewing, transaction, resource, missing).run());
  return renewed;
}

/** Gives the values of a row by its number, those of each field by its own generator. */
function rowsBy(resource: Resource, generatorOf: FormerGenerator): (number: number) => ValueOf {
  const makers = new Map<Generator, ReturnType<typeof rowsOf>>();
  const generators = new Map<string, Generator>();
  for (const field of resource.fields.values()) {
    const generator = generatorOf(field);
    if (generator === undefined) continue;
    generators.set(field.column, generator);
    getOrInsert(makers, generator, () => rowsOf(resource, generator));
  }
  return (number) => {
    const rows = new Map([...makers].map(([generator, row]) => [generator, row(number)]));
    return (field) => {
      const generator = generators.get(field.column);
      return generator && rows.get(generator)?.(field);
    };
  };
}

/** Gives the values of a row by its number. Resources and fields are matched by table and column, as names may change. */
function rowsOf({ table }: Resource, generator: Generator): (number: number) => ValueOf {
  const resource = [...generator.resources].find((one) => one.table === table);
  if (resource === undefined) return () => () => undefined;
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

/** The fields that are no id, no key and no part of a morph pair. */
function plainFields(resource: Resource): readonly Field[] {
  const pairs = new Set(
    morphsOf(resource).flatMap(({ typeField, idField }) => [typeField, idField]),
  );
  return [...resource.fields.values()].filter(
    (field) => field !== resource.id && field.reference === undefined && !pairs.has(field),
  );
}

/** Whether a stored value is the generated one, or what a migration to another type has made of that. */
function isSameValue(
  stored: JsonValue,
  generated: JsonValue | undefined,
  { type }: Field,
): boolean {
  if (isDeepStrictEqual(stored, generated)) return true;
  if (stored === null || typeof stored === 'object') return false;
  if (generated === null || generated === undefined || typeof generated === 'object') return false;
  // `3` becomes `"3.00"` as a decimal, and `true` becomes 1.
  const isNumber = type.number !== undefined && generated !== '';
  return String(stored) === String(generated) || (isNumber && Number(stored) === Number(generated));
}

/** The values that a record gets. */
interface Update {
  readonly values: ReadonlyMap<Field, JsonValue>;
  /** What the record had when it was read. */
  readonly stored: StoredValue;
}

/** Renews the records of one resource. */
class Renewal {
  private readonly renewing: Renewing;
  private readonly transaction: Transaction;
  private readonly resource: Resource;
  private readonly missing: readonly Field[];
  private readonly plain: readonly Field[];
  private readonly missingValues: MissingValues;
  private readonly statements = new Map<string, Statement>();
  private readonly names = new Set<string>();
  private readonly slice = new TimeSlice();

  constructor(
    renewing: Renewing,
    transaction: Transaction,
    resource: Resource,
    missing: readonly Field[],
  ) {
    this.renewing = renewing;
    this.transaction = transaction;
    this.resource = resource;
    this.missing = missing;
    this.missingValues = new MissingValues(resource, missing);
    this.plain = plainFields(resource);
  }

  async run(): Promise<Renewed> {
    const { resource, missing, transaction } = this;
    const { generator, formerOf, dialect, signal } = this.renewing;
    await this.missingValues.read(transaction, dialect);
    const fields = [...resource.fields.values()];
    const [now, before] = [rowsBy(resource, () => generator), rowsBy(resource, formerOf)];
    const required = missing.filter(({ nullable }) => !nullable);
    const count = generator.countOf(resource);
    const [refused, ofWritten]: [Update[], Update[]] = [[], []];
    const counts = { generated: 0, written: 0, updated: 0 };
    let further = count;
    for await (const rows of portionsOf(resource, fields, { all: transaction.all, dialect })) {
      signal.throwIfAborted();
      for (const row of rows) {
        const stored: StoredValue = (field) => row[fields.indexOf(field)] ?? null;
        const ownNumber = rowOfId(resource, stored(resource.id), generator.settings.seed);
        const number = ownNumber ?? (further += 1);
        const [valueNow, valueBefore] = [now(number), before(number)];
        const isGenerated =
          ownNumber !== undefined &&
          this.isGenerated(stored, [valueBefore, valueNow], number > count);
        counts[isGenerated ? 'generated' : 'written'] += 1;
        const wanted = isGenerated ? missing : required;
        const values = this.missingValues.of(number, stored, valueNow, wanted);
        if (isGenerated)
          for (const field of this.plain) {
            const [old, value] = [stored(field), valueNow(field)];
            if (value === undefined || values.has(field) || isDeepStrictEqual(old, value)) continue;
            if (isSameValue(old, valueBefore(field), field)) values.set(field, value);
          }
        const update = { values, stored };
        if (values.size > 0) {
          if (!isGenerated) ofWritten.push(update);
          else if (await this.isWritten(update)) counts.updated += 1;
          else refused.push(update);
        }
        if (this.slice.isOver) await this.slice.yield();
      }
    }
    const generated = counts.updated + (await this.writeAll(refused));
    const written = counts.generated > counts.written ? await this.writeAll(ofWritten) : 0;
    return { fields: this.names, generated, written };
  }

  /**
   * Whether more than half of a record's values are those of one of `made`. Beyond the last generated row, where written
   * records usually are, all of them have to be.
   */
  private isGenerated(
    stored: StoredValue,
    made: readonly ValueOf[],
    isBeyondLast: boolean,
  ): boolean {
    const { resource, missing } = this;
    const known = [...resource.fields.values()].filter(
      (field) =>
        field !== resource.id &&
        !missing.includes(field) &&
        made.some((valueOf) => valueOf(field) !== undefined),
    );
    // Records that were there before a field with a default have that default.
    const telling = known.filter((field) => field.default === undefined);
    const judged = telling.length > 0 ? telling : known;
    const same = judged.filter((field) =>
      made.some((valueOf) => isSameValue(stored(field), valueOf(field), field)),
    );
    if (isBeyondLast || judged.length === 0) return same.length === judged.length;
    return same.length * 2 > judged.length;
  }

  /** Writes what the database takes; gives how many. A value may be free once another record has got its own. */
  private async writeAll(updates: readonly Update[]): Promise<number> {
    let left = updates;
    for (let before = Infinity; left.length > 0 && left.length < before;) {
      before = left.length;
      const refused: Update[] = [];
      for (const update of left) if (!(await this.isWritten(update))) refused.push(update);
      left = refused;
    }
    return updates.length - left.length;
  }

  /** Writes the values of a record, unless the database refuses one. A field that somebody has written meanwhile stays. */
  private async isWritten({ values, stored }: Update): Promise<boolean> {
    const { id } = this.resource;
    const { dialect } = this.renewing;
    const bound = [...values].flatMap(([field, value]) => [
      encodeValue(dialect, stored(field), field),
      encodeValue(dialect, value, field),
    ]);
    try {
      const statement = this.statement([...values.keys()]);
      await this.transaction.run(statement, { bound, id: encodeValue(dialect, stored(id), id) });
    } catch (error) {
      if (error instanceof ConstraintError) return false;
      throw error;
    }
    for (const { name } of values.keys()) this.names.add(name);
    return true;
  }

  private statement(fields: readonly Field[]): Statement {
    const { table, id } = this.resource;
    const key = JSON.stringify(fields.map(({ name }) => name));
    return getOrInsert(this.statements, key, () =>
      buildStatement(this.renewing.dialect, (add) => {
        const sets = fields.map((field, index) => {
          const name = quote(field.column);
          const held = (at: number): string => this.renewing.dialect.assigned(add(at), field);
          return `${name} = CASE WHEN ${name} IS NOT DISTINCT FROM ${held(2 * index)} THEN ${held(2 * index + 1)} ELSE ${name} END`;
        });
        const isNamed = this.renewing.dialect.compare(quote(id.column), 'eq', add('id'), id);
        return `UPDATE ${quoteTable(table)} SET ${sets.join(', ')} WHERE ${isNamed}`;
      }),
    );
  }
}
