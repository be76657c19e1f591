import {
  Alert,
  Button,
  Card,
  Group,
  Loader,
  Modal,
  Stack,
  Table,
  Tabs,
  Text,
  Title,
} from '@mantine/core';
import { useState, type JSX, type ReactNode } from 'react';
import type { Hello, RequestDetail, ShownBody } from '../../../src/http/dashboard/wire.ts';
import type { Model } from '../../../src/http/dashboard/wire-model.ts';
import { Refusal, send } from '../api.ts';
import { placeOf } from '../data/place.ts';
import { hashOf } from '../route.ts';
import { counted, indented, milliseconds, shown, statusColor, visible } from '../words.ts';
import { bodyText, isForgotten, isWithheld, sendableHeaders } from './commands.ts';
import { CopyCommands } from './CopyCommands.tsx';
import { useRequest } from './data.ts';
import { failureOf } from './failure.ts';
import { urlOf } from './rows.ts';
import { Resend } from './Resend.tsx';
import { Statements } from './Statements.tsx';
import { Waterfall } from './Waterfall.tsx';

interface Props {
  readonly id: string;
  readonly session: Hello;
  readonly model: Model;
  /** Which part of it is shown. */
  readonly tab: string;
  readonly tabChosen: (tab: string) => void;
  /** Where the page is without it. */
  readonly closed: string;
}

/** One request with all that is known of it. */
export function RequestDetails({ id, ...rest }: Props): JSX.Element {
  const { data, error } = useRequest(id);
  if (error !== null) {
    const isGone = error instanceof Refusal && error.status === 404;
    return (
      <Alert color="gray" title={isGone ? 'This request is no longer kept' : 'Not loaded'}>
        {isGone ? 'Newer ones have taken its place.' : error.message}{' '}
        <a href={rest.closed}>Close</a>
      </Alert>
    );
  }
  if (data === undefined) return <Loader aria-label="Loading" />;
  return <Detail request={data} {...rest} />;
}

interface DetailProps extends Omit<Props, 'id'> {
  readonly request: RequestDetail;
}

