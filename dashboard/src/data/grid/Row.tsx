import { memo, type JSX, type ReactNode } from 'react';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { brief, shown } from '../../words.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';
import { Cell } from './Cell.tsx';
import type { Column } from './columns.ts';
import type { Labels } from '../record/labels.ts';

/** In px. */
export const rowHeight = 34;
/** The width of the boxes that select rows, in px. */
export const boxWidth = 40;

interface Props {
  readonly grid: string;
  readonly index: number;
  readonly top: number;
  readonly record: ApiRecord | undefined;
  readonly columns: readonly Column[];
  readonly lefts: readonly number[];
  readonly model: Model;
  readonly resource: ResourceInfo;
  readonly labels: Labels;
  readonly place: (name: string) => string;
  readonly isSelected: boolean;
  readonly isOpened: boolean;
  readonly mayEdit: boolean;
  /** The column of the active cell; undefined: it is in another row. */
  readonly active: number | undefined;
  /** What stands in the active cell while it is edited. */
  readonly editor: ReactNode;
}

/** A row of the grid. It is drawn anew only when something of it has changed. */
export const Row = memo(function Row(props: Props): JSX.Element {
  const { grid, index, top, record, columns, lefts, isSelected, isOpened, active, editor } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      className={isOpened ? 'grid-row opened' : 'grid-row'}
      style={{ transform: `translateY(${top}px)` }}
      data-row={index}
    >
      <div
        role="gridcell"
        aria-colindex={1}
        id={`${grid}-${index}--1`}
        className={active === -1 ? 'grid-cell box active' : 'grid-cell box'}
        data-column={-1}
      >
        {record === undefined ? null : (
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            readOnly
            aria-label={`Select ${shown(record['id'])}`}
          />
        )}
      </div>
      {columns.map((column, place) => {
        const isActive = active === place;
        const isPinned = column.isPinned;
        return (
          <div
            key={column.name}
            role="gridcell"
            aria-colindex={place + 2}
            aria-readonly={column.field?.isUpdatable !== true || !props.mayEdit}
            id={`${grid}-${index}-${place}`}
            className={classOf(column, isActive)}
            style={{ width: column.width, ...(isPinned ? { left: lefts[place] } : {}) }}
            data-column={place}
            title={
              record === undefined || editor !== undefined
                ? undefined
                : brief(shown(memberOf(record, column.name)))
            }
          >
            {record === undefined ? (
              <span className="bone" />
            ) : isActive && editor !== undefined ? (
              editor
            ) : (
              <Cell
                column={column}
                record={record}
                model={props.model}
                resource={props.resource}
                labels={props.labels}
                place={props.place}
              />
            )}
          </div>
        );
      })}
    </div>
  );
});

function classOf({ isNumeric, isPinned, name }: Column, isActive: boolean): string {
  return [
    'grid-cell',
    ...(isNumeric ? ['numeric'] : []),
    ...(isPinned ? ['pinned'] : []),
    ...(name === 'id' ? ['id'] : []),
    ...(isActive ? ['active'] : []),
  ].join(' ');
}
