import '@xyflow/react/dist/base.css';
import {
  Background,
  BaseEdge,
  Controls,
  Handle,
  MiniMap,
  Position,
  ReactFlow,
  getViewportForBounds,
  useNodesState,
  useReactFlow,
  useStore,
  type Edge,
  type EdgeProps,
  type Node,
  type NodeProps,
  type ReactFlowInstance,
  type Viewport,
} from '@xyflow/react';
import { useComputedColorScheme } from '@mantine/core';
import { memo, useEffect, useMemo, useRef, useState, type JSX } from 'react';
import { hashOf } from '../route.ts';
import { counted } from '../words.ts';
import { typeText } from './exports.ts';
import { heightOf, boxWidth, shapeOf, type Box } from './geometry.ts';
import { neighboursOf, type SchemaEdge } from './relations.ts';

interface BoxData extends Record<string, unknown> {
  readonly box: Box;
  readonly isFound: boolean;
  readonly isFaded: boolean;
  readonly isFocused: boolean;
}
interface LineData extends Record<string, unknown> {
  readonly edge: SchemaEdge;
  readonly source: Box;
  readonly target: Box;
  readonly isFaded: boolean;
  readonly isFocused: boolean;
}
type BoxNode = Node<BoxData, 'resource'>;
type LineEdge = Edge<LineData, 'relation'>;

const nodeTypes = { resource: memo(BoxView) };
const edgeTypes = { relation: memo(LineView) };
/** So many are seen at once anyway. */
const fewBoxes = 20;
/** Smaller, nobody can read what stands at the lines. */
const readableZoom = 0.55;
/** The zoom at which the names of resources, which are 13 px high, have 12 px on the screen. */
const legibleZoom = 12 / 13;
const leastZoom = 0.05;
/** How what is brought into view fits: the part that stays free around it, and the largest zoom. */
const [fitPadding, fitZoom] = [0.2, 1];
/** How far below the edge a box begins that is higher than the diagram, in px. */
const headroom = 24;
/** How far an arrow key moves the diagram, in px. */
const step = 80;

interface Props {
  readonly boxes: readonly Box[];
  readonly edges: readonly SchemaEdge[];
  /** The resource that is in focus; empty for none. */
  readonly focus: string;
  readonly focusChosen: (name: string) => void;
  readonly found: ReadonlySet<string>;
  readonly moved: (name: string, x: number, y: number) => void;
}

