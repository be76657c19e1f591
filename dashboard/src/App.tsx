import {
  ActionIcon,
  Alert,
  Anchor,
  AppShell,
  Burger,
  Button,
  Center,
  Group,
  Kbd,
  Loader,
  NavLink,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { openSpotlight, Spotlight } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, type ComponentType, type JSX } from 'react';
import type { Hello } from '../../src/http/dashboard/wire.ts';
import { credential, setCredential } from './api.ts';
import { Boundary } from './Boundary.tsx';
import { Credential } from './Credential.tsx';
import { follow, forget, useLive } from './live/live.ts';
import { useModel } from './model.ts';
import { Notices } from './Notices.tsx';
import { go, hashOf, useRoute } from './route.ts';
import type { ViewProps } from './view.ts';

interface Place {
  readonly label: string;
  readonly View: ComponentType<ViewProps>;
  readonly load: () => Promise<unknown>;
}

/** A view whose script is loaded when it is first shown, or a little after the page. */
function viewOf(label: string, load: () => Promise<ComponentType<ViewProps>>): Place {
  return { label, View: lazy(async () => ({ default: await load() })), load };
}

const views: Readonly<Record<string, Place>> = {
  overview: viewOf('Overview', async () => (await import('./overview/Overview.tsx')).Overview),
  requests: viewOf('Requests', async () => (await import('./requests/Requests.tsx')).Requests),
  explorer: viewOf('API explorer', async () => (await import('./explorer/Explorer.tsx')).Explorer),
  schema: viewOf('Schema', async () => (await import('./schema/Schema.tsx')).Schema),
  network: viewOf('Network', async () => (await import('./network/Network.tsx')).Network),
};

/** After so long the other views are loaded as well, so that they are there when the server is not. In ms. */
const beforeOthers = 3_000;

/** The page: asks for a credential where one is needed, then shows the view that the hash names. */
export function App(): JSX.Element {
  const client = useQueryClient();
  const session = useLive((live) => live.session);
  const problem = useLive((live) => live.problem);
  /** Counts the credentials that there were: each is asked for with anew. */
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const changed = (what: 'all' | 'network'): void =>
      void client.invalidateQueries(what === 'all' ? {} : { queryKey: [what] });
    void follow(changed, over.signal);
    return () => over.abort();
  }, [client, turn]);
  const begin = (): void => {
    forget();
    client.clear();
    setTurn((before) => before + 1);
  };
  const leave = (): void => {
    setCredential('');
    begin();
  };
  if (problem?.status === 401 || problem?.status === 403)
    return <Credential error={problem} entered={begin} />;
  if (session === undefined)
    return (
      <Center component="main" mih="100vh" p="md">
        {problem === undefined ? (
          <Loader aria-label="Loading" />
        ) : (
          <Alert color="red" role="alert" title={problem.message}>
            The page tries again every few seconds.
          </Alert>
        )}
      </Center>
    );
  return <Shell session={session} leave={leave} />;
}

interface ShellProps {
  readonly session: Hello;
  readonly leave: () => void;
}

function Shell({ session, leave }: ShellProps): JSX.Element {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [route.view]);
  const model = useModel();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const toggle = (): void => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
  const current = Object.hasOwn(views, route.view) ? views[route.view] : undefined;
  const name = model.data?.name ?? 'API';
  useEffect(() => {
    document.title = `${current?.label ?? 'Nothing here'} · ${name}`;
  }, [current?.label, name]);
  useEffect(() => {
    const loadAll = async (): Promise<void> => {
      // What does not come is told where it is chosen.
      for (const { load } of Object.values(views)) await load().catch(() => undefined);
    };
    const timer = setTimeout(() => void loadAll(), beforeOthers);
    return () => clearTimeout(timer);
  }, []);
  const places = Object.entries(views).map(([view, { label }]) => ({
    id: view,
    label,
    onClick: () => go(hashOf(view)),
  }));
  const resources = (model.data?.resources ?? []).map((resource) => ({
    id: `resource ${resource.name}`,
    label: resource.name,
    onClick: () => go(hashOf('explorer', resource.name)),
  }));
  const theme = {
    id: 'theme',
    label: 'Light or dark colours',
    onClick: toggle,
  };
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 190, breakpoint: 'sm', collapsed: { mobile: !isMenuOpen } }}
      padding="md"
    >
      <a className="skip" href="#main" onClick={(event) => skip(event)}>
        Skip to content
      </a>
      <Spotlight
        actions={[
          { group: 'Views', actions: [...places, theme] },
          { group: 'Resources', actions: resources },
        ]}
        shortcut="mod + K"
        // Also from within an input, which is where one mostly is.
        tagsToIgnore={[]}
        nothingFound="Nothing found"
        searchProps={{ placeholder: 'Go to…', 'aria-label': 'Go to' }}
        attributes={{ content: { 'aria-label': 'Go to' } }}
        // A blur of the whole page is dear where no graphics card does it.
        overlayProps={{ blur: 0 }}
        scrollable
        maxHeight={420}
      />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap" miw={0}>
            <Burger
              opened={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isMenuOpen}
            />
            <Text fw={700} truncate>
              {name}
            </Text>
            <Text className="quiet" size="sm" truncate miw="2.5rem" visibleFrom="xs">
              {session.mode}
              {session.caller === null ? '' : `, ${session.caller}`}
              {session.processes === 1 ? '' : `, ${session.processes} processes`}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={openSpotlight}>
              Go to…
              <Kbd ml="xs" visibleFrom="sm">
                Ctrl K
              </Kbd>
            </Button>
            <ActionIcon variant="default" size={30} onClick={toggle} aria-label="Light or dark">
              {scheme === 'dark' ? '☀' : '☾'}
            </ActionIcon>
            {credential() === '' ? null : (
              <Button variant="default" size="xs" onClick={leave}>
                Sign out
              </Button>
            )}
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" component="nav" aria-label="Views">
        {Object.entries(views).map(([view, { label }]) => (
          <NavLink
            key={view}
            href={hashOf(view)}
            label={label}
            active={view === route.view}
            aria-current={view === route.view ? 'page' : undefined}
          />
        ))}
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <Notices />
        <Boundary key={route.view}>
          <Suspense fallback={<Loader aria-label="Loading" />}>
            {current === undefined ? (
              <Stack>
                <Title order={1} size="h2">
                  There is nothing here
                </Title>
                <Anchor href={hashOf('overview')}>Overview</Anchor>
              </Stack>
            ) : model.data === undefined ? (
              model.error === null ? (
                <Loader aria-label="Loading" />
              ) : (
                <Alert color="red" role="alert" title="The model could not be loaded">
                  {model.error.message}
                </Alert>
              )
            ) : (
              <current.View session={session} model={model.data} />
            )}
          </Suspense>
        </Boundary>
      </AppShell.Main>
    </AppShell>
  );
}

/** The hash is where the page is, so the link must not change it. */
function skip(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
