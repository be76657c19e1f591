import { ActionIcon, Alert, Button, Loader, Menu, Modal, Group, Tabs, Text } from '@mantine/core';
import { ChevronDown, ListFilter, Pencil, RotateCw, Table2, X } from 'lucide-react';
import { useState, type JSX, type ReactNode } from 'react';
import type { Hello, RequestDetail, RequestRow } from '../../../../src/http/dashboard/wire.ts';
import type { Model } from '../../../../src/http/dashboard/wire-model.ts';
import { Refusal, send } from '../../api.ts';
import { placeOf } from '../../data/place.ts';
import { hashOf } from '../../route.ts';
import { byteText, milliseconds, statusColor, visible } from '../../words.ts';
import { bodyText, isUnknown, isWithheld, sendableHeaders } from '../copy/commands.ts';
import { CopyCommands } from '../copy/CopyCommands.tsx';
import {
  conditionText,
  withCondition,
  type Condition,
  type RequestFilter,
} from '../list/filter.ts';
import { marksOf, markTexts, none } from '../list/columns.ts';
import { urlOf } from '../list/rows.ts';
import { hasDraft } from '../send/draft.ts';
import { Resend } from '../send/Resend.tsx';
import { Compare } from './Compare.tsx';
import { useRequest } from './data.ts';
import { NotRecorded, RequestPart, ResponsePart } from './Parts.tsx';
import { Statements } from './Statements.tsx';
import { Waterfall } from './Waterfall.tsx';

interface Props {
  readonly id: string;
  readonly session: Hello;
  readonly model: Model;
  /** The list that it was opened in. */
  readonly rows: readonly RequestRow[];
  /** Which part of it is shown. */
  readonly tab: string;
  readonly tabChosen: (tab: string) => void;
  /** The id of the request that it is compared with. */
  readonly compared: string;
  readonly compare: (id: string) => void;
  readonly filter: RequestFilter;
  readonly filterChanged: (filter: RequestFilter) => void;
  readonly search: string;
  /** Where the page is without it. */
  readonly closed: string;
}

/** One request with all that is known of it. */
export function RequestDetails({ id, ...rest }: Props): JSX.Element {
  const { data, error } = useRequest(id);
  if (error !== null) {
    const isGone = error instanceof Refusal && error.status === 404;
    return (
      <Alert color="gray" m="md" title={isGone ? 'This request is no longer kept' : 'Not loaded'}>
        {isGone ? 'Newer ones have taken its place.' : error.message}{' '}
        <a href={rest.closed}>Close</a>
      </Alert>
    );
  }
  if (data === undefined) return <Loader aria-label="Loading" m="lg" />;
  return <Detail request={data} {...rest} />;
}

interface DetailProps extends Omit<Props, 'id'> {
  readonly request: RequestDetail;
}

const parts: readonly string[] = ['response', 'request', 'trace', 'sql', 'edit', 'compare'];

function Detail(props: DetailProps): JSX.Element {
  const { request, session, model, rows, tab, tabChosen, compared, compare, search, closed } =
    props;
  const { statementList } = request;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const mayResend = request.tellsValues && (isRead || session.mayChange);
  const whole = mayResend && !isWithheld(request);
  const chosen = parts.includes(tab) ? tab : (parts[0] ?? '');
  return (
    <section className="request" aria-label="Request details">
      <div className="request-head">
        <div className="request-title">
          <h2 style={{ margin: 0 }} title={urlOf(request)}>
            {request.method} {visible(urlOf(request))}
          </h2>
          <ActionIcon
            component="a"
            href={closed}
            variant="subtle"
            color="gray"
            size={24}
            aria-label="Close"
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </div>
        <Facts request={request} />
        <div className="request-actions">
          <Replay request={request} isRead={isRead} mayReplay={whole} search={search} />
          <Button
            size="xs"
            variant="default"
            leftSection={<Pencil size={14} aria-hidden />}
            disabled={!mayResend || isUnknown(request)}
            onClick={() => tabChosen('edit')}
          >
            Edit and resend
          </Button>
          {isUnknown(request) ? null : <CopyCommands request={request} model={model} />}
          <FilterByThis {...props} />
          <InData request={request} model={model} />
        </div>
        <Notes request={request} mayResend={mayResend} />
      </div>
      <Tabs
        value={chosen}
        onChange={(next) => tabChosen(next ?? '')}
        keepMounted={false}
        className="request-body"
      >
        <Tabs.List aria-label="Parts of the request" px="sm">
          <Tabs.Tab value="response">Response</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="trace">Trace</Tabs.Tab>
          <Tabs.Tab value="sql">SQL ({statementList?.length ?? '–'})</Tabs.Tab>
          {mayResend && !isUnknown(request) ? (
            <Tabs.Tab value="edit">Edit{hasDraft(request) ? ' •' : ''}</Tabs.Tab>
          ) : null}
          <Tabs.Tab value="compare">Compare</Tabs.Tab>
        </Tabs.List>
        <Panel value="response">
          <ResponsePart request={request} />
        </Panel>
        <Panel value="request">
          <RequestPart request={request} model={model} />
        </Panel>
        <Panel value="trace">
          {request.isRecorded ? <Waterfall request={request} /> : <NotRecorded request={request} />}
        </Panel>
        <Panel value="sql">
          {request.isRecorded ? (
            <Statements request={request} session={session} />
          ) : (
            <NotRecorded request={request} />
          )}
        </Panel>
        {mayResend && !isUnknown(request) ? (
          <Panel value="edit">
            <Resend request={request} search={search} />
          </Panel>
        ) : null}
        <Panel value="compare">
          <Compare request={request} rows={rows} compared={compared} compare={compare} />
        </Panel>
      </Tabs>
    </section>
  );
}

