import { fieldTypes } from '../model/field-types/registry.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Api } from '../model/api.ts';
import { buildApi } from '../model/build/api.ts';
import { readJson } from '../model/field-types/json.ts';
import { readText } from '../model/field-types/texts/string.ts';
import { recordName } from '../lib/text/singular.ts';
import { readValue } from '../model/validation/read-value.ts';
import { deepestRecord, isJsonObject, isTooDeep } from '../model/values.ts';
import { collectProblems } from '../specification/parsers/collector.ts';
import { loadSpecification } from '../model/load-specification.ts';
import type { FieldSpecification, JsonValue } from '../specification/specification.ts';
import { schemaName } from '../transfer/import/json-lists.ts';
import { importOrder } from '../transfer/import/order.ts';
import { keyType } from './attributes.ts';
import { specificationValue } from './document.ts';
import type { FieldDraft, ResourceDraft, SpecificationDraft } from './draft.ts';
import { fieldName, freeName, resourceName } from './names/words.ts';
import { addRelations, junctionKeys } from './relations.ts';
import { trimmed } from './trimmed.ts';
import { fallbackType, typeOfValues } from './value-types.ts';

export type JsonRecord = Readonly<Record<string, JsonValue>>;

/** A `db.json` as a specification and its records. */
export interface JsonServerFile {
  readonly draft: SpecificationDraft;
  /** The records of each resource, as the specification accepts them. */
  readonly records: ReadonlyMap<string, readonly JsonRecord[]>;
  /** Whether the file itself can be imported unchanged. */
  readonly isAsWritten: boolean;
}

/** The data is not a `db.json`. */
export interface NoJsonServer {
  /** The reason, as the end of a sentence. */
  readonly reason: string;
  /** Parts that were left out, with the reason, a sentence each. */
  readonly left: readonly string[];
}

/** One list of the file. */
interface List {
  readonly name: string;
  readonly records: readonly JsonRecord[];
  /** The field names of the file → those of the specification. */
  readonly names: ReadonlyMap<string, string>;
  readonly id: FieldSpecification;
  readonly isText: boolean;
  readonly notes: string[];
}

/** The kind of file, as the end of a sentence, if it describes an API and only looks like lists of records. */
function descriptionOf(data: JsonRecord): string | undefined {
  const { openapi, swagger, paths, lastMigration, routes } = data;
  if (typeof (openapi ?? swagger) === 'string' && typeof paths === 'object')
    return 'it describes an API, and holds no records';
  return typeof lastMigration === 'number' && Array.isArray(routes)
    ? 'it is an environment of Mockoon, and holds routes'
    : undefined;
}

/**
 * Drafts a specification for the data of json-server: types, keys and relations follow from the values. Says why if the
 * data is not a `db.json`.
 */
