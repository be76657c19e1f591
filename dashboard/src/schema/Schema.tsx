import '@xyflow/react/dist/style.css';
import {
  Anchor,
  Group,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
  useComputedColorScheme,
} from '@mantine/core';
import {
  Background,
  Controls,
  Handle,
  MarkerType,
  MiniMap,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useNodesState,
  useReactFlow,
  type Edge,
  type Node,
  type NodeProps,
} from '@xyflow/react';
import { useEffect, useMemo, useState, type JSX } from 'react';
import type { ViewProps } from '../view.ts';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { counted } from '../words.ts';
import { keysOf, layout } from './layout.ts';

interface BoxData extends Record<string, unknown> {
  readonly resource: ResourceInfo;
  readonly isFound: boolean;
  /** The fields that are shown; the others are counted. */
  readonly shown: ResourceInfo['fields'];
}

type ResourceNode = Node<BoxData, 'resource'>;

/** So many are seen at once anyway. */
const fewBoxes = 9;
/** More lines than these nobody reads in one picture: it begins with the keys. */
const manyFields = 400;
const nodeTypes = { resource: Box };
/** Where a line begins that ends at the same box: beside it, as one that crossed it would not be seen. */
const toItself = 'to-itself';
/** Of a line beside its box: the name in its middle is about as wide as this, and is not behind the box. */
const besideIt = (label: string) =>
  ({
    sourceHandle: toItself,
    type: 'smoothstep',
    pathOptions: { offset: 12 + 3.5 * label.length },
  }) as const;

/** The resources and their relations, as a diagram and as a table. */
export function Schema({ model }: ViewProps): JSX.Element {
  const { search } = useRoute();
  const text = new URLSearchParams(search).get('text') ?? '';
  const fields = model.resources.reduce((sum, resource) => sum + resource.fields.length, 0);
  const [isBrief, setBrief] = useState(fields > manyFields);
  return (
    <Stack>
      <Title order={1} size="h2">
        Schema
      </Title>
      <Group align="end">
        <TextInput
          label="Search"
          placeholder="A resource or a field"
          value={text}
          onChange={(event) => {
            const { value } = event.currentTarget;
            go(hashOf('schema', '', value === '' ? '' : `text=${encodeURIComponent(value)}`), true);
          }}
          w={360}
          maw="100%"
        />
        <Switch
          label="Keys only"
          checked={isBrief}
          onChange={(event) => setBrief(event.currentTarget.checked)}
          mb={8}
        />
      </Group>
      <ReactFlowProvider>
        <Diagram
          key={[isBrief, ...model.resources.map(({ name }) => name)].join()}
          model={model}
          text={text}
          isBrief={isBrief}
        />
      </ReactFlowProvider>
      <RelationTable model={model} />
    </Stack>
  );
}

interface DiagramProps {
  readonly model: Model;
  readonly text: string;
  readonly isBrief: boolean;
}

function Diagram({ model, text, isBrief }: DiagramProps): JSX.Element {
  const scheme = useComputedColorScheme('light');
  const flow = useReactFlow();
  const initial = useMemo(() => {
    const places = layout(model.resources, isBrief);
    return model.resources.map((resource): ResourceNode => ({
      id: resource.name,
      type: 'resource',
      position: { ...(places.get(resource.name) ?? { x: 0, y: 0 }) },
      data: { resource, isFound: false, shown: isBrief ? keysOf(resource) : resource.fields },
      ariaLabel: `Resource ${resource.name}`,
    }));
  }, [model.resources, isBrief]);
  const [nodes, setNodes, onNodesChange] = useNodesState(initial);
  useEffect(() => {
    const word = text.trim().toLowerCase();
    const found = model.resources
      .filter((resource) => isNamed(resource, word))
      .map(({ name }) => name);
    setNodes((before) =>
      before.map((node) => {
        const resource = model.resources.find(({ name }) => name === node.id) ?? node.data.resource;
        const keys = isBrief ? keysOf(resource) : resource.fields;
        // What is searched for is seen, key or not.
        const shown = resource.fields.filter(
          (field) => keys.includes(field) || isIn(field.name, word),
        );
        return { ...node, data: { resource, isFound: found.includes(node.id), shown } };
      }),
    );
    if (found.length > 0)
      void flow.fitView({
        nodes: found.map((id) => ({ id })),
        duration: 0,
        maxZoom: 1.1,
        padding: 0.3,
      });
  }, [flow, isBrief, model.resources, setNodes, text]);
  const edges = useMemo(() => edgesOf(model.resources), [model.resources]);
  return (
    <section aria-label="Diagram" style={{ height: '62vh', minHeight: 380 }}>
      <ReactFlow
        nodes={nodes}
        edges={edges}
        onNodesChange={onNodesChange}
        nodeTypes={nodeTypes}
        colorMode={scheme}
        fitView
        minZoom={0.05}
        nodesConnectable={false}
        deleteKeyCode={null}
        edgesFocusable={false}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} />
        {model.resources.length > fewBoxes ? (
          <MiniMap pannable ariaLabel="Overview of the diagram" />
        ) : null}
      </ReactFlow>
    </section>
  );
}

