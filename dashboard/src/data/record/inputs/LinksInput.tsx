import { Alert, Button, Fieldset, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { JSX } from 'react';
import type { Model, RelationInfo } from '../../../../../src/http/dashboard/wire-model.ts';
import { ask } from '../../../api.ts';
import { brief, shown } from '../../../words.ts';
import { absent, draftOf, messageAt, type ApiRecord, type Messages } from '../draft.ts';
import { addedLink, linkPath, type AddedLink, type LinksDraft } from '../links.ts';
import { AddButton, Removable } from './ListButtons.tsx';
import { titleOf } from './RecordPicker.tsx';
import { membersOf } from '../related.ts';
import { ValueInput } from './ValueInput.tsx';

interface Props {
  readonly relation: RelationInfo;
  readonly model: Model;
  /** Where the record is; undefined: it is a new one. */
  readonly url: string | undefined;
  readonly draft: LinksDraft;
  readonly messages: Messages;
  readonly changed: (draft: LinksDraft) => void;
}

/** The links of a record to others, with what each link carries: those that there are, and those to be added. */
export function LinksInput(props: Props): JSX.Element | null {
  const { relation, model, url, draft, messages, changed } = props;
  const { name, link, targets } = relation;
  const [target = ''] = targets;
  if (link === undefined) return null;
  const isNew = url === undefined;
  const { added } = draft;
  const inputs = added.map((_, index) => linkPath(name, index, isNew));
  const error = messageAt(name, messages, inputs);
  const replace = (next: AddedLink): void =>
    changed({ ...draft, added: added.map((one) => (one.key === next.key ? next : one)) });
  return (
    <Fieldset legend={name}>
      <Stack gap="sm">
        <Text size="xs" className="quiet">
          {relation.description ?? `Links to ${target}`}
        </Text>
        {error === undefined ? null : (
          <Alert color="red" role="alert" p="xs">
            {error}
          </Alert>
        )}
        {isNew ? null : <Linked {...props} url={url} />}
        {added.map((one, index) => {
          const path = linkPath(name, index, isNew);
          const own = new Map(
            [...messages].map(([at, message]) => [at === `${path}.id` ? path : at, message]),
          );
          const pivots = link.pivot.map((info) => `${path}.pivot.${info.name}`);
          const about = messageAt(path, own, pivots);
          return (
            <Removable
              key={one.key}
              label={`Do not add link ${index + 1} of ${name}`}
              run={() => changed({ ...draft, added: added.filter(({ key }) => key !== one.key) })}
            >
              <Stack gap="xs">
                <ValueInput
                  info={{
                    ...link.id,
                    reference: { resource: target, field: 'id' },
                    isNullable: false,
                  }}
                  label={`Record of ${target}`}
                  path={path}
                  draft={one.id}
                  isNew={false}
                  model={model}
                  messages={about === undefined ? new Map() : new Map([[path, about]])}
                  changed={(id) => replace({ ...one, id })}
                />
                {link.pivot.map(({ name: field, ...info }) => (
                  <ValueInput
                    key={field}
                    info={info}
                    label={field}
                    path={`${path}.pivot.${field}`}
                    draft={one.pivot.get(field) ?? absent}
                    isNew
                    model={model}
                    messages={messages}
                    changed={(next) =>
                      replace({ ...one, pivot: new Map([...one.pivot, [field, next]]) })
                    }
                  />
                ))}
              </Stack>
            </Removable>
          );
        })}
        <AddButton
          label={`Add a link to ${name}`}
          text="Add a link"
          run={() => changed({ ...draft, added: [...added, addedLink()] })}
        />
      </Stack>
    </Fieldset>
  );
}

/** The links that there are, as far as an expansion shows them; each can be taken away, or its pivot changed. */
function Linked({ relation, model, url, draft, changed }: Props & { url: string }): JSX.Element {
  const { name, link, targets } = relation;
  const { data, error } = useQuery({
    queryKey: ['links', url, name],
    queryFn: async () => {
      const { body } = await ask(`${url}?expand=${encodeURIComponent(name)}`);
      const linked = (body as ApiRecord)[name];
      return Array.isArray(linked) ? (linked as readonly ApiRecord[]) : [];
    },
    gcTime: 0,
  });
  if (error !== null) return <Text size="sm">{error.message}</Text>;
  if (data === undefined) return <Loader size="sm" aria-label="Loading" />;
  if (data.length === 0) return <Text size="sm">No links yet.</Text>;
  const target = model.resources.find((one) => one.name === targets[0]);
  const title = target === undefined ? undefined : titleOf(target);
  const toggle = (id: unknown, isRemoved: boolean): void =>
    changed({
      ...draft,
      removed: isRemoved ? draft.removed.filter((one) => one !== id) : [...draft.removed, id],
    });
  return (
    <ul className="links">
      {data.map((record) => {
        const { id, pivot } = record;
        const isRemoved = draft.removed.includes(id);
        const carried = (pivot ?? {}) as ApiRecord;
        return (
          <li key={String(id)}>
            <span className={isRemoved ? 'removed' : undefined}>
              {shown(id)} {title === undefined ? '' : brief(shown(record[title]))}{' '}
              <span className="quiet">{membersOf(carried)}</span>
            </span>
            <Group gap={6} wrap="nowrap">
              {link === undefined || link.pivot.length === 0 || isRemoved ? null : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={`Change link ${String(id)} of ${name}`}
                  onClick={() => {
                    const known = link.pivot.map(
                      (info) => [info.name, draftOf(info, carried[info.name])] as const,
                    );
                    const next = addedLink({ kind: 'text', text: String(id) }, new Map(known));
                    changed({ ...draft, added: [...draft.added, next] });
                  }}
                >
                  Change
                </Button>
              )}
              <Button
                size="compact-xs"
                variant="default"
                aria-label={`${isRemoved ? 'Keep' : 'Remove'} link ${String(id)} of ${name}`}
                onClick={() => toggle(id, isRemoved)}
              >
                {isRemoved ? 'Keep' : 'Remove'}
              </Button>
            </Group>
          </li>
        );
      })}
    </ul>
  );
}
