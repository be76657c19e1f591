import {
  ActionIcon,
  Alert,
  AppShell,
  Burger,
  Button,
  Center,
  Group,
  Kbd,
  Loader,
  NavLink,
  PasswordInput,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { openSpotlight, Spotlight } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState, type JSX } from 'react';
import { credential, Refusal, setCredential } from './api.ts';
import { Boundary } from './Boundary.tsx';
import { useModel, useSession, type Model, type Session } from './model.ts';
import { go, hashOf, useRoute } from './route.ts';

export interface ViewProps {
  readonly session: Session;
  readonly model: Model;
}

const views: Readonly<Record<string, { label: string; View: (props: ViewProps) => JSX.Element }>> =
  {
    overview: {
      label: 'Overview',
      View: lazy(async () => ({
        default: (await import('./overview/Overview.tsx')).Overview,
      })) as never,
    },
    requests: {
      label: 'Requests',
      View: lazy(async () => ({
        default: (await import('./requests/Requests.tsx')).Requests,
      })) as never,
    },
    explorer: {
      label: 'API explorer',
      View: lazy(async () => ({
        default: (await import('./explorer/Explorer.tsx')).Explorer,
      })) as never,
    },
    schema: {
      label: 'Schema',
      View: lazy(async () => ({ default: (await import('./schema/Schema.tsx')).Schema })) as never,
    },
    network: {
      label: 'Network',
      View: lazy(async () => ({
        default: (await import('./network/Network.tsx')).Network,
      })) as never,
    },
  };

/** The page: asks for a credential where one is needed, then shows the view that the hash names. */
export function App(): JSX.Element {
  const session = useSession();
  const { error, data } = session;
  const isRefused = error instanceof Refusal && (error.status === 401 || error.status === 403);
  if (isRefused) return <Credential error={error} />;
  if (data === undefined)
    return (
      <Center component="main" mih="100vh">
        {error === null ? (
          <Loader aria-label="Loading" />
        ) : (
          <Alert color="red" title="The server does not answer">
            The page tries again every few seconds.
          </Alert>
        )}
      </Center>
    );
  return <Shell session={data} isGone={error !== null} />;
}

function Credential({ error }: { readonly error: Refusal }): JSX.Element {
  const client = useQueryClient();
  const [text, setText] = useState('');
  const isWrong = credential() !== '';
  return (
    <Center component="main" mih="100vh" p="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          setCredential(text.trim());
          void client.resetQueries();
        }}
      >
        <Stack w={360} maw="100%">
          <Title order={1} size="h3">
            Dashboard
          </Title>
          <Text>Enter a token or an API key. It is kept in this tab only.</Text>
          <PasswordInput
            label="Token or API key"
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            autoComplete="off"
            error={isWrong ? error.message : undefined}
            data-autofocus
          />
          <Button type="submit" disabled={text.trim() === ''}>
            Open
          </Button>
        </Stack>
      </form>
    </Center>
  );
}

function Shell({ session, isGone }: { session: Session; isGone: boolean }): JSX.Element {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [route.view]);
  const client = useQueryClient();
  const model = useModel();
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const toggle = (): void => setColorScheme(scheme === 'dark' ? 'light' : 'dark');
  const current = Object.hasOwn(views, route.view) ? views[route.view] : undefined;
  const name = model.data?.name ?? 'API';
  useEffect(() => {
    document.title = `${current?.label ?? 'Nothing here'} · ${name}`;
  }, [current?.label, name]);
  const token = useRef(session.token);
  useEffect(() => {
    // Another token is another server: what is known of the one before is of no use.
    if (token.current === session.token) return;
    token.current = session.token;
    void client.invalidateQueries();
  }, [client, session.token]);
  const places = Object.entries(views).map(([view, { label }]) => ({
    id: view,
    label,
    description: `Show ${label.toLowerCase()}`,
    onClick: () => go(hashOf(view)),
  }));
  const resources = (model.data?.resources ?? []).map((resource) => ({
    id: `resource ${resource.name}`,
    label: resource.name,
    description: 'Explore its records',
    onClick: () => go(hashOf('explorer', resource.name)),
  }));
  const theme = {
    id: 'theme',
    label: 'Light or dark',
    description: 'Change colours',
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
        nothingFound="Nothing found"
        searchProps={{ placeholder: 'Go to…', 'aria-label': 'Go to' }}
        scrollable
        maxHeight={420}
      />
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
              hiddenFrom="sm"
              size="sm"
              aria-label="Views"
              aria-expanded={isMenuOpen}
            />
            <Text fw={700}>{name}</Text>
            <Text className="quiet" size="sm">
              {session.mode}
              {session.caller === null ? '' : `, ${session.caller}`}
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button variant="default" size="xs" onClick={openSpotlight}>
              Go to… <Kbd ml="xs">Ctrl K</Kbd>
            </Button>
            <ActionIcon variant="default" size={30} onClick={toggle} aria-label="Light or dark">
              {scheme === 'dark' ? '☀' : '☾'}
            </ActionIcon>
            {credential() === '' ? null : (
              <Button
                variant="default"
                size="xs"
                onClick={() => {
                  setCredential('');
                  void client.resetQueries();
                }}
              >
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
        {isGone ? (
          <Alert color="red" mb="md" role="alert" title="The server does not answer">
            What is shown is as it was. The page tries again every few seconds.
          </Alert>
        ) : null}
        <Boundary key={route.view}>
          <Suspense fallback={<Loader aria-label="Loading" />}>
            {current === undefined ? (
              <Text>
                There is nothing here. <a href="#/overview">Overview</a>
              </Text>
            ) : model.data === undefined ? (
              model.error === null ? (
                <Loader aria-label="Loading" />
              ) : (
                <Alert color="red" title="The model could not be loaded">
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