export function readJsonServer(data: JsonValue): JsonServerFile | NoJsonServer {
  const left: string[] = [];
  if (!isJsonObject(data)) return { reason: 'it must be an object of lists of records', left };
  const reason = descriptionOf(data);
  if (reason !== undefined) return { reason, left };
  const lists: List[] = [];
  const taken = new Set<string>();
  let isAsWritten = true;
  for (const [name, value] of Object.entries(data)) {
    if (name === schemaName && typeof value === 'string') continue;
    const isObject = isJsonObject(value);
    // URLs of records must stay valid when the data is loaded again.
    const values = isObject ? [withFirstId(value)] : value;
    const isList = isRecords(values);
    const withId = isList ? withOwnId(values) : undefined;
    const list = isList ? listOf(name, withId ?? values, taken) : 'it is not a list of records';
    if (typeof list === 'string') {
      left.push(`${name} is left out: ${list}.`);
      isAsWritten = false;
      continue;
    }
    if (list.records.length === 0)
      list.notes.push(
        'The list is empty there: name its fields here, such as title: { type: string }.',
      );
    if (withId !== undefined) {
      list.notes.push('"_id" is called id here.');
      isAsWritten = false;
    }
    if (isObject) {
      list.notes.push(
        `A single object in db.json (/${name}). Here it is a resource with one record: /${list.name}/${String(list.records[0]?.['id'])}.`,
      );
      isAsWritten = false;
    }
    lists.push(list);
    if (list.name !== name || [...list.names].some(([there, here]) => there !== here))
      isAsWritten = false;
  }
  if (lists.length === 0) {
    const which = left.length === 0 ? '' : ' that can be served';
    return { reason: `it has no list of records${which}`, left };
  }
  const links = lists.map((list) => linksOf(list, lists));
  const written = new Map(
    lists.map((list, index) => [
      list.name,
      list.records.map((one) => recordOf(one, list, links[index])),
    ]),
  );
  const made = lists.map((list, index) =>
    resourceOf(list, written.get(list.name) ?? [], links[index] ?? new Map()),
  );
  const api = apiOf(made);
  if (api !== undefined) letWait(made, api);
  const refused = keepExact(made, written, api);
  left.push(
    ...refused.map(({ resource, field, why }) => `${resource}.${field} is left out: ${why}.`),
  );
  const isKept = (resource: string, name: string): boolean =>
    !refused.some((one) => one.resource === resource && one.field === name);
  const resources = made.map(({ fields, ...resource }) => ({
    ...resource,
    fields: fields.filter((field) => isKept(resource.name, field.name)),
  }));
  const records = new Map(
    [...written].map(([resource, list]) => [
      resource,
      list.map((one) =>
        Object.fromEntries(Object.entries(one).filter(([name]) => isKept(resource, name))),
      ),
    ]),
  );
  for (const { name, records: before } of lists)
    if (!isDeepStrictEqual(before, records.get(name))) isAsWritten = false;
  addRelations(resources, fieldTypes);
  return { draft: { name: undefined, isManaged: true, resources, left }, records, isAsWritten };
}

function isRecords(value: unknown): value is readonly JsonRecord[] {
  return Array.isArray(value) && value.every(isJsonObject);
}

function withFirstId(record: JsonRecord): JsonRecord {
  const hasId = Object.hasOwn(record, 'id') || Object.hasOwn(record, '_id');
  return hasId ? record : { id: 1, ...record };
}

/** The records with `_id` as their `id`, if all have `_id` and none has `id`, as documents of MongoDB do. */
function withOwnId(records: readonly JsonRecord[]): readonly JsonRecord[] | undefined {
  const isOwn = records.every(
    (record) =>
      !Object.hasOwn(record, 'id') &&
      (typeof record['_id'] === 'string' || Number.isSafeInteger(record['_id'])),
  );
  if (!isOwn || records.length === 0) return undefined;
  return records.map(({ _id: id = null, ...rest }) => ({ id, ...rest }));
}

/** A list with names that a specification accepts, or why it cannot be served. */
function listOf(name: string, records: readonly JsonRecord[], taken: Set<string>): List | string {
  const ids = records.map(({ id }) => id).filter((id) => id !== undefined);
  const areNumbers = ids.every((id) => Number.isSafeInteger(id));
  const areTexts = ids.every(
    (id) =>
      (readText(id).ok && /^.{1,255}$/su.test(String(id)) && id !== '.' && id !== '..') ||
      Number.isSafeInteger(id),
  );
  if (!areNumbers && !areTexts) return 'it has ids that are neither whole numbers nor texts';
  const seen = new Set<string>();
  const repeated = ids.find((id) => seen.size === seen.add(String(id)).size);
  if (repeated !== undefined) return `more than one of its records has the id ${String(repeated)}`;
  const isUsable =
    /^[A-Za-z][\w-]*$/u.test(name) && !/^v\d+$/u.test(name) && !taken.has(name.toLowerCase());
  const names = new Map<string, string>([['id', 'id']]);
  const fields = new Set(['id']);
  for (const key of records.flatMap((record) => Object.keys(record))) {
    if (names.has(key)) continue;
    const plain = /^[A-Za-z]\w*$/u.test(key) ? key : fieldName(key);
    names.set(key, freeName(plain, fields));
  }
  const notes = [...names]
    .filter(([there, here]) => there !== here)
    .map(([there, here]) => `${JSON.stringify(there)} is called ${here} here.`);
  const areUuids =
    ids.length > 0 &&
    ids.every((id) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u.test(String(id)));
  return {
    name: freeName(isUsable ? name : resourceName(name), taken),
    records,
    names,
    id: areNumbers ? { type: 'id' } : { type: 'id', format: areUuids ? 'uuid' : 'string' },
    isText: !areNumbers,
    notes,
  };
}

