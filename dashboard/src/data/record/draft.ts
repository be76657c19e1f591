import type { FieldInfo, ValueInfo } from '../../../../src/http/dashboard/wire-model.ts';

export type ApiRecord = Readonly<Record<string, unknown>>;

/** A member of a record, and nothing that every object has: fields may be called `constructor`. */
export function memberOf(record: ApiRecord | undefined, name: string): unknown {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** What stands in the inputs of one value. What is absent is not sent at all. */
export type Draft =
  | { readonly kind: 'absent' }
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'members';
      readonly members: ReadonlyMap<string, Draft>;
      /** Members that are not declared: they stay as they are. */
      readonly others: ApiRecord;
    }
  | { readonly kind: 'items'; readonly items: readonly ItemDraft[] };

/** An item with what tells it from the others while they move. */
export interface ItemDraft {
  readonly key: number;
  readonly draft: Draft;
}

/** What is wrong, by the path of the value as the server names it: `specs.weight`, `lines[3].price`. */
export type Messages = ReadonlyMap<string, string>;

export const absent: Draft = { kind: 'absent' };
export const nothing: Draft = { kind: 'null' };
export const emptyText: Draft = { kind: 'text', text: '' };

let lastKey = 0;
export function itemOf(draft: Draft): ItemDraft {
  lastKey += 1;
  return { key: lastKey, draft };
}

/** Whether a value is written as JSON, since nothing is declared of what is in it. */
export function isFree({ type, properties, items }: ValueInfo): boolean {
  return (
    type === 'json' ||
    (type === 'object' && properties === undefined) ||
    (type === 'array' && items === undefined)
  );
}

/** Whether an empty text is a value of it. */
export function takesEmptyText({ type, values, constraints }: ValueInfo): boolean {
  const { minLength = 0, format, pattern } = constraints;
  const isFree = minLength === 0 && format === undefined && pattern === undefined;
  if (values !== null) return values.includes('');
  return (type === 'string' || type === 'text') && isFree;
}

/** The draft of a value as the server has told it; undefined: it has not. */
export function draftOf(info: ValueInfo, value: unknown): Draft {
  if (value === undefined) return absent;
  if (isFree(info)) return { kind: 'text', text: JSON.stringify(value, undefined, 2) };
  if (value === null) return nothing;
  const { items, properties } = info;
  if (properties !== undefined && typeof value === 'object' && !Array.isArray(value)) {
    const left = new Map<string, unknown>(Object.entries(value));
    const members = new Map<string, Draft>();
    for (const { name, ...part } of properties) {
      members.set(name, draftOf(part, left.get(name)));
      left.delete(name);
    }
    return { kind: 'members', members, others: Object.fromEntries(left) };
  }
  if (items !== undefined && Array.isArray(value))
    return {
      kind: 'items',
      items: (value as readonly unknown[]).map((item) => itemOf(draftOf(items, item))),
    };
  if (typeof value === 'object') return { kind: 'text', text: JSON.stringify(value) };
  return { kind: 'text', text: inputText(info, String(value)) };
}

/** What a value begins with when somebody wants to fill it in. */
export function filledIn({ properties, items }: ValueInfo): Draft {
  if (properties !== undefined)
    return {
      kind: 'members',
      members: new Map(properties.map(({ name }) => [name, absent])),
      others: {},
    };
  return items === undefined ? emptyText : { kind: 'items', items: [] };
}

/** A date and time is written in UTC without saying so each time. */
function inputText({ type }: ValueInfo, text: string): string {
  return type === 'datetime' ? text.replace(/Z$/u, '') : text;
}

/**
 * The value that a draft stands for; undefined: none is sent. What is no number stays a text, so that the server says
 * in its own words what it takes; only JSON that cannot be read is refused here.
 */
export function readDraft(
  info: ValueInfo,
  draft: Draft,
  path: string,
  problems: Map<string, string>,
): unknown {
  switch (draft.kind) {
    case 'absent':
      return undefined;
    case 'null':
      return null;
    case 'text':
      return readText(info, draft.text, path, problems);
    case 'members': {
      const entries = (info.properties ?? []).flatMap(({ name, ...part }) => {
        const member = draft.members.get(name) ?? absent;
        const value = readDraft(part, member, `${path}.${name}`, problems);
        return value === undefined ? [] : [[name, value] as const];
      });
      return Object.fromEntries([...entries, ...Object.entries(draft.others)]);
    }
    case 'items': {
      const { items } = info;
      if (items === undefined) return [];
      return draft.items.map(
        (item, index) => readDraft(items, item.draft, `${path}[${index}]`, problems) ?? null,
      );
    }
    default:
      return draft satisfies never;
  }
}

function readText(
  info: ValueInfo,
  text: string,
  path: string,
  problems: Map<string, string>,
): unknown {
  const { type, values, constraints } = info;
  if (isFree(info)) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      problems.set(path, 'is not valid JSON');
      return undefined;
    }
  }
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'time' && /^\d\d:\d\d$/u.test(text)) return `${text}:00`;
  if (type === 'datetime') return readDatetime(text);
  const number = Number(text);
  const isNumber =
    type === 'number' ||
    // With `format: bigint` it is a string.
    ((type === 'integer' || type === 'id') && constraints['format'] === undefined);
  if (isNumber && text.trim() !== '' && Number.isFinite(number)) return number;
  return values?.find((one) => String(one) === text) ?? text;
}

function readDatetime(text: string): string {
  const [, minutes, seconds = ':00', part = ''] =
    /^(\d{4,}-\d\d-\d\dT\d\d:\d\d)(:\d\d)?(\.\d{1,6})?$/u.exec(text) ?? [];
  return minutes === undefined
    ? text
    : `${minutes}${seconds}${part.padEnd(4, part === '' ? '.000' : '0')}Z`;
}

/**
 * The body of a create, or of a change of `before`: what was written, and of a change only what differs. Problems are
 * by path.
 */
export function readForm(
  fields: readonly FieldInfo[],
  drafts: ReadonlyMap<string, Draft>,
  before: ApiRecord | undefined,
): { readonly body: ApiRecord; readonly problems: Messages } {
  const problems = new Map<string, string>();
  const body = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const { name } = field;
    const value = readDraft(field, drafts.get(name) ?? absent, name, problems);
    if (value === undefined) return [];
    const old =
      before === undefined
        ? undefined
        : readDraft(field, draftOf(field, memberOf(before, name)), name, new Map());
    return JSON.stringify(value) === JSON.stringify(old) ? [] : [[name, value]];
  });
  return { body: Object.fromEntries(body), problems };
}

/** The messages of a value, and of what is in it where that has no inputs of its own, in one text. */
export function messageAt(
  path: string,
  messages: Messages,
  inputs: readonly string[] = [],
): string | undefined {
  const isBelow = (name: string, above: string): boolean =>
    name === above || name.startsWith(`${above}.`) || name.startsWith(`${above}[`);
  const own = [...messages].filter(
    ([name]) => isBelow(name, path) && !inputs.some((input) => isBelow(name, input)),
  );
  if (own.length === 0) return undefined;
  return own.map(([name, message]) => (name === path ? message : `${name} ${message}`)).join('; ');
}
