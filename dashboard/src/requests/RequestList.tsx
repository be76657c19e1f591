import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useRef, type JSX } from 'react';
import type { RequestRow } from '../../../src/http/dashboard-wire.ts';
import { hashOf } from '../route.ts';
import { milliseconds, statusColor, visible } from '../words.ts';
import { shownUrl, urlOf } from './rows.ts';

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
              <Row
                key={key}
                row={row}
                place={index + 1}
                count={rows.length}
                top={start}
                href={hashOf('requests', row.id, search)}
                isOpened={row.id === opened}
              />
            );
          })}
        </ul>
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: RequestRow;
  readonly place: number;
  readonly count: number;
  readonly top: number;
  readonly href: string;
  readonly isOpened: boolean;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** A row is made once, however often the list scrolls past it. */
const Row = memo(function Row({ row, place, count, top, href, isOpened }: RowProps): JSX.Element {
  return (
    <li
      aria-setsize={count}
      aria-posinset={place}
      style={{ position: 'absolute', top, left: 0, right: 0, height: rowHeight, contain: 'strict' }}
    >
      <a className="row" href={href} aria-current={isOpened ? 'true' : undefined}>
        <span className="quiet">{clock.format(Date.parse(row.time))}</span>
        <span className="mono">{row.method}</span>
        <span className="mono" title={urlOf(row)}>
          {shownUrl(row)}
        </span>
        <span className={`status ${statusColor(row.status)}`}>{row.status}</span>
        <span className="numeric">{milliseconds(row.duration)} ms</span>
        <span className="quiet">{visible(row.caller ?? '')}</span>
      </a>
    </li>
  );
});
