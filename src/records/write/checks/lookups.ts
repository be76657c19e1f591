import type { ApiError, FieldProblem } from '../../../errors.ts';
import type { Field, Resource } from '../../../model/api.ts';
import { keyFields } from '../../../model/field-types/composite-id.ts';
import type { FieldValues, NewRecord, UnplannedWrite } from '../../../query/plan.ts';
import { touchedMorphs } from '../../../query/write/morphs.ts';
import { keysOfChild } from '../../../query/write/nested-rights.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import { ApiFailure } from '../../api-failure.ts';
import { currentValues, noValues, valueIn } from '../field-values.ts';
import { prepareLinks } from '../links/changes.ts';
import { checkTarget } from './access.ts';
import {
  findConflicts,
  hiddenKeys,
  keptIn,
  missingOwners,
  type Conflict,
  type DataAccess,
  type IsKept,
  type Names,
} from './conflicts.ts';
import type { RowRights } from './row-rights.ts';

/** An `IsKept` for a record that is new: it keeps nothing. */
export const never: IsKept = () => false;

/** The values that lead to records which do not exist for the caller. */
export async function unseenValues(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  current: FieldValues,
  isKept: IsKept,
): Promise<readonly Conflict[]> {
  const valueOf = valueIn(values, current);
  const morphs = touchedMorphs(resource, values);
  return [
    ...(await missingOwners(access, morphs, valueOf, isKept, (field) => values.has(field))),
    ...(await hiddenKeys(access, resource, values, valueOf, isKept)),
  ];
}

/** What is wrong with the values of a new record that is not created, as far as other records tell. */
export async function conflictsOfNew(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
): Promise<readonly Conflict[]> {
  const unseen = await unseenValues(access, resource, values, noValues, never);
  return withOthers(access, resource, values, undefined, unseen, new Set());
}

/** Adds what the database itself would refuse; `skipped` are fields whose values are not known. */
async function withOthers(
  access: DataAccess,
  resource: Resource,
  values: FieldValues,
  id: JsonValue | undefined,
  unseen: readonly Conflict[],
  skipped: ReadonlySet<Field>,
): Promise<readonly Conflict[]> {
  const told = new Set([...unseen.map(({ field }) => field), ...skipped]);
  const others = await findConflicts(access, resource, values, id, 'foreignKey', told);
  return [...unseen, ...others.filter(({ field }) => !told.has(field))];
}

/** Conflicts under the caller's names; conflicts of hidden fields are omitted. */
export function namedProblems(
  names: Names,
  conflicts: readonly Conflict[],
  prefix: string,
): readonly FieldProblem[] {
  return conflicts.flatMap(({ field, ...problem }) => {
    const name = names.field(field);
    return name === undefined ? [] : { field: `${prefix}${name}`, ...problem };
  });
}

/** How many records of a refused write are looked up, so that a large one takes no more statements than a small one. */
const mostLookedUp = 100;

/** What a look-up needs. `isFinal`: no own code changes the values of such a record before it is written. */
interface LookUpAccess extends DataAccess {
  readonly rights: RowRights;
  readonly isFinal: (resource: Resource, kind: 'create' | 'update') => boolean;
}

/**
 * What other records say of the values of a write that validation has refused, so that all problems are reported at once.
 * Values that validation has refused are not looked up. See docs/contract/3-writing.md#references-and-unique-values, rule 4.
 */
export async function lookUpRefused(
  { resource, id, records }: UnplannedWrite,
  refused: ApiError,
  access: LookUpAccess,
): Promise<readonly FieldProblem[]> {
  const paths = (refused.problems ?? []).map(({ field }) => field);
  const lookUp = new LookUp(paths, access);
  if (id === undefined) {
    for (const record of records) await lookUp.record(resource, record);
    return lookUp.problems;
  }
  try {
    await checkTarget({ kind: 'update', resource, id }, access, access.rights);
  } catch (error) {
    // The caller is told nothing that the record itself would not tell it.
    if (error instanceof ApiFailure) return [];
    throw error;
  }
  for (const record of records) await lookUp.change(resource, id, record);
  return lookUp.problems;
}

