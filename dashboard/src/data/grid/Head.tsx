import { Menu } from '@mantine/core';
import {
  ArrowDown,
  ArrowUp,
  ChevronDown,
  EyeOff,
  ListFilter,
  MoveHorizontal,
  Pin,
  PinOff,
} from 'lucide-react';
import { useState, type JSX, type PointerEvent } from 'react';
import type { Column } from './columns.ts';
import { boundedWidth } from './columns.ts';
import { boxWidth } from './Row.tsx';

/** What can be done with a column. */
export interface ColumnActions {
  /** Undefined: no longer sorted by it. */
  readonly sort: (name: string, direction: 'asc' | 'desc' | undefined) => void;
  /** Sets the width of each column, so that none but the one that is dragged moves. */
  readonly resize: (widths: Readonly<Record<string, number>>) => void;
  readonly pin: (name: string, isPinned: boolean) => void;
  readonly hide: (name: string) => void;
  readonly filter: (name: string) => void;
}

interface Props {
  readonly grid: string;
  readonly columns: readonly Column[];
  readonly lefts: readonly number[];
  readonly sortable: ReadonlySet<string>;
  readonly filterable: ReadonlySet<string>;
  readonly sort: readonly string[];
  readonly isAllSelected: boolean | undefined;
  readonly selectAll: (isIn: boolean) => void;
  /** The column of the active cell, if it is in the head. */
  readonly active: number | undefined;
  /** The column whose menu is open. */
  readonly opened: string | undefined;
  readonly setOpened: (name: string | undefined) => void;
  readonly actions: ColumnActions;
}

/** The head of the grid: sorts by a click, and has a menu for each column. */
export function Head(props: Props): JSX.Element {
  const { grid, columns, lefts, isAllSelected, selectAll, active } = props;
  return (
    <div role="row" aria-rowindex={1} className="grid-row grid-head" data-row={-1}>
      <div
        role="columnheader"
        aria-colindex={1}
        id={`${grid}--1--1`}
        className={active === -1 ? 'grid-cell box active' : 'grid-cell box'}
        data-column={-1}
        style={{ width: boxWidth }}
        aria-label="Selected"
      >
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label="Select all that match"
          checked={isAllSelected === true}
          ref={(box) => {
            if (box !== null) box.indeterminate = isAllSelected === undefined;
          }}
          onChange={() => selectAll(isAllSelected !== true)}
        />
      </div>
      {columns.map((column, place) => (
        <HeadCell
          key={column.name}
          {...props}
          column={column}
          place={place}
          left={lefts[place] ?? 0}
          isActive={active === place}
        />
      ))}
    </div>
  );
}

interface CellProps extends Props {
  readonly column: Column;
  readonly place: number;
  readonly left: number;
  readonly isActive: boolean;
}

function HeadCell(props: CellProps): JSX.Element {
  const { grid, columns, column, place, left, isActive, sort, sortable } = props;
  const { filterable, opened, setOpened, actions } = props;
  const { name, isPinned, isNumeric, width } = column;
  const at = sort.findIndex((one) => one === name || one === `-${name}`);
  const direction = at === -1 ? undefined : sort[at]?.startsWith('-') === true ? 'desc' : 'asc';
  const isSortable = sortable.has(name);
  const resize = (to: number): void =>
    actions.resize({
      ...Object.fromEntries(columns.map((one) => [one.name, one.width])),
      [name]: boundedWidth(to),
    });
  const next = direction === undefined ? 'asc' : direction === 'asc' ? 'desc' : undefined;
  return (
    <div
      role="columnheader"
      aria-colindex={place + 2}
      aria-sort={
        direction === undefined ? undefined : direction === 'asc' ? 'ascending' : 'descending'
      }
      id={`${grid}--1-${place}`}
      className={[
        'grid-cell',
        ...(isNumeric ? ['numeric'] : []),
        ...(isPinned ? ['pinned'] : []),
        ...(isActive ? ['active'] : []),
      ].join(' ')}
      style={{ width, ...(isPinned ? { left } : {}) }}
      data-column={place}
    >
      <button
        type="button"
        tabIndex={-1}
        className="head-name"
        disabled={!isSortable}
        title={isSortable ? `Sort by ${name}` : name}
        onClick={() => actions.sort(name, next)}
      >
        <span className="name">{name}</span>
        {direction === undefined ? null : direction === 'asc' ? (
          <ArrowUp size={13} aria-hidden />
        ) : (
          <ArrowDown size={13} aria-hidden />
        )}
        {sort.length > 1 && at !== -1 ? <span className="nth">{at + 1}</span> : null}
      </button>
      <Menu
        opened={opened === name}
        onChange={(isOpen) => setOpened(isOpen ? name : undefined)}
        position="bottom-start"
        withinPortal
        returnFocus={false}
      >
        <Menu.Target>
          <button
            type="button"
            tabIndex={-1}
            className="head-menu"
            aria-label={`Menu of ${name}`}
            data-open={opened === name}
          >
            <ChevronDown size={14} aria-hidden />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<ArrowUp size={14} />}
            disabled={!isSortable}
            onClick={() => actions.sort(name, 'asc')}
          >
            Sort ascending
          </Menu.Item>
          <Menu.Item
            leftSection={<ArrowDown size={14} />}
            disabled={!isSortable}
            onClick={() => actions.sort(name, 'desc')}
          >
            Sort descending
          </Menu.Item>
          {direction === undefined ? null : (
            <Menu.Item onClick={() => actions.sort(name, undefined)}>Do not sort by it</Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item
            leftSection={<ListFilter size={14} />}
            disabled={!filterable.has(name)}
            onClick={() => actions.filter(name)}
          >
            Filter by it
          </Menu.Item>
          {name === 'id' ? null : (
            <>
              <Menu.Item
                leftSection={isPinned ? <PinOff size={14} /> : <Pin size={14} />}
                onClick={() => actions.pin(name, !isPinned)}
              >
                {isPinned ? 'Unpin' : 'Pin to the left'}
              </Menu.Item>
              <Menu.Item leftSection={<EyeOff size={14} />} onClick={() => actions.hide(name)}>
                Hide
              </Menu.Item>
            </>
          )}
          <Menu.Item
            leftSection={<MoveHorizontal size={14} />}
            closeMenuOnClick={false}
            onClick={() => resize(width + 40)}
          >
            Wider
          </Menu.Item>
          <Menu.Item
            leftSection={<MoveHorizontal size={14} />}
            closeMenuOnClick={false}
            onClick={() => resize(width - 40)}
          >
            Narrower
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Resizer width={width} resize={resize} />
    </div>
  );
}

function Resizer({
  width,
  resize,
}: {
  readonly width: number;
  readonly resize: (width: number) => void;
}): JSX.Element {
  const [from, setFrom] = useState<{ readonly x: number; readonly width: number }>();
  return (
    <div
      className={from === undefined ? 'resizer' : 'resizer dragged'}
      onPointerDown={(event: PointerEvent<HTMLDivElement>) => {
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.setPointerCapture(event.pointerId);
        setFrom({ x: event.clientX, width });
      }}
      onPointerMove={(event) => {
        if (from !== undefined) resize(from.width + event.clientX - from.x);
      }}
      onPointerUp={() => setFrom(undefined)}
      onPointerCancel={() => setFrom(undefined)}
    />
  );
}
