import type { ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';

/** How many records there are at an end of a relation. */
export type Cardinality = '1' | '0..1' | 'n';

/** A line of the diagram. */
export interface SchemaEdge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** The field of the source that holds the key; undefined if the line begins at the resource. */
  readonly field: string | undefined;
  /** The field of the target that it refers to. */
  readonly targetField: string | undefined;
  /** The key, or the name of the relation. */
  readonly label: string;
  readonly atSource: Cardinality;
  readonly atTarget: Cardinality;
  readonly kind: 'key' | 'many' | 'morph';
}

/** The keys of all resources, and the relations that are behind no single key. */
export function edgesOf(resources: readonly ResourceInfo[]): readonly SchemaEdge[] {
  const names = new Set(resources.map(({ name }) => name));
  const edges = new Map<string, SchemaEdge>();
  const add = (edge: Omit<SchemaEdge, 'id'>): void => {
    const id = `${edge.source} ${edge.target} ${edge.label}`;
    if (names.has(edge.target)) edges.set(id, { ...edge, id });
  };
  for (const { name, fields, relations } of resources) {
    for (const { name: field, reference, isUnique, isNullable } of fields)
      if (reference !== undefined)
        add({
          source: name,
          target: reference.resource,
          field,
          targetField: reference.field,
          label: field,
          atSource: isUnique ? '0..1' : 'n',
          atTarget: isNullable ? '0..1' : '1',
          kind: 'key',
        });
    for (const { name: relation, kind, targets, foundBy = [], pair } of relations)
      for (const target of targets) {
        const common = { source: name, target, field: undefined, targetField: undefined } as const;
        if (kind === 'morphTo')
          add({
            ...common,
            field: pair?.id,
            label: relation,
            atSource: 'n',
            atTarget: '1',
            kind: 'morph',
          });
        else if (kind === 'belongsTo' && foundBy.length > 1) {
          const keys = foundBy.map((one) => ('field' in one ? one.field : one.path)).join(', ');
          add({ ...common, label: keys, atSource: 'n', atTarget: '1', kind: 'key' });
        } else if (kind === 'belongsToMany' && !edges.has(`${target} ${name} ${manyLabel}`))
          add({ ...common, label: manyLabel, atSource: 'n', atTarget: 'n', kind: 'many' });
      }
  }
  const all = [...edges.values()];
  // The keys of the resource between them say it already.
  return all.filter(
    ({ kind, source, target }) => kind !== 'many' || !isJoined(all, resources, source, target),
  );
}

/** Whether another resource has keys to both. */
function isJoined(
  edges: readonly SchemaEdge[],
  resources: readonly ResourceInfo[],
  one: string,
  other: string,
): boolean {
  const hasKey = (name: string, target: string): boolean =>
    edges.some((edge) => edge.kind === 'key' && edge.source === name && edge.target === target);
  return resources.some(({ name }) => hasKey(name, one) && hasKey(name, other));
}

const manyLabel = 'many to many';

/** The resources at the other ends of the lines of one. */
export function neighboursOf(edges: readonly SchemaEdge[], name: string): ReadonlySet<string> {
  return new Set(
    edges.flatMap(({ source, target }) =>
      source === name ? [target] : target === name ? [source] : [],
    ),
  );
}

/** The fields by which records know each other: the id and the keys to others. */
export function keysOf({ fields }: ResourceInfo): ResourceInfo['fields'] {
  return fields.filter(
    ({ name, type, reference }) => type === 'id' || name === 'id' || reference !== undefined,
  );
}
