import { Alert, Text } from '@mantine/core';
import type { JSX, ReactNode } from 'react';
import type { ErrorCause, RequestDetail, ShownBody } from '../../../../src/http/dashboard/wire.ts';
import type { Model } from '../../../../src/http/dashboard/wire-model.ts';
import { Code } from '../../code/Code.tsx';
import { byteText, counted, shown, statusColor, visible } from '../../words.ts';
import { isUnknown } from '../copy/commands.ts';
import { failureOf } from './failure.ts';
import { queryPartsOf, type QueryPart } from './query.ts';

interface PartProps {
  readonly request: RequestDetail;
}

/** What was answered: the body first, an error with what caused it before that. */
export function ResponsePart({ request }: PartProps): JSX.Element {
  if (!request.isRecorded) return <NotRecorded request={request} />;
  return (
    <>
      <Failure request={request} />
      <Body
        title="Body"
        body={request.responseBody}
        length={request.size}
        isForgotten={request.isForgotten}
      />
      <Headers headers={request.responseHeaders} />
    </>
  );
}

/** What was sent: the query as it was understood, the body and headers. */
export function RequestPart({
  request,
  model,
}: PartProps & { readonly model: Model }): JSX.Element {
  const query = queryPartsOf(request, model);
  return (
    <>
      <section aria-label="Query">
        <h3 className="panel-title">Query</h3>
        {query.length === 0 ? (
          <Text size="sm" className="quiet">
            None
          </Text>
        ) : (
          <QueryTable parts={query} />
        )}
      </section>
      {request.isRecorded ? (
        <>
          <Body
            title="Body"
            body={request.requestBody}
            length={lengthSent(request)}
            isForgotten={request.isForgotten}
          />
          <Headers headers={request.requestHeaders} />
        </>
      ) : (
        <NotRecorded request={request} />
      )}
    </>
  );
}

const kindTexts: Readonly<Record<QueryPart['kind'], string>> = {
  filter: 'filter',
  sort: 'order',
  fields: 'fields',
  expand: 'expansion',
  page: 'page',
  debug: 'debug',
  unknown: 'unknown',
  other: 'parameter',
};

function QueryTable({ parts }: { readonly parts: readonly QueryPart[] }): JSX.Element {
  return (
    <table className="pairs">
      <thead>
        <tr>
          <th scope="col" style={{ width: '34%' }}>
            Parameter
          </th>
          <th scope="col">Understood as</th>
        </tr>
      </thead>
      <tbody>
        {parts.map(({ name, value, kind, path, meaning }, index) => (
          <tr key={index}>
            <th scope="row" className="mono">
              {visible(name)}
            </th>
            <td>
              <span className={kind === 'unknown' ? 'status red' : 'quiet'}>{kindTexts[kind]}</span>{' '}
              {path === undefined ? null : (
                <>
                  <span className="mono">{visible(path)}</span> {meaning}{' '}
                </>
              )}
              <span className="mono">{visible(value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const causeTexts: Readonly<Record<ErrorCause['source'], string>> = {
  'own code': 'Own code',
  database: 'The database',
  server: 'The server',
};

/** What the response says of a failure, and what caused it. */
function Failure({ request: { status, responseBody, causes } }: PartProps): ReactNode {
  const told =
    status < 400 || responseBody === null || 'note' in responseBody
      ? undefined
      : failureOf(responseBody.text);
  if (told?.message === undefined && causes.length === 0) return null;
  return (
    <Alert color={statusColor(status)}>
      {told?.message === undefined ? null : visible(told.message)}
      {told === undefined || told.problems.length === 0 ? null : (
        <ul className="problems">
          {told.problems.map(({ field, text }, index) => (
            <li key={index}>
              <strong>{visible(field)}</strong> {visible(text)}
            </li>
          ))}
        </ul>
      )}
      {causes.map(({ source, place, text }, index) => (
        <div key={index} className="cause">
          <Text size="sm" fw={500}>
            Caused by: {causeTexts[source]}
            {place === null ? '' : `, ${place}`}
          </Text>
          {text === '' ? null : (
            <pre className="block" tabIndex={0} aria-label="Cause">
              {visible(text)}
            </pre>
          )}
        </div>
      ))}
    </Alert>
  );
}

export function NotRecorded({ request }: PartProps): JSX.Element {
  return (
    <Text size="sm">
      It came while no dashboard was open, or as one of very many at once, so it was only counted.{' '}
      {isUnknown(request)
        ? 'What it sent is not known; the same sent now is recorded whole.'
        : 'Replay it to see all of it.'}
    </Text>
  );
}

function Headers({ headers }: { readonly headers: RequestDetail['requestHeaders'] }): JSX.Element {
  const entries = Object.entries(headers);
  return (
    <section aria-label="Headers">
      <h3 className="panel-title">Headers</h3>
      {entries.length === 0 ? (
        <Text size="sm" className="quiet">
          None
        </Text>
      ) : (
        <table className="pairs">
          <tbody>
            {entries.map(([name, value]) => (
              <tr key={name}>
                <th scope="row" className="mono" style={{ width: '34%' }}>
                  {visible(name)}
                </th>
                <td className="mono">{shown(Array.isArray(value) ? value.join(', ') : value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface BodyProps {
  readonly title: string;
  readonly body: ShownBody | null;
  /** In bytes; null if it is not known. */
  readonly length: number | null;
  readonly isForgotten: boolean;
}

function Body({ title, body, length, isForgotten }: BodyProps): JSX.Element {
  if (body !== null && 'text' in body)
    return (
      <Code text={visible(body.text)} language="json" label={title}>
        {title}
        {length === null ? null : <span className="quiet"> {byteText(length)}</span>}
      </Code>
    );
  return (
    <section aria-label={title}>
      <h3 className="panel-title">{title}</h3>
      <Text size="sm" className="quiet">
        {body === null ? missingText(length, isForgotten) : body.note}
      </Text>
    </section>
  );
}

function missingText(length: number | null, isForgotten: boolean): string {
  if (length === null || length === 0) return 'None, or not recorded';
  const text = counted(length, 'byte');
  return isForgotten ? `${text}, too long to be kept, or older than what is kept` : text;
}

/** How long the body that was sent is, by its header. */
function lengthSent({ requestHeaders }: RequestDetail): number | null {
  return Number(requestHeaders['content-length']) || null;
}
