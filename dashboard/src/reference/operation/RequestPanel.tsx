import { ActionIcon, Alert, Button, CopyButton, SegmentedControl } from '@mantine/core';
import { Check, Copy, Send } from 'lucide-react';
import { useMemo, useState, type JSX } from 'react';
import { credential, refusalOf, send, type ApiAnswer } from '../../api.ts';
import { Code } from '../../code/Code.tsx';
import { mount } from '../../mount.ts';
import { asClientCall } from '../../requests/copy/client-call.ts';
import { asCurl, asFetch, bodyText, sendableHeaders } from '../../requests/copy/commands.ts';
import { urlOf } from '../../requests/list/rows.ts';
import { byteText, indented, milliseconds, statusColor } from '../../words.ts';
import type { OpenApi, Operation } from '../document.ts';
import { filtersOf } from './families.ts';
import { missing, requestOf, type Draft } from './request.ts';

interface Props {
  readonly document: OpenApi;
  readonly version: string;
  readonly operation: Operation;
  readonly draft: Draft;
}

const languages = [
  { value: 'curl', label: 'curl' },
  { value: 'fetch', label: 'fetch' },
  { value: 'client', label: 'Typed client' },
] as const;
type Language = (typeof languages)[number]['value'];

/** The request as it would be sent, in a language; the button that sends it; and the answer. */
export function RequestPanel({ document, version, operation, draft }: Props): JSX.Element {
  const [language, setLanguage] = useState<Language>('curl');
  const [answer, setAnswer] = useState<ApiAnswer>();
  const [failure, setFailure] = useState('');
  const [isSending, setSending] = useState(false);
  const request = requestOf(operation, draft);
  const needed = missing(operation, draft);
  const api = useMemo(() => calledApi(document, version, operation), [document, operation.id]);
  const shown = {
    ...request,
    requestHeaders: {
      ...request.requestHeaders,
      ...(operation.isGuarded || credential() !== '' ? { authorization: 'Bearer <token>' } : {}),
    },
  };
  const text =
    language === 'curl'
      ? asCurl(shown, location.origin)
      : language === 'fetch'
        ? asFetch(shown, location.origin)
        : (asClientCall(request, api, location.origin + mount) ??
          '// The typed client has no call for this request.');
  const submit = async (): Promise<void> => {
    setSending(true);
    setFailure('');
    const body = bodyText(request);
    try {
      setAnswer(
        await send(urlOf(request), {
          method: request.method,
          headers: sendableHeaders(request),
          ...(body === undefined ? {} : { body }),
        }),
      );
    } catch (error) {
      setAnswer(undefined);
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setSending(false);
  };
  return (
    <section className="request" aria-label="Request">
      <div className="request-head">
        <SegmentedControl
          aria-label="Language"
          data={[...languages]}
          value={language}
          onChange={(value) => setLanguage(value)}
        />
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <ActionIcon
              size={28}
              aria-label={copied ? 'Copied' : 'Copy the request'}
              onClick={copy}
            >
              {copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
            </ActionIcon>
          )}
        </CopyButton>
      </div>
      <pre className="block snippet" tabIndex={0} aria-label="The request as code">
        {text}
      </pre>
      <div className="send-line">
        <Button
          size="sm"
          leftSection={<Send size={14} aria-hidden />}
          loading={isSending}
          disabled={needed.length > 0}
          onClick={() => void submit()}
        >
          Send
        </Button>
        <span className="quiet" role="status">
          {needed.length > 0 ? (
            `Fill in ${needed.join(', ')} first.`
          ) : answer === undefined ? (
            ''
          ) : (
            <AnswerLine answer={answer} />
          )}
        </span>
      </div>
      {failure === '' ? null : (
        <Alert color="red" role="alert">
          {failure}
        </Alert>
      )}
      {answer === undefined ? <Example operation={operation} /> : <AnswerView answer={answer} />}
    </section>
  );
}

/** What the operation answers, as long as nothing was sent. */
function Example({ operation }: Pick<Props, 'operation'>): JSX.Element | null {
  const [status, answer] = operation.responses[0] ?? [];
  const example = answer?.content?.['application/json']?.example;
  if (status === undefined || example === undefined) return null;
  return (
    <section aria-label="Example of a response">
      <p className="part-text">
        Example of <span className={`status ${statusColor(Number(status))}`}>{status}</span>
      </p>
      <pre className="block snippet" tabIndex={0} aria-label={`Example of ${status}`}>
        {indented(example)}
      </pre>
    </section>
  );
}

function AnswerLine({ answer }: { readonly answer: ApiAnswer }): JSX.Element {
  const size = new TextEncoder().encode(answer.text).length;
  return (
    <>
      <span className={`status ${statusColor(answer.status)}`}>{answer.status}</span>{' '}
      {milliseconds(answer.duration)} ms, {byteText(size)}
    </>
  );
}

function AnswerView({ answer }: { readonly answer: ApiAnswer }): JSX.Element {
  const fields = answer.status >= 400 ? refusalOf(answer).fields : [];
  const isJson = answer.body !== undefined;
  return (
    <section aria-label="Response" className="response">
      {fields.length === 0 ? null : (
        <ul className="problems" aria-label="Problems">
          {fields.map(({ field, message }) => (
            <li key={`${field} ${message}`}>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {answer.text === '' ? (
        <p className="quiet">The response has no body.</p>
      ) : (
        <Code text={answer.text} language={isJson ? 'json' : 'text'} label="Body of the response">
          Response
        </Code>
      )}
      <details className="answer-headers">
        <summary>Headers</summary>
        <dl>
          {[...answer.headers].map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}

/** What the typed client knows of the resource of an operation. */
function calledApi(
  document: OpenApi,
  version: string,
  operation: Operation,
): Parameters<typeof asClientCall>[1] {
  const [resource = ''] = operation.tags;
  const end = operation.path.indexOf(`/${version}/`);
  const filters = filtersOf(document, operation);
  const id = operation.parameters.find((one) => one.in === 'path' && one.name === 'id');
  return {
    path: operation.path.slice(0, end === -1 ? 0 : end + version.length + 1),
    operators: (filters?.families ?? []).flatMap((one) => one.operators),
    resources: [
      {
        name: resource,
        filters: [
          ...(filters?.families ?? []),
          ...(filters?.morePaths ?? []).map((path) => ({ path })),
        ],
        fields: id === undefined ? [] : [{ name: 'id', type: String(id.schema?.type ?? '') }],
      },
    ],
  };
}
