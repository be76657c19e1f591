import { ActionIcon, Kbd, TextInput, Tooltip, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BookOpen, LogIn, LogOut, Moon, Search, Sun } from 'lucide-react';
import { useState, type JSX } from 'react';
import type { Model } from '../../../src/http/dashboard/wire-model.ts';
import type { Hello, RowCounts } from '../../../src/http/dashboard/wire.ts';
import { askDashboard, credential } from '../api.ts';
import { Mark } from './Mark.tsx';
import { mount } from '../mount.ts';
import { NetworkBadge } from '../network/NetworkBadge.tsx';
import { hashOf, type Route } from '../route.ts';
import { views } from './views.ts';

interface Props {
  readonly model: Model | undefined;
  readonly session: Hello;
  readonly route: Route;
  readonly isOpen: boolean;
  readonly isDark: boolean;
  readonly toggleScheme: () => void;
  readonly openPalette: () => void;
  /** Asks for a credential: the link opens the dashboard, and not what callers may see. */
  readonly signIn: () => void;
  readonly leave: () => void;
}

/** So many resources are seen at once; of more, one is found by its name. */
const seenAtOnce = 14;

/** The resources with their counts, and the other views. */
export function Sidebar(props: Props): JSX.Element {
  const { model, session, route, isOpen, isDark, toggleScheme, openPalette, signIn, leave } = props;
  const { data: counts } = useQuery({
    queryKey: ['rows'],
    queryFn: () => askDashboard<RowCounts>('rows'),
    refetchInterval: 10_000,
  });
  const [search, setSearch] = useState('');
  const all = model?.resources ?? [];
  const found = all.filter(({ name }) => name.toLowerCase().includes(search.trim().toLowerCase()));
  const opened =
    route.view === 'data'
      ? (/^(?:v\d+\/)?([^/]+?)(?:\.new)?(?:\/.*)?$/u.exec(route.part)?.[1] ?? all[0]?.name)
      : undefined;
  const others = Object.entries(views).filter(([view]) => view !== 'data');
  return (
    <nav className="sidebar" aria-label="Views" data-open={isOpen} id="sidebar">
      <div className="brand">
        <Mark />
        <strong className="name">{model?.name ?? 'API'}</strong>
        <span className="mode">{session.mode}</span>
      </div>
      <UnstyledButton className="goto" onClick={openPalette}>
        <Search size={14} aria-hidden />
        <span>Go to…</span>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <a className="section" href={hashOf('data')} aria-current={undefined}>
        Data
      </a>
      {all.length > seenAtOnce ? (
        <TextInput
          size="xs"
          mx={8}
          mb={4}
          placeholder="Find a resource"
          aria-label="Find a resource"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
      ) : null}
      <ul className="places resources" aria-label="Resources">
        {found.map(({ name }) => (
          <li key={name}>
            <a href={hashOf('data', name)} aria-current={name === opened ? 'page' : undefined}>
              <span className="name">{name}</span>
              <Count count={counts?.rows[name]} most={counts?.countedRows} />
            </a>
          </li>
        ))}
        {all.length > 0 && found.length === 0 ? <li className="none">None of that name</li> : null}
      </ul>
      <ul className="places others">
        {others.map(([view, { label, Icon }]) => (
          <li key={view}>
            <a href={hashOf(view)} aria-current={view === route.view ? 'page' : undefined}>
              <Icon size={15} aria-hidden />
              <span className="name">{label}</span>
            </a>
          </li>
        ))}
        <li>
          <a href={`${mount}/_docs`} target="_blank" rel="noreferrer">
            <BookOpen size={15} aria-hidden />
            <span className="name">API reference</span>
          </a>
        </li>
      </ul>
      <NetworkBadge />
      <div className="foot">
        <span className="name quiet">
          {[
            ...(session.caller === null ? [] : [session.caller]),
            ...(session.processes === 1 ? [] : [`${session.processes} processes`]),
          ].join(', ')}
        </span>
        <Tooltip label={isDark ? 'Light colours' : 'Dark colours'}>
          <ActionIcon onClick={toggleScheme} aria-label="Light or dark">
            {isDark ? <Sun size={16} /> : <Moon size={16} />}
          </ActionIcon>
        </Tooltip>
        {credential() === '' ? (
          session.isLinked ? (
            <Tooltip label="Sign in">
              <ActionIcon onClick={signIn} aria-label="Sign in">
                <LogIn size={16} />
              </ActionIcon>
            </Tooltip>
          ) : null
        ) : (
          <Tooltip label="Sign out">
            <ActionIcon onClick={leave} aria-label="Sign out">
              <LogOut size={16} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </nav>
  );
}

interface CountProps {
  readonly count: number | null | undefined;
  readonly most: number | undefined;
}

function Count({ count, most }: CountProps): JSX.Element | null {
  if (count === null || count === undefined) return null;
  const text = count >= 10_000 ? compact.format(count) : count.toLocaleString();
  return <span className="count">{count === most ? `${text}+` : text}</span>;
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