class LookUp {
  readonly problems: FieldProblem[] = [];
  private readonly refused: ReadonlySet<string>;
  private readonly access: LookUpAccess;
  private left = mostLookedUp;

  /** `paths` are those of the values that validation has refused. */
  constructor(paths: readonly string[], access: LookUpAccess) {
    // A part of a value makes all of it one that is not known: `specs.weight`, `tags[2]`.
    this.refused = new Set(paths.flatMap((path) => [path, ...wholes(path)]));
    this.access = access;
  }

  /** Looks up a new record with the new ones that are nested in it. `given`: its keys to the record that it is nested in. */
  async record(resource: Resource, record: NewRecord, given: readonly Field[] = []): Promise<void> {
    if (this.left <= 0) return;
    this.left -= 1;
    const { parents, children } = record.nested;
    for (const parent of parents) await this.record(parent.relation.target, parent.record);
    const { access } = this;
    // The defaults of keys that follow from where records are nested are not what they get.
    const keys = [...given, ...parents.map(({ relation }) => relation.key)];
    const [values, skipped] = this.known(resource, record, keys.flatMap(keyFields));
    if (access.isFinal(resource, 'create')) {
      const unseen = await unseenValues(access, resource, values, noValues, never);
      this.add(
        await withOthers(access, resource, values, undefined, unseen, skipped),
        skipped,
        record.path,
      );
    }
    await this.links(record, values);
    for (const { relation, creates } of children)
      for (const child of creates) await this.record(relation.target, child, keysOfChild(relation));
  }

  /** Looks up the change of a record that the caller may change. */
  async change(resource: Resource, id: JsonValue, record: NewRecord): Promise<void> {
    const { access } = this;
    const [values, skipped] = this.known(resource, record);
    if (!access.isFinal(resource, 'update')) return this.links(record, values);
    const key = encodeValue(access.dialect, id, resource.id);
    const fields = [...resource.fields.values()];
    const current = await currentValues(access, resource, fields, key, false);
    if (current === undefined) return;
    const isKept = keptIn(current, access.rights);
    const unseen = await unseenValues(access, resource, values, current, isKept);
    const conflicts = await withOthers(access, resource, values, id, unseen, skipped);
    this.add(conflicts, skipped, record.path);
    await this.links(record, values);
  }

  /** The values of a record that validation has taken, and the fields of the others, `given` among them. */
  private known(
    { fields, relations }: Resource,
    { values, path }: NewRecord,
    given: readonly Field[] = [],
  ): readonly [FieldValues, ReadonlySet<Field>] {
    const skipped = new Set<Field>(given);
    const isRefused = (field: Field): boolean => {
      const name = this.access.names.field(field);
      return name !== undefined && this.refused.has(`${path}${name}`);
    };
    for (const field of fields.values()) if (isRefused(field)) skipped.add(field);
    // Of a morph pair either both halves are known or neither.
    for (const relation of relations.values())
      if (relation.kind === 'morphTo' && [relation.typeField, relation.idField].some(isRefused)) {
        skipped.add(relation.typeField);
        skipped.add(relation.idField);
      }
    return [new Map([...values].filter(([field]) => !skipped.has(field))), skipped];
  }

  private add(conflicts: readonly Conflict[], skipped: ReadonlySet<Field>, path: string): void {
    const known = conflicts.filter(
      ({ field }) => !keyFields(field).some((one) => skipped.has(one)),
    );
    this.problems.push(...namedProblems(this.access.names, known, path));
  }

  /** The links to records that do not exist. */
  private async links({ links }: NewRecord, values: FieldValues): Promise<void> {
    for (const { problems } of await prepareLinks(links, undefined, values, this.access))
      this.problems.push(...problems.refused.filter(({ field }) => !this.refused.has(field)));
  }
}

/** What a path lies in: `tags` and `tags[2]` of `tags[2].name`. */
function wholes(path: string): readonly string[] {
  return [...path.matchAll(/(?<=.)[.[]/gu)].map(({ index }) => path.slice(0, index));
}
