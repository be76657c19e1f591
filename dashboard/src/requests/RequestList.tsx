import { useMediaQuery } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type JSX,
  type KeyboardEvent,
} from 'react';
import type { RequestRow } from '../../../src/http/dashboard/wire.ts';
import { hashOf } from '../route.ts';
import { milliseconds, statusColor, visible } from '../words.ts';
import { shownUrl, urlOf } from './rows.ts';

/** In px; where there is little room the path has a line of its own. */
const [wideRow, narrowRow] = [36, 58];

interface ListProps {
  readonly rows: readonly RequestRow[];
  /** In words. */
  readonly order: string;
  readonly opened: string;
  readonly search: string;
}

/**
 * The requests that a filter has left; only the rows that are seen are in the page. It is one stop for the
 * Tab key, which else would lead through a thousand rows: arrows lead from row to row.
 */
export function RequestList({ rows, order, opened, search }: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useMediaQuery('(max-width: 61.99em)') ? narrowRow : wideRow;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  /** The row that is to have the focus, as soon as it is in the page. */
  const [wanted, setWanted] = useState<string>();
  const reached = useCallback(() => setWanted(undefined), []);
  const openedAt = rows.findIndex(({ id }) => id === opened);
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = (event.target as HTMLElement).closest('li')?.ariaPosInSet;
    const at = place === null || place === undefined ? undefined : Number(place) - 1;
    const begin = openedAt === -1 ? (virtualizer.range?.startIndex ?? 0) : openedAt;
    const next = {
      ArrowDown: at === undefined ? begin : at + 1,
      ArrowUp: at === undefined ? begin : at - 1,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = Math.min(rows.length - 1, Math.max(0, next));
    virtualizer.scrollToIndex(index);
    setWanted(rows[index]?.id);
  };
  // The list is lower once something is opened below it: what was clicked stays in sight.
  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null || openedAt === -1) return;
    const top = openedAt * rowHeight;
    if (top < list.scrollTop || top + rowHeight > list.scrollTop + list.clientHeight)
      list.scrollTop = top - (list.clientHeight - rowHeight) / 2;
    // oxlint-disable-next-line react/exhaustive-deps -- rows that come later move nothing
  }, [opened]);
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
        aria-label={`Requests, ${order}`}
        tabIndex={0}
        onKeyDown={move}
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
                height={rowHeight}
                href={hashOf('requests', row.id, search)}
                isOpened={row.id === opened}
                isWanted={row.id === wanted}
                reached={reached}
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
  readonly height: number;
  readonly href: string;
  readonly isOpened: boolean;
  readonly isWanted: boolean;
  /** It has got the focus that was wanted for it. */
  readonly reached: () => void;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** A row is made once, however often the list scrolls past it. */
const Row = memo(function Row(props: RowProps): JSX.Element {
  const { row, place, count, top, height, href, isOpened, isWanted, reached } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    link.current?.focus({ preventScroll: true });
    reached();
  }, [isWanted, reached]);
  return (
    <li
      aria-setsize={count}
      aria-posinset={place}
      style={{ position: 'absolute', top, left: 0, right: 0, height, contain: 'strict' }}
    >
      <a
        ref={link}
        className="row"
        href={href}
        tabIndex={-1}
        aria-current={isOpened ? 'true' : undefined}
      >
        <span className="quiet">{clock.format(Date.parse(row.time))}</span>
        <span className="mono">{row.method}</span>
        <span className="mono" title={urlOf(row)}>
          {shownUrl(row)}
        </span>
        <span className={`status ${statusColor(row.status)}`}>{row.status}</span>
        <span className="numeric">{milliseconds(row.duration)} ms</span>
        <span className="quiet" title={visible(row.caller ?? '')}>
          {visible(row.caller ?? '')}
        </span>
      </a>
    </li>
  );
});
