import { VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp, Box, LayoutDashboard, WifiOff } from 'lucide-react';
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
import type { RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { go, hashOf } from '../../route.ts';
import { statusColor } from '../../words.ts';
import { columnOf, columns, marksOf, markTexts, type ColumnName, type Mark } from './columns.ts';
import { urlOf } from './rows.ts';

/** In px; at a finger's width, the path has a line of its own. */
const [wideRow, narrowRow] = [30, 52];
const headHeight = 30;
/** The width of the list below which rows have two lines. */
const narrowList = 420;

/** The columns in their order; requests.css hides those for which there is no room. */
const shownColumns: readonly ColumnName[] = [
  'time',
  'method',
  'path',
  'status',
  'duration',
  'size',
  'caller',
  'client',
];
const numeric: ReadonlySet<ColumnName> = new Set(['duration', 'size']);

interface ListProps {
  readonly rows: readonly RequestRow[];
  /** As in the URL: a column, with `-` before it for the largest first. */
  readonly sort: string;
  readonly sortChosen: (sort: string) => void;
  /** The request whose details are shown; empty for none. */
  readonly opened: string;
  readonly search: string;
}

/**
 * The requests that a filter has left; only the rows that are seen are in the page. The rows are one stop for the Tab key:
 * arrows lead from row to row, and what is opened follows.
 */
export function RequestList({ rows, sort, sortChosen, opened, search }: ListProps): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const [isNarrow, setNarrow] = useState(false);
  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null) return undefined;
    const observer = new ResizeObserver(() => setNarrow(list.clientWidth < narrowList));
    observer.observe(list);
    return () => observer.disconnect();
  }, []);
  const rowHeight = isNarrow ? narrowRow : wideRow;
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 8,
    // The head stays above the rows, within what scrolls.
    scrollMargin: headHeight,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, rowHeight]);
  /** The row that is to have the focus, as soon as it is in the page. */
  const [wanted, setWanted] = useState<string>();
  const reached = useCallback(() => setWanted(undefined), []);
  const openedAt = rows.findIndex(({ id }) => id === opened);
  const move = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = (event.target as HTMLElement).closest('.request-rows [aria-rowindex]');
    const at = place === null ? undefined : Number(place.getAttribute('aria-rowindex')) - 2;
    const begin = openedAt === -1 ? (virtualizer.range?.startIndex ?? 0) : openedAt;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1);
    const next = {
      ArrowDown: at === undefined ? begin : at + 1,
      ArrowUp: at === undefined ? begin : at - 1,
      PageDown: (at ?? begin) + page,
      PageUp: (at ?? begin) - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const index = Math.min(rows.length - 1, Math.max(0, next));
    const row = rows[index];
    if (row === undefined) return;
    bringIntoView(scroller.current, index, rowHeight);
    setWanted(row.id);
    if (opened !== '') go(hashOf('requests', row.id, search), true);
  };
  // When the details close and the focus is lost with them, their row has it.
  const before = useRef(opened);
  useEffect(() => {
    const isLost = document.activeElement === document.body;
    if (opened === '' && before.current !== '' && isLost) setWanted(before.current);
    before.current = opened;
  }, [opened]);
  useAnchor(scroller.current, rows, rowHeight);
  // The list may be narrower once something is opened beside it: what was clicked stays in sight.
  useLayoutEffect(() => {
    const list = scroller.current;
    if (list === null || openedAt === -1) return;
    bringIntoView(list, openedAt, rowHeight);
    // Only when another one is opened: rows that come do not scroll the list.
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- see above
  }, [opened, rowHeight]);
  return (
    <div
      ref={scroller}
      className="request-list"
      role="grid"
      aria-label="Requests"
      aria-rowcount={rows.length + 1}
      data-narrow={isNarrow}
      tabIndex={0}
      onKeyDown={move}
    >
      <div className="request-row head" role="row" aria-rowindex={1}>
        {shownColumns.map((name) => (
          <Head key={name} name={name} sort={sort} chosen={sortChosen} />
        ))}
        <span role="columnheader" className="c-marks">
          <VisuallyHidden>Marks</VisuallyHidden>
        </span>
      </div>
      <div className="request-rows" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ key, index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <Row
              key={key}
              row={row}
              index={index}
              top={start - headHeight}
              height={rowHeight}
              href={hashOf('requests', row.id, search)}
              isOpened={row.id === opened}
              isWanted={row.id === wanted}
              reached={reached}
            />
          );
        })}
      </div>
    </div>
  );
}

