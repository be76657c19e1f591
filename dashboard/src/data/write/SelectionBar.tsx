import { Button, Menu } from '@mantine/core';
import { ChevronDown, Copy, Pencil, Trash2, X } from 'lucide-react';
import type { JSX } from 'react';
import { counted } from '../../words.ts';
import type { CopyFormat } from '../grid/GridMenu.tsx';
import { ExportMenu, type ExportFormat } from './ExportMenu.tsx';

interface Props {
  readonly count: number;
  readonly total: number;
  readonly selectAll: () => void;
  readonly clear: () => void;
  readonly copy: (format: CopyFormat) => void;
  readonly exportAs: (format: ExportFormat) => void;
  /** Undefined: the caller may not. */
  readonly change: (() => void) | undefined;
  readonly remove: (() => void) | undefined;
}

/** What can be done with the rows that are selected. */
export function SelectionBar(props: Props): JSX.Element {
  const { count, total, selectAll, clear, copy, exportAs, change, remove } = props;
  return (
    <div className="selection" role="toolbar" aria-label="Selected records">
      <strong>{counted(count, 'record')} selected</strong>
      {count < total ? (
        <Button size="xs" variant="subtle" onClick={selectAll}>
          Select all {total.toLocaleString()} that match
        </Button>
      ) : null}
      <span className="gap" />
      {change === undefined ? null : (
        <Button
          size="xs"
          variant="default"
          leftSection={<Pencil size={14} aria-hidden />}
          onClick={change}
        >
          Change
        </Button>
      )}
      <Menu position="top-end">
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            leftSection={<Copy size={14} aria-hidden />}
            rightSection={<ChevronDown size={13} aria-hidden />}
          >
            Copy
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => copy('json')}>As JSON</Menu.Item>
          <Menu.Item onClick={() => copy('csv')}>As CSV</Menu.Item>
          <Menu.Item onClick={() => copy('curl')}>As curl</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <ExportMenu label="Export" exportAs={exportAs} position="top-end" />
      {remove === undefined ? null : (
        <Button
          size="xs"
          color="red"
          variant="light"
          leftSection={<Trash2 size={14} aria-hidden />}
          onClick={remove}
        >
          Delete
        </Button>
      )}
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        leftSection={<X size={14} aria-hidden />}
        onClick={clear}
      >
        Clear
      </Button>
    </div>
  );
}
