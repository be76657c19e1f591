import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import type { FieldInfo, Model, ResourceInfo } from '../../../../src/http/dashboard/wire-model.ts';
import { ask, Refusal } from '../../api.ts';
import { brief, counted, shown } from '../../words.ts';
import type { CellRefusal } from '../grid/cell-text.ts';
import { recordsOf } from '../grid/records.ts';
import { listOf } from '../query.ts';
import { memberOf, type ApiRecord } from '../record/draft.ts';

/** A change that was made, and how to take it back; undefined: it cannot be. */
export interface Change {
  readonly words: string;
  /** What else is said of it at once. */
  readonly note?: string;
  /** Undefined in the end: there is no more to say than that it is undone. */
  readonly reverse: (() => Promise<Message | undefined>) | undefined;
  /** The URL of a record whose panel closes with it: that is not asked for again, and may be gone. */
  readonly closes?: string;
}

/** The last changes, which are taken back one by one. */
export interface Changes {
  readonly last: Change | undefined;
  /** What was done last, in words. */
  readonly message: Message | undefined;
  readonly say: (message: Message | undefined) => void;
  readonly made: (change: Change) => void;
  readonly undo: () => Promise<void>;
}

export interface Message {
  readonly text: string;
  /** The record that it is about, which it leads to. */
  readonly id?: string;
  readonly isWrong?: boolean;
}

const mostChanges = 50;