/** Scrolls a list by as little as shows a row below its head. */
function bringIntoView(list: HTMLElement | null, index: number, rowHeight: number): void {
  if (list === null) return;
  const top = index * rowHeight;
  const height = list.clientHeight - headHeight;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + rowHeight > list.scrollTop + height) list.scrollTop = top + rowHeight - height;
}

/** Keeps in sight what is being read while new rows come before it; a list at its top follows them. */
function useAnchor(list: HTMLElement | null, rows: readonly RequestRow[], rowHeight: number): void {
  const before = useRef(rows);
  useLayoutEffect(() => {
    const [first] = before.current;
    before.current = rows;
    if (list === null || first === undefined || list.scrollTop < rowHeight) return;
    const moved = rows.indexOf(first);
    if (moved > 0) list.scrollTop += moved * rowHeight;
  }, [list, rows, rowHeight]);
}

interface HeadProps {
  readonly name: ColumnName;
  readonly sort: string;
  readonly chosen: (sort: string) => void;
}

function Head({ name, sort, chosen }: HeadProps): JSX.Element {
  const isSorted = sort.replace(/^-/u, '') === name;
  const isDescending = sort.startsWith('-');
  // Amounts and times begin with the largest, which one looks for; another click turns the order.
  const first = numeric.has(name) || name === 'time' ? `-${name}` : name;
  const turned = isDescending ? name : `-${name}`;
  const direction = isDescending ? 'descending' : 'ascending';
  return (
    <span
      role="columnheader"
      className={`c-${name}${numeric.has(name) ? ' numeric' : ''}`}
      aria-sort={isSorted ? direction : 'none'}
    >
      <button type="button" onClick={() => chosen(isSorted ? turned : first)}>
        {columns[name].label}
        {isSorted ? (
          isDescending ? (
            <ArrowDown size={12} aria-hidden />
          ) : (
            <ArrowUp size={12} aria-hidden />
          )
        ) : null}
      </button>
    </span>
  );
}

const markIcons = { simulated: WifiOff, sandboxed: Box, own: LayoutDashboard } as const;

interface RowProps {
  readonly row: RequestRow;
  readonly index: number;
  readonly top: number;
  readonly height: number;
  readonly href: string;
  readonly isOpened: boolean;
  readonly isWanted: boolean;
  /** It has got the focus that was wanted for it. */
  readonly reached: () => void;
}

/** A row is made once, however often the list scrolls past it. */
const Row = memo(function Row(props: RowProps): JSX.Element {
  const { row, index, top, height, href, isOpened, isWanted, reached } = props;
  const link = useRef<HTMLAnchorElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    link.current?.focus({ preventScroll: true });
    reached();
  }, [isWanted, reached]);
  return (
    <div
      className="request-row"
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpened}
      style={{ transform: `translateY(${top}px)`, height }}
      onClick={({ ctrlKey, metaKey, shiftKey }) => {
        // The browser opens the link elsewhere.
        if (!ctrlKey && !metaKey && !shiftKey) go(href);
      }}
    >
      {shownColumns.map((name) => {
        const text = columnOf(name).shown(row);
        return name === 'path' ? (
          <span key={name} role="gridcell" className="c-path" title={urlOf(row)}>
            <a ref={link} href={href} tabIndex={-1}>
              {text}
            </a>
          </span>
        ) : (
          <span
            key={name}
            role="gridcell"
            className={`c-${name}${numeric.has(name) ? ' numeric' : ''}${name === 'status' ? ` status ${statusColor(row.status)}` : ''}`}
            title={name === 'caller' || name === 'client' ? text : undefined}
          >
            {text}
          </span>
        );
      })}
      <span role="gridcell" className="c-marks">
        {marksOf(row).map((mark) => (
          <MarkIcon key={mark} mark={mark} sandbox={row.sandbox} />
        ))}
      </span>
    </div>
  );
});

function MarkIcon({ mark, sandbox }: { mark: Mark; sandbox: string | null }): JSX.Element {
  const Icon = markIcons[mark];
  const text = mark === 'sandboxed' ? `${markTexts[mark]}: ${sandbox}` : markTexts[mark];
  return (
    <span title={text} role="img" aria-label={text}>
      <Icon size={13} aria-hidden />
    </span>
  );
}
