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
import type { RequestRow } from '../../../src/http/dashboard-wire.ts';
import type { ViewProps } from '../view.ts';
import { useLive } from '../live/live.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { filtered } from './rows.ts';
import { RequestDetails } from './RequestDetails.tsx';
import { RequestList } from './RequestList.tsx';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** As many as the server keeps. */
const keptRequests = 1_000;

/** The last requests as they come, searched and filtered, and one of them opened. */
export function Requests({ session }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const latest = useLive((live) => live.rows);
  /** What was there when the page was paused. */
  const [paused, setPaused] = useState<readonly RequestRow[]>();
  const rows = paused ?? latest;
  const missed = (latest?.[0]?.number ?? 0) - (rows?.[0]?.number ?? 0);
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
          checked={paused !== undefined}
          onChange={(event) => setPaused(event.currentTarget.checked ? (latest ?? []) : undefined)}
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

function countText(all: number, left: number): string {
  if (left < all) return `${left.toLocaleString()} of ${all.toLocaleString()} requests.`;
  if (all >= keptRequests)
    return `The last ${all.toLocaleString()} requests, which are all that is kept.`;
  return all === 1 ? '1 request.' : `${all.toLocaleString()} requests.`;
}
