import { useVirtualizer } from '@tanstack/react-virtual';
import {
  lazy,
  Suspense,
  useCallback,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type JSX,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
} from 'react';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';
import { editableText, type CellWrite } from './cell-text.ts';
import type { CellEditor as EditorOfCells } from './CellEditor.tsx';
import { filling, type Column } from './columns.ts';
import type { RowActions } from './GridMenu.tsx';
import { Head, type ColumnActions } from './Head.tsx';
import { keysIn, useLabels } from '../record/labels.ts';
import { Row, boxWidth, rowHeight } from './Row.tsx';
import type { Rows } from './rows.ts';
import { isSelected, noSelection, withRows, type Selection } from './selection.ts';

const GridMenu = lazy(async () => ({ default: (await import('./GridMenu.tsx')).GridMenu }));
let CellEditor: typeof EditorOfCells | undefined;

/** The editor of cells, which the first view does without. */
async function loadEditor(): Promise<void> {
  ({ CellEditor } = await import('./CellEditor.tsx'));
}

/** In ms. */
const afterPaint = 600;

/** A cell by its row and column; -1 are the head, and the boxes that select rows. */
interface Place {
  readonly row: number;
  readonly column: number;
}

/** A cell that is being edited, with what is typed; it stays while its row is out of sight. */
interface Editing {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}

/** The width of the inside of an element, in px. */
function useWidth(of: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  // Before the first paint, so that nothing is seen to move.
  useLayoutEffect(() => {
    const element = of.current;
    if (element === null) return undefined;
    const measure = (): void => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [of]);
  return width;
}

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly rows: Rows;
  readonly columns: readonly Column[];
  readonly sort: readonly string[];
  readonly selection: Selection;
  readonly select: (selection: Selection) => void;
  /** The record that is opened beside the grid. */
  readonly opened: string | undefined;
  readonly mayEdit: boolean;
  readonly place: (name: string) => string;
  readonly columnActions: ColumnActions;
  readonly rowActions: RowActions;
  readonly write: CellWrite;
  /** Reads the records anew. */
  readonly reload: () => void;
  readonly undo: () => void;
  readonly seen: (first: number, last: number) => void;
}

/**
 * The records as a grid: only the rows in sight are in the page. It is one stop of the Tab key; arrows lead from cell to
 * cell, Enter edits or opens, Space selects.
 */
