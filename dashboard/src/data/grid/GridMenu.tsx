import { Menu } from '@mantine/core';
import {
  Copy,
  CopyPlus,
  ListFilter,
  ListX,
  PanelRight,
  Pencil,
  Slash,
  Terminal,
  Trash2,
} from 'lucide-react';
import type { JSX, Ref } from 'react';
import { brief, shown } from '../../words.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';
import type { Column } from './columns.ts';

/** How something is copied. */
export type CopyFormat = 'json' | 'csv' | 'curl';

/** What can be done with a row or a cell. Undefined: the caller may not. */
export interface RowActions {
  readonly open: (record: ApiRecord) => void;
  readonly copyCell: (record: ApiRecord, column: Column) => void;
  readonly copyRow: (record: ApiRecord, format: CopyFormat) => void;
  readonly filterBy: (column: Column, value: unknown, isNegated: boolean) => void;
  readonly clear: ((record: ApiRecord, column: Column) => void) | undefined;
  readonly duplicate: ((record: ApiRecord) => void) | undefined;
  readonly remove: ((record: ApiRecord) => void) | undefined;
}

/** In px of the window. */
interface Point {
  readonly x: number;
  readonly y: number;
}

interface AnchorProps extends Point {
  readonly ref?: Ref<HTMLDivElement>;
  readonly id?: string;
}

interface Props {
  readonly at: Point | undefined;
  readonly record: ApiRecord | undefined;
  readonly column: Column | undefined;
  readonly isFilterable: boolean;
  readonly mayEditCell: boolean;
  readonly edit: () => void;
  readonly actions: RowActions;
  readonly close: () => void;
}

/** Where a menu begins, and what it is called. It is no control, so it does not tell that it has opened something. */
function Anchor({ ref, id, x, y }: AnchorProps): JSX.Element {
  return (
    <div ref={ref} id={id} className="menu-anchor" style={{ left: x, top: y }} aria-hidden>
      Cell and row
    </div>
  );
}

/** The menu of a cell and its row. */
export function GridMenu(props: Props): JSX.Element | null {
  const { at, record, column, isFilterable, mayEditCell, edit, actions, close } = props;
  if (at === undefined || record === undefined) return null;
  const value = column === undefined ? undefined : memberOf(record, column.name);
  const isScalar = value === null || (value !== undefined && typeof value !== 'object');
  const { clear, duplicate, remove } = actions;
  return (
    <Menu opened onChange={close} position="bottom-start" width={230} trapFocus returnFocus={false}>
      <Menu.Target>
        <Anchor {...at} />
      </Menu.Target>
      <Menu.Dropdown style={{ whiteSpace: 'nowrap' }}>
        <Menu.Item
          leftSection={<PanelRight size={14} />}
          rightSection={<span className="keys">Ctrl ↵</span>}
          onClick={() => actions.open(record)}
        >
          Open record
        </Menu.Item>
        {column !== undefined && mayEditCell ? (
          <>
            <Menu.Item
              leftSection={<Pencil size={14} />}
              rightSection={<span className="keys">↵</span>}
              onClick={edit}
            >
              Edit cell
            </Menu.Item>
            {column.field?.isNullable === true && clear !== undefined ? (
              <Menu.Item
                leftSection={<Slash size={14} />}
                disabled={value === null}
                onClick={() => clear(record, column)}
              >
                Set to null
              </Menu.Item>
            ) : null}
          </>
        ) : null}
        {column !== undefined && isFilterable && isScalar ? (
          <>
            <Menu.Divider />
            <Menu.Item
              leftSection={<ListFilter size={14} />}
              onClick={() => actions.filterBy(column, value, false)}
            >
              Only {brief(shown(value), 24)}
            </Menu.Item>
            <Menu.Item
              leftSection={<ListX size={14} />}
              onClick={() => actions.filterBy(column, value, true)}
            >
              Without {brief(shown(value), 24)}
            </Menu.Item>
          </>
        ) : null}
        <Menu.Divider />
        {column === undefined ? null : (
          <Menu.Item
            leftSection={<Copy size={14} />}
            rightSection={<span className="keys">Ctrl C</span>}
            onClick={() => actions.copyCell(record, column)}
          >
            Copy cell
          </Menu.Item>
        )}
        <Menu.Item leftSection={<Copy size={14} />} onClick={() => actions.copyRow(record, 'json')}>
          Copy row as JSON
        </Menu.Item>
        <Menu.Item leftSection={<Copy size={14} />} onClick={() => actions.copyRow(record, 'csv')}>
          Copy row as CSV
        </Menu.Item>
        <Menu.Item
          leftSection={<Terminal size={14} />}
          onClick={() => actions.copyRow(record, 'curl')}
        >
          Copy row as curl
        </Menu.Item>
        {duplicate === undefined && remove === undefined ? null : <Menu.Divider />}
        {duplicate === undefined ? null : (
          <Menu.Item leftSection={<CopyPlus size={14} />} onClick={() => duplicate(record)}>
            Duplicate
          </Menu.Item>
        )}
        {remove === undefined ? null : (
          <Menu.Item
            c="var(--status-red)"
            leftSection={<Trash2 size={14} />}
            onClick={() => remove(record)}
          >
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
