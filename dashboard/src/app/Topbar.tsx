import { Burger } from '@mantine/core';
import type { JSX, ReactNode } from 'react';
import { Mark } from './Mark.tsx';

/** The first link of a page. The hash is where the page is, so the link must not change it. */
export function SkipLink(): JSX.Element {
  return (
    <a
      className="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById('main')?.focus();
      }}
    >
      Skip to content
    </a>
  );
}

interface TopbarProps {
  readonly name: string;
  readonly isMenuOpen: boolean;
  readonly setMenuOpen: (isOpen: boolean) => void;
  readonly children?: ReactNode;
}

/** The head of a page on a narrow screen, which has the sidebar behind its button. */
export function Topbar({ name, isMenuOpen, setMenuOpen, children }: TopbarProps): JSX.Element {
  return (
    <header className="topbar">
      <Burger
        opened={isMenuOpen}
        onClick={() => setMenuOpen(!isMenuOpen)}
        size="sm"
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        aria-controls="sidebar"
      />
      <Mark />
      <strong className="name">{name}</strong>
      {children}
    </header>
  );
}
