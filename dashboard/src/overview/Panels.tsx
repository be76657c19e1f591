import { Alert, Button, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useMemo, type JSX, type ReactNode } from 'react';
import type { Model } from '../../../src/http/dashboard/wire-model.ts';
import type { Hello, RowCounts } from '../../../src/http/dashboard/wire.ts';
import { ask } from '../api.ts';
import { useLive } from '../live/live.ts';
import { mount } from '../mount.ts';
import { shownUrl } from '../requests/list/rows.ts';
import { hashOf } from '../route.ts';
import { counted, milliseconds } from '../words.ts';
import { missingIndexes, slowKinds } from './slow.ts';

const shownKinds = 8;

interface PanelProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Panel({ title, children }: PanelProps): JSX.Element {
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The kinds of requests that took longest, each with its slowest one. */
export function SlowestRequests(): JSX.Element {
  const rows = useLive((live) => live.rows);
  const kinds = useMemo(() => slowKinds(rows ?? [], shownKinds), [rows]);
  return (
    <Panel title="Slowest requests">
      {kinds.length === 0 ? (
        <Text size="sm" className="quiet">
          None yet.
        </Text>
      ) : (
        <Table verticalSpacing={6} layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Request</Table.Th>
              <Table.Th className="numeric" w={72}>
                Count
              </Table.Th>
              <Table.Th className="numeric" w={84}>
                Mean
              </Table.Th>
              <Table.Th className="numeric" w={84}>
                Slowest
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {kinds.map(({ name, count, slowest, total }) => (
              <Table.Tr key={name}>
                <Table.Td className="cell mono">
                  <a
                    href={hashOf('requests', slowest.id, 'sort=-duration&tab=trace')}
                    title={shownUrl(slowest)}
                  >
                    {name}
                  </a>
                </Table.Td>
                <Table.Td className="numeric">{count.toLocaleString()}</Table.Td>
                <Table.Td className="numeric">{milliseconds(total / count)} ms</Table.Td>
                <Table.Td className="numeric">{milliseconds(slowest.duration)} ms</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Panel>
  );
}

/** Looks for indexes that the slowest lists lack, when asked to: it sends them again. */
export function MissingIndexes({ session }: { readonly session: Hello }): JSX.Element {
  const rows = useLive((live) => live.rows);
  const looking = useMutation({ mutationFn: () => missingIndexes(rows ?? []) });
  const { data, error } = looking;
  return (
    <Panel title="Missing indexes">
      <Text size="sm" className="quiet" mb={8}>
        The slowest lists are sent again, and the database is asked how it runs them.
      </Text>
      <Button
        size="xs"
        variant="default"
        disabled={!session.mayChange || rows === undefined || rows.length === 0}
        loading={looking.isPending}
        onClick={() => looking.mutate()}
      >
        Look for missing indexes
      </Button>
      {error === null ? null : (
        <Alert color="red" role="alert" mt={8}>
          {error.message}
        </Alert>
      )}
      {data === undefined ? null : data.length === 0 ? (
        <Text size="sm" mt={8} role="status">
          No list lacks an index.
        </Text>
      ) : (
        <ul className="indexes" role="status">
          {data.map(({ index, row }) => (
            <li key={index}>
              <code>{index}</code>
              <a href={hashOf('requests', row.id, 'tab=sql')}>
                {shownUrl(row)} {milliseconds(row.duration)} ms
              </a>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

/** The resources with what the caller may do and their counts. */
export function Resources({
  model,
  counts,
}: {
  readonly model: Model;
  readonly counts: RowCounts | undefined;
}): JSX.Element {
  return (
    <Panel title="Resources">
      <Table verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Resource</Table.Th>
            <Table.Th>What may be done</Table.Th>
            <Table.Th className="numeric">Records</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {model.resources.map(({ name, operations }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <a href={hashOf('data', name)}>{name}</a>
              </Table.Td>
              <Table.Td className="quiet">{operations.join(', ')}</Table.Td>
              <Table.Td className="numeric">
                {rowsText(counts?.rows[name], counts?.countedRows)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function rowsText(count: number | null | undefined, counted: number | undefined): string {
  if (count === undefined || count === null) return '–';
  return `${count.toLocaleString()}${count === counted ? '+' : ''}`;
}

interface Sandbox {
  readonly name: string;
  readonly idleSeconds: number;
}

/** What there is beside the API while it is developed: problems of the file, and sandboxes. */
export function Development({ session }: { readonly session: Hello }): JSX.Element {
  const specification = useLive((live) => live.specification);
  const { data: sandboxes } = useQuery({
    queryKey: ['sandboxes'],
    queryFn: async () => (await ask(`${mount}/_sandboxes`)).body as readonly Sandbox[],
    enabled: session.hasSandboxes,
    refetchInterval: 10_000,
  });
  return (
    <Panel title="Development">
      <dl className="facts-list">
        <dt>Specification</dt>
        <dd>
          {specification === null
            ? 'Served as it was saved last'
            : `${specification.file}: ${counted(specification.problems.length, 'problem')}, told at the top`}
        </dd>
        <dt>Sandboxes</dt>
        <dd>
          {sandboxes === undefined
            ? session.hasSandboxes
              ? '–'
              : 'Only on SQLite'
            : sandboxes.length === 0
              ? 'None in use'
              : sandboxes.map(({ name, idleSeconds }) => (
                  <div key={name}>
                    <code>{name}</code>{' '}
                    <span className="quiet">
                      {idleSeconds === 0 ? 'in use' : `idle for ${counted(idleSeconds, 'second')}`}
                    </span>
                  </div>
                ))}
        </dd>
      </dl>
    </Panel>
  );
}
