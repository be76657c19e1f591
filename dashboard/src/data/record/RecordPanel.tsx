import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Loader,
  Tabs,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { CopyPlus, Trash2, X } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type JSX } from 'react';
import type { Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../api.ts';
import { hasMenuOpen, useReturnedFocus } from '../../focus.ts';
import { useStay } from '../../route.ts';
import { brief, indented, visible } from '../../words.ts';
import { deletionOf, wholeMessageOf, type Change } from '../write/changes.ts';
import { memberOf, type ApiRecord } from './draft.ts';
import { keep, keptAt } from './kept.ts';
import { RecordForm, type Stored } from './RecordForm.tsx';
import { nameOf } from './related.ts';
import { RelatedRecords } from './RelatedRecords.tsx';

/** A record that was written, and how. */
export interface Written {
  readonly how: 'Created' | 'Saved';
  readonly id: string;
}

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** Undefined: a new record. */
  readonly id: string | undefined;
  /** What a new record begins with. */
  readonly begun: ApiRecord | undefined;
  readonly mayChange: boolean;
  readonly place: (name: string) => string;
  readonly close: () => void;
  readonly duplicate: (record: ApiRecord) => void;
  readonly made: (change: Change) => void;
  readonly written: (written: Written) => void;
}

/** One record beside the grid: its fields to be changed, its relations to be followed; or a new one. */
export function RecordPanel(props: Props): JSX.Element {
  const { model, resource, id, begun, close, made, written } = props;
  const isNew = id === undefined;
  const [isEdited, setEdited] = useState(begun !== undefined);
  /** What is done once nothing has to be kept. */
  const [leave, setLeave] = useState<() => void>();
  const asked = useCallback((next: () => void): void => setLeave(() => next), []);
  const freely = useStay(isEdited, asked);
  const panel = useRef<HTMLElement>(null);
  useReturnedFocus();
  useEffect(() => {
    panel.current?.focus({ preventScroll: true });
  }, []);
  const url = isNew ? undefined : `${model.path}/${resource.name}/${encodeURIComponent(id)}`;
  const keptKey = keptAt(url ?? `${model.path}/${resource.name}/.new`);
  const end = (): void => {
    if (isEdited) asked(close);
    else close();
  };
  return (
    <aside
      ref={panel}
      className="record"
      tabIndex={-1}
      aria-label={isNew ? `New record of ${resource.name}` : `${resource.name} ${visible(id)}`}
      onKeyDown={(event) => {
        const isForPanel = !event.defaultPrevented && !hasMenuOpen(event.target);
        if (event.key === 'Escape' && isForPanel) {
          event.preventDefault();
          end();
        }
      }}
    >
      {leave === undefined ? null : (
        <Alert color="orange" role="alert" title="Throw away what was written?" m="sm">
          <Group gap={8}>
            <Button
              size="xs"
              color="red"
              onClick={() => {
                keep(keptKey, undefined);
                freely(leave);
              }}
            >
              Throw it away
            </Button>
            <Button size="xs" variant="default" autoFocus onClick={() => setLeave(undefined)}>
              Go on writing
            </Button>
          </Group>
        </Alert>
      )}
      {url === undefined ? (
        <>
          <Head title="New record" subtitle={resource.name} close={end} />
          <RecordForm
            model={model}
            resource={resource}
            url={undefined}
            stored={undefined}
            begun={begun}
            keptKey={keptKey}
            edited={setEdited}
            read={() => Promise.reject(new Error('A new record is not stored yet'))}
            save={async (body) => {
              const list = `${model.path}/${resource.name}`;
              const { body: created } = await ask(list, {
                method: 'POST',
                headers: { 'content-type': 'application/json' },
                body: JSON.stringify(body),
              });
              const own = String((created as ApiRecord)['id']);
              made({
                words: `Created ${own}`,
                reverse: async () => {
                  await ask(`${list}/${encodeURIComponent(own)}`, { method: 'DELETE' });
                },
              });
              written({ how: 'Created', id: own });
              keep(keptKey, undefined);
              freely(close);
            }}
          />
        </>
      ) : (
        <Existing
          {...props}
          id={id ?? ''}
          url={url}
          keptKey={keptKey}
          isEdited={isEdited}
          edited={setEdited}
          end={end}
          close={() => freely(close)}
        />
      )}
    </aside>
  );
}

interface HeadProps {
  readonly title: string;
  readonly subtitle: string;
  readonly close: () => void;
  readonly children?: JSX.Element | undefined;
}

function Head({ title, subtitle, close, children }: HeadProps): JSX.Element {
  return (
    <header className="record-head">
      <div className="name">
        <Title order={2} size="h3" className="name">
          {title}
        </Title>
        <span className="quiet small">{subtitle}</span>
      </div>
      {children}
      <Tooltip label="Close (Esc)">
        <ActionIcon onClick={close} aria-label="Close">
          <X size={16} />
        </ActionIcon>
      </Tooltip>
    </header>
  );
}

interface ExistingProps extends Props {
  readonly id: string;
  readonly url: string;
  readonly keptKey: string;
  readonly isEdited: boolean;
  readonly edited: (isEdited: boolean) => void;
  readonly end: () => void;
}

async function readStored(url: string): Promise<Stored> {
  const { body, headers } = await ask(url);
  return { record: body as ApiRecord, etag: headers.get('etag') };
}

