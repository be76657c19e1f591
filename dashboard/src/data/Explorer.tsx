import {
  Alert,
  Anchor,
  Button,
  Group,
  Loader,
  Pagination,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import { ask, Refusal, type ApiAnswer } from '../api.ts';
import type { ViewProps } from '../view.ts';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { useEdited } from '../edited.ts';
import { useModel } from '../model.ts';
import { go, hashOf, useRoute } from '../route.ts';
import { CopyCommands } from '../requests/CopyCommands.tsx';
import { counted, milliseconds, visible } from '../words.ts';
import { ListForm } from './ListForm.tsx';
import { placeOf } from './place.ts';
import { beginsCondition, isUnfinished, readQuery, writeQuery } from './query.ts';
import { RecordPanel, type Written } from './RecordPanel.tsx';
import { Results } from './Results.tsx';

/** Behind the name of a resource, where no id can be: a record that is to be created. */
const newRecord = '.new';

interface Opened {
  /** Undefined: a new record. */
  readonly id: string | undefined;
}

/** The part of the hash: `v1/` where it is not the default version, the name of a resource, and what is opened of it. */
function readPart(part: string): {
  readonly number: string | undefined;
  readonly named: string;
  readonly opened: Opened | undefined;
} {
  const [, number, behind = part] = /^v(\d+)\/(.+)$/su.exec(part) ?? [];
  const [, named = '', id = ''] = /^([^/]*)(?:\/(.*))?$/su.exec(behind) ?? [];
  if (behind.endsWith(newRecord) && behind === named)
    return { number, named: named.slice(0, -newRecord.length), opened: { id: undefined } };
  return { number, named, opened: id === '' ? undefined : { id } };
}

/** A list of any resource by form: the hash holds the query as the API gets it, so form and URL are the same. */
export function Explorer({ session, model: latest }: ViewProps): JSX.Element {
  const { part, search } = useRoute();
  const [shape, setShape] = useState('table');
  const { number, named, opened } = readPart(part);
  const versioned = useModel(number);
  const model = number === undefined ? latest : versioned.data;
  if (model === undefined)
    return versioned.error === null ? (
      <Loader aria-label="Loading" />
    ) : (
      <Alert color="red" role="alert">
        {versioned.error.message}
      </Alert>
    );
  const names = model.resources.map(({ name }) => name);
  const resource = model.resources.find(({ name }) => name === (named || names[0]));
  const place = (name: string, version = number): string =>
    version === undefined ? name : `v${version}/${name}`;
  return (
    <Stack gap="sm">
      <Title order={1} size="h2">
        Data
      </Title>
      <Group align="end">
        <Select
          label="Resource"
          data={names}
          value={resource?.name ?? null}
          onChange={(name) => go(hashOf('data', place(name ?? '')))}
          searchable
          allowDeselect={false}
          style={{ flex: '1 1 200px', maxWidth: 420 }}
        />
        {model.versions.length > 1 ? (
          <Select
            label="Version"
            data={model.versions.map((one) => ({ value: String(one), label: `v${one}` }))}
            value={String(model.version)}
            onChange={(one) => go(hashOf('data', place(named, one ?? undefined)))}
            allowDeselect={false}
            w={100}
          />
        ) : null}
      </Group>
      {resource === undefined ? (
        <Alert color="gray">
          {names.length === 0
            ? 'There is no resource that you may use.'
            : `There is no resource ${named}.`}
        </Alert>
      ) : (
        <List
          key={`${model.version} ${resource.name}`}
          model={model}
          latest={latest}
          resource={resource}
          search={search}
          opened={opened}
          mayChange={session.mayChange}
          place={place}
          shape={shape}
          setShape={setShape}
        />
      )}
    </Stack>
  );
}

interface ListProps {
  readonly model: Model;
  /** Of the default version. */
  readonly latest: Model;
  readonly resource: ResourceInfo;
  readonly search: string;
  /** What is opened beside the list. */
  readonly opened: Opened | undefined;
  readonly mayChange: boolean;
  readonly place: (name: string) => string;
  /** How the records are shown, of whichever resource. */
  readonly shape: string;
  readonly setShape: (shape: string) => void;
}

function List(props: ListProps): JSX.Element {
  const { model, latest, resource, search, opened, mayChange, place, shape, setShape } = props;
  /** What was written last. */
  const [written, setWritten] = useState<Written>();
  /** The query with a condition that was just begun: where an empty text is a value, only this tells that it is none yet. */
  const [begun, setBegun] = useState<string>();
  const open = (behind: string): void =>
    go(hashOf('data', place(`${resource.name}${behind}`), search));
  const mayCreate = mayChange && resource.operations.includes('create');
  const path = `${model.path}/${resource.name}`;
  const url = search === '' ? path : `${path}?${search}`;
  const mayRead = resource.operations.includes('read');
  const query = readQuery(search, resource, model);
  const isUnfilled = search === begun || isUnfinished(query, resource, model);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    queryKey: ['list', url],
    queryFn: () => ask(url),
    placeholderData: keepPreviousData,
    // What is not filled in yet is not asked, and what was there stays.
    enabled: mayRead && !isUnfilled,
  });
  // What was there stays while nobody says anything else.
  const isRefused = error !== null && !(error instanceof Refusal && error.code === 'GONE');
  /** What is shown was asked for before, and what is asked for now has not come. */
  const isStale = isPlaceholderData && isFetching;
  const change = (next: typeof query): void => {
    const text = writeQuery(next, resource, model);
    const isSame = next.conditions === query.conditions && next.groups === query.groups;
    setBegun(beginsCondition(query, next) || (isSame && search === begun) ? text : undefined);
    go(hashOf('data', place(resource.name), text));
  };
  return (
    <>
      {resource.description === null ? null : <Text>{resource.description}</Text>}
      <UrlField
        url={url}
        changed={(text) => {
          const found = placeOf(text, location.origin, model, latest);
          if (found === undefined)
            return `It begins with ${model.path}/ and the name of a resource.`;
          go(hashOf('data', found.part, found.search));
          return undefined;
        }}
      />
      <ListForm resource={resource} model={model} query={query} changed={change} />
      <Group justify="space-between">
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            onClick={() => void refetch()}
            loading={isFetching}
            disabled={!mayRead}
          >
            Send again
          </Button>
          {mayCreate ? (
            <Button size="xs" onClick={() => open(newRecord)}>
              New record
            </Button>
          ) : null}
          {mayRead ? (
            <CopyCommands
              request={{
                method: 'GET',
                path,
                query: search,
                requestHeaders: {},
                requestBody: null,
              }}
            />
          ) : null}
          <Text size="sm" role="status">
            {written === undefined ? null : (
              <>
                {written.how}{' '}
                {written.how === 'Deleted' ? (
                  visible(written.id)
                ) : (
                  <Anchor
                    href={hashOf('data', place(`${resource.name}/${written.id}`), search)}
                  >
                    {visible(written.id)}
                  </Anchor>
                )}
              </>
            )}
          </Text>
        </Group>
        <SegmentedControl
          size="xs"
          data={[
            { value: 'table', label: 'Table' },
            { value: 'json', label: 'JSON' },
          ]}
          value={shape}
          onChange={setShape}
          aria-label="Show as"
        />
      </Group>
      {mayRead ? null : <Alert color="gray">You may not read these records.</Alert>}
      {isUnfilled && error === null ? (
        <Text size="sm" role="status">
          A filter has no value yet. The list is asked for once one is written and ended with Enter.
        </Text>
      ) : null}
      {error === null ? null : <Problem error={error} />}
      {data === undefined || isRefused ? (
        error === null && mayRead && !isUnfilled ? (
          <Loader aria-label="Loading" />
        ) : null
      ) : (
        <Stack gap="sm" aria-busy={isStale} className={isStale ? 'stale' : undefined}>
          {isUnfilled ? null : <Summary answer={data} />}
          <Results
            answer={data}
            shape={shape}
            resource={resource}
            isPart={
              query.conditions.length + query.groups.length + query.others.length > 0 ||
              query.page !== undefined
            }
            opened={(id) => open(`/${String(id)}`)}
            place={place}
          />
          <Paging
            answer={data}
            page={query.page ?? 1}
            isBehind={query.others.some(([name, value]) => name === 'cursor' && value !== '')}
            turned={(page) => change({ ...query, page })}
            followed={(cursor) => {
              const others = query.others.filter(([name]) => name !== 'cursor');
              // Where pages have numbers, the first one with a cursor has an empty one.
              const isAsked = cursor !== '' || resource.pagination === 'page';
              change({ ...query, others: isAsked ? [...others, ['cursor', cursor]] : others });
            }}
          />
        </Stack>
      )}
      {opened === undefined || (opened.id === undefined && !mayCreate) ? null : (
        <RecordPanel
          key={opened.id}
          model={model}
          resource={resource}
          id={opened.id}
          mayChange={mayChange}
          place={place}
          close={() => go(hashOf('data', place(resource.name), search), true)}
          changed={(next) => {
            setWritten(next);
            void refetch();
          }}
        />
      )}
    </>
  );
}

