import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState, type JSX } from 'react';
import type { FieldInfo, Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { Refusal } from '../../api.ts';
import { Conflict, type Choice } from './Conflict.tsx';
import { draftOf, memberOf, readForm, type ApiRecord, type Draft, type Messages } from './draft.ts';
import { keep, keptOf, linksIn } from './kept.ts';
import { readLinks, type LinksDraft } from './links.ts';
import { LinksInput } from './inputs/LinksInput.tsx';
import { mergeWith, type Difference } from './merge.ts';
import { ValueInput } from './inputs/ValueInput.tsx';

/** A record as it is stored, and where. */
export interface Stored {
  readonly record: ApiRecord;
  readonly etag: string | null;
}

interface Props {
  readonly model: Model;
  readonly resource: ResourceInfo;
  /** Where the record is; undefined: it is a new one. */
  readonly url: string | undefined;
  readonly stored: Stored | undefined;
  /** What a new record begins with. */
  readonly begun?: ApiRecord | undefined;
  /** Where what is written is kept. */
  readonly keptKey: string;
  /** `etag`: of the record that was changed; whoever was faster is not overwritten. */
  readonly save: (
    body: ApiRecord,
    etag: string | null,
    before: ApiRecord | undefined,
  ) => Promise<void>;
  /** Whether something was written that is not saved. */
  readonly edited: (isEdited: boolean) => void;
  /** Reads the record as it is stored by now. */
  readonly read: () => Promise<Stored>;
}

function draftsFor(
  fields: readonly FieldInfo[],
  record: ApiRecord | undefined,
): ReadonlyMap<string, Draft> {
  return new Map(fields.map((field) => [field.name, draftOf(field, memberOf(record, field.name))]));
}

/** The fields and links that may be written, each with inputs of its type; what the server refuses is said where it is. */
export function RecordForm(props: Props): JSX.Element {
  const { model, resource, url, stored, begun, keptKey, save, edited, read } = props;
  const isNew = url === undefined;
  const fields = resource.fields.filter((field) => (isNew ? field.isCreatable : field.isUpdatable));
  const relations = resource.relations.filter(({ link }) => link !== undefined);
  const [kept] = useState(() => keptOf(keptKey));
  const [isRestored, setRestored] = useState(kept !== undefined);
  /** What the changes are made of: the record as it was when they began. */
  const [base, setBase] = useState<Stored | undefined>(
    kept?.record === undefined ? stored : { record: kept.record, etag: kept.etag },
  );
  const [drafts, setDrafts] = useState(
    () => kept?.drafts ?? draftsFor(fields, stored?.record ?? begun),
  );
  const [links, setLinks] = useState<ReadonlyMap<string, LinksDraft>>(kept?.links ?? new Map());
  const [isEdited, setEdited] = useState(kept !== undefined || begun !== undefined);
  const [unread, setUnread] = useState<Messages>(new Map());
  const [differences, setDifferences] = useState<readonly Difference[]>([]);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (kept !== undefined) edited(true);
    // oxlint-disable-next-line react/exhaustive-deps -- said once
  }, []);
  // While nothing is written, what is stored is shown.
  if (!isEdited && stored !== undefined && stored.etag !== base?.etag) {
    setBase(stored);
    setDrafts(draftsFor(fields, stored.record));
  }
  const write = (nextDrafts: typeof drafts, nextLinks: typeof links): void => {
    setDrafts(nextDrafts);
    setLinks(nextLinks);
    setEdited(true);
    edited(true);
    keep(keptKey, {
      record: base?.record,
      etag: base?.etag ?? null,
      drafts: nextDrafts,
      links: nextLinks,
    });
  };
  const forget = (): void => {
    keep(keptKey, undefined);
    setRestored(false);
    setEdited(false);
    edited(false);
    setBase(stored);
    setDrafts(draftsFor(fields, stored?.record));
    setLinks(new Map());
    setUnread(new Map());
    setDifferences([]);
    saving.reset();
  };
  const draftOfField = (field: FieldInfo): Draft =>
    drafts.get(field.name) ?? draftOf(field, memberOf(base?.record, field.name));
  const saving = useMutation({
    mutationFn: async ({ now, on }: { now: typeof drafts; on: Stored | undefined }) => {
      const { body, problems } = readForm(fields, now, on?.record);
      const all = new Map(problems);
      const linked = relations.flatMap((relation) => {
        const change = readLinks(relation, linksIn(links, relation.name), isNew, all);
        return change === undefined ? [] : [[relation.name, change] as const];
      });
      setUnread(all);
      if (all.size > 0) return;
      try {
        await save({ ...body, ...Object.fromEntries(linked) }, on?.etag ?? null, on?.record);
        keep(keptKey, undefined);
      } catch (error) {
        const isBehind = error instanceof Refusal && error.code === 'PRECONDITION_FAILED';
        if (!isBehind || on === undefined) throw error;
        const theirs = await read();
        const merged = mergeWith(fields, now, on.record, theirs.record);
        setBase(theirs);
        setDrafts(merged.drafts);
        setDifferences(merged.differences);
        // Others have changed other fields alone: both changes hold.
        if (merged.differences.length === 0)
          await saving.mutateAsync({ now: merged.drafts, on: theirs });
      }
    },
  });
  // Where something is to be mended may be far above the button.
  useEffect(() => {
    if (saving.error !== null || unread.size > 0)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [saving.error, unread]);
  useEffect(() => {
    if (differences.length > 0) form.current?.querySelector<HTMLElement>('.asked input')?.focus();
  }, [differences]);
  const refusal = saving.error instanceof Refusal ? saving.error : undefined;
  const messages = new Map(unread);
  for (const { field, message } of refusal?.fields ?? []) {
    const before = messages.get(field);
    messages.set(field, before === undefined ? message : `${before}; ${message}`);
  }
  const shownNames = new Set([...fields, ...relations].map(({ name }) => name));
  const elsewhere = [...messages].filter(([path]) => !shownNames.has(path.split(/[.[]/u)[0] ?? ''));
  const decide = (choices: ReadonlyMap<string, Choice>): void => {
    const next = new Map(drafts);
    for (const { field, was, theirs } of differences) {
      const choice = choices.get(field.name);
      if (choice !== 'mine') next.set(field.name, draftOf(field, choice === 'was' ? was : theirs));
    }
    setDifferences([]);
    setDrafts(next);
    saving.mutate({ now: next, on: base });
  };
  return (
    <form
      ref={form}
      className="record-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (differences.length === 0) saving.mutate({ now: drafts, on: base });
      }}
    >
      <Stack gap="md" className="record-fields">
        {isRestored ? (
          <Alert color="verdigris" title="What you wrote before is here again">
            <Button size="xs" variant="default" onClick={forget}>
              Discard it
            </Button>
          </Alert>
        ) : null}
        {differences.length === 0 ? null : <Conflict differences={differences} decided={decide} />}
        {fields.map((field) => (
          <ValueInput
            key={field.name}
            info={inPair(field, resource, drafts)}
            label={field.name}
            path={field.name}
            draft={draftOfField(field)}
            isNew={isNew}
            model={model}
            messages={messages}
            changed={(draft) => write(new Map([...drafts, [field.name, draft]]), links)}
          />
        ))}
        {relations.map((relation) => (
          <LinksInput
            key={relation.name}
            relation={relation}
            model={model}
            url={url}
            draft={linksIn(links, relation.name)}
            messages={messages}
            changed={(draft) => write(drafts, new Map([...links, [relation.name, draft]]))}
          />
        ))}
        {shownNames.size === 0 ? <Text>No field of it may be written.</Text> : null}
      </Stack>
      <div className="record-foot">
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
          </Alert>
        )}
        <Group gap={8}>
          <Button type="submit" loading={saving.isPending} disabled={differences.length > 0}>
            {isNew ? 'Create' : 'Save'}
          </Button>
          {isEdited && !isNew ? (
            <Button variant="default" onClick={forget}>
              Reset
            </Button>
          ) : null}
          {isEdited ? <span className="quiet small">Not saved yet</span> : null}
        </Group>
      </div>
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
