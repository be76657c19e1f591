import { useState } from 'react';
import type {
  FieldInfo,
  RelationInfo,
  ResourceInfo,
} from '../../../../src/http/dashboard/wire-model.ts';
import { mount } from '../../mount.ts';
import type { ApiRecord } from '../record/draft.ts';

/** A column of the grid: a field, an expanded relation, or what else the records have. */
export interface Column {
  readonly name: string;
  readonly field: FieldInfo | undefined;
  /** Present: the value is what was expanded, or the id of a pair. */
  readonly relation: RelationInfo | undefined;
  readonly isNumeric: boolean;
  readonly width: number;
  /** How wide it may become if the grid has room left; its own width if a person has set that. */
  readonly mostWidth: number;
  readonly isPinned: boolean;
}

/** How a person has arranged the columns of a resource. */
export interface Arrangement {
  readonly widths: Readonly<Record<string, number>>;
  readonly hidden: readonly string[];
  readonly pinned: readonly string[];
}

const usual: Arrangement = { widths: {}, hidden: [], pinned: [] };

const numeric: ReadonlySet<string> = new Set(['integer', 'number', 'decimal', 'id']);

/** Whether values stand on the right: numbers do, keys do not. */
function isNumericField({ type, reference, constraints }: FieldInfo): boolean {
  return numeric.has(type) && reference === undefined && constraints['format'] !== 'uuid';
}

/** In px, by type. */
const widths: Readonly<Record<string, number>> = {
  integer: 110,
  number: 110,
  decimal: 110,
  boolean: 90,
  date: 120,
  time: 100,
  datetime: 180,
  enum: 120,
  uuid: 290,
  text: 260,
  json: 240,
  object: 240,
  array: 200,
};

const [usualWidth, narrowest, widest] = [190, 56, 1200];
/** What texts and keys are widened to at most if there is room left, in px. */
const [widestText, widestKey] = [480, 320];

function usualWidthOf(field: FieldInfo | undefined): number {
  if (field === undefined) return 220;
  if (field.name === 'id') return field.type === 'integer' || field.type === 'id' ? 84 : 220;
  if (field.reference !== undefined) return 200;
  if (field.values !== null) return 130;
  return widths[field.type] ?? usualWidth;
}

/** Texts and keys can be longer than their column; of all else there is no more to be seen. */
function mostWidthOf(field: FieldInfo | undefined, width: number): number {
  if (field === undefined) return Math.max(width, widestText);
  if (field.name === 'id' || field.values !== null) return width;
  if (field.reference !== undefined) return Math.max(width, widestKey);
  return numeric.has(field.type) || /^(?:boolean|date|time|datetime|uuid)$/u.test(field.type)
    ? width
    : Math.max(width, widestText);
}

/** The names of all columns, in the order of the file; the id first. */
export function columnNames(
  resource: ResourceInfo,
  expand: readonly string[],
  records: readonly ApiRecord[],
  isSelected: boolean,
): readonly string[] {
  const expanded = new Set(expand.map((path) => path.split('.')[0] ?? path));
  const known = [
    'id',
    ...resource.fields.filter(({ isReadable }) => isReadable).map(({ name }) => name),
    ...resource.relations.map(({ name }) => name).filter((name) => expanded.has(name)),
  ];
  const found = new Set(records.flatMap((record) => Object.keys(record)));
  found.delete('_pagination');
  const shown = isSelected && found.size > 0 ? known.filter((name) => found.has(name)) : known;
  return [...new Set([...shown, ...found])];
}

/** The columns that are shown, pinned ones first. */
export function columnsOf(
  names: readonly string[],
  resource: ResourceInfo,
  { widths: own, hidden, pinned }: Arrangement,
): readonly Column[] {
  const fields = new Map(resource.fields.map((field) => [field.name, field]));
  const relations = new Map(
    resource.relations.flatMap((relation) => {
      const { name, pair } = relation;
      return pair === undefined
        ? [[name, relation] as const]
        : [[name, relation] as const, [pair.id, relation] as const];
    }),
  );
  const columns = names
    .filter((name) => name === 'id' || !hidden.includes(name))
    .map((name) => {
      const field = fields.get(name);
      // Wide enough for the name beside the button of its menu and the sign of its order.
      const width = Math.max(usualWidthOf(field), Math.min(240, 62 + 7 * name.length));
      const set = own[name];
      return {
        name,
        field,
        relation: relations.get(name),
        isNumeric: field !== undefined && isNumericField(field) && !relations.has(name),
        width: set ?? width,
        mostWidth: set ?? mostWidthOf(field, width),
        isPinned: name === 'id' || pinned.includes(name),
      };
    });
  return [...columns.filter((one) => one.isPinned), ...columns.filter((one) => !one.isPinned)];
}

/** The columns with the room that they leave free shared out among those that may become wider. */
export function filling(columns: readonly Column[], room: number): readonly Column[] {
  const wide = columns.map(({ width }) => width);
  let free = room - wide.reduce((sum, width) => sum + width, 0);
  for (;;) {
    const open = columns.flatMap(({ mostWidth }, at) => ((wide[at] ?? 0) < mostWidth ? [at] : []));
    const share = Math.floor(free / open.length);
    if (open.length === 0 || share < 1) break;
    for (const at of open) {
      const before = wide[at] ?? 0;
      const after = Math.min(before + share, columns[at]?.mostWidth ?? before);
      wide[at] = after;
      free -= after - before;
    }
  }
  return columns.map((column, at) => ({ ...column, width: wide[at] ?? column.width }));
}

/** A width that a column can have. */
export function boundedWidth(width: number): number {
  return Math.round(Math.min(widest, Math.max(narrowest, width)));
}

/** The arrangement of a resource, which this browser remembers. */
export function useArrangement(
  api: string,
  resource: string,
): readonly [Arrangement, (change: Partial<Arrangement>) => void] {
  const key = `plinth-columns ${mount} ${api} ${resource}`;
  const [arrangement, setArrangement] = useState(() => remembered(key));
  const change = (next: Partial<Arrangement>): void =>
    setArrangement((before) => {
      const all = { ...before, ...next };
      localStorage.setItem(key, JSON.stringify(all));
      return all;
    });
  return [arrangement, change];
}

function remembered(key: string): Arrangement {
  try {
    const known = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Arrangement>;
    return { ...usual, ...known };
  } catch {
    return usual;
  }
}
