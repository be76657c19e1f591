import {
  Alert,
  Button,
  Group,
  Loader,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState, type JSX } from 'react';
import type { ViewProps } from '../App.tsx';
import { go, hashOf, useRoute } from '../route.ts';
import { figure, statusColor } from '../words.ts';
import { filtered, urlOf, useRequests, type RequestRow } from './data.ts';
import { RequestDetails } from './RequestDetails.tsx';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const rowHeight = 36;

/** The last requests as they come, searched and filtered, and one of them opened. */
export function Requests({ session }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const [isPaused, setPaused] = useState(false);
  const { data: rows, error } = useRequests(session.token, isPaused);
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  const filter = {
    text: parameters.get('text') ?? '',
    method: parameters.get('method') ?? '',
    status: parameters.get('status') ?? '',
  };
  const { text, method, status } = filter;
  const left = useMemo(
    () => filtered(rows ?? [], { text, method, status }),
    [rows, text, method, status],
  );
  const change = (name: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(hashOf('requests', part, next.toString()), true);
  };
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        Requests
      </Title>
      <Group align="end">
        <TextInput
          label="Search"
          placeholder="Words of path, query, caller, code…"
          value={text}
          onChange={(event) => change('text', event.currentTarget.value)}
          style={{ flex: 1, minWidth: 200 }}
        />
        <Select
          label="Method"
          data={methods}
          value={method === '' ? null : method}
          onChange={(value) => change('method', value ?? '')}
          clearable
          clearButtonProps={{ 'aria-label': 'Any method' }}
          w={130}
        />
        <Select
          label="Status"
          data={['2', '3', '4', '5'].map((value) => ({ value, label: `${value}xx` }))}
          value={status === '' ? null : status}
          onChange={(value) => change('status', value ?? '')}
          clearable
          clearButtonProps={{ 'aria-label': 'Any status' }}
          w={110}
        />
        <Switch
          label="Pause"
          checked={isPaused}
          onChange={(event) => setPaused(event.currentTarget.checked)}
          mb={8}
        />
      </Group>
      <Text size="sm" className="quiet">
        The last 1,000 are kept. Steps, SQL and bodies are recorded while a dashboard is open, and a
        minute after, of up to 200 requests a second.
      </Text>
      {rows === undefined ? (
        error === null ? (
          <Loader aria-label="Loading" />
        ) : (
          <Alert color="red">{error.message}</Alert>
        )
      ) : left.length === 0 ? (
        <Alert color="gray" title={rows.length === 0 ? 'No requests yet' : 'No request fits'}>
          {rows.length === 0 ? (
            'They appear here as they come.'
          ) : (
            <Button size="xs" variant="default" onClick={() => go(hashOf('requests', part))}>
              Clear the filter
            </Button>
          )}
        </Alert>
      ) : (
        <RequestList rows={left} opened={part} search={search} />
      )}
      {part === '' ? null : (
        <RequestDetails
          key={part}
          id={part}
          session={session}
          closed={hashOf('requests', '', search)}
        />
      )}
    </Stack>
  );
}

interface ListProps {
  readonly rows: readonly RequestRow[];
  readonly opened: string;
  readonly search: string;
}

/** Only the rows that are seen are in the page. */
function RequestList({ rows, opened, search }: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  return (
    <div
      ref={scroller}
      className="scroller"
      style={{ maxHeight: opened === '' ? '65vh' : '30vh' }}
      role="region"
      aria-label="Requests, newest first"
      tabIndex={0}
    >
      <ul
        style={{
          position: 'relative',
          height: virtualizer.getTotalSize(),
          margin: 0,
          padding: 0,
          listStyle: 'none',
        }}
      >
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={key}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              style={{ position: 'absolute', top: start, left: 0, right: 0 }}
            >
              <a
                className="row"
                href={hashOf('requests', row.id, search)}
                aria-current={row.id === opened ? 'true' : undefined}
              >
                <span className="quiet">{new Date(row.time).toLocaleTimeString()}</span>
                <span className="mono">{row.method}</span>
                <span className="mono" title={urlOf(row)}>
                  {urlOf(row)}
                </span>
                <Text component="span" c={`var(--status-${statusColor(row.status)})`} fw={600}>
                  {row.status}
                </Text>
                <span className="numeric">{figure(row.duration)} ms</span>
                <span className="quiet">{row.caller ?? ''}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