export function Grid(props: Props): JSX.Element {
  const { model, resource, rows, sort, selection, select, opened, mayEdit } = props;
  const { place, columnActions, rowActions, write, reload, undo, seen } = props;
  const grid = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const room = useWidth(scroller);
  const columns = useMemo(() => filling(props.columns, room - boxWidth), [props.columns, room]);
  const [at, setAt] = useState<Place>({ row: 0, column: 0 });
  const [isFocused, setFocused] = useState(false);
  const [from, setFrom] = useState(0);
  const [editing, setEditing] = useState<Editing>();
  const [headMenu, setHeadMenu] = useState<string>();
  const [menuAt, setMenuAt] = useState<{ readonly x: number; readonly y: number }>();
  const virtualizer = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    scrollPaddingStart: rowHeight,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => seen(first, last), [seen, first, last]);
  const labels = useLabels(keysIn(columns, rows.loaded), model);
  const lefts = useMemo(() => {
    let left = boxWidth;
    return columns.map(({ width }) => {
      left += width;
      return left - width;
    });
  }, [columns]);
  const width = (lefts.at(-1) ?? boxWidth) + (columns.at(-1)?.width ?? 0);
  const sortable = useMemo(() => new Set(resource.sorts), [resource]);
  const filterable = useMemo(() => new Set(resource.filters.map(({ path }) => path)), [resource]);
  const [lastRow, lastColumn] = [rows.count - 1, columns.length - 1];
  const current: Place = {
    row: Math.min(at.row, lastRow),
    column: Math.min(at.column, lastColumn),
  };
  const record = current.row < 0 ? undefined : rows.at(current.row);
  const column = current.column < 0 ? undefined : columns[current.column];

  const reveal = useCallback(
    ({ row, column: to }: Place): void => {
      if (row >= 0) virtualizer.scrollToIndex(row);
      const box = scroller.current;
      const target = columns[to];
      if (box === null || target === undefined || target.isPinned) return;
      const pinned = columns
        .filter(({ isPinned }) => isPinned)
        .reduce((sum, one) => sum + one.width, boxWidth);
      const left = lefts[to] ?? 0;
      if (left - pinned < box.scrollLeft) box.scrollLeft = left - pinned;
      else if (left + target.width > box.scrollLeft + box.clientWidth)
        box.scrollLeft = left + target.width - box.clientWidth;
    },
    [columns, lefts, virtualizer],
  );
  const go = useCallback(
    (next: Place): void => {
      setAt(next);
      reveal(next);
    },
    [reveal],
  );
  const bounded = ({ row, column: to }: Place): Place => ({
    row: Math.max(-1, Math.min(lastRow, row)),
    column: Math.max(-1, Math.min(lastColumn, to)),
  });
  useEffect(() => {
    const timer = setTimeout(() => void loadEditor(), afterPaint);
    return () => clearTimeout(timer);
  }, []);
  const Editor = CellEditor;
  const refocus = (): void => scroller.current?.focus({ preventScroll: true });

  const mayEditCell = (target: Column | undefined): boolean =>
    mayEdit && target?.field?.isUpdatable === true && target.field.isReadable;
  /** The cell whose editor is loading. Keys that are typed meanwhile are kept. */
  const waiting = useRef<Editing>(undefined);
  const begin = async (next: Editing): Promise<void> => {
    waiting.current = next;
    try {
      await loadEditor();
      setEditing(waiting.current);
    } finally {
      waiting.current = undefined;
    }
  };
  const edit = (one: ApiRecord, target: Column, text?: string): void => {
    if (target.field === undefined) return;
    const value = memberOf(one, target.name);
    const next = {
      id: String(one['id']),
      name: target.name,
      text: text ?? editableText(target.field, value),
    };
    // At once, so that the next key reaches the editor.
    if (CellEditor === undefined) void begin(next);
    else setEditing(next);
  };
  /** Selects the rows up to this one, from where a selection has begun. */
  const selectTo = (to: number): void => {
    const [begin, end] = from < to ? [from, to] : [to, from];
    const known = Array.from({ length: end - begin + 1 }, (_, index) => rows.at(begin + index));
    const add = (records: readonly ApiRecord[]): void => select(withRows(selection, records, true));
    const records = known.filter((one) => one !== undefined);
    if (records.length === known.length) add(records);
    // Without those that do not come, nothing is selected that is not seen to be.
    else void rows.between(begin, end).then(add, () => undefined);
  };
  const toggle = (row: number, isRange: boolean): void => {
    const target = rows.at(row);
    if (target === undefined) return;
    if (isRange) selectTo(row);
    else {
      select(withRows(selection, [target], !isSelected(selection, target)));
      setFrom(row);
    }
  };
  const isAllSelected =
    selection.kind === 'all'
      ? rows.count > 0
      : selection.ids.size === 0
        ? false
        : selection.ids.size >= rows.count
          ? true
          : undefined;
  const selectAll = (isIn: boolean): void => select(isIn ? { kind: 'all' } : noSelection);

  const keys = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget) return;
    const { key, shiftKey, altKey } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    const done = (): void => event.preventDefault();
    if (waiting.current !== undefined) {
      done();
      if (key.length === 1 && !isCommand)
        waiting.current = { ...waiting.current, text: waiting.current.text + key };
      return;
    }
    if (isCommand) {
      if (key === 'a') {
        done();
        selectAll(true);
      } else if (
        key === 'c' &&
        record !== undefined &&
        window.getSelection()?.isCollapsed !== false
      ) {
        done();
        if (column !== undefined) rowActions.copyCell(record, column);
      } else if (key === 'z' && !shiftKey) {
        done();
        undo();
      } else if (key === 'Enter' && record !== undefined) {
        done();
        rowActions.open(record);
      } else if (key === 'Home' || key === 'End') {
        done();
        go({ ...current, row: key === 'Home' ? 0 : lastRow });
      }
      return;
    }
    if (altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 2);
    const moves: Readonly<Record<string, Place>> = {
      ArrowDown: { row: current.row + 1, column: current.column },
      ArrowUp: { row: current.row - 1, column: current.column },
      ArrowRight: { row: current.row, column: current.column + 1 },
      ArrowLeft: { row: current.row, column: current.column - 1 },
      PageDown: { row: current.row + page, column: current.column },
      PageUp: { row: Math.max(0, current.row - page), column: current.column },
      Home: { row: current.row, column: 0 },
      End: { row: current.row, column: lastColumn },
    };
    const move = moves[key];
    if (move !== undefined) {
      done();
      const next = bounded(move);
      if (shiftKey && (key === 'ArrowDown' || key === 'ArrowUp')) selectTo(Math.max(0, next.row));
      else setFrom(Math.max(0, next.row));
      go(next);
      return;
    }
    switch (key) {
      case 'Enter':
        done();
        if (current.row === -1) {
          if (column === undefined) selectAll(isAllSelected !== true);
          else setHeadMenu(column.name);
        } else if (record !== undefined && column !== undefined && mayEditCell(column))
          edit(record, column);
        else if (record !== undefined && column !== undefined) rowActions.open(record);
        else toggle(current.row, shiftKey);
        break;
      case 'F2':
        done();
        if (record !== undefined && column !== undefined && mayEditCell(column))
          edit(record, column);
        break;
      case ' ':
        done();
        if (current.row === -1) selectAll(isAllSelected !== true);
        else toggle(current.row, shiftKey);
        break;
      case 'Escape':
        if (selection.kind === 'all' || selection.ids.size > 0) {
          done();
          select(noSelection);
        }
        break;
      case 'ContextMenu':
      case 'F10': {
        if (key === 'F10' && !shiftKey) break;
        done();
        const cell = document.getElementById(`${grid}-${current.row}-${current.column}`);
        const box = cell?.getBoundingClientRect();
        if (record !== undefined && box !== undefined)
          setMenuAt({ x: box.left + 12, y: box.bottom });
        break;
      }
      default:
        // What is typed on a cell takes the place of what is in it, as in any sheet.
        if (
          key.length === 1 &&
          record !== undefined &&
          column !== undefined &&
          mayEditCell(column) &&
          column.field?.values === null &&
          column.field.type !== 'boolean' &&
          !/^(?:date|datetime|time)$/u.test(column.field.type)
        ) {
          done();
          edit(record, column, key);
        }
    }
  };

  const placeOf = (target: EventTarget): Place | undefined => {
    if (!(target instanceof Element)) return undefined;
    const cell = target.closest<HTMLElement>('[data-column]');
    const row = target.closest<HTMLElement>('[data-row]');
    if (cell === null || row === null) return undefined;
    return { row: Number(row.dataset['row']), column: Number(cell.dataset['column']) };
  };
  const click = (event: MouseEvent<HTMLDivElement>): void => {
    const found = placeOf(event.target);
    if (found === undefined || found.row < 0) return;
    if (event.target instanceof Element && event.target.closest('a, .cell-editor') !== null) return;
    setAt(found);
    if (found.column === -1 || event.ctrlKey || event.metaKey) toggle(found.row, event.shiftKey);
    else if (event.shiftKey) {
      selectTo(found.row);
      window.getSelection()?.removeAllRanges();
    } else {
      setFrom(found.row);
      const one = rows.at(found.row);
      if (one !== undefined && columns[found.column]?.name === 'id') rowActions.open(one);
    }
  };
  const doubleClick = (event: MouseEvent<HTMLDivElement>): void => {
    const found = placeOf(event.target);
    const one = found === undefined ? undefined : rows.at(found.row);
    const target = found === undefined ? undefined : columns[found.column];
    if (event.target instanceof Element && event.target.closest('.cell-editor') !== null) return;
    if (one !== undefined && target !== undefined && mayEditCell(target)) edit(one, target);
  };
  const menu = (event: MouseEvent<HTMLDivElement>): void => {
    const found = placeOf(event.target);
    if (found === undefined || found.row < 0 || rows.at(found.row) === undefined) return;
    if (event.target instanceof Element && event.target.closest('.cell-editor') !== null) return;
    event.preventDefault();
    setAt(found);
    setMenuAt({ x: event.clientX, y: event.clientY });
  };

  return (
    <>
      <div
        ref={scroller}
        className={rows.isStale ? 'grid stale' : 'grid'}
        role="grid"
        tabIndex={0}
        aria-label={resource.name}
        aria-rowcount={rows.count + 1}
        aria-colcount={columns.length + 1}
        aria-multiselectable
        aria-busy={rows.isStale}
        aria-activedescendant={isFocused ? `${grid}-${current.row}-${current.column}` : undefined}
        onKeyDown={keys}
        onClick={click}
        onDoubleClick={doubleClick}
        onContextMenu={menu}
        onFocus={(event) => setFocused(event.target === event.currentTarget)}
        onBlur={() => setFocused(false)}
        data-focused={isFocused}
      >
        <div
          className="grid-sheet"
          style={{ width, height: virtualizer.getTotalSize() + rowHeight }}
        >
          <Head
            grid={grid}
            columns={columns}
            lefts={lefts}
            sortable={sortable}
            filterable={filterable}
            sort={sort}
            isAllSelected={isAllSelected}
            selectAll={selectAll}
            active={current.row === -1 ? current.column : undefined}
            opened={headMenu}
            setOpened={(name) => {
              setHeadMenu(name);
              if (name === undefined) refocus();
            }}
            actions={columnActions}
          />
          {items.map(({ key, index, start }) => {
            const one = rows.at(index);
            const isEdited = one !== undefined && editing?.id === String(one['id']);
            const active = current.row === index ? current.column : undefined;
            const edited = isEdited
              ? columns.findIndex(({ name }) => name === editing?.name)
              : undefined;
            return (
              <Row
                key={key}
                grid={grid}
                index={index}
                top={start + rowHeight}
                record={one}
                columns={columns}
                lefts={lefts}
                model={model}
                resource={resource}
                labels={labels}
                place={place}
                isSelected={one !== undefined && isSelected(selection, one)}
                isOpened={one !== undefined && opened === String(one['id'])}
                mayEdit={mayEdit}
                active={edited ?? active}
                editor={
                  one !== undefined &&
                  edited !== undefined &&
                  editing !== undefined &&
                  Editor !== undefined ? (
                    <Editor
                      key={`${editing.id} ${editing.name}`}
                      model={model}
                      column={columns[edited]}
                      record={one}
                      text={editing.text}
                      typed={(text) => setEditing({ ...editing, text })}
                      write={write}
                      reload={reload}
                      ended={(step) => {
                        setEditing(undefined);
                        refocus();
                        go(
                          bounded({
                            row: index + (step === 'down' ? 1 : 0),
                            column: edited + (step === 'right' ? 1 : step === 'left' ? -1 : 0),
                          }),
                        );
                      }}
                    />
                  ) : undefined
                }
              />
            );
          })}
        </div>
      </div>
      {menuAt === undefined ? null : (
        <Suspense fallback={null}>
          <GridMenu
            at={menuAt}
            record={record}
            column={column}
            isFilterable={column !== undefined && filterable.has(column.name)}
            mayEditCell={mayEditCell(column)}
            edit={() => {
              if (record !== undefined && column !== undefined) edit(record, column);
            }}
            actions={rowActions}
            close={() => {
              setMenuAt(undefined);
              refocus();
            }}
          />
        </Suspense>
      )}
    </>
  );
}