function Detail(props: DetailProps): JSX.Element {
  const { request, session, model, tab, tabChosen, closed } = props;
  const [isEditing, setEditing] = useState(false);
  const [told, setTold] = useState('');
  const { origin } = location;
  const isSafe = request.method === 'GET' || request.method === 'HEAD';
  const mayResend = request.tellsValues && (isSafe || session.mayChange);
  const explored =
    isSafe && !isWithheld(request) ? placeOf(urlOf(request), origin, model, model) : undefined;
  const [isAsked, setAsked] = useState(false);
  const replay = async (): Promise<void> => {
    setAsked(false);
    setTold('Sending…');
    const body = bodyText(request);
    const answer = await send(urlOf(request), {
      method: request.method,
      headers: sendableHeaders(request),
      ...(body === undefined ? {} : { body }),
    }).catch((error: unknown) => error as Refusal);
    setTold(
      answer instanceof Refusal
        ? answer.message
        : `Sent again: ${answer.status} in ${milliseconds(answer.duration)} ms. It is at the top of the list.`,
    );
  };
  return (
    <Card withBorder component="section" aria-label="Request">
      <Group justify="space-between" align="start" wrap="nowrap" mb="xs">
        <Title
          order={2}
          size="h4"
          style={{ overflowWrap: 'anywhere' }}
          // The rest of a long query is among its parts.
          lineClamp={3}
          title={urlOf(request)}
        >
          {request.method} {urlOf(request)}
        </Title>
        <Button component="a" href={closed} variant="default" size="xs" flex="none">
          Close
        </Button>
      </Group>
      <Text mb="xs">
        <span className={`status ${statusColor(request.status)}`}>
          {request.status}
          {request.code === null ? '' : ` ${request.code}`}
        </span>{' '}
        {[
          `in ${milliseconds(request.duration)} ms`,
          ...(request.databaseTime === null
            ? []
            : [`${milliseconds(request.databaseTime)} ms of it in the database`]),
          ...(request.caller === null ? [] : [`by ${visible(request.caller)}`]),
          ...(request.client === null ? [] : [`from ${request.client}`]),
          new Date(request.time).toLocaleString(),
        ].join(', ')}
      </Text>
      <Group mb="sm" gap="xs">
        <Button
          size="xs"
          disabled={!mayResend || isWithheld(request)}
          onClick={() => (isSafe ? void replay() : setAsked(true))}
        >
          Replay
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!mayResend || isForgotten(request)}
          onClick={() => setEditing(true)}
        >
          Edit and resend
        </Button>
        {explored === undefined ? null : (
          <Button
            component="a"
            href={hashOf('data', explored.part, explored.search)}
            size="xs"
            variant="default"
          >
            Open in Data
          </Button>
        )}
        {isForgotten(request) ? null : <CopyCommands request={request} />}
        <Text size="sm" role="status">
          {told}
        </Text>
      </Group>
      {request.tellsValues ? null : (
        <Alert color="gray" mb="sm">
          In start, values and bodies are told only where logging.includeBodies is set.
        </Alert>
      )}
      {mayResend && isWithheld(request) && !isForgotten(request) ? (
        <Text size="sm" className="quiet" mb="sm">
          It held values that are not told here, so it cannot be sent again as it was.
        </Text>
      ) : null}
      <Failure request={request} />
      {request.failure === null ? null : <pre className="block">{request.failure}</pre>}
      <Tabs
        value={parts.has(tab) ? tab : 'trace'}
        onChange={(next) => tabChosen(next ?? '')}
        keepMounted={false}
      >
        <Tabs.List aria-label="Parts of the request">
          <Tabs.Tab value="trace">Trace</Tabs.Tab>
          <Tabs.Tab value="sql">SQL ({request.statementList?.length ?? '–'})</Tabs.Tab>
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="trace" pt="sm">
          {request.isRecorded ? <Waterfall request={request} /> : <NotRecorded request={request} />}
        </Tabs.Panel>
        <Tabs.Panel value="sql" pt="sm">
          {request.isRecorded ? (
            <Statements request={request} session={session} />
          ) : (
            <NotRecorded request={request} />
          )}
        </Tabs.Panel>
        <Tabs.Panel value="request" pt="sm">
          <Stack>
            <Members title="Query" members={request.parameters} />
            {request.isRecorded ? (
              <>
                <Members title="Headers" members={request.requestHeaders} />
                <Body body={request.requestBody} length={lengthSent(request)} />
              </>
            ) : (
              <NotRecorded request={request} />
            )}
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="response" pt="sm">
          {request.isRecorded ? (
            <Stack>
              <Members title="Headers" members={request.responseHeaders} />
              <Body body={request.responseBody} length={request.size} />
            </Stack>
          ) : (
            <NotRecorded request={request} />
          )}
        </Tabs.Panel>
      </Tabs>
      <Modal
        opened={isAsked}
        onClose={() => setAsked(false)}
        title={`Send ${request.method} ${request.path} again?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
        attributes={{ header: { role: 'presentation' } }}
      >
        <Text mb="md">It may change records once more.</Text>
        <Group>
          <Button onClick={() => void replay()}>Send it again</Button>
          <Button variant="default" onClick={() => setAsked(false)}>
            Leave it
          </Button>
        </Group>
      </Modal>
      {isEditing ? <Resend request={request} close={() => setEditing(false)} /> : null}
    </Card>
  );
}

const parts: ReadonlySet<string> = new Set(['trace', 'sql', 'request', 'response']);

/** What the answer says of a failure, so that nobody has to look for it. */
function Failure({ request: { status, responseBody } }: { request: RequestDetail }): ReactNode {
  if (status < 400 || responseBody === null || 'note' in responseBody) return null;
  const { message, problems } = failureOf(responseBody.text);
  if (message === undefined) return null;
  return (
    <Alert color={statusColor(status)} mb="sm">
      {visible(message)}
      {problems.length === 0 ? null : (
        <ul className="problems">
          {problems.map((problem, index) => (
            <li key={index}>{visible(problem)}</li>
          ))}
        </ul>
      )}
    </Alert>
  );
}

function NotRecorded({ request }: { request: RequestDetail }): JSX.Element {
  return (
    <Text>
      It came while no dashboard was open, or as one of very many at once, so it was only counted.{' '}
      {isForgotten(request)
        ? 'What it sent is not known; the same sent now is recorded whole.'
        : 'Replay it to see all of it.'}
    </Text>
  );
}

function Members({ title, members }: { title: string; members: object }): JSX.Element {
  const entries = Array.isArray(members)
    ? (members as string[]).map((name) => [name, ''] as const)
    : Object.entries(members as Record<string, unknown>);
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      {entries.length === 0 ? (
        <Text className="quiet">None</Text>
      ) : (
        <Table aria-label={title} verticalSpacing={4}>
          <Table.Tbody>
            {entries.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th className="mono" w="30%">
                  {visible(name)}
                </Table.Th>
                <Table.Td className="mono" style={{ overflowWrap: 'anywhere' }}>
                  {shown(Array.isArray(value) ? value.join(', ') : value)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </div>
  );
}

/** Of longer bodies the server keeps the length. */
const longestBody = 64 * 1024;

interface BodyProps {
  readonly body: ShownBody | null;
  /** In bytes, where that is known. */
  readonly length: number | null;
}

function Body({ body, length }: BodyProps): JSX.Element {
  return (
    <div>
      <Title order={3} size="h5" mb={4}>
        Body
      </Title>
      {body === null ? (
        <Text className="quiet">
          {length === null || length === 0
            ? 'None, or not recorded'
            : `${counted(length, 'byte')}${length > longestBody ? ', too long to be kept' : ''}`}
        </Text>
      ) : (
        <pre className="block" tabIndex={0}>
          {'note' in body ? body.note : readable(body.text)}
        </pre>
      )}
    </div>
  );
}

/** How long the body that was sent is, by its header. */
function lengthSent({ requestHeaders }: RequestDetail): number | null {
  return Number(requestHeaders['content-length']) || null;
}

/** JSON with its lines broken; numbers too long for this language stay as they were sent, in one line. */
function readable(text: string): string {
  try {
    return /\d{16}/u.test(text) ? visible(text) : indented(JSON.parse(text));
  } catch {
    return visible(text);
  }
}
