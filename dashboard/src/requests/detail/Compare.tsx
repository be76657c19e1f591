import { Alert, Button, Loader, Select } from '@mantine/core';
import type { JSX } from 'react';
import type { RequestDetail, RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { formatted } from '../../code/format.ts';
import { milliseconds, visible } from '../../words.ts';
import { columns } from '../list/columns.ts';
import { shownUrl, urlOf } from '../list/rows.ts';
import { useRequest } from './data.ts';
import { differenceOf } from './difference.ts';

interface Props {
  readonly request: RequestDetail;
  readonly rows: readonly RequestRow[];
  /** The id of the other one; empty before one is chosen. */
  readonly compared: string;
  readonly compare: (id: string) => void;
}

/** More are found by searching the list. */
const mostOffered = 50;

/** Two requests side by side: what is different in each part. */
export function Compare({ request, rows, compared, compare }: Props): JSX.Element {
  const { data, error } = useRequest(compared);
  // Those of the same path come first.
  const others = rows
    .filter(({ id }) => id !== request.id)
    .toSorted((a, b) => Number(b.path === request.path) - Number(a.path === request.path))
    .slice(0, mostOffered);
  return (
    <>
      <Select
        size="xs"
        label="Compare with"
        placeholder="Another request of the list"
        searchable
        data={others.map((row) => ({
          value: row.id,
          label: `${columns.time.shown(row)} ${row.method} ${shownUrl(row)} ${row.status}`,
        }))}
        value={compared === '' ? null : compared}
        onChange={(id) => compare(id ?? '')}
        clearable
        clearButtonProps={{ 'aria-label': 'None' }}
      />
      {compared === '' ? null : error !== null ? (
        <Alert color="gray">The other request is no longer kept.</Alert>
      ) : data === undefined ? (
        <Loader aria-label="Loading" />
      ) : (
        <Differences one={request} other={data} close={() => compare('')} />
      )}
    </>
  );
}

interface DifferencesProps {
  readonly one: RequestDetail;
  readonly other: RequestDetail;
  readonly close: () => void;
}

function Differences({ one, other, close }: DifferencesProps): JSX.Element {
  const parts: readonly (readonly [title: string, of: (request: RequestDetail) => string])[] = [
    ['Request', (request) => `${request.method} ${urlOf(request)}`],
    ['Status', ({ status, code }) => `${status}${code === null ? '' : ` ${code}`}`],
    ['Request headers', ({ requestHeaders }) => headerLines(requestHeaders)],
    ['Request body', ({ requestBody }) => bodyLines(requestBody)],
    ['Response headers', ({ responseHeaders }) => headerLines(responseHeaders)],
    ['Response body', ({ responseBody }) => bodyLines(responseBody)],
    ['SQL', ({ statementList = [] }) => statementList.map(({ sql }) => sql).join('\n')],
  ];
  const [here, there] = [one.duration, other.duration];
  return (
    <>
      <p className="quiet">
        This one took {milliseconds(here)} ms, the other {milliseconds(there)} ms.{' '}
        <Button size="compact-xs" variant="subtle" onClick={close}>
          End the comparison
        </Button>
      </p>
      {parts.map(([title, of]) => (
        <Part key={title} title={title} before={of(other)} after={of(one)} />
      ))}
    </>
  );
}

function Part({
  title,
  before,
  after,
}: {
  readonly title: string;
  readonly before: string;
  readonly after: string;
}): JSX.Element {
  const isSame = before === after;
  return (
    <section aria-label={title}>
      <h3 className="panel-title">{title}</h3>
      {isSame ? (
        <p className="quiet">{before === '' ? 'None in both.' : 'The same.'}</p>
      ) : (
        <pre className="difference" tabIndex={0} aria-label={`${title}, compared`}>
          {differenceOf(visible(before), visible(after)).map(({ kind, text }, index) => (
            <div key={index} className={kind}>
              {{ same: '  ', gone: '− ', added: '+ ', skipped: '  … ' }[kind]}
              {text}
            </div>
          ))}
        </pre>
      )}
    </section>
  );
}

function headerLines(headers: RequestDetail['requestHeaders']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .sort()
    .join('\n');
}

function bodyLines(body: RequestDetail['requestBody']): string {
  if (body === null) return '';
  return 'note' in body ? body.note : formatted(body.text);
}
