import { Alert, Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import type { JSX } from 'react';
import {
  absent,
  emptyText,
  filledIn,
  isFree,
  itemOf,
  messageAt,
  nothing,
  type Draft,
  type Messages,
} from '../draft.ts';
import { hintOf } from './hint.ts';
import { AddButton, Removable } from './ListButtons.tsx';
import { ScalarInput } from './ScalarInput.tsx';
import { visible } from '../../../words.ts';
import type { ValueProps } from './value-props.ts';

interface Props extends ValueProps {
  readonly messages: Messages;
}

/** The inputs of a value of any type: of an object those of its members, of a list those of its items. */
export function ValueInput(props: Props): JSX.Element {
  const { info, path, messages } = props;
  if (isFree(info) || (info.properties === undefined && info.items === undefined))
    return <ScalarInput {...props} error={messageAt(path, messages)} />;
  return <Nested {...props} />;
}

function Nested(props: Props): JSX.Element {
  const { info, label, path, draft, isNew, messages, changed } = props;
  const isOpen = draft.kind === 'members' || draft.kind === 'items';
  const inputs =
    draft.kind === 'members'
      ? [...draft.members.keys()].map((name) => `${path}.${name}`)
      : draft.kind === 'items'
        ? draft.items.map((_, index) => `${path}[${index}]`)
        : [];
  const error = messageAt(path, messages, inputs);
  const state =
    draft.kind === 'null'
      ? 'null'
      : draft.kind === 'absent'
        ? isNew
          ? 'Not sent'
          : 'Unchanged'
        : undefined;
  return (
    <Fieldset legend={info.isRequired ? `${label} *` : label}>
      <Stack gap="sm">
        <Group justify="space-between" align="start">
          <Text size="xs" className="quiet">
            {hintOf(info)}
          </Text>
          <Group gap={6}>
            {state === undefined ? null : <Text size="sm">{state}</Text>}
            {isOpen ? (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => changed(absent)}
                aria-label={`Leave out ${path}`}
              >
                Leave out
              </Button>
            ) : (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => changed(filledIn(info))}
                aria-label={`Fill in ${path}`}
              >
                Fill in
              </Button>
            )}
            {info.isNullable ? (
              <Button
                size="compact-sm"
                variant={draft.kind === 'null' ? 'filled' : 'default'}
                aria-pressed={draft.kind === 'null'}
                aria-label={`null for ${path}`}
                onClick={() => changed(draft.kind === 'null' ? absent : nothing)}
              >
                null
              </Button>
            ) : null}
          </Group>
        </Group>
        {error === undefined ? null : (
          <Alert color="red" role="alert" p="xs">
            {error}
          </Alert>
        )}
        {draft.kind === 'members' ? <Members {...props} draft={draft} /> : null}
        {draft.kind === 'items' ? <Items {...props} draft={draft} /> : null}
      </Stack>
    </Fieldset>
  );
}

function Members({
  draft,
  ...props
}: Props & { draft: Extract<Draft, { kind: 'members' }> }): JSX.Element {
  const { info, path, changed } = props;
  const others = Object.keys(draft.others);
  return (
    <>
      {(info.properties ?? []).map(({ name, ...part }) => (
        <ValueInput
          key={name}
          {...props}
          info={part}
          label={name}
          path={`${path}.${name}`}
          // A member that is left out is not there: the whole object is sent.
          isNew
          draft={draft.members.get(name) ?? absent}
          changed={(next) =>
            changed({ ...draft, members: new Map([...draft.members, [name, next]]) })
          }
        />
      ))}
      {others.length === 0 ? null : (
        <Text size="sm" className="quiet">
          Also in it, and left as they are: {visible(others.join(', '))}
        </Text>
      )}
    </>
  );
}

function Items({
  draft,
  ...props
}: Props & { draft: Extract<Draft, { kind: 'items' }> }): JSX.Element {
  const { info, path, changed } = props;
  const { items: part } = info;
  const { items } = draft;
  if (part === undefined) return <></>;
  const first: Draft = part.properties === undefined ? emptyText : filledIn(part);
  return (
    <>
      {items.length === 0 ? <Text size="sm">An empty list.</Text> : null}
      {items.map((item, index) => (
        <Removable
          key={item.key}
          label={`Remove ${path}[${index}]`}
          run={() => changed({ ...draft, items: items.filter((one) => one.key !== item.key) })}
        >
          <ValueInput
            {...props}
            info={{ ...part, description: null }}
            label={`${index + 1}`}
            path={`${path}[${index}]`}
            isNew={false}
            draft={item.draft}
            changed={(next) =>
              changed({
                ...draft,
                items: items.map((one) => (one.key === item.key ? { ...one, draft: next } : one)),
              })
            }
          />
        </Removable>
      ))}
      <AddButton
        label={`Add an item to ${path}`}
        text="Add an item"
        run={() => changed({ ...draft, items: [...items, itemOf(first)] })}
      />
    </>
  );
}
