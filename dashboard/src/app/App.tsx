import {
  Alert,
  Anchor,
  Center,
  Loader,
  Stack,
  Title,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { openSpotlight } from '@mantine/spotlight';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, type JSX } from 'react';
import type { Hello } from '../../../src/http/dashboard/wire.ts';
import { setCredential } from '../api.ts';
import { Boundary } from './Boundary.tsx';
import { sessionHeaders } from '../link.ts';
import { follow, forget, useLive } from '../live/live.ts';
import { useModel } from '../model.ts';
import { NetworkBadge } from '../network/NetworkBadge.tsx';
import { Notices } from './Notices.tsx';
import { Opened } from './Opened.tsx';
import { hashOf, useRoute } from '../route.ts';
import { Sidebar } from './Sidebar.tsx';
import { SkipLink, Topbar } from './Topbar.tsx';
import { views } from './views.ts';

const Credential = lazy(async () => ({ default: (await import('./Credential.tsx')).Credential }));
const Palette = lazy(async () => ({ default: (await import('./Palette.tsx')).Palette }));

/** After so long the other views are loaded as well, so that they are there when the server is not. In ms. */
const beforeOthers = 3_000;
/** After so long the palette is loaded. In ms. */
const afterPaint = 500;

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
  /** Whether a page that is open is given a credential. */
  const [isAsking, setAsking] = useState(false);
  const begin = (): void => {
    setAsking(false);
    forget();
    client.clear();
    setTurn((before) => before + 1);
  };
  const leave = (): void => {
    setCredential('');
    begin();
  };
  const isRefused = problem?.status === 401 || problem?.status === 403;
  if (isAsking || isRefused) {
    // A page that the link has opened needs no credential.
    const back = isAsking
      ? () => setAsking(false)
      : 'x-dashboard-session' in sessionHeaders()
        ? leave
        : undefined;
    return (
      <Suspense fallback={null}>
        <Credential
          error={isRefused ? problem : undefined}
          entered={begin}
          {...(back === undefined ? {} : { back })}
        />
      </Suspense>
    );
  }
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
  return <Shell session={session} signIn={() => setAsking(true)} leave={leave} />;
}

interface ShellProps {
  readonly session: Hello;
  readonly signIn: () => void;
  readonly leave: () => void;
}

function Shell({ session, signIn, leave }: ShellProps): JSX.Element {
  const route = useRoute();
  const [isMenuOpen, setMenuOpen] = useState(false);
  useEffect(() => setMenuOpen(false), [route.view, route.part]);
  const model = useModel();
  /** Loads the rest of the page after the first view is shown. */
  const [isPainted, setPainted] = useState(false);
  useEffect(() => {
    if (model.data === undefined) return undefined;
    const timer = setTimeout(() => setPainted(true), afterPaint);
    return () => clearTimeout(timer);
  }, [model.data]);
  /** Opens the palette, once it is there. */
  const openPalette = (): void => {
    setPainted(true);
    openSpotlight();
  };
  // Also from within an input, which is where one mostly is.
  useHotkeys([['mod+K', openPalette]], []);
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
  const places = Object.entries(views).map(([view, { label }]) => ({ hash: hashOf(view), label }));
  const resources = (model.data?.resources ?? []).map((resource) => ({
    hash: hashOf('data', resource.name),
    label: resource.name,
  }));
  return (
    <div className="shell">
      <SkipLink />
      {isPainted ? (
        <Suspense fallback={null}>
          <Palette views={places} resources={resources} toggleScheme={toggle} />
        </Suspense>
      ) : null}
      <Topbar name={name} isMenuOpen={isMenuOpen} setMenuOpen={setMenuOpen}>
        <NetworkBadge />
      </Topbar>
      <Sidebar
        model={model.data}
        session={session}
        route={route}
        isOpen={isMenuOpen}
        isDark={scheme === 'dark'}
        toggleScheme={toggle}
        openPalette={openPalette}
        signIn={signIn}
        leave={leave}
      />
      <main
        id="main"
        tabIndex={-1}
        className={route.view === 'data' ? 'main whole-height' : 'main'}
        onClick={() => setMenuOpen(false)}
      >
        <Notices />
        <Boundary key={route.view}>
          <Suspense fallback={<Loading />}>
            {current === undefined ? (
              <Stack>
                <Title order={1} size="h2">
                  There is nothing here
                </Title>
                <Anchor href={hashOf('overview')}>Overview</Anchor>
              </Stack>
            ) : model.data === undefined ? (
              model.error === null ? (
                <Loading />
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
        <Opened />
      </main>
    </div>
  );
}

function Loading(): JSX.Element {
  return (
    <Center p="xl">
      <Loader aria-label="Loading" />
    </Center>
  );
}
