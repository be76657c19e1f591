import '../styles/whole.css';
import './requests.css';
import { ActionIcon, Button, Loader, Menu, Text, Title } from '@mantine/core';
import { Download, EllipsisVertical, Pause, Play, Trash2 } from 'lucide-react';
import { useMemo, useState, type JSX } from 'react';
import type { RequestRow } from '../../../src/http/dashboard/wire.ts';
import { clearRequests, useLive, type Came } from '../live/live.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { Split } from '../Split.tsx';
import type { ViewProps } from '../view.ts';
import { counted } from '../words.ts';
import { exportHar } from './copy/export.ts';
import { RequestDetails } from './detail/RequestDetails.tsx';
import {
  amongRows,
  filtered,
  includesOwn,
  readFilter,
  writeFilter,
  type RequestFilter,
} from './list/filter.ts';
import { FilterBar } from './list/FilterBar.tsx';
import { RequestList } from './list/RequestList.tsx';

/** As many as the server keeps. */
const keptRequests = 1_000;

/** The last requests as they come, searched and filtered, and one of them beside the list. */
export function Requests({ session, model }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const latest = useLive((live) => live.rows);
  /** What was there when the page was paused. */
  const [paused, setPaused] = useState<{ rows: readonly RequestRow[]; came: Came }>();
  const [told, setTold] = useState('');
  const came = useLive((live) => live.came);
  const rows = paused?.rows ?? latest;
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  const filter = useMemo(() => readFilter(parameters), [parameters]);
  const left = useMemo(() => filtered(rows ?? [], filter, Date.now()), [rows, filter]);
  const among = useMemo(() => amongRows(rows ?? [], filter), [rows, filter]);
  const missed =
    paused === undefined
      ? 0
      : came.others - paused.came.others + (includesOwn(filter) ? came.own - paused.came.own : 0);
  const changeFilter = (next: RequestFilter): void =>
    go(hashOf('requests', part, writeFilter(parameters, next).toString()), true);
  const change = (name: string, value: string): void => {
    const next = new URLSearchParams(search);
    if (value === '') next.delete(name);
    else next.set(name, value);
    go(hashOf('requests', part, next.toString()), true);
  };
  const closed = new URLSearchParams(search);
  for (const name of ['tab', 'with']) closed.delete(name);
  const clear = (): void => {
    clearRequests();
    setPaused(undefined);
    go(hashOf('requests', '', closed.toString()), true);
  };
  const save = async (): Promise<void> => {
    setTold('Collecting…');
    const text = await exportHar(left, model.name).catch((error: unknown) => String(error));
    setTold(text);
  };
  return (
    <div className="whole-view">
      <header className="view-head">
        <Title order={1}>Requests</Title>
        <Text size="sm" className="quiet" role="status">
          {countText(rows?.length ?? 0, among.length, left.length)}
          {missed > 0 ? ` Paused: ${missed.toLocaleString()} more have come since.` : ''}
          {told === '' ? '' : ` ${told}`}
        </Text>
      </header>
      <FilterBar rows={rows ?? []} filter={filter} changed={changeFilter}>
        <Button
          size="xs"
          variant={paused === undefined ? 'default' : 'light'}
          leftSection={
            paused === undefined ? <Pause size={14} aria-hidden /> : <Play size={14} aria-hidden />
          }
          aria-pressed={paused !== undefined}
          onClick={() => setPaused(paused === undefined ? { rows: latest ?? [], came } : undefined)}
        >
          {paused === undefined ? 'Pause' : 'Go on'}
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={clear}
          disabled={rows === undefined || rows.length === 0}
        >
          Clear
        </Button>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon variant="default" size={28} aria-label="More">
              <EllipsisVertical size={14} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<Download size={14} aria-hidden />}
              onClick={() => void save()}
              disabled={left.length === 0}
            >
              Export {counted(left.length, 'request')} as HAR
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </FilterBar>
      <Split
        name="requests"
        label="Width of the list"
        beside={
          part === '' ? undefined : (
            <RequestDetails
              key={part}
              id={part}
              session={session}
              model={model}
              rows={left}
              tab={parameters.get('tab') ?? ''}
              tabChosen={(tab) => change('tab', tab)}
              compared={parameters.get('with') ?? ''}
              compare={(id) => change('with', id)}
              filter={filter}
              filterChanged={changeFilter}
              search={search}
              closed={hashOf('requests', '', closed.toString())}
            />
          )
        }
      >
        {rows === undefined ? (
          <Loader aria-label="Loading" m="lg" />
        ) : left.length === 0 ? (
          <div className="no-requests">
            <Text fw={500}>{among.length === 0 ? 'No requests yet' : 'No request fits'}</Text>
            {among.length === 0 ? (
              <Text className="quiet">
                {rows.length === 0
                  ? 'They appear here as they come.'
                  : `The dashboard itself has sent ${counted(rows.length, 'request')}.`}
              </Text>
            ) : (
              <Button
                size="xs"
                variant="default"
                onClick={() => changeFilter({ ...filter, text: '', conditions: [] })}
              >
                Clear the filter
              </Button>
            )}
          </div>
        ) : (
          <RequestList
            rows={left}
            sort={filter.sort}
            sortChosen={(sort) => changeFilter({ ...filter, sort })}
            opened={part}
            search={search}
          />
        )}
      </Split>
    </div>
  );
}

/** How many requests are listed: of `kept` ones, `among` remain without those of the dashboard, and a filter leaves `left`. */
function countText(kept: number, among: number, left: number): string {
  if (left < among) return `${left.toLocaleString()} of ${among.toLocaleString()} requests.`;
  if (kept < keptRequests) return `${counted(among, 'request')}.`;
  const last = `the last ${kept.toLocaleString()} requests, which are all that is kept.`;
  return among < kept ? `${among.toLocaleString()} of ${last}` : `The${last.slice(3)}`;
}
