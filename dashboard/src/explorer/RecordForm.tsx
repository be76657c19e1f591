import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import { Refusal } from '../api.ts';
import type { ResourceInfo } from '../model.ts';
import { FieldInput } from './FieldInput.tsx';
import { inputText, readForm } from './form.ts';
import type { ApiRecord } from './Results.tsx';

interface Props {
  readonly resource: ResourceInfo;
  /** As it is stored; undefined: a new one. */
  readonly record: ApiRecord | undefined;
  readonly save: (body: ApiRecord) => Promise<void>;
  /** Reads the record anew. */
  readonly reload?: () => void;
}

/** The fields that may be written, each with an input of its type; what the server refuses is said at its field. */
export function RecordForm({ resource, record, save, reload }: Props): JSX.Element {
  const fields = resource.fields.filter((field) =>
    record === undefined ? field.isCreatable : field.isUpdatable,
  );
  const [inputs, setInputs] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      fields.map((field) => [
        field.name,
        record === undefined ? '' : inputText(field, record[field.name]),
      ]),
    ),
  );
  const [unread, setUnread] = useState<Readonly<Record<string, string>>>({});
  const saving = useMutation({ mutationFn: save });
  const refusal = saving.error instanceof Refusal ? saving.error : undefined;
  const names = new Set(fields.map(({ name }) => name));
  const messages = new Map<string, string>(Object.entries(unread));
  for (const { field, message } of refusal?.fields ?? []) {
    // `lines[0].price` and `address.city` belong to the input of the field that they are in.
    const [name = ''] = field.split(/[.[]/u);
    const text = name === field ? message : `${field} ${message}`;
    const before = messages.get(name);
    messages.set(name, before === undefined ? text : `${before}; ${text}`);
  }
  const elsewhere = [...messages].filter(([name]) => !names.has(name));
  const submit = (): void => {
    const { body, problems } = readForm(fields, inputs, record);
    setUnread(problems);
    if (Object.keys(problems).length === 0) saving.mutate(body);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="sm">
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            text={inputs[field.name] ?? ''}
            error={messages.get(field.name)}
            changed={(text) => setInputs({ ...inputs, [field.name]: text })}
          />
        ))}
        {fields.length === 0 ? <Text>No field of it may be written.</Text> : null}
        {saving.error === null ? null : (
          <Alert color="red" role="alert">
            {saving.error.message}
            {elsewhere.map(([name, message]) => (
              <div key={name}>
                {name} {message}
              </div>
            ))}
            {refusal?.code === 'PRECONDITION_FAILED' && reload !== undefined ? (
              <Button size="xs" variant="default" mt="xs" onClick={reload}>
                Load it again
              </Button>
            ) : null}
          </Alert>
        )}
        <Group>
          <Button type="submit" loading={saving.isPending}>
            {record === undefined ? 'Create' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
