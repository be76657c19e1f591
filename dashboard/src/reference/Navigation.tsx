import { ActionIcon, NativeSelect, TextInput, Tooltip, useMantineColorScheme } from '@mantine/core';
import { LayoutDashboard, LogIn, LogOut, Moon, Search, Sun } from 'lucide-react';
import { useRef, useState, type JSX } from 'react';
import { credential } from '../api.ts';
import { Mark } from '../app/Mark.tsx';
import { mount } from '../mount.ts';
import type { Operation } from './document.ts';
import { hashOf, type Place } from './place.ts';
import type { Page } from './page.ts';

interface Props {
  readonly page: Page;
  readonly place: Place;
  readonly tags: readonly string[];
  /** Those that are loaded: of the chosen tag, or of all. */
  readonly operations: readonly Operation[];
  readonly isOpen: boolean;
  readonly isDark: boolean;
  /** Somebody looks for an operation, which may be in any tag. */
  readonly searched: () => void;
  readonly signIn: () => void;
  readonly signOut: () => void;
  readonly close: () => void;
}

/** More would not be read, but make the page slow. */
const mostFound = 60;

/** The tags, with the operations of the chosen one; or what a search has found in all of them. */
export function Navigation(props: Props): JSX.Element {
  const { page, place, tags, operations, isOpen, isDark, searched } = props;
  const [search, setSearch] = useState('');
  const box = useRef<HTMLInputElement>(null);
  const { setColorScheme } = useMantineColorScheme();
  const words = search
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== '');
  const fits = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const isSearch = words.length > 0;
  const found = isSearch
    ? operations.filter(({ title, method, path, tags: own }) =>
        fits(`${title} ${method} ${path} ${own.join(' ')}`),
      )
    : [];
  const foundTags = isSearch ? tags.filter(fits) : [];
  const link = (tag: string, operation: string): string =>
    hashOf({ version: place.version, tag, operation });
  return (
    <nav className="sidebar" aria-label="Operations" data-open={isOpen} id="sidebar">
      <div className="brand">
        <Mark />
        <strong className="name">{page.title}</strong>
        {page.versions.length > 1 ? (
          <NativeSelect
            className="version"
            size="xs"
            aria-label="Version"
            data={[...page.versions]}
            value={place.version}
            onChange={({ currentTarget: { value } }) => {
              location.hash = hashOf({ version: value, tag: place.tag, operation: '' });
            }}
          />
        ) : (
          <span className="mode">{page.versions[0]}</span>
        )}
      </div>
      <form
        role="search"
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          const [first] = found;
          const [tag] = foundTags;
          if (first !== undefined) location.hash = link(first.tags[0] ?? '', first.id);
          else if (tag !== undefined) location.hash = link(tag, '');
          if (first !== undefined || tag !== undefined) props.close();
        }}
      >
        <TextInput
          ref={box}
          size="xs"
          type="search"
          placeholder="Find an operation"
          aria-label="Find an operation"
          leftSection={<Search size={14} aria-hidden />}
          value={search}
          onFocus={searched}
          onChange={({ currentTarget: { value } }) => setSearch(value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') setSearch('');
          }}
        />
      </form>
      {isSearch ? (
        <ul className="places tags" aria-label="Found">
          {foundTags.slice(0, mostFound).map((tag) => (
            <li key={tag}>
              <a href={link(tag, '')} onClick={props.close}>
                <span className="name">{tag}</span>
              </a>
            </li>
          ))}
          {found.slice(0, mostFound).map((one) => (
            <OperationLink
              key={`${one.tags[0]} ${one.id}`}
              operation={one}
              title={one.title}
              href={link(one.tags[0] ?? '', one.id)}
              isCurrent={one.id === place.operation}
              close={props.close}
            />
          ))}
          {found.length + foundTags.length === 0 ? <li className="none">Nothing found</li> : null}
          {found.length > mostFound ? (
            <li className="none">{found.length - mostFound} more: add a word</li>
          ) : null}
        </ul>
      ) : (
        <ul className="places tags" aria-label="Resources">
          {tags.map((tag) => (
            <li key={tag}>
              <a href={link(tag, '')} aria-expanded={tag === place.tag} className="tag">
                <span className="name">{tag}</span>
              </a>
              {tag === place.tag ? (
                <ul className="places" aria-label={`Operations of ${tag}`}>
                  {operations
                    .filter((one) => one.tags.includes(tag))
                    .map((one) => (
                      <OperationLink
                        key={one.id}
                        operation={one}
                        title={one.title.replace(` of ${tag}`, '')}
                        href={link(tag, one.id)}
                        isCurrent={one.id === place.operation}
                        close={props.close}
                      />
                    ))}
                </ul>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      <div className="foot">
        <span className="name">
          {page.hasDashboard ? (
            <a href={`${mount}/_dashboard`} className="to-dashboard">
              <LayoutDashboard size={15} aria-hidden />
              Dashboard
            </a>
          ) : null}
        </span>
        <Tooltip label={isDark ? 'Light colours' : 'Dark colours'}>
          <ActionIcon
            onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
            aria-label="Light or dark"
          >
            {isDark ? <Sun size={16} /> : <Moon size={16} />}
          </ActionIcon>
        </Tooltip>
        {page.hasAuth ? <Session signIn={props.signIn} signOut={props.signOut} /> : null}
      </div>
    </nav>
  );
}

function Session({ signIn, signOut }: Pick<Props, 'signIn' | 'signOut'>): JSX.Element {
  const isIn = credential() !== '';
  const label = isIn ? 'Sign out' : 'Sign in';
  return (
    <Tooltip label={label}>
      <ActionIcon onClick={isIn ? signOut : signIn} aria-label={label}>
        {isIn ? <LogOut size={16} /> : <LogIn size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

interface LinkProps {
  readonly operation: Operation;
  /** Within its resource, without its name. */
  readonly title: string;
  readonly href: string;
  readonly isCurrent: boolean;
  readonly close: () => void;
}

function OperationLink({ operation, title, href, isCurrent, close }: LinkProps): JSX.Element {
  return (
    <li>
      <a href={href} aria-current={isCurrent ? 'page' : undefined} onClick={close}>
        <span className={`method ${operation.method}`}>{shortMethod(operation.method)}</span>
        <span className="name">{title}</span>
      </a>
    </li>
  );
}

/** In the list, methods stand below each other in a narrow column. */
function shortMethod(method: string): string {
  return method === 'DELETE' ? 'DEL' : method;
}
