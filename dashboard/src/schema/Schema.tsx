import '../styles/whole.css';
import './schema.css';
import {
  Anchor,
  Button,
  Menu,
  SegmentedControl,
  Switch,
  Table,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { ReactFlowProvider } from '@xyflow/react';
import { Download, RotateCcw, Search, Table2, X } from 'lucide-react';
import { useMemo, useState, type JSX } from 'react';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { save } from '../save.ts';
import type { ViewProps } from '../view.ts';
import { counted } from '../words.ts';
import { Diagram } from './Diagram.tsx';
import { asDbml, asMermaid, asSvg } from './exports.ts';
import { shownFields, type Box, type Place } from './geometry.ts';
import { layout } from './layout.ts';
import { edgesOf, neighboursOf } from './relations.ts';

/** More lines than these nobody reads in one picture: it begins with the keys. */
const manyFields = 400;

/** The resources and their relations, as a diagram or as a table. */
export function Schema({ model }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const parameters = new URLSearchParams(search);
  const text = parameters.get('text') ?? '';
  const isTable = parameters.get('show') === 'table';
  const change = (name: string, value: string, focus = part): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(hashOf('schema', focus, next.toString()), true);
  };
  const fields = model.resources.reduce((sum, resource) => sum + resource.fields.length, 0);
  const [isBrief, setBrief] = useState(fields > manyFields);
  const edges = useMemo(() => edgesOf(model.resources), [model.resources]);
  const { boxes, move, reset, isMoved } = useBoxes(model, edges, isBrief, text);
  const word = text.trim().toLowerCase();
  const found = useMemo(() => foundIn(model.resources, word), [model.resources, word]);
  const focus = model.resources.some(({ name }) => name === part) ? part : '';
  const near = neighboursOf(edges, focus);
  return (
    <div className="whole-view">
      <header className="view-head">
        <Title order={1}>Schema</Title>
        <Text size="sm" className="quiet" role="status">
          {focus === ''
            ? word === ''
              ? `${counted(model.resources.length, 'resource')}, ${counted(edges.length, 'relation')}`
              : `${counted(found.size, 'resource')} found`
            : `${focus} and ${counted([...near].filter((name) => name !== focus).length, 'neighbour')}`}
        </Text>
      </header>
      <div className="filter-bar">
        <TextInput
          size="xs"
          aria-label="Search"
          placeholder="A resource or a field"
          leftSection={<Search size={14} aria-hidden />}
          value={text}
          onChange={(event) => change('text', event.currentTarget.value, '')}
          onKeyDown={(event) => {
            const [wanted] = found;
            if (event.key === 'Enter' && wanted !== undefined) change('text', text, wanted);
          }}
          className="filter-search"
        />
        <SegmentedControl
          aria-label="Shown as"
          data={[
            { value: '', label: 'Diagram' },
            { value: 'table', label: 'Table' },
          ]}
          value={isTable ? 'table' : ''}
          onChange={(value) => change('show', value)}
        />
        {isTable ? null : (
          <Switch
            size="xs"
            label="Keys only"
            checked={isBrief}
            onChange={(event) => setBrief(event.currentTarget.checked)}
          />
        )}
        {focus === '' ? null : (
          <>
            <Button
              size="xs"
              variant="light"
              rightSection={<X size={14} aria-hidden />}
              onClick={() => change('show', isTable ? 'table' : '', '')}
            >
              Only {focus} and neighbours
            </Button>
            <Button
              component="a"
              href={hashOf('data', focus)}
              size="xs"
              variant="default"
              leftSection={<Table2 size={14} aria-hidden />}
            >
              Open in Data
            </Button>
          </>
        )}
        <span className="filter-actions">
          {isTable ? null : (
            <Button
              size="xs"
              variant="default"
              leftSection={<RotateCcw size={14} aria-hidden />}
              disabled={!isMoved}
              onClick={reset}
            >
              Reset layout
            </Button>
          )}
          <ExportMenu model={model} boxes={boxes} />
        </span>
      </div>
      {isTable ? (
        <RelationTable model={model} />
      ) : (
        <section className="diagram" aria-label="Diagram">
          <ReactFlowProvider>
            <Diagram
              key={[isBrief, ...model.resources.map(({ name }) => name)].join()}
              boxes={boxes}
              edges={edges}
              focus={focus}
              focusChosen={(name) => change('text', name === '' ? '' : text, name)}
              found={found}
              moved={move}
            />
          </ReactFlowProvider>
        </section>
      )}
    </div>
  );
}

