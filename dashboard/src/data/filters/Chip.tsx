import { Popover, UnstyledButton } from '@mantine/core';
import { X } from 'lucide-react';
import type { JSX, ReactNode } from 'react';
import { hasMenuOpen } from '../../focus.ts';
import { loadEditors } from './editors/loaded.ts';

interface Props {
  readonly label: ReactNode;
  /** What it is called, for who hears it. */
  readonly name: string;
  readonly icon?: ReactNode;
  /** Whether it says something, rather than offering to. */
  readonly isSet: boolean;
  readonly isOpen: boolean;
  readonly setOpen: (isOpen: boolean) => void;
  readonly remove?: (() => void) | undefined;
  readonly width?: number;
  readonly children: ReactNode;
}

/** A chip of the toolbar: says what holds, and opens a small editor of it. */
export function Chip(props: Props): JSX.Element {
  const { label, name, icon, isSet, isOpen, setOpen, remove, width = 340, children } = props;
  const toggle = async (): Promise<void> => {
    // The focus goes to what is in it, so that must be there.
    if (!isOpen) await loadEditors();
    setOpen(!isOpen);
  };
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={width}
      trapFocus
      returnFocus
      withinPortal
      closeOnClickOutside
      closeOnEscape={false}
    >
      <span className={isSet ? 'chip set' : 'chip'}>
        <Popover.Target>
          <UnstyledButton
            className="chip-label"
            aria-label={name}
            title={name}
            aria-expanded={isOpen}
            onPointerEnter={() => void loadEditors()}
            onClick={() => void toggle()}
          >
            {icon}
            <span className="name">{label}</span>
          </UnstyledButton>
        </Popover.Target>
        {remove === undefined ? null : (
          <UnstyledButton className="chip-remove" aria-label={`Remove ${name}`} onClick={remove}>
            <X size={13} aria-hidden />
          </UnstyledButton>
        )}
      </span>
      <Popover.Dropdown
        aria-label={name}
        className="chip-editor"
        onKeyDown={({ key, target }) => {
          if (key === 'Escape' && !hasMenuOpen(target)) setOpen(false);
        }}
      >
        {children}
      </Popover.Dropdown>
    </Popover>
  );
}
