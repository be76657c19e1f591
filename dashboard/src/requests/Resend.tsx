import {
  Alert,
  Button,
  Group,
  Modal,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import type { RequestDetail } from '../../../src/http/dashboard/wire.ts';
import { send } from '../api.ts';
import { useReturnedFocus } from '../focus.ts';
import { milliseconds, indented, visible } from '../words.ts';
import { bodyText, sendableHeaders } from './commands.ts';
import { urlOf } from './rows.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

interface Props {
  readonly request: RequestDetail;
  readonly close: () => void;
}

/** A request that can be changed before it is sent again. */
export function Resend({ request, close }: Props): JSX.Element {
  useReturnedFocus();
  const [method, setMethod] = useState(request.method);
  const [url, setUrl] = useState(urlOf(request));
  const [headers, setHeaders] = useState(() =>
    Object.entries(sendableHeaders(request))
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n'),
  );
  const [body, setBody] = useState(bodyText(request) ?? '');
  const sending = useMutation({
    mutationFn: async () =>
      send(url, {
        method,
        headers: headersIn(headers),
        ...(body === '' || method === 'GET' || method === 'HEAD' ? {} : { body }),
      }),
  });
  const { data, error } = sending;
  return (
    <Modal
      opened
      onClose={close}
      title="Edit and resend"
      size="xl"
      // A click beside it would throw away what was written.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        <Stack>
          <Group align="end">
            <Select
              label="Method"
              data={methods}
              value={method}
              onChange={(value) => setMethod(value ?? 'GET')}
              allowDeselect={false}
              w={120}
            />
            <TextInput
              label="Path and query"
              value={url}
              onChange={(event) => setUrl(event.currentTarget.value)}
              style={{ flex: 1 }}
            />
          </Group>
          <LongText
            label="Headers"
            description="One a line. The credential of this page is added."
            value={headers}
            changed={setHeaders}
          />
          <LongText label="Body" value={body} changed={setBody} />
          <Group>
            <Button type="submit" loading={sending.isPending}>
              Send
            </Button>
          </Group>
          {error === null ? null : (
            <Alert color="red" role="alert">
              {error.message}
            </Alert>
          )}
          {data === undefined ? null : (
            <div role="status">
              <Text mb={4}>
                {data.status} in {milliseconds(data.duration)} ms
              </Text>
              <pre className="block" tabIndex={0}>
                {data.body === undefined ? visible(data.text) : indented(data.body)}
              </pre>
            </div>
          )}
        </Stack>
      </form>
    </Modal>
  );
}

interface LongTextProps {
  readonly label: string;
  readonly description?: string;
  readonly value: string;
  readonly changed: (text: string) => void;
}

function LongText({ changed, ...rest }: LongTextProps): JSX.Element {
  return (
    <Textarea
      {...rest}
      onChange={(event) => changed(event.currentTarget.value)}
      autosize
      minRows={2}
      maxRows={12}
      spellCheck={false}
      classNames={{ input: 'mono' }}
    />
  );
}

function headersIn(text: string): Readonly<Record<string, string>> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new Error(`"${line}" is no header: it needs a name and a colon.`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}
