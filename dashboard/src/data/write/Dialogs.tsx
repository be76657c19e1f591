import { Alert, Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type JSX } from 'react';
import { counted } from '../../words.ts';
import { absent, readDraft, type Draft, type Messages } from '../record/draft.ts';
import { ValueInput } from '../record/inputs/ValueInput.tsx';
import {
  changeRecords,
  deleteRecords,
  wholeMessageOf,
  type Change,
  type Chosen,
  type Target,
} from './changes.ts';

interface Props {
  readonly target: Target;
  readonly chosen: Chosen;
  readonly made: (change: Change) => void;
  readonly close: () => void;
  readonly done: () => void;
}

/** Asks before records are deleted, and says which others are in the way. */
export function DeleteDialog({ target, chosen, made, close, done }: Props): JSX.Element {
  const deleting = useMutation({
    mutationFn: () => deleteRecords(target, chosen, made),
    onSuccess: done,
  });
  const what = `${counted(chosen.count, 'record')} of ${target.resource.name}`;
  return (
    <Modal
      opened
      onClose={close}
      title={`Delete ${what}?`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <Stack gap={12}>
        <Text size="sm">
          What depends on them goes with them where the file says so. All of them are deleted, or
          none.
        </Text>
        {deleting.error === null ? null : (
          <Alert color="red" role="alert">
            {wholeMessageOf(deleting.error)}
          </Alert>
        )}
        <Group gap={8} justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep them
          </Button>
          <Button color="red" loading={deleting.isPending} onClick={() => deleting.mutate()}>
            Delete {chosen.count.toLocaleString()}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** Gives one field of many records the same value. */
export function ChangeDialog({ target, chosen, made, close, done }: Props): JSX.Element {
  const { model, resource } = target;
  const fields = resource.fields.filter(({ isUpdatable, isReadable }) => isUpdatable && isReadable);
  const [name, setName] = useState<string | null>(fields[0]?.name ?? null);
  const [draft, setDraft] = useState<Draft>(absent);
  const [problems, setProblems] = useState<Messages>(new Map());
  const field = fields.find((one) => one.name === name);
  const changing = useMutation({
    mutationFn: async () => {
      if (field === undefined) return;
      const found = new Map<string, string>();
      const value = readDraft(field, draft, field.name, found);
      setProblems(found);
      if (found.size > 0) return;
      if (value === undefined) throw new Error('There is no value yet.');
      await changeRecords(target, chosen, field, value, made);
      done();
    },
  });
  return (
    <Modal
      opened
      onClose={close}
      title={`Change ${counted(chosen.count, 'record')} of ${resource.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      centered
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          changing.mutate();
        }}
      >
        <Stack gap={12}>
          <Select
            label="Field"
            data={fields.map((one) => one.name)}
            value={name}
            onChange={(next) => {
              setName(next);
              setDraft(absent);
              changing.reset();
            }}
            allowDeselect={false}
            searchable
            data-autofocus
          />
          {field === undefined ? null : (
            <ValueInput
              key={field.name}
              info={field}
              label="New value"
              path={field.name}
              draft={draft}
              isNew={false}
              model={model}
              messages={problems}
              changed={setDraft}
            />
          )}
          {changing.error === null ? null : (
            <Alert color="red" role="alert">
              {wholeMessageOf(changing.error)}
            </Alert>
          )}
          <Group gap={8} justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={changing.isPending} disabled={field === undefined}>
              Change {chosen.count.toLocaleString()}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
