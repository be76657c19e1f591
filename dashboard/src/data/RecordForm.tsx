import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type JSX } from 'react';
import type { FieldInfo, Model, ResourceInfo } from '../../../src/http/dashboard/wire-model.ts';
import { Refusal } from '../api.ts';
import {
  absent,
  draftOf,
  memberOf,
  readForm,
  type ApiRecord,
  type Draft,
  type Messages,
} from './draft.ts';
import { noLinks, readLinks, type LinksDraft } from './links.ts';
import { LinksInput } from './LinksInput.tsx';
import { ValueInput } from './ValueInput.tsx';

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** As it is stored, and where; undefined: a new one. */
  readonly stored: { readonly record: ApiRecord; readonly url: string } | undefined;
  readonly save: (body: ApiRecord) => Promise<void>;
  /** Whether something was written that is not saved. */
  readonly edited: (isEdited: boolean) => void;
  /** Reads the record anew. */
  readonly reload?: () => void;
}

/** The fields and links that may be written, each with inputs of its type; what the server refuses is said where it is. */
export function RecordForm({ model, resource, stored, save, edited, reload }: Props): JSX.Element {
  const isNew = stored === undefined;
  const fields = resource.fields.filter((field) => (isNew ? field.isCreatable : field.isUpdatable));
  const relations = resource.relations.filter(({ link }) => link !== undefined);
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(
    () =>
      new Map(
        fields.map((field) => [field.name, draftOf(field, memberOf(stored?.record, field.name))]),
      ),
  );
  const [links, setLinks] = useState<ReadonlyMap<string, LinksDraft>>(new Map());
  const [unread, setUnread] = useState<Messages>(new Map());
  const saving = useMutation({ mutationFn: save });
  const form = useRef<HTMLFormElement>(null);
  // Where something is to be mended may be far above the button.
  useEffect(() => {
    if (saving.error !== null || unread.size > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [saving.error, unread]);
  const refusal = saving.error instanceof Refusal ? saving.error : undefined;
  const messages = new Map(unread);
  for (const { field, message } of refusal?.fields ?? []) {
    const before = messages.get(field);
    messages.set(field, before === undefined ? message : `${before}; ${message}`);
  }
  const shownNames = new Set([...fields, ...relations].map(({ name }) => name));
  const elsewhere = [...messages].filter(([path]) => !shownNames.has(path.split(/[.[]/u)[0] ?? ''));
  const submit = (): void => {
    const { body, problems } = readForm(fields, drafts, stored?.record);
    const all = new Map(problems);
    const linked = relations.flatMap((relation) => {
      const change = readLinks(relation, links.get(relation.name) ?? noLinks, isNew, all);
      return change === undefined ? [] : [[relation.name, change] as const];
    });
    setUnread(all);
    if (all.size === 0) saving.mutate({ ...body, ...Object.fromEntries(linked) });
  };
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack gap="md">
        {fields.map((field) => (
          <ValueInput
            key={field.name}
            info={inPair(field, resource, drafts)}
            label={field.name}
            path={field.name}
            draft={drafts.get(field.name) ?? absent}
            isNew={isNew}
            model={model}
            messages={messages}
            changed={(draft) => {
              edited(true);
              setDrafts((before) => new Map([...before, [field.name, draft]]));
            }}
          />
        ))}
        {relations.map((relation) => (
          <LinksInput
            key={relation.name}
            relation={relation}
            model={model}
            url={stored?.url}
            draft={links.get(relation.name) ?? noLinks}
            messages={messages}
            changed={(draft) => {
              edited(true);
              setLinks((before) => new Map([...before, [relation.name, draft]]));
            }}
          />
        ))}
        {shownNames.size === 0 ? <Text>No field of it may be written.</Text> : null}
        {messages.size > 0 && saving.error === null ? (
          <Alert color="red" role="alert">
            Some values cannot be sent as they are.
          </Alert>
        ) : null}
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
        <Group className="actions">
          <Button type="submit" loading={saving.isPending}>
            {isNew ? 'Create' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A field of a morphTo: its type is one of those that there are, its id a record of the resource that this one means. */
function inPair(
  field: FieldInfo,
  { relations }: ResourceInfo,
  drafts: ReadonlyMap<string, Draft>,
): FieldInfo {
  for (const { pair, name } of relations) {
    if (pair === undefined) continue;
    const description = field.description ?? `Part of ${name}`;
    if (pair.type === field.name)
      return { ...field, description, values: pair.types.map(({ value }) => value) };
    if (pair.id !== field.name) continue;
    const type = drafts.get(pair.type);
    const chosen = pair.types.find(({ value }) => type?.kind === 'text' && type.text === value);
    if (chosen === undefined) return { ...field, description };
    return { ...field, description, reference: { resource: chosen.resource, field: 'id' } };
  }
  return field;
}