/** The keys of a list by their names in the file: fields such as `postId` whose values are ids of another list. */
function linksOf(list: List, lists: readonly List[]): ReadonlyMap<string, List | string> {
  const links = new Map<string, List | string>();
  for (const there of list.names.keys()) {
    const [, stem] = /^(.+?)_?[iI]d$/u.exec(there) ?? [];
    if (stem === undefined) continue;
    const wanted = stem.replaceAll(/[-_]/gu, '').toLowerCase();
    const target =
      lists.find(({ name }) =>
        [recordName(name), name].some(
          (one) => one.replaceAll(/[-_]/gu, '').toLowerCase() === wanted,
        ),
      ) ?? (wanted === 'parent' ? list : undefined);
    if (target === undefined) continue;
    const ids = new Set(target.records.map(({ id }) => String(id)));
    const values = list.records
      .map((record) => record[there] ?? null)
      .filter((one) => one !== null);
    const isKey = (one: unknown): boolean =>
      (Number.isSafeInteger(one) || typeof one === 'string') && ids.has(String(one));
    const lost = values.filter((one) => !isKey(one)).length;
    if (lost === 0) links.set(there, target);
    else if (values.length > 0)
      links.set(
        there,
        `${lost === 1 ? '1 value leads' : `${lost} values lead`} to no record of ${target.name}, so it is not a key.`,
      );
  }
  return links;
}

/** A record as the specification accepts it. */
function recordOf(
  record: JsonRecord,
  { names, isText }: List,
  links: ReadonlyMap<string, List | string> | undefined,
): JsonRecord {
  return Object.fromEntries(
    Object.entries(record).map(([there, value]) => {
      const target = links?.get(there);
      if (there === 'id') return ['id', isText ? String(value) : value];
      if (typeof target === 'object' && value !== null)
        return [names.get(there) ?? there, target.isText ? String(value) : Number(value)];
      return [names.get(there) ?? there, value];
    }),
  );
}

function resourceOf(
  { name, names, id, notes }: List,
  records: readonly JsonRecord[],
  links: ReadonlyMap<string, List | string>,
): ResourceDraft {
  const fields = [...names].map(([there, here]): FieldDraft => {
    const all = records.map((record) => record[here] ?? null);
    const values = all.filter((one) => one !== null);
    const link = links.get(there);
    if (here === 'id')
      return { name: here, attributes: id, notes: [], target: undefined, kinds: [] };
    const needed = values.length === records.length ? { required: true } : {};
    if (typeof link === 'object')
      return {
        name: here,
        attributes: {
          type: keyType(link.id, fieldTypes),
          ...needed,
          reference: `${link.name}.id`,
        },
        notes: [],
        target: { resource: link.name, field: 'id' },
        kinds: [],
      };
    return {
      name: here,
      attributes: { ...typeOfValues(values), ...needed },
      notes: link === undefined ? [] : [link],
      target: undefined,
      kinds: [],
    };
  });
  const keys = fields.filter(({ target }) => target !== undefined);
  // A list of links only is a junction. It gets no unique key, since the absence of duplicates now does not show that
  // there will be none.
  const pairs = new Set(
    records.map((record) => JSON.stringify(keys.map((key) => record[key.name]))),
  );
  const isJunction = keys.length === 2 && fields.length === 3 && pairs.size === records.length;
  const pairsOfKeys = isJunction ? [keys.map((key) => key.name)] : [];
  return {
    name,
    description: undefined,
    table: undefined,
    fields: trimmed(fields, false),
    relations: new Map(),
    unique: [],
    indexes: [],
    // Clients of json-server send them: with `timestamps` they could not.
    timestamps: false,
    key: undefined,
    compositeKeys: [],
    closed: [],
    notes,
    junction: junctionKeys(fields, pairsOfKeys),
    isLink: false,
  };
}

