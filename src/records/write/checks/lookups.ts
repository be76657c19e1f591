import type { FieldProblem } from '../../../errors.ts';
import type { Field, Resource } from '../../../model/api.ts';
import { keyFields } from '../../../model/field-types/composite-id.ts';
import type { ValueIssue } from '../../../model/values.ts';
import type {
  ChildWrites,
  FieldValues,
  NewRecord,
  PlannedChange,
  UnplannedWrite,
  UpdatePlan,
  Upsert,
} from '../../../query/plan.ts';
import { touchedMorphs } from '../../../query/write/morphs.ts';
import { keysOfChild } from '../../../query/write/nested-rights.ts';
import type { JsonValue } from '../../../specification/specification.ts';
import { encodeValue } from '../../../sql/dialect.ts';
import { ApiFailure } from '../../api-failure.ts';
import { currentValues, inOrder, noValues, valueIn } from '../field-values.ts';
import { prepareLinks } from '../links/changes.ts';
import { checkTarget } from './access.ts';
import {
  findConflicts,
  hiddenKeys,
  keptIn,
  missingOwners,
  namedProblems,
  type Conflict,
  type DataAccess,
  type IsKept,
} from './conflicts.ts';
import { misfits, revisedValues } from './current-record.ts';
import { findExisting } from './existing.ts';
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

/** How many records of a refused write are looked up, so that a large one takes no more statements than a small one. */
const mostLookedUp = 100;

/** What a look-up needs. `isFinal`: no own code changes the values of such a record before it is written. */
interface LookUpAccess extends DataAccess {
  readonly rights: RowRights;
  readonly isFinal: (resource: Resource, kind: 'create' | 'update') => boolean;
}

/**
 * What the record to change and other records say of the values of a write that validation has refused, so that all problems are
 * reported at once. Values that validation has refused are not looked up. See
 * docs/contract/3-writing.md#references-and-unique-values, rule 4. `matched` are the records that a change of many is about.
 */
export async function lookUpRefused(
  write: UnplannedWrite,
  matched: readonly JsonValue[],
  access: LookUpAccess,
): Promise<readonly ValueIssue[]> {
  const lookUp = new LookUp(write.issues, access);
  const { resource } = write;
  if (write.kind === 'create')
    for (const [index, record] of write.records.entries())
      await (write.upsert === undefined
        ? lookUp.record(resource, record)
        : lookUp.either(resource, record, write.upsert, index));
  else if (write.id === undefined) await lookUp.changeOfMany(matched, write.change);
  else await lookUp.change(write.id, write.change);
  return lookUp.issues;
}

/** What is still to be said of a change whose record, or one that it comes to point to, is refused. */
export async function lookUpChange(
  { id, nested, ...change }: UpdatePlan,
  refused: readonly ValueIssue[],
  access: Omit<LookUpAccess, 'isFinal'>,
): Promise<readonly ValueIssue[]> {
  const lookUp = new LookUp(refused, { ...access, isFinal: () => true });
  // What it comes to point to has been created.
  await lookUp.change(id, { ...change, nested: { ...nested, parents: [] } });
  return lookUp.issues;
}

class LookUp {
  readonly issues: ValueIssue[] = [];
  private readonly refused: ReadonlySet<string>;
  private readonly access: LookUpAccess;
  private left = mostLookedUp;

  constructor(refused: readonly ValueIssue[], access: LookUpAccess) {
    // A part of a value makes all of it one that is not known: `specs.weight`, `tags[2]`.
    this.refused = new Set(refused.flatMap(({ path }) => [path, ...wholes(path)]));
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
    await this.children(children);
  }

  /** Looks up a record of an upsert as what it is: a new one, or the change of one that exists. */
  async either(
    resource: Resource,
    record: NewRecord,
    { key, changes }: Upsert,
    index: number,
  ): Promise<void> {
    const [values, skipped] = this.known(resource, record);
    if (key.some((field) => skipped.has(field))) return;
    const { rights } = this.access;
    const id = await findExisting(key, values, this.access, rights);
    if (id === undefined) return this.record(resource, record);
    const change = changes[index];
    if (change !== undefined) await this.change(id, change);
  }

