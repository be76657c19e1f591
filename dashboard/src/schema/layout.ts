import { Graph, layout as layered } from '@dagrejs/dagre';
import type { ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { boxWidth, heightOf, shownFields, type Place } from './geometry.ts';
import type { SchemaEdge } from './relations.ts';

const gap = 40;
const layerGap = 110;
/** So many layers stand beside each other whatever is below. */
const fewLayers = 6;
/** How wide the whole is for its height, about as a screen. */
const aspect = 1.7;

interface Part {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
}

/**
 * Where the boxes stand: resources that are connected are laid out in layers, what others point to left of them, and the
 * parts without a connection stand in rows.
 */
export function layout(
  resources: readonly ResourceInfo[],
  edges: readonly SchemaEdge[],
  isBrief: boolean,
): ReadonlyMap<string, Place> {
  const parts = connected(resources, edges).map((names) =>
    partOf(
      resources.filter(({ name }) => names.has(name)),
      edges.filter(({ source }) => names.has(source)),
      isBrief,
    ),
  );
  return packed(parts.toSorted((a, b) => b.height - a.height));
}

/** The names of resources that are connected, by part. */
function connected(
  resources: readonly ResourceInfo[],
  edges: readonly SchemaEdge[],
): readonly ReadonlySet<string>[] {
  const partOf = new Map(resources.map(({ name }) => [name, new Set([name])]));
  for (const { source, target } of edges) {
    const [one, other] = [partOf.get(source), partOf.get(target)];
    if (one === undefined || other === undefined || one === other) continue;
    for (const name of other) {
      one.add(name);
      partOf.set(name, one);
    }
  }
  return [...new Set(partOf.values())];
}

function partOf(
  resources: readonly ResourceInfo[],
  edges: readonly SchemaEdge[],
  isBrief: boolean,
): Part {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'RL', nodesep: gap, ranksep: layerGap, marginx: 0, marginy: 0 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const resource of resources) {
    const height = heightOf({ resource, shown: shownFields(resource, isBrief) });
    graph.setNode(resource.name, { width: boxWidth, height });
  }
  for (const { id, source, target } of edges)
    if (source !== target) graph.setEdge(source, target, {}, id);
  layered(graph);
  return folded(
    resources.map(({ name }) => {
      const node = graph.node(name) as Partial<Record<'x' | 'y' | 'height', number>>;
      const { x = 0, y = 0, height = 0 } = node;
      return { name, x: x - boxWidth / 2, y: y - height / 2, height };
    }),
  );
}

interface Placed extends Place {
  readonly name: string;
  readonly height: number;
}

/** A part with its layers; a long chain of layers goes on below, so that it is about as wide as a screen. */
function folded(boxes: readonly Placed[]): Part {
  const layers = [...Map.groupBy(boxes, ({ x }) => Math.round(x))].toSorted(([a], [b]) => a - b);
  const step = boxWidth + layerGap;
  const tallest = spanOf(boxes).height;
  const most = Math.max(
    fewLayers,
    Math.ceil(Math.sqrt((layers.length * (tallest + 2 * gap) * aspect) / step)),
  );
  const places = new Map<string, Place>();
  let [top, width] = [0, 0];
  for (let begin = 0; begin < layers.length; begin += most) {
    const band = layers.slice(begin, begin + most);
    const span = spanOf(band.flatMap(([, own]) => own));
    for (const [index, [, own]] of band.entries())
      for (const { name, y } of own) places.set(name, { x: index * step, y: top + y - span.top });
    width = Math.max(width, band.length * step - layerGap);
    top += span.height + 2 * gap;
  }
  return { width, height: top - 2 * gap, places };
}

function spanOf(boxes: readonly Placed[]): { readonly top: number; readonly height: number } {
  const top = Math.min(...boxes.map(({ y }) => y));
  return { top, height: Math.max(...boxes.map(({ y, height }) => y + height)) - top };
}

/** Puts parts into rows that are about as wide as the widest, or as a screen is for all of them. */
function packed(parts: readonly Part[]): ReadonlyMap<string, Place> {
  const area = parts.reduce(
    (sum, { width, height }) => sum + (width + 2 * gap) * (height + 2 * gap),
    0,
  );
  const widest = Math.max(...parts.map(({ width }) => width), Math.sqrt(area * aspect));
  const places = new Map<string, Place>();
  let [x, y, rowHeight] = [0, 0, 0];
  for (const part of parts) {
    if (x > 0 && x + part.width > widest) [x, y, rowHeight] = [0, y + rowHeight + 2 * gap, 0];
    for (const [name, place] of part.places) places.set(name, { x: x + place.x, y: y + place.y });
    x += part.width + 2 * gap;
    rowHeight = Math.max(rowHeight, part.height);
  }
  return places;
}