/** The Api of the drafted resources; undefined if the draft needs editing first. */
function apiOf(resources: readonly ResourceDraft[]): Api | undefined {
  const value = specificationValue(
    { name: undefined, isManaged: true, resources, left: [] },
    undefined,
  );
  const loaded = loadSpecification({
    file: 'plinth.json',
    text: JSON.stringify(value).replaceAll('${', '$$${'),
    environment: {},
  });
  const { report } = collectProblems(loaded.file, loaded.positionOf);
  return loaded.specification && buildApi(loaded.specification, report);
}

/** Keys in a cycle need each other's records, so one of them must be nullable. */
function letWait(resources: readonly ResourceDraft[], api: Api): void {
  for (const { name, resource: owner } of importOrder(api).stuck)
    for (const field of resources.find((one) => one.name === owner.name)?.fields ?? []) {
      if (field.name !== name) continue;
      const { required: _, ...attributes } = field.attributes;
      field.attributes = attributes;
    }
}

/** A field with a value that no database can store. */
interface Refused {
  readonly resource: string;
  readonly field: string;
  readonly why: string;
}

/**
 * Changes the type of each field whose values would not be returned unchanged. Returns the fields whose values no type
 * can keep.
 */
function keepExact(
  resources: readonly ResourceDraft[],
  records: ReadonlyMap<string, readonly JsonRecord[]>,
  api: Api | undefined,
): readonly Refused[] {
  const refused: Refused[] = [];
  for (const resource of resources)
    for (const field of resource.fields) {
      const model = api?.resources.get(resource.name)?.fields.get(field.name);
      if (field.name === 'id' || field.target !== undefined) continue;
      const values = (records.get(resource.name) ?? [])
        .map((record) => record[field.name] ?? null)
        .filter((one) => one !== null);
      const isKept = (one: JsonValue): boolean => {
        if (isTooDeep(one)) return false;
        const parsed = model && readValue(one, model);
        return parsed?.ok === true && isDeepStrictEqual(parsed.value, one);
      };
      if (values.every(isKept)) continue;
      const { required, nullable } = field.attributes;
      field.attributes = {
        ...fallbackType(values),
        ...(required === undefined ? {} : { required }),
        ...(nullable === undefined ? {} : { nullable }),
      };
      const why = refusalOf(records.get(resource.name) ?? [], field.name);
      if (why !== undefined) refused.push({ resource: resource.name, field: field.name, why });
    }
  return refused;
}

/** The problem of the first value that even `json` does not accept; undefined if it accepts all. */
function refusalOf(records: readonly JsonRecord[], name: string): string | undefined {
  for (const [index, record] of records.entries()) {
    const value = record[name] ?? null;
    const which = JSON.stringify(record['id'] ?? index + 1);
    if (isTooDeep(value))
      return `record ${which} is nested deeper than ${deepestRecord} levels by its ${name}`;
    const parsed = readJson(value);
    if (parsed.ok) continue;
    const [issue] = parsed.issues;
    return `in record ${which} ${name}${issue?.path ?? ''} ${issue?.message ?? 'cannot be kept'}`;
  }
  return undefined;
}