  /** Looks up the change of a record with what is nested in it, unless the caller may not change the record. */
  async change(id: JsonValue, change: PlannedChange): Promise<void> {
    if (this.left <= 0) return;
    this.left -= 1;
    const { access } = this;
    const { resource, path, nested } = change;
    if (!(await this.mayChange(resource, id))) return;
    for (const parent of nested.parents) await this.record(parent.relation.target, parent.record);
    const [values, skipped] = this.known(resource, change);
    if (access.isFinal(resource, 'update')) {
      const key = encodeValue(access.dialect, id, resource.id);
      const fields = [...resource.fields.values()];
      const current = await currentValues(access, resource, fields, key, false);
      if (current === undefined) return;
      const all = this.revised({ ...change, values }, current, skipped);
      const isKept = keptIn(current, access.rights);
      const unseen = await unseenValues(access, resource, all, current, isKept);
      const conflicts = await withOthers(access, resource, all, id, unseen, skipped);
      this.add(conflicts, skipped, path);
    }
    await this.links(change, values);
    await this.children(nested.children);
  }

  /** Looks up a change of many, unless the caller may not change one of them. A problem is reported once. */
  async changeOfMany(ids: readonly JsonValue[], change: PlannedChange): Promise<void> {
    const some = ids.slice(0, mostLookedUp);
    for (const id of some) if (!(await this.mayChange(change.resource, id))) return;
    const told = new Set<string>();
    for (const id of some) {
      await this.change(id, change);
      for (const issue of this.issues.splice(told.size)) {
        const key = `${issue.rule} ${issue.path}`;
        if (!told.has(key)) this.issues.push(issue);
        told.add(key);
      }
    }
  }

  /** The caller is told nothing that the record itself would not tell it. */
  private async mayChange(resource: Resource, id: JsonValue): Promise<boolean> {
    try {
      await checkTarget({ kind: 'update', resource, id }, this.access, this.access.rights);
      return true;
    } catch (error) {
      if (error instanceof ApiFailure) return false;
      throw error;
    }
  }

  /** The values of a change with those that it makes from the current ones. Reports what does not fit the record. */
  private revised(
    change: Pick<PlannedChange, 'resource' | 'path' | 'values' | 'unchanged' | 'revised'>,
    current: FieldValues,
    skipped: ReadonlySet<Field>,
  ): FieldValues {
    const { names } = this.access;
    const { resource, path, values } = change;
    const known = {
      resource,
      values,
      unchanged: new Map([...change.unchanged].filter(([field]) => !skipped.has(field))),
      revised: new Map([...change.revised].filter(([field]) => !skipped.has(field))),
    };
    const issues = [...misfits(known, current, names)];
    const revised = revisedValues(known, current, names, Infinity, issues);
    for (const issue of issues) this.issues.push({ ...issue, path: `${path}${issue.path}` });
    return inOrder(resource, values, revised);
  }

  private async children(children: readonly ChildWrites[]): Promise<void> {
    for (const { relation, creates, updates } of children) {
      for (const { id, change } of updates) if (id !== undefined) await this.change(id, change);
      const given = keysOfChild(relation);
      for (const child of creates) await this.record(relation.target, child, given);
    }
  }

  /** The values of a record that validation has taken, and the fields of the others, `given` among them. */
  private known(
    { fields, relations }: Resource,
    { values, path }: Pick<NewRecord, 'values' | 'path'>,
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
    this.report(namedProblems(this.access.names, known, path));
  }

  /** The links to records that do not exist. */
  private async links({ links }: Pick<NewRecord, 'links'>, values: FieldValues): Promise<void> {
    for (const { problems } of await prepareLinks(links, undefined, values, this.access))
      this.report(problems.refused.filter(({ field }) => !this.refused.has(field)));
  }

  private report(problems: readonly FieldProblem[]): void {
    for (const { field, ...problem } of problems)
      this.issues.push({ kind: 'value', path: field, ...problem });
  }
}

/** What a path lies in: `tags` and `tags[2]` of `tags[2].name`. */
function wholes(path: string): readonly string[] {
  return [...path.matchAll(/(?<=.)[.[]/gu)].map(({ index }) => path.slice(0, index));
}
