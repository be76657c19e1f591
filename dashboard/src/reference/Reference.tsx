import {
  Alert,
  Button,
  Center,
  Loader,
  Stack,
  Text,
  Title,
  useComputedColorScheme,
} from '@mantine/core';
import { useEffect, useRef, useState, type JSX } from 'react';
import { ask, setCredential, type Refusal } from '../api.ts';
import { Credential } from '../app/Credential.tsx';
import { mount } from '../mount.ts';
import { operationsOf, type OpenApi } from './document.ts';
import { Navigation } from './Navigation.tsx';
import { Opened } from '../app/Opened.tsx';
import { SkipLink, Topbar } from '../app/Topbar.tsx';
import { OperationView } from './operation/OperationView.tsx';
import type { Page } from './page.ts';
import { usePlace } from './place.ts';

/** A part of the document: all of it, or the operations of one tag. */
interface Loaded {
  readonly version: string;
  /** Undefined: all tags. */
  readonly tag: string | undefined;
  readonly document: OpenApi;
}

/** The reference: the tag that the address names, of which the document is loaded, and one of its operations. */
export function Reference({ page }: { readonly page: Page }): JSX.Element {
  const asked = usePlace();
  const [loaded, setLoaded] = useState<Loaded>();
  const [error, setError] = useState<Refusal>();
  const [isAsking, setAsking] = useState(false);
  const [isMenuOpen, setMenuOpen] = useState(false);
  /** Counts the credentials that there were: each may see something else. */
  const [turn, setTurn] = useState(0);
  const [wantsAll, setWantsAll] = useState(false);
  const scheme = useComputedColorScheme('light');
  const version = page.versions.includes(asked.version) ? asked.version : (page.versions[0] ?? '');
  const own = loaded?.version === version ? loaded : undefined;
  const covers = own !== undefined && (own.tag === undefined || own.tag === asked.tag);
  useEffect(() => {
    let isOver = false;
    const tag = wantsAll ? undefined : asked.tag;
    if (covers && (own.tag === undefined || !wantsAll)) return undefined;
    const load = async (): Promise<void> => {
      try {
        const document = await loadDocument(version, tag);
        if (isOver) return;
        setLoaded({ version, tag, document });
        setError(undefined);
      } catch (problem) {
        if (!isOver) setError(problem as Refusal);
      }
    };
    void load();
    return () => {
      isOver = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `covers` and `own` follow from what was loaded
  }, [version, asked.tag, wantsAll, turn]);
  const begin = (): void => {
    setAsking(false);
    setError(undefined);
    setLoaded(undefined);
    setWantsAll(false);
    setTurn((before) => before + 1);
  };
  const tags = own?.document.tags.map(({ name }) => name) ?? [];
  const operations = own === undefined ? [] : operationsOf(own.document);
  const tag = asked.tag === '' ? (operations[0]?.tags[0] ?? '') : asked.tag;
  const ofTag = operations.filter((one) => one.tags.includes(tag));
  const operation = ofTag.find(({ id }) => id === asked.operation) ?? ofTag[0];
  const title = operation?.title;
  useEffect(() => {
    document.title = title === undefined ? page.title : `${title} · ${page.title}`;
  }, [title, page.title]);
  const main = useRef<HTMLElement>(null);
  const shown = operation?.id;
  useEffect(() => {
    main.current?.scrollTo(0, 0);
  }, [shown]);
  if (isAsking || ((error?.status === 401 || error?.status === 403) && page.hasAuth))
    return (
      <Credential
        title="API reference"
        error={error}
        entered={begin}
        {...(isAsking ? { back: () => setAsking(false) } : {})}
      />
    );
  return (
    <div className="shell reference">
      <SkipLink />
      <Topbar name={page.title} isMenuOpen={isMenuOpen} setMenuOpen={setMenuOpen} />
      <Navigation
        page={page}
        place={{ version, tag, operation: operation?.id ?? '' }}
        tags={tags}
        operations={operations}
        isOpen={isMenuOpen}
        isDark={scheme === 'dark'}
        searched={() => setWantsAll(true)}
        signIn={() => setAsking(true)}
        signOut={() => {
          setCredential('');
          begin();
        }}
        close={() => setMenuOpen(false)}
      />
      <main id="main" ref={main} tabIndex={-1} className="main" onClick={() => setMenuOpen(false)}>
        {error === undefined ? null : (
          <Alert color="red" role="alert" title="The document could not be loaded" mb="md">
            {error.message}
          </Alert>
        )}
        {own !== undefined && operation !== undefined ? (
          <OperationView
            key={`${version} ${operation.id} ${turn}`}
            document={own.document}
            version={version}
            operation={operation}
            {...(page.hasAuth ? { signIn: () => setAsking(true) } : {})}
          />
        ) : covers && error === undefined ? (
          <Nothing
            hasTags={tags.length > 0}
            {...(page.hasAuth ? { signIn: () => setAsking(true) } : {})}
          />
        ) : error === undefined ? (
          <Center p="xl">
            <Loader aria-label="Loading" />
          </Center>
        ) : null}
        <Opened />
      </main>
    </div>
  );
}

interface NothingProps {
  readonly hasTags: boolean;
  readonly signIn?: () => void;
}

/** Says that there is no operation, and what shows one. */
function Nothing({ hasTags, signIn }: NothingProps): JSX.Element {
  return (
    <Stack className="nothing" align="start" gap="sm">
      <Title order={1} size="h2">
        {hasTags ? 'There is nothing of this name' : 'Nothing is open to this caller'}
      </Title>
      {hasTags ? <Text size="sm">Choose a resource at the side.</Text> : null}
      {!hasTags && signIn !== undefined ? <Button onClick={signIn}>Sign in</Button> : null}
    </Stack>
  );
}

/** The document of a tag, or of the first one if it is empty; without a tag, all of it. */
async function loadDocument(version: string, tag?: string): Promise<OpenApi> {
  const query = tag === undefined ? '' : `?tag=${encodeURIComponent(tag)}`;
  return (await ask(`${mount}/${version}/_openapi.json${query}`)).body as OpenApi;
}