/** What was changed from this page. After each change, what is shown is asked for anew. */
export function useChanges(): Changes {
  const client = useQueryClient();
  const [stack, setStack] = useState<readonly Change[]>([]);
  const [message, say] = useState<Message>();
  const isUndoing = useRef(false);
  const refresh = useCallback(
    (closed?: string): void => {
      for (const key of ['list', 'rows', 'record', 'links', 'labels', 'related', 'groups'])
        void client.invalidateQueries({
          queryKey: [key],
          predicate: ({ queryKey: [, url] }) => closed === undefined || url !== closed,
        });
      if (closed !== undefined)
        void client.invalidateQueries({
          predicate: ({ queryKey: [, url] }) => url === closed,
          refetchType: 'none',
        });
    },
    [client],
  );
  const made = useCallback(
    (change: Change): void => {
      setStack((before) =>
        change.reverse === undefined ? before : [...before, change].slice(-mostChanges),
      );
      say({ text: change.note === undefined ? change.words : `${change.words}. ${change.note}` });
      refresh(change.closes);
    },
    [refresh],
  );
  const last = stack.at(-1);
  const undo = useCallback(async (): Promise<void> => {
    if (last?.reverse === undefined || isUndoing.current) return;
    isUndoing.current = true;
    try {
      say((await last.reverse()) ?? { text: `Undone: ${last.words}` });
    } catch (error) {
      say({ text: `Not undone: ${messageOf(error)}`, isWrong: true });
    } finally {
      isUndoing.current = false;
      setStack((before) => before.filter((one) => one !== last));
      refresh();
    }
  }, [last, refresh]);
  return { last, message, say, made, undo };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a refused request says, with what it says of single fields and of records in the way. */
export function wholeMessageOf(error: unknown): string {
  if (!(error instanceof Refusal)) return messageOf(error);
  const fields = error.fields.map(({ field, message }) => `${field} ${message}`);
  const dependents = error.dependents.map(
    ({ resource, count }) => `${counted(count, 'record')} of ${resource}`,
  );
  const details = [...fields, ...dependents].join('; ');
  return details === '' ? error.message : `${error.message}: ${details}`;
}

const jsonHeaders = { 'content-type': 'application/json' } as const;

/** Where the records of a resource are. */
export interface Target {
  readonly model: Model;
  readonly resource: ResourceInfo;
}

function urlOf({ model, resource }: Target, id?: string): string {
  const path = `${model.path}/${resource.name}`;
  return id === undefined ? path : `${path}/${encodeURIComponent(id)}`;
}

/** Sends a change of one record; refused if it has changed since it was read here. */
async function patch(url: string, body: ApiRecord, etag: string | null): Promise<void> {
  await ask(url, {
    method: 'PATCH',
    headers: { ...jsonHeaders, ...(etag === null ? {} : { 'if-match': etag }) },
    body: JSON.stringify(body),
  });
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Writes one field of a record, unless it holds another value than the one that was seen. */
export async function writeField(
  target: Target,
  record: ApiRecord,
  field: FieldInfo,
  value: unknown,
  isForced: boolean,
  made: (change: Change) => void,
): Promise<CellRefusal | undefined> {
  const id = String(record['id']);
  const url = urlOf(target, id);
  try {
    for (let attempt = 0; ; attempt += 1) {
      const { body, headers } = await ask(url);
      const before = memberOf(body as ApiRecord, field.name);
      if (!isForced && !isSame(before, memberOf(record, field.name)))
        return { kind: 'changed', theirs: before };
      try {
        await patch(url, { [field.name]: value }, headers.get('etag'));
      } catch (error) {
        // Another field was changed in between, or this one: it is looked at again.
        const isBehind = error instanceof Refusal && error.code === 'PRECONDITION_FAILED';
        if (isBehind && attempt < 3) continue;
        throw error;
      }
      made({
        words: `${field.name} of ${id}: ${brief(shown(before), 40)} → ${brief(shown(value), 40)}`,
        reverse: () => takeBack(url, field.name, before),
      });
      return undefined;
    }
  } catch (error) {
    return { kind: 'wrong', message: fieldMessage(error, field.name) };
  }
}

async function takeBack(url: string, name: string, before: unknown): Promise<undefined> {
  const { headers } = await ask(url);
  await patch(url, { [name]: before }, headers.get('etag'));
}

function fieldMessage(error: unknown, name: string): string {
  if (!(error instanceof Refusal)) return messageOf(error);
  const own = error.fields.filter(({ field }) => field === name || field.startsWith(`${name}.`));
  if (own.length > 0) return own.map(({ message }) => message).join('; ');
  return wholeMessageOf(error);
}

/** Records that a change of many is about: some by their ids, or all that a list finds. */
export interface Chosen {
  readonly ids: readonly string[] | undefined;
  /** The filters of the list, as a query string. */
  readonly search: string;
  readonly count: number;
}

/** How many ids one request names. */
function portionOf({ limits }: Model): number {
  return Math.min(limits.inItems, limits.bulkItems, 200);
}

/** The query strings that together find what was chosen. */
export function searchesOf({ ids, search }: Chosen, model: Model): readonly string[] {
  // A change of all needs a filter, and this one lets every record through.
  if (ids === undefined) return [search === '' ? 'id_exists=true' : search];
  const size = portionOf(model);
  return Array.from(
    { length: Math.ceil(ids.length / size) },
    (_, index) =>
      `id_in=${encodeURIComponent(listOf(ids.slice(index * size, (index + 1) * size)))}`,
  );
}

/** Deletes records. */
export async function deleteRecords(
  target: Target,
  chosen: Chosen,
  made: (change: Change) => void,
): Promise<void> {
  const { model } = target;
  const gone: ApiRecord[] = [];
  try {
    for (const search of searchesOf(chosen, model)) {
      const { body } = await ask(`${urlOf(target)}?${search}`, {
        method: 'DELETE',
        headers: { prefer: 'return=representation' },
      });
      gone.push(...recordsOf(body));
    }
  } finally {
    if (gone.length > 0) made(deletionOf(target, gone));
  }
}

/** The change that records were deleted. To take it back is to create them again. */
export function deletionOf(target: Target, gone: readonly ApiRecord[]): Change {
  const words = `Deleted ${nameAll(gone)}`;
  return target.resource.operations.includes('create')
    ? { words, reverse: () => createAgain(target, gone) }
    : { words, note: 'There is no undo: you may not create records here', reverse: undefined };
}

function nameAll(records: readonly ApiRecord[]): string {
  return records.length === 1 ? shown(records[0]?.['id']) : counted(records.length, 'record');
}

/** Creates deleted records again, and says what is not as it was: ids that the server draws, and links to the records. */
async function createAgain(
  target: Target,
  records: readonly ApiRecord[],
): Promise<Message | undefined> {
  const { model, resource } = target;
  const creatable = resource.fields.filter(({ isCreatable }) => isCreatable);
  const bodies = records.map((record) =>
    Object.fromEntries(
      creatable.flatMap(({ name }) => {
        const value = memberOf(record, name);
        return value === undefined ? [] : [[name, value] as const];
      }),
    ),
  );
  const ids: string[] = [];
  const size = model.limits.batchItems;
  for (let begin = 0; begin < bodies.length; begin += size)
    ids.push(...(await createRecords(target, bodies.slice(begin, begin + size))));
  const isOne = records.length === 1;
  const [first] = ids;
  const hasNewIds = first !== undefined && first !== String(records[0]?.['id']);
  const isLinked = resource.relations.some(({ isToMany }) => isToMany);
  const text = `Restored ${nameAll(records)}${isLinked ? `, without links to ${isOne ? 'it' : 'them'}` : ''}`;
  if (!hasNewIds) return { text };
  return isOne
    ? { text: `${text}. Its new id is`, id: first }
    : { text: `${text}. They have new ids` };
}

/** Gives a field of many records one value. */
export async function changeRecords(
  target: Target,
  chosen: Chosen,
  field: FieldInfo,
  value: unknown,
  made: (change: Change) => void,
): Promise<void> {
  const { model } = target;
  const before: ApiRecord[] = [];
  let count = 0;
  const limit = Math.min(model.limits.maxLimit, model.limits.bulkItems);
  try {
    for (const search of searchesOf(chosen, model)) {
      const known = recordsOf(
        (await ask(`${urlOf(target)}?${search}&fields=id,${field.name}&page=1&limit=${limit}`))
          .body,
      );
      const { body } = await ask(`${urlOf(target)}?${search}`, {
        method: 'PATCH',
        headers: jsonHeaders,
        body: JSON.stringify({ [field.name]: value }),
      });
      before.push(...known);
      count += (body as { readonly count: number }).count;
    }
  } finally {
    if (count > 0)
      made({
        words: `${field.name} of ${counted(count, 'record')} → ${brief(shown(value), 40)}`,
        reverse: before.length === count ? () => giveBack(target, field.name, before) : undefined,
      });
  }
}

/** Gives each record its value back: one request for those that had the same. */
async function giveBack(
  target: Target,
  name: string,
  before: readonly ApiRecord[],
): Promise<undefined> {
  const byValue = Map.groupBy(before, (record) => JSON.stringify(memberOf(record, name)));
  for (const [value, records] of byValue) {
    const ids = records.map(({ id }) => String(id));
    for (const search of searchesOf({ ids, search: '', count: ids.length }, target.model))
      await ask(`${urlOf(target)}?${search}`, {
        method: 'PATCH',
        headers: jsonHeaders,
        body: `{${JSON.stringify(name)}:${value}}`,
      });
  }
}

/** Creates records, all of them or none. */
export async function createRecords(
  target: Target,
  bodies: readonly ApiRecord[],
): Promise<readonly string[]> {
  const { body } = await ask(`${urlOf(target)}?fields=id`, {
    method: 'POST',
    headers: jsonHeaders,
    body: JSON.stringify(bodies),
  });
  return (body as readonly ApiRecord[]).map(({ id }) => String(id));
}

/** What takes back that records were created. */
export function removal(target: Target, ids: readonly string[]): () => Promise<undefined> {
  return async () => {
    for (const search of searchesOf({ ids, search: '', count: ids.length }, target.model))
      await ask(`${urlOf(target)}?${search}`, { method: 'DELETE' });
  };
}