function Existing(props: ExistingProps): JSX.Element {
  const { model, resource, id, url, keptKey, mayChange, place, isEdited, edited } = props;
  const { end, close, duplicate, made, written } = props;
  const { data, error } = useQuery({
    queryKey: ['record', url],
    queryFn: () => readStored(url),
    gcTime: 0,
    // A record that was read anew would take the place of what is written.
    enabled: !isEdited,
  });
  const [isAsked, setAsked] = useState(false);
  const may = (operation: string): boolean => mayChange && resource.operations.includes(operation);
  if (data === undefined)
    return (
      <>
        <Head title={`${resource.name} ${visible(id)}`} subtitle="" close={end} />
        {error === null ? (
          <Loader aria-label="Loading" m="md" />
        ) : (
          <Alert color="red" role="alert" m="sm">
            {error.message}
          </Alert>
        )}
      </>
    );
  const { record } = data;
  const name = nameOf(record);
  const path = `${resource.name} ${visible(id)}`;
  const related = resource.relations.filter(({ isToMany, pair }) => isToMany || pair !== undefined);
  return (
    <>
      <Head
        title={name === undefined ? path : brief(visible(name))}
        subtitle={name === undefined ? '' : path}
        close={end}
      >
        <>
          {may('create') ? (
            <Tooltip label="Duplicate">
              <ActionIcon aria-label="Duplicate" onClick={() => duplicate(record)}>
                <CopyPlus size={16} />
              </ActionIcon>
            </Tooltip>
          ) : null}
          {may('delete') ? (
            <Tooltip label="Delete">
              <ActionIcon aria-label="Delete" onClick={() => setAsked(true)}>
                <Trash2 size={16} />
              </ActionIcon>
            </Tooltip>
          ) : null}
        </>
      </Head>
      {isAsked ? (
        <Delete
          name={`${resource.name} ${visible(id)}`}
          keepIt={() => setAsked(false)}
          run={async () => {
            const { etag } = data;
            await ask(url, {
              method: 'DELETE',
              headers: etag === null ? {} : { 'if-match': etag },
            });
            made({ ...deletionOf({ model, resource }, [record]), closes: url });
            keep(keptKey, undefined);
            close();
          }}
        />
      ) : null}
      <Tabs defaultValue="fields" className="record-tabs" keepMounted={false}>
        <Tabs.List px="sm">
          <Tabs.Tab value="fields">Fields</Tabs.Tab>
          {related.length === 0 ? null : <Tabs.Tab value="related">Related</Tabs.Tab>}
          <Tabs.Tab value="json">JSON</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="fields" className="record-panel" keepMounted>
          {may('update') ? (
            <RecordForm
              model={model}
              resource={resource}
              url={url}
              stored={data}
              keptKey={keptKey}
              edited={edited}
              read={() => readStored(url)}
              save={async (body, etag, before) => {
                await ask(url, {
                  method: 'PATCH',
                  headers: {
                    'content-type': 'application/json',
                    ...(etag === null ? {} : { 'if-match': etag }),
                  },
                  body: JSON.stringify(body),
                });
                made({
                  words: `Saved ${id}`,
                  closes: url,
                  reverse:
                    before === undefined ? undefined : () => restore(url, body, before, resource),
                });
                written({ how: 'Saved', id });
                keep(keptKey, undefined);
                close();
              }}
            />
          ) : (
            <pre className="block" tabIndex={0}>
              {indented(record)}
            </pre>
          )}
        </Tabs.Panel>
        {related.length === 0 ? null : (
          <Tabs.Panel value="related" className="record-panel padded">
            {related.map((relation) => (
              <RelatedRecords
                key={relation.name}
                relation={relation}
                model={model}
                resource={resource}
                record={record}
                url={url}
                place={place}
              />
            ))}
          </Tabs.Panel>
        )}
        <Tabs.Panel value="json" className="record-panel padded">
          <pre className="block" tabIndex={0}>
            {indented(record)}
          </pre>
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

/** Gives the fields that were changed what they held before; links stay as they are. */
async function restore(
  url: string,
  body: ApiRecord,
  before: ApiRecord,
  { fields }: ResourceInfo,
): Promise<undefined> {
  const { etag } = await readStored(url);
  const old = fields.flatMap(({ name }) =>
    Object.hasOwn(body, name) && Object.hasOwn(before, name)
      ? [[name, memberOf(before, name)] as const]
      : [],
  );
  await ask(url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...(etag === null ? {} : { 'if-match': etag }) },
    body: JSON.stringify(Object.fromEntries(old)),
  });
}

interface DeleteProps {
  readonly name: string;
  readonly keepIt: () => void;
  readonly run: () => Promise<void>;
}

function Delete({ name, keepIt, run }: DeleteProps): JSX.Element {
  const deleting = useMutation({ mutationFn: run });
  const { error } = deleting;
  return (
    <Alert color="red" role="alert" title={`Delete ${name}?`} m="sm">
      {error === null ? null : (
        <Text size="sm" mb="xs" role="alert">
          {wholeMessageOf(error)}
        </Text>
      )}
      <Group gap={8}>
        <Button
          size="xs"
          color="red"
          onClick={() => deleting.mutate()}
          loading={deleting.isPending}
        >
          Delete it
        </Button>
        <Button size="xs" variant="default" autoFocus onClick={keepIt}>
          Keep it
        </Button>
      </Group>
    </Alert>
  );
}