interface UrlProps {
  readonly url: string;
  /** Gives what is wrong with it. */
  readonly changed: (url: string) => string | undefined;
}

function UrlField({ url, changed }: UrlProps): JSX.Element {
  const [text, setText] = useEdited(url);
  const [problem, setProblem] = useEdited('', url);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setProblem(changed(text.trim()) ?? '');
      }}
    >
      <Group align="end" wrap="nowrap">
        <TextInput
          label="URL"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          style={{ flex: 1 }}
        />
        <Button type="submit">Send</Button>
      </Group>
    </form>
  );
}

function Problem({ error }: { readonly error: Error }): JSX.Element {
  const fields = error instanceof Refusal ? error.fields : [];
  const status =
    error instanceof Refusal && error.status > 0 ? `${error.status} ${error.code}` : '';
  return (
    <Alert color="red" role="alert" title={status}>
      {error.message}
      {fields.length === 0 ? null : (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <strong>{field}</strong> {message}
            </li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

function Summary({ answer }: { readonly answer: ApiAnswer }): JSX.Element {
  const total = answer.headers.get('x-total-count');
  return (
    <Text size="sm" role="status">
      {answer.status}, {milliseconds(answer.duration)} ms, {answer.text.length.toLocaleString()}{' '}
      characters
      {total === null ? '' : `, ${counted(Number(total), 'record')} in all`}
    </Text>
  );
}

interface PagingProps {
  readonly answer: ApiAnswer;
  readonly page: number;
  /** Whether a cursor has led here. */
  readonly isBehind: boolean;
  readonly turned: (page: number) => void;
  /** An empty one leads to the first page. */
  readonly followed: (cursor: string) => void;
}

function Paging({ answer, page, isBehind, turned, followed }: PagingProps): JSX.Element | null {
  const pages = Number(answer.headers.get('x-total-pages') ?? 0);
  const cursor = answer.headers.get('x-next-cursor') ?? '';
  if (pages > 1)
    return (
      <Pagination
        total={pages}
        value={page}
        onChange={turned}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        getItemProps={(number) => ({ 'aria-label': `Page ${number}` })}
      />
    );
  if (pages > 0) return null;
  return (
    <Group gap="xs">
      {isBehind ? (
        <Button variant="default" size="xs" onClick={() => followed('')}>
          First page
        </Button>
      ) : null}
      {cursor === '' ? null : (
        <Button variant="default" size="xs" onClick={() => followed(cursor)}>
          Next page
        </Button>
      )}
    </Group>
  );
}