/** The resources as boxes and their keys as lines; the neighbours of one in focus stand out. */
export function Diagram({ boxes, edges, focus, focusChosen, found, moved }: Props): JSX.Element {
  const scheme = useComputedColorScheme('light');
  const flow = useReactFlow<BoxNode>();
  const near = useMemo(() => neighboursOf(edges, focus), [edges, focus]);
  const hasFocus = boxes.some(({ resource }) => resource.name === focus);
  const shown = useMemo(
    () =>
      boxes.map((box): BoxNode => {
        const { name } = box.resource;
        const isFaded = hasFocus && name !== focus && !near.has(name);
        return {
          id: name,
          type: 'resource',
          position: { x: box.x, y: box.y },
          width: boxWidth,
          height: heightOf(box),
          data: { box, isFound: found.has(name), isFaded, isFocused: name === focus },
          ariaLabel: `Resource ${name}`,
        };
      }),
    [boxes, focus, found, hasFocus, near],
  );
  const [nodes, setNodes, onNodesChange] = useNodesState(shown);
  useEffect(
    () =>
      setNodes((before) => {
        const byId = new Map(before.map((node) => [node.id, node]));
        // What is selected and was measured stays so.
        return shown.map((node) => ({ ...byId.get(node.id), ...node }));
      }),
    [setNodes, shown],
  );
  const places = new Map(nodes.map(({ id, position }) => [id, position]));
  const byName = new Map(
    boxes.map((box) => [box.resource.name, { ...box, ...places.get(box.resource.name) }]),
  );
  const lines = edges.flatMap((edge): LineEdge[] => {
    const [source, target] = [byName.get(edge.source), byName.get(edge.target)];
    if (source === undefined || target === undefined) return [];
    const isFocused = edge.source === focus || edge.target === focus;
    return [
      {
        id: edge.id,
        type: 'relation',
        source: edge.source,
        target: edge.target,
        data: {
          edge,
          source,
          target: edge.source === edge.target ? source : target,
          isFaded: hasFocus && !isFocused,
          isFocused,
        },
      },
    ];
  });
  const [isNarrow] = useState(() => matchMedia('(max-width: 47.99em)').matches);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const isReady = flow.viewportInitialized && width > 0 && height > 0;
  const hasBegun = useRef(false);
  // What is searched for or in focus is brought into view.
  const key = (focus === '' ? [...found] : [focus, ...near]).join(' ');
  const [showsAll] = useState(!isNarrow && key === '');
  useEffect(() => {
    if (!isReady) return;
    const isFirst = !hasBegun.current;
    hasBegun.current = true;
    if (key === '' && !(isNarrow && isFirst)) return;
    const names = key === '' ? [...byName.keys()] : key.split(' ');
    const box = byName.get(names[0] ?? '');
    if (box === undefined) return;
    const bounds = flow.getNodesBounds(names);
    const fit = getViewportForBounds(bounds, width, height, leastZoom, fitZoom, fitPadding);
    // On a narrow screen the whole may be too small to read: the first is shown, and what stands around it. At the
    // beginning it is at the top, with what is below it.
    void flow.setViewport(
      isNarrow && fit.zoom < legibleZoom ? viewportAt(box, width, key === '' ? 0 : height) : fit,
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- boxes that move do not move the view
  }, [flow, isReady, key]);
  return (
    <ReactFlow
      nodes={nodes}
      edges={lines}
      onNodesChange={(changes) => {
        onNodesChange(changes);
        // By pointer once it is let go, by arrow keys with each.
        for (const change of changes)
          if (change.type === 'position' && change.dragging === false && change.position)
            moved(change.id, change.position.x, change.position.y);
      }}
      onNodeClick={(_, { id }) => focusChosen(id)}
      onPaneClick={() => focusChosen('')}
      tabIndex={0}
      aria-label="Diagram: arrow keys move it, plus and minus zoom"
      onKeyDown={(event) => {
        if (event.target === event.currentTarget && moveByKey(flow, event.key)) {
          event.preventDefault();
          return;
        }
        const { target } = event;
        if (!(target instanceof HTMLElement)) return;
        if (event.key === 'Escape') {
          if (focus !== '') focusChosen('');
          // The library takes the focus away from a box in the next frame.
          requestAnimationFrame(() => target.focus({ preventScroll: true }));
        }
        const { id } = target.dataset;
        if (event.key === 'Enter' && id !== undefined) focusChosen(id);
      }}
      nodeTypes={nodeTypes}
      edgeTypes={edgeTypes}
      colorMode={scheme}
      fitView={showsAll}
      minZoom={leastZoom}
      onlyRenderVisibleElements
      nodesConnectable={false}
      deleteKeyCode={null}
      edgesFocusable={false}
      proOptions={{ hideAttribution: true }}
    >
      <Background color="var(--rule)" gap={24} />
      <Controls showInteractive={false} />
      {boxes.length > fewBoxes ? <MiniMap pannable ariaLabel="Overview of the diagram" /> : null}
    </ReactFlow>
  );
}

/** Where the diagram stands when a box can be read: in the middle, or below the top edge if it is higher than `height`. */
function viewportAt(box: Box, width: number, height: number): Viewport {
  const zoom = legibleZoom;
  const free = height - heightOf(box) * zoom;
  return {
    x: width / 2 - (box.x + boxWidth / 2) * zoom,
    y: Math.max(headroom, free / 2) - box.y * zoom,
    zoom,
  };
}

/** Moves or zooms the diagram; returns whether the key does so. */
function moveByKey(flow: ReactFlowInstance<BoxNode>, key: string): boolean {
  const moves: Readonly<Record<string, readonly [x: number, y: number]>> = {
    ArrowLeft: [step, 0],
    ArrowRight: [-step, 0],
    ArrowUp: [0, step],
    ArrowDown: [0, -step],
  };
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  if (move !== undefined) {
    const { x, y, zoom } = flow.getViewport();
    void flow.setViewport({ x: x + move[0], y: y + move[1], zoom });
  } else if (key === '+' || key === '=') void flow.zoomIn();
  else if (key === '-') void flow.zoomOut();
  else return false;
  return true;
}

function BoxView({ data: { box, isFound, isFaded, isFocused } }: NodeProps<BoxNode>): JSX.Element {
  const { resource, shown } = box;
  const hidden = resource.fields.length - shown.length;
  const classes = ['node', isFound && 'found', isFaded && 'faded', isFocused && 'focused'];
  return (
    // What is faded is only seen; its box can be chosen as before.
    <article className={classes.filter(Boolean).join(' ')} inert={isFaded}>
      <Handle type="target" position={Position.Right} isConnectable={false} />
      <header>
        <a href={hashOf('data', resource.name)} className="nodrag">
          {resource.name}
        </a>
      </header>
      <ul>
        {shown.map((field) => (
          <li key={field.name} title={`${field.name} ${typeText(field)}`}>
            <span>
              {field.name}
              {field.isRequired ? ' *' : ''}
            </span>
            <span className="quiet">{typeText(field)}</span>
          </li>
        ))}
        {hidden === 0 ? null : (
          <li className="quiet">
            <span>{counted(hidden, shown.length === 0 ? 'field' : 'more field')}</span>
          </li>
        )}
      </ul>
      <Handle type="source" position={Position.Left} isConnectable={false} />
    </article>
  );
}

function LineView({ data }: EdgeProps<LineEdge>): JSX.Element | null {
  const isReadable = useStore(({ transform: [, , zoom] }) => zoom >= readableZoom);
  if (data === undefined) return null;
  const { edge, source, target, isFaded, isFocused } = data;
  const { path, middle, ends } = shapeOf(source, target, edge);
  const state = isFocused ? 'focused' : isFaded ? 'faded' : '';
  return (
    <g className={`relation ${edge.kind} ${state}`}>
      <BaseEdge path={path} />
      {isFaded || (!isReadable && !isFocused) ? null : (
        <>
          <text x={middle.x} y={middle.y - 4} textAnchor="middle">
            {edge.label}
          </text>
          <text x={ends[0].x} y={ends[0].y} textAnchor={ends[0].anchor}>
            {edge.atSource}
          </text>
          <text x={ends[1].x} y={ends[1].y} textAnchor={ends[1].anchor}>
            {edge.atTarget}
          </text>
        </>
      )}
    </g>
  );
}