function isNamed({ name, fields }: ResourceInfo, word: string): boolean {
  return [name, ...fields.map((field) => field.name)].some((one) => isIn(one, word));
}

function isIn(name: string, word: string): boolean {
  return word !== '' && name.toLowerCase().includes(word);
}

function Box({ data: { resource, isFound, shown } }: NodeProps<ResourceNode>): JSX.Element {
  const hidden = resource.fields.length - shown.length;
  return (
    <article className={isFound ? 'node found' : 'node'}>
      <Handle type="target" position={Position.Right} isConnectable={false} />
      <header>
        <a href={hashOf('data', resource.name)} className="nodrag">
          {resource.name}
        </a>
      </header>
      <ul>
        {shown.map(({ name, type, isRequired, reference }) => (
          <li key={name} title={reference === undefined ? name : `${name} → ${reference.resource}`}>
            <span>
              {name}
              {isRequired ? ' *' : ''}
            </span>
            <span className="quiet">
              {reference === undefined ? type : `→ ${reference.resource}`}
            </span>
          </li>
        ))}
        {hidden === 0 ? null : <li className="quiet">{counted(hidden, 'more field')}</li>}
      </ul>
      <Handle type="source" position={Position.Left} isConnectable={false} />
      <Handle
        id={toItself}
        type="source"
        position={Position.Right}
        isConnectable={false}
        style={{ top: '80%' }}
      />
    </article>
  );
}

/** A line for each key, link table and morph; the other side of a relation is the same line. */
function edgesOf(resources: readonly ResourceInfo[]): Edge[] {
  const edges = new Map<string, Edge>();
  const add = (source: string, target: string, label: string, isDashed: boolean): void => {
    const id = `${source} ${target} ${label}`;
    if (!resources.some(({ name }) => name === target)) return;
    edges.set(id, {
      id,
      source,
      target,
      ...(source === target ? besideIt(label) : {}),
      label,
      markerEnd: { type: MarkerType.ArrowClosed },
      ...(isDashed ? { style: { strokeDasharray: '6 4' } } : {}),
    });
  };
  for (const { name, fields, relations } of resources) {
    for (const field of fields)
      if (field.reference !== undefined) add(name, field.reference.resource, field.name, false);
    for (const relation of relations)
      if (relation.kind === 'morphTo')
        for (const target of relation.targets) add(name, target, relation.name, true);
  }
  return [...edges.values()];
}

function RelationTable({ model }: { model: Model }): JSX.Element {
  const rows = model.resources.flatMap((resource) =>
    resource.relations.map((relation) => ({ owner: resource.name, ...relation })),
  );
  return (
    <section aria-label="Relations">
      <Group mb="xs">
        <Title order={2} size="h4">
          Relations
        </Title>
      </Group>
      {rows.length === 0 ? (
        <Text>There are none.</Text>
      ) : (
        <Table.ScrollContainer
          minWidth={480}
          type="native"
          tabIndex={0}
          role="region"
          aria-label="Table of relations"
        >
          <Table verticalSpacing={4}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Resource</Table.Th>
                <Table.Th>Relation</Table.Th>
                <Table.Th>Kind</Table.Th>
                <Table.Th>Leads to</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ owner, name, kind, targets }) => (
                <Table.Tr key={`${owner} ${name}`}>
                  <Table.Td>
                    <Anchor href={hashOf('data', owner)}>{owner}</Anchor>
                  </Table.Td>
                  <Table.Td>{name}</Table.Td>
                  <Table.Td>{kind}</Table.Td>
                  <Table.Td>{targets.join(', ')}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </section>
  );
}
