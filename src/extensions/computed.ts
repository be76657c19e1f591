import {
  isToMany,
  type Api,
  type BelongsTo,
  type CodeNeeds,
  type Field,
  type Has,
  type Resource,
} from '../model/api.ts';
import { unknownName } from '../model/build/names.ts';
import type { ReportMember } from './check.ts';
import type { Code, ComputedValue } from './code.ts';

/** A field that own code computes: what it is made of, and by what. */
export interface OwnField {
  readonly field: Field;
  readonly needs: CodeNeeds;
  readonly compute: ComputedValue;
}

/** Reads the computed values of own code, and reports what does not fit the fields of the file. */
export function readComputed(
  { resources = {} }: Code,
  api: Api,
  report: ReportMember,
  reportInFile: (path: readonly string[], message: string) => void,
): readonly OwnField[] {
  const read: OwnField[] = [];
  for (const resource of api.resources.values()) {
    const code = Object.hasOwn(resources, resource.name) ? resources[resource.name] : undefined;
    const computed: Readonly<Record<string, unknown>> = code?.computed ?? {};
    const own = [...resource.computed.values()].filter((one) => one.computed?.kind === 'code');
    for (const { name } of own)
      if (!Object.hasOwn(computed, name))
        reportInFile(
          ['resources', resource.name, 'fields', name, 'computed'],
          `no function computes it; add \`computed: { ${name}: { needs: […], value: (record) => … } }\` to ${resource.name} in the module of \`code\``,
        );
    for (const [name, given] of Object.entries(computed)) {
      const tell: ReportMember = (path, message, severity) =>
        report(['resources', resource.name, 'computed', name, ...path], message, severity);
      const field = own.find((one) => one.name === name);
      if (field === undefined) {
        const isThere = resource.fields.has(name) || resource.computed.has(name);
        tell(
          [],
          isThere
            ? `${name} is no such field: give it \`computed: true\` in the file`
            : `${unknownName(
                'field',
                name,
                own.map((one) => one.name),
              )}${own.length === 0 ? `; add \`${name}: { type: string, computed: true }\` to the file` : ''}`,
        );
        continue;
      }
      const compute = checkedValue(given, tell);
      if (compute === undefined) continue;
      read.push({ field, needs: needsOf(compute.needs, resource, tell), compute });
    }
  }
  return read;
}

const members = ['needs', 'value', 'values'];

function checkedValue(given: unknown, report: ReportMember): ComputedValue | undefined {
  if (typeof given !== 'object' || given === null) {
    report([], 'must be an object with `needs`, and `value` or `values`');
    return undefined;
  }
  for (const name of Object.keys(given))
    if (!members.includes(name)) report([name], unknownName('member', name, members));
  const { needs, value, values } = given as Readonly<Record<string, unknown>>;
  if (!Array.isArray(needs) || needs.some((need) => typeof need !== 'string')) {
    report(['needs'], 'must be a list of fields, and of paths such as customer.name');
    return undefined;
  }
  if ((value === undefined) === (values === undefined)) {
    report([], 'takes one of `value` and `values`');
    return undefined;
  }
  const name = value === undefined ? 'values' : 'value';
  const compute = value ?? values;
  if (typeof compute !== 'function') {
    report([name], 'must be a function');
    return undefined;
  }
  if (compute.length > 2)
    report([name], `takes (${value === undefined ? 'records' : 'record'}, context), and no more`);
  return given as ComputedValue;
}

interface DraftNeeds extends CodeNeeds {
  readonly fields: Set<Field>;
  readonly relations: Map<BelongsTo | Has, DraftNeeds>;
}

function needsOf(names: readonly string[], resource: Resource, report: ReportMember): CodeNeeds {
  const needs: DraftNeeds = { fields: new Set(), relations: new Map() };
  for (const name of names) {
    const problem = addNeed(needs, name.split('.'), resource);
    if (problem !== undefined)
      report(['needs'], name.includes('.') ? `${name}: ${problem}` : problem);
  }
  return needs;
}

/** Adds a path; returns what is wrong with it. */
function addNeed(
  needs: DraftNeeds,
  [first = '', ...rest]: readonly string[],
  resource: Resource,
): string | undefined {
  if (rest.length === 0) {
    const field = resource.fields.get(first);
    if (field === undefined || field.parts !== undefined) return lackingField(first, resource);
    needs.fields.add(field);
    return undefined;
  }
  const relation = resource.relations.get(first);
  if (relation === undefined) return unknownName('relation', first, resource.relations.keys());
  if (isToMany(relation) || relation.kind === 'morphTo')
    return `${first} does not lead to one record of one resource; read it with \`db\``;
  const below = needs.relations.get(relation) ?? {
    fields: new Set<Field>(),
    relations: new Map<BelongsTo | Has, DraftNeeds>(),
  };
  needs.relations.set(relation, below);
  return addNeed(below, rest, relation.target);
}

function lackingField(name: string, { computed, relations, fields }: Resource): string {
  if (computed.has(name)) return `${name} is computed itself; name fields that are stored`;
  if (relations.has(name)) return `${name} is a relation; name a field of it, such as ${name}.id`;
  return unknownName('field', name, fields.keys());
}
