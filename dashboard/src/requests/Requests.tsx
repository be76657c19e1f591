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
import { useMemo, useState, type JSX } from 'react';
import type { RequestRow } from '../../../src/http/dashboard/wire.ts';
import type { ViewProps } from '../view.ts';
import { useLive } from '../live/live.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { counted } from '../words.ts';
import { errors, filtered, slowestFirst } from './rows.ts';
import { RequestDetails } from './RequestDetails.tsx';
import { RequestList } from './RequestList.tsx';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const statuses = [
  ...['2', '3', '4', '5'].map((value) => ({ value, label: `${value}xx` })),
  { value: errors, label: '4xx and 5xx' },
];
const durations = [
  { value: '10', label: '10 ms and more' },
  { value: '100', label: '100 ms and more' },
  { value: '1000', label: '1 s and more' },
];
const slowest = 'slowest';
/** As many as the server keeps. */
const keptRequests = 1_000;

/** The last requests as they come, searched and filtered, and one of them opened. */
export function Requests({ session, model }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const latest = useLive((live) => live.rows);
  /** What was there when the page was paused. */
  const [paused, setPaused] = useState<{ rows: readonly RequestRow[]; came: number }>();
  const came = useLive((live) => live.came);
  const rows = paused?.rows ?? latest;
  const missed = paused === undefined ? 0 : came - paused.came;
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  const filter = {
    text: parameters.get('text') ?? '',
    method: parameters.get('method') ?? '',
    status: parameters.get('status') ?? '',
    slow: parameters.get('slow') ?? '',
  };
  const { text, method, status, slow } = filter;
  const order = parameters.get('order') === slowest ? slowest : '';
  const left = useMemo(() => {
    const found = filtered(rows ?? [], { text, method, status, slow });
    return order === slowest ? slowestFirst(found) : found;
  }, [rows, text, method, status, slow, order]);
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
        <Choice
          label="Method"
          data={methods.map((value) => ({ value, label: value }))}
          value={method}
          changed={(value) => change('method', value)}
        />
        <Choice
          label="Status"
          data={statuses}
          value={status}
          changed={(value) => change('status', value)}
        />
        <Choice
          label="Duration"
          data={durations}
          value={slow}
          changed={(value) => change('slow', value)}
        />
        <Choice
          label="Order"
          data={[{ value: slowest, label: 'Slowest first' }]}
          none="Newest first"
          value={order}
          changed={(value) => change('order', value)}
        />
        <Switch
          label="Pause"
          checked={paused !== undefined}
          onChange={(event) =>
            setPaused(event.currentTarget.checked ? { rows: latest ?? [], came } : undefined)
          }
          mb={8}
        />
      </Group>
      <Text size="sm" className="quiet">
        {countText(rows?.length ?? 0, left.length)}
        {missed > 0 ? ` Paused: ${missed.toLocaleString()} more have come since.` : ''}
      </Text>
      {rows === undefined ? (
        <Loader aria-label="Loading" />
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
        <RequestList
          rows={left}
          order={order === slowest ? 'slowest first' : 'newest first'}
          opened={part}
          search={search}
        />
      )}
      {part === '' ? null : (
        <RequestDetails
          key={part}
          id={part}
          session={session}
          model={model}
          tab={parameters.get('tab') ?? ''}
          tabChosen={(tab) => change('tab', tab)}
          closed={hashOf('requests', '', search)}
        />
      )}
    </Stack>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly data: { readonly value: string; readonly label: string }[];
  /** What it is called that none is chosen. */
  readonly none?: string;
  /** Empty: any. */
  readonly value: string;
  readonly changed: (value: string) => void;
}

function Choice({ label, data, none = 'Any', value, changed }: ChoiceProps): JSX.Element {
  return (
    <Select
      label={label}
      data={data}
      value={value === '' ? null : value}
      onChange={(next) => changed(next ?? '')}
      placeholder={none}
      clearable
      clearButtonProps={{ 'aria-label': none === 'Any' ? `Any ${label.toLowerCase()}` : none }}
      w={150}
    />
  );
}

function countText(all: number, left: number): string {
  if (left < all) return `${left.toLocaleString()} of ${all.toLocaleString()} requests.`;
  if (all >= keptRequests)
    return `The last ${all.toLocaleString()} requests, which are all that is kept.`;
  return `${counted(all, 'request')}.`;
}
