import type { ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { keysOf, type SchemaEdge } from './relations.ts';

/** The sizes of a box, in px; schema.css has the same. */
export const boxWidth = 230;
export const headHeight = 34;
export const lineHeight = 20;
export const padding = 6;

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** A box of the diagram. */
export interface Box extends Place {
  readonly resource: ResourceInfo;
  /** The fields that are shown; the others are counted in one line. */
  readonly shown: ResourceInfo['fields'];
}

export function heightOf({ resource, shown }: Pick<Box, 'resource' | 'shown'>): number {
  const lines = shown.length + (shown.length < resource.fields.length ? 1 : 0);
  return headHeight + 2 * padding + lines * lineHeight;
}

/** The fields that a box shows. */
export function shownFields(resource: ResourceInfo, isBrief: boolean): ResourceInfo['fields'] {
  return isBrief ? keysOf(resource) : resource.fields;
}

/** The height in a box at which a line to or from a field ends. */
function heightAt({ shown }: Pick<Box, 'shown'>, field: string | undefined): number {
  const index = shown.findIndex(({ name }) => name === field);
  return index === -1 ? headHeight / 2 : headHeight + padding + index * lineHeight + lineHeight / 2;
}

export interface EdgeShape {
  readonly path: string;
  readonly middle: Place;
  /** Where the cardinalities stand, and to which side their text goes. */
  readonly ends: readonly [End, End];
}

interface End extends Place {
  readonly anchor: 'start' | 'end';
}

/** How far a line goes straight before it turns. */
const stub = 34;

/** A line between the nearer sides of two boxes, at the heights of their fields; of one to itself a loop beside it. */
export function shapeOf(source: Box, target: Box, edge: SchemaEdge): EdgeShape {
  const from = source.y + heightAt(source, edge.field);
  const to = target.y + heightAt(target, edge.targetField);
  const isLeft = target !== source && target.x + boxWidth / 2 < source.x + boxWidth / 2;
  const overlaps = Math.abs(target.x - source.x) < boxWidth + 2 * stub - 30;
  // Boxes above each other are joined at their right sides.
  const out = overlaps || !isLeft ? 1 : -1;
  const into = overlaps ? 1 : isLeft ? 1 : -1;
  const start = { x: source.x + (out === 1 ? boxWidth : 0), y: from };
  const end = { x: target.x + (into === 1 ? boxWidth : 0), y: to };
  const reach = overlaps ? stub + 30 : Math.max(stub, Math.min(160, Math.abs(end.x - start.x) / 2));
  const [c1, c2] = [start.x + out * reach, end.x + into * reach];
  const path = `M${start.x},${start.y} C${c1},${start.y} ${c2},${end.y} ${end.x},${end.y}`;
  const middle = {
    x: (start.x + 3 * c1 + 3 * c2 + end.x) / 8,
    y: (start.y + end.y) / 2,
  };
  const endOf = (place: Place, side: number): End => ({
    x: place.x + side * 6,
    y: place.y - 5,
    anchor: side === 1 ? 'start' : 'end',
  });
  return { path, middle, ends: [endOf(start, out), endOf(end, into)] };
}
