import { Text } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef, type JSX } from 'react';
import type { RequestRow } from '../../../src/http/dashboard-wire.ts';
import { hashOf } from '../route.ts';
import { figure, statusColor } from '../words.ts';
import { urlOf } from './rows.ts';

const rowHeight = 36;

interface ListProps {
  readonly rows: readonly RequestRow[];
  readonly opened: string;
  readonly search: string;
}

/** The requests that a filter has left, newest first; only the rows that are seen are in the page. */
export function RequestList({ rows, opened, search }: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  return (
    <div className="list">
      <div className="row head" aria-hidden>
        <span>Time</span>
        <span>Method</span>
        <span>Path</span>
        <span>Status</span>
        <span className="numeric">Duration</span>
        <span>Caller</span>
      </div>
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
    </div>
  );
}