function Panel({
  value,
  children,
}: {
  readonly value: string;
  readonly children: ReactNode;
}): JSX.Element {
  return (
    <Tabs.Panel value={value} className="request-panel" tabIndex={0}>
      {children}
    </Tabs.Panel>
  );
}

function Facts({ request }: { readonly request: RequestDetail }): JSX.Element {
  const facts = [
    `${milliseconds(request.duration)} ms`,
    ...(request.databaseTime === null
      ? []
      : [`${milliseconds(request.databaseTime)} ms in the database`]),
    ...(request.size === null ? [] : [byteText(request.size)]),
    ...(request.caller === null ? [] : [`by ${visible(request.caller)}`]),
    ...(request.client === null ? [] : [`from ${request.client}`]),
    new Date(request.time).toLocaleString(),
    ...marksOf(request).map((mark) =>
      mark === 'sandboxed' ? `sandbox ${request.sandbox}` : markTexts[mark].toLowerCase(),
    ),
  ];
  return (
    <p className="facts">
      <span className={`status ${statusColor(request.status)}`}>
        {request.status}
        {request.code === null ? '' : ` ${request.code}`}
      </span>
      {facts.map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}

function Notes({
  request,
  mayResend,
}: {
  readonly request: RequestDetail;
  readonly mayResend: boolean;
}): JSX.Element | null {
  if (!request.tellsValues)
    return (
      <Text size="xs" className="quiet" mt={8}>
        In start, values and bodies are told only with logging.includeBodies.
      </Text>
    );
  return mayResend && isWithheld(request) && !isUnknown(request) ? (
    <Text size="xs" className="quiet" mt={8}>
      It held values that are not told here, so it cannot be sent again as it was.
    </Text>
  ) : null;
}

interface ReplayProps {
  readonly request: RequestDetail;
  readonly isRead: boolean;
  readonly mayReplay: boolean;
  readonly search: string;
}

/** Sends a request again as it was; a write after a question. */
function Replay({ request, isRead, mayReplay, search }: ReplayProps): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const [told, setTold] = useState<ReactNode>('');
  const replay = async (): Promise<void> => {
    setAsked(false);
    setTold('Sending…');
    const body = bodyText(request);
    const answer = await send(urlOf(request), {
      method: request.method,
      headers: sendableHeaders(request),
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => error as Refusal);
    if (answer instanceof Refusal) {
      setTold(answer.message);
      return;
    }
    const id = answer.headers.get('x-request-id') ?? '';
    setTold(
      <>
        Sent again: {answer.status} in {milliseconds(answer.duration)} ms.{' '}
        <a href={hashOf('requests', id, search)}>Open it</a>,{' '}
        <a href={hashOf('requests', id, `tab=compare&with=${request.id}`)}>compare</a>
      </>,
    );
  };
  return (
    <>
      <Button
        size="xs"
        leftSection={<RotateCw size={14} aria-hidden />}
        disabled={!mayReplay}
        onClick={() => (isRead ? void replay() : setAsked(true))}
      >
        Replay
      </Button>
      <Text size="xs" role="status" className="replayed">
        {told}
      </Text>
      <Modal
        opened={isAsked}
        onClose={() => setAsked(false)}
        title={`Send ${request.method} ${request.path} again?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
        attributes={{ header: { role: 'presentation' } }}
      >
        <Text mb="md">It may change records once more.</Text>
        <Group justify="end">
          <Button variant="default" onClick={() => setAsked(false)} data-autofocus>
            Leave it
          </Button>
          <Button onClick={() => void replay()}>Send it again</Button>
        </Group>
      </Modal>
    </>
  );
}

/** Filters of the list by what this request has. */
function FilterByThis({ request, filter, filterChanged }: DetailProps): JSX.Element {
  const values = [
    ['path', request.path],
    ['method', request.method],
    ['status', String(request.status)],
    ['client', request.client ?? none],
    ['caller', request.caller ?? none],
  ] as const;
  const conditions = (isNot: boolean): readonly Condition[] =>
    values.map(([column, value]) => ({ column, value, isNot }));
  const items = (isNot: boolean): readonly JSX.Element[] =>
    conditions(isNot).map((condition) => (
      <Menu.Item
        key={condition.column}
        onClick={() => filterChanged(withCondition(filter, condition))}
      >
        {visible(conditionText(condition))}
      </Menu.Item>
    ));
  return (
    <Menu position="bottom-start">
      <Menu.Target>
        <Button
          size="xs"
          variant="default"
          leftSection={<ListFilter size={14} aria-hidden />}
          rightSection={<ChevronDown size={14} aria-hidden />}
        >
          Filter by this
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Only</Menu.Label>
        {items(false)}
        <Menu.Divider />
        <Menu.Label>Without</Menu.Label>
        {items(true)}
      </Menu.Dropdown>
    </Menu>
  );
}

function InData({
  request,
  model,
}: {
  readonly request: RequestDetail;
  readonly model: Model;
}): JSX.Element | null {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (!isRead || isWithheld(request)) return null;
  const place = placeOf(urlOf(request), location.origin, model, model);
  return place === undefined ? null : (
    <Button
      component="a"
      href={hashOf('data', place.part, place.search)}
      size="xs"
      variant="default"
      leftSection={<Table2 size={14} aria-hidden />}
    >
      Open in Data
    </Button>
  );
}