type Moved = Readonly<Record<string, Place>>;

/** The boxes where they were laid out or moved to; places are remembered by the name of the API. */
function useBoxes(
  model: Model,
  edges: ReturnType<typeof edgesOf>,
  isBrief: boolean,
  text: string,
): {
  readonly boxes: readonly Box[];
  readonly move: (name: string, x: number, y: number) => void;
  readonly reset: () => void;
  readonly isMoved: boolean;
} {
  const key = `plinth-schema-${model.name}${isBrief ? '-keys' : ''}`;
  const [state, setState] = useState<{ readonly key: string; readonly moved: Moved }>(() => ({
    key,
    moved: rememberedAt(key),
  }));
  const moved = state.key === key ? state.moved : rememberedAt(key);
  const places = useMemo(
    () => layout(model.resources, edges, isBrief),
    [model.resources, edges, isBrief],
  );
  const word = text.trim().toLowerCase();
  const boxes = useMemo(
    () =>
      model.resources.map((resource) => {
        const shown = shownFields(resource, isBrief);
        const place = (Object.hasOwn(moved, resource.name) ? moved[resource.name] : undefined) ??
          places.get(resource.name) ?? { x: 0, y: 0 };
        return {
          resource,
          ...place,
          // What is searched for is seen, key or not.
          shown: resource.fields.filter((field) => shown.includes(field) || isIn(field.name, word)),
        };
      }),
    [model.resources, isBrief, moved, places, word],
  );
  const keep = (next: Moved): void => {
    setState({ key, moved: next });
    if (Object.keys(next).length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(next));
  };
  return {
    boxes,
    move: (name, x, y) => keep({ ...moved, [name]: { x: Math.round(x), y: Math.round(y) } }),
    reset: () => keep({}),
    isMoved: Object.keys(moved).length > 0,
  };
}

function rememberedAt(key: string): Moved {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Moved;
  } catch {
    return {};
  }
}

/** The names of the resources that a word is in: one of that very name first, those with it in a field last. */
function foundIn(resources: readonly ResourceInfo[], word: string): ReadonlySet<string> {
  const rankOf = ({ name, fields }: ResourceInfo): number => {
    if (name.toLowerCase() === word) return 0;
    if (isIn(name, word)) return 1;
    return fields.some((field) => isIn(field.name, word)) ? 2 : 3;
  };
  const ranked = resources.map((resource) => ({ name: resource.name, rank: rankOf(resource) }));
  const found = ranked.filter(({ rank }) => rank < 3).toSorted((a, b) => a.rank - b.rank);
  return new Set(found.map(({ name }) => name));
}

function isIn(name: string, word: string): boolean {
  return word !== '' && name.toLowerCase().includes(word);
}

function ExportMenu({
  model,
  boxes,
}: {
  readonly model: Model;
  readonly boxes: readonly Box[];
}): JSX.Element {
  const { resources } = model;
  const edges = edgesOf(resources);
  const file = (end: string): string =>
    `${model.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}-schema.${end}`;
  const items = [
    ['SVG', () => save(file('svg'), 'image/svg+xml', asSvg(boxes, edges))],
    ['PNG', () => void savePng(file('png'), asSvg(boxes, edges))],
    ['Mermaid', () => save(file('mmd'), 'text/plain', asMermaid(resources, edges))],
    ['DBML', () => save(file('dbml'), 'text/plain', asDbml(resources, edges))],
  ] as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<Download size={14} aria-hidden />}
          disabled={boxes.length === 0}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(([label, run]) => (
          <Menu.Item key={label} onClick={run}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Browsers draw no larger pictures. */
const mostPixels = 8_000;

async function savePng(name: string, svg: string): Promise<void> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(2, mostPixels / Math.max(image.width, image.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
  if (blob !== null) save(name, 'image/png', blob);
}

function RelationTable({ model }: { readonly model: Model }): JSX.Element {
  const rows = model.resources.flatMap((resource) =>
    resource.relations.map((relation) => ({ owner: resource.name, ...relation })),
  );
  return (
    <section aria-label="Relations" className="relations" tabIndex={0}>
      {rows.length === 0 ? (
        <Text>There are none.</Text>
      ) : (
        <Table verticalSpacing={6} stickyHeader>
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
                  <Anchor href={hashOf('schema', owner)}>{owner}</Anchor>
                </Table.Td>
                <Table.Td>{name}</Table.Td>
                <Table.Td>{kind}</Table.Td>
                <Table.Td>{targets.join(', ')}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </section>
  );
}
