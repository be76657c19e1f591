import {
  ActionIcon,
  Alert,
  Autocomplete,
  Button,
  Group,
  Select,
  Text,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Plus, RotateCcw, Send, X } from 'lucide-react';
import { useState, type JSX } from 'react';
import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { send } from '../../api.ts';
import { Code } from '../../code/Code.tsx';
import { hashOf } from '../../route.ts';
import { milliseconds, statusColor } from '../../words.ts';
import { discardDraft, draftOf, hasDraft, keepDraft, originalOf, type Draft } from './draft.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const commonHeaders = [
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'idempotency-key',
  'prefer',
  'x-sandbox',
  'x-simulate',
];

interface Props {
  readonly request: RequestDetail;
  /** The parameters of the page, which lead on to the response. */
  readonly search: string;
}

/** A request that can be changed before it is sent again. What was typed stays until it is discarded. */
export function Resend({ request, search }: Props): JSX.Element {
  const [draft, setDraft] = useState(() => draftOf(request));
  /** Counts how often it began anew, so that the editor does too. */
  const [turn, setTurn] = useState(0);
  const change = (next: Partial<Draft>): void => {
    const all = { ...draft, ...next };
    setDraft(all);
    keepDraft(request, all);
  };
  const { method, url, headers, body } = draft;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const sending = useMutation({
    mutationFn: async () =>
      send(url, {
        method,
        headers: Object.fromEntries(
          headers.flatMap(({ name, value }) => (name.trim() === '' ? [] : [[name.trim(), value]])),
        ),
        ...(body === '' || !hasBody ? {} : { body }),
      }),
  });
  const { data, error } = sending;
  const id = data?.headers.get('x-request-id') ?? '';
  const changeHeader = (at: number, next: Partial<Draft['headers'][number]>): void =>
    change({ headers: headers.map((one, index) => (index === at ? { ...one, ...next } : one)) });
  return (
    <form
      aria-label="Edit and resend"
      className="resend"
      onSubmit={(event) => {
        event.preventDefault();
        sending.mutate();
      }}
    >
      <Group align="end" gap={8} wrap="nowrap">
        <Select
          size="xs"
          label="Method"
          data={methods}
          value={method}
          onChange={(value) => change({ method: value ?? 'GET' })}
          allowDeselect={false}
          w={96}
          flex="none"
        />
        <TextInput
          size="xs"
          label="Path and query"
          value={url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          flex={1}
          classNames={{ input: 'mono' }}
        />
      </Group>
      <fieldset className="header-lines">
        <legend className="panel-title">Headers</legend>
        {headers.map(({ name, value }, index) => (
          <Group key={index} gap={6} wrap="nowrap">
            <Autocomplete
              size="xs"
              aria-label={`Name of header ${index + 1}`}
              data={commonHeaders}
              value={name}
              onChange={(next) => changeHeader(index, { name: next })}
              w={160}
              flex="none"
            />
            <TextInput
              size="xs"
              aria-label={`Value of ${name === '' ? `header ${index + 1}` : name}`}
              value={value}
              onChange={(event) => changeHeader(index, { value: event.currentTarget.value })}
              flex={1}
            />
            <ActionIcon
              size={28}
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name === '' ? `header ${index + 1}` : name}`}
              onClick={() => change({ headers: headers.filter((_, at) => at !== index) })}
            >
              <X size={14} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => change({ headers: [...headers, { name: '', value: '' }] })}
        >
          Add a header
        </Button>
        <Text size="xs" className="quiet">
          The credential of this page is added.
        </Text>
      </fieldset>
      {hasBody ? (
        <Code
          key={turn}
          text={body}
          language="json"
          label="Body"
          changed={(next) => change({ body: next })}
        >
          Body
        </Code>
      ) : null}
      <Group gap={8}>
        <Button
          size="xs"
          type="submit"
          loading={sending.isPending}
          leftSection={<Send size={14} aria-hidden />}
        >
          Send
        </Button>
        <Button
          size="xs"
          variant="default"
          leftSection={<RotateCcw size={14} aria-hidden />}
          disabled={!hasDraft(request)}
          onClick={() => {
            discardDraft(request);
            setDraft(originalOf(request));
            setTurn(turn + 1);
          }}
        >
          Discard changes
        </Button>
      </Group>
      {error === null ? null : (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {data === undefined ? null : (
        <section aria-label="Its response">
          <Text role="status" size="sm" mb={4}>
            <span className={`status ${statusColor(data.status)}`}>{data.status}</span> in{' '}
            {milliseconds(data.duration)} ms{' '}
            {id === '' ? null : (
              <>
                <a href={hashOf('requests', id, search)}>Open it</a>,{' '}
                <a href={hashOf('requests', id, `tab=compare&with=${request.id}`)}>
                  compare it with the first
                </a>
              </>
            )}
          </Text>
          <Code
            text={data.text}
            language={data.body === undefined ? 'text' : 'json'}
            label="Body of the response"
          />
        </section>
      )}
    </form>
  );
}
