import { Alert, Anchor, Button, Drawer, Group, Loader, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useCallback, useState, type JSX } from 'react';
import { ask } from '../api.ts';
import { useReturnedFocus } from '../focus.ts';
import { useStay } from '../route.ts';
import type { Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { indented, visible } from '../words.ts';
import { RecordForm } from './RecordForm.tsx';
import type { ApiRecord } from './draft.ts';
import { linkOf } from './related.ts';

/** A record that was written, and how. */
export interface Written {
  readonly how: 'Created' | 'Saved' | 'Deleted';
  readonly id: string;
}

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** Undefined: a new record. */
  readonly id: string | undefined;
  readonly mayChange: boolean;
  readonly place: (name: string) => string;
  readonly close: () => void;
  readonly changed: (written: Written) => void;
}

/** One record: its fields to be changed, its relations to be followed; or a new one. */
export function RecordPanel(props: Props): JSX.Element {
  const { model, resource, id, close } = props;
  const isNew = id === undefined;
  const [isEdited, setEdited] = useState(false);
  /** What is done once nothing has to be kept. */
  const [leave, setLeave] = useState<() => void>();
  const asked = useCallback((next: () => void): void => setLeave(() => next), []);
  const freely = useStay(isEdited, asked);
  useReturnedFocus();
  return (
    <Drawer
      opened
      onClose={() => {
        if (isEdited) asked(close);
        else close();
      }}
      position="right"
      size="lg"
      // A click beside it would throw away what was written.
      closeOnClickOutside={false}
      title={isNew ? `New record of ${resource.name}` : `${resource.name} ${visible(id)}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
      attributes={{ header: { role: 'presentation' } }}
    >
      {leave === undefined ? null : (
        <Alert color="yellow" role="alert" title="Throw away what was written?" className="asked">
          <Group>
            <Button color="red" onClick={() => freely(leave)}>
              Throw it away
            </Button>
            <Button variant="default" autoFocus onClick={() => setLeave(undefined)}>
              Go on writing
            </Button>
          </Group>
        </Alert>
      )}
      {isNew ? (
        <RecordForm
          model={model}
          resource={resource}
          stored={undefined}
          edited={setEdited}
          save={async (body) => {
            const { body: created } = await ask(`${model.path}/${resource.name}`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify(body),
            });
            props.changed({ how: 'Created', id: String((created as ApiRecord)['id']) });
            freely(close);
          }}
        />
      ) : (
        <Existing
          {...props}
          id={id}
          isEdited={isEdited}
          edited={setEdited}
          close={() => freely(close)}
        />
      )}
    </Drawer>
  );
}

interface ExistingProps extends Props {
  readonly id: string;
  readonly isEdited: boolean;
  readonly edited: (isEdited: boolean) => void;
}

function Existing(props: ExistingProps): JSX.Element {
  const { model, resource, id, mayChange, place, close, changed, isEdited, edited } = props;
  const url = `${model.path}/${resource.name}/${encodeURIComponent(id)}`;
  const { data, error, refetch } = useQuery({
    queryKey: ['record', url],
    queryFn: () => ask(url),
    gcTime: 0,
    // A record that was read anew would take the place of what is written.
    enabled: !isEdited,
  });
  if (error !== null && data === undefined)
    return (
      <Alert color="red" role="alert">
        {error.message}
      </Alert>
    );
  if (data === undefined) return <Loader aria-label="Loading" />;
  const record = data.body as ApiRecord;
  const etag = data.headers.get('etag');
  // What was shown is what is changed: whoever was faster is not overwritten.
  const condition: Readonly<Record<string, string>> = etag === null ? {} : { 'if-match': etag };
  const may = (operation: string): boolean => mayChange && resource.operations.includes(operation);
  return (
    <Stack>
      <Relations resource={resource} record={record} place={place} />
      {may('update') ? (
        <RecordForm
          key={etag}
          model={model}
          resource={resource}
          stored={{ record, url }}
          edited={edited}
          save={async (body) => {
            await ask(url, {
              method: 'PATCH',
              headers: { 'content-type': 'application/json', ...condition },
              body: JSON.stringify(body),
            });
            changed({ how: 'Saved', id });
            close();
          }}
          reload={() => {
            edited(false);
            void refetch();
          }}
        />
      ) : (
        <pre className="block" tabIndex={0}>
          {indented(record)}
        </pre>
      )}
      {may('delete') ? (
        <Delete
          name={`${resource.name} ${visible(id)}`}
          run={async () => {
            await ask(url, { method: 'DELETE', headers: condition });
            changed({ how: 'Deleted', id });
            close();
          }}
        />
      ) : null}
    </Stack>
  );
}

function Delete({ name, run }: { name: string; run: () => Promise<void> }): JSX.Element {
  const [isAsked, setAsked] = useState(false);
  const deleting = useMutation({ mutationFn: run });
  const { error } = deleting;
  if (!isAsked)
    return (
      <Group>
        <Button color="red" variant="outline" onClick={() => setAsked(true)}>
          Delete
        </Button>
      </Group>
    );
  return (
    <Alert color="red" role="alert" title={`Delete ${name}?`}>
      {error === null ? null : (
        <Text mb="xs" role="alert">
          {error.message}
        </Text>
      )}
      <Group>
        <Button color="red" onClick={() => deleting.mutate()} loading={deleting.isPending}>
          Delete it
        </Button>
        <Button variant="default" onClick={() => setAsked(false)}>
          Keep it
        </Button>
      </Group>
    </Alert>
  );
}

interface RelationsProps {
  readonly resource: ResourceInfo;
  readonly record: ApiRecord;
  readonly place: (name: string) => string;
}

function Relations({ resource, record, place }: RelationsProps): JSX.Element | null {
  const links = resource.relations.flatMap((relation) => {
    const href = linkOf(relation, resource, record, place);
    return href === undefined ? [] : { name: relation.name, href };
  });
  if (links.length === 0) return null;
  return (
    <Group component="nav" aria-label="Related records" gap="sm">
      {links.map(({ name, href }) => (
        <Anchor key={name} href={href}>
          {name}
        </Anchor>
      ))}
    </Group>
  );
}
