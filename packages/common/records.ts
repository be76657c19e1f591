import { addFilters, isImpossible, listText, type Filters } from './conditions.ts';
import { isObject, PlinthError } from './error.ts';
import { sender, type Ask, type ProviderOptions, type Send, type Told } from './http.ts';
import { isPlain, readQuery, selectionQuery, type PlinthMeta } from './meta.ts';
import { EntityTags } from './tags.ts';
import { bodyOf, changesOf, isSame } from './values.ts';

export type Id = string | number;

/** A record as the API gives it. */
export interface AnyRecord {
  readonly id: Id;
  readonly [field: string]: unknown;
}

/** What a read may be told besides. */
export interface Reading {
  readonly meta?: PlinthMeta | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Listing extends Reading {
  readonly filters: Filters;
  /** Paths, with `-` before one that descends. */
  readonly sort: readonly string[];
}

export interface Page {
  readonly data: readonly AnyRecord[];
  /** Undefined where nobody has counted. */
  readonly total: number | undefined;
  readonly hasNext: boolean;
  /** Where the next page begins, for as long as there is one. */
  readonly next: string | undefined;
}

/** Groups of records. */
export interface Totals {
  readonly data: readonly object[];
  /** How many groups there are. */
  readonly total: number;
}

/** What a write may be told besides. */
export interface Writing {
  readonly meta?: PlinthMeta | undefined;
  /** The record as the user has seen it before changing it. */
  readonly previous?: unknown;
}

/** Ids asked for by one request: many, in a URL that every proxy takes. */
const idsAtOnce = 100;
const idsLength = 3_000;

/** The records of an API, as both libraries need them. Refusals are thrown as `PlinthError`. */
export class Records {
  readonly #send: Send;
  readonly #maxLimit: number;
  readonly #tags = new EntityTags();

  constructor(options: ProviderOptions) {
    this.#send = sender(options);
    this.#maxLimit = options.maxLimit ?? 1_000;
  }

  /** A page, counted from 1. One that is larger than a request may ask for is read in parts. */
  async page(resource: string, listing: Listing, page: number, size: number): Promise<Page> {
    if (isImpossible(listing.filters)) return nothing;
    if (!(size > this.#maxLimit)) return this.#part(resource, listing, { page, limit: size });
    const data: AnyRecord[] = [];
    const start = (page - 1) * size;
    for (;;) {
      const limit = Math.min(this.#maxLimit, size - data.length);
      const part = await this.#part(resource, listing, { offset: start + data.length, limit });
      data.push(...part.data);
      if (!part.hasNext || data.length >= size || part.data.length === 0) return { ...part, data };
    }
  }

  /** What comes behind a cursor; nobody counts there. */
  async behind(resource: string, listing: Listing, cursor: string, size: number): Promise<Page> {
    if (isImpossible(listing.filters)) return nothing;
    return this.#part(resource, listing, { cursor, limit: size });
  }

  /** All records that are kept, walked through by cursor: none is missed or repeated while others come and go. */
  async all(resource: string, listing: Listing): Promise<readonly AnyRecord[]> {
    const data: AnyRecord[] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const page: Page = await this.behind(resource, listing, cursor, this.#maxLimit);
      data.push(...page.data);
      cursor = page.next;
    }
    return data;
  }

  /** One record, whose tag is kept in mind. */
  async one(resource: string, id: Id, { meta, signal }: Reading): Promise<AnyRecord> {
    const told = await this.#send({
      method: 'GET',
      path: [resource, id],
      query: readQuery(meta),
      signal,
    });
    return this.#remembered(resource, told, meta);
  }

  /** The records of these ids, in that order, those that there are; read in portions. */
  async many(
    resource: string,
    ids: readonly Id[],
    reading: Reading,
  ): Promise<readonly AnyRecord[]> {
    const found = new Map<string, AnyRecord>();
    for (const portion of portionsOf(
      [...new Set(ids.map(String))],
      Math.min(idsAtOnce, this.#maxLimit),
    ))
      for (const record of await this.#portion(resource, portion, reading))
        found.set(String(record.id), record);
    return ids.flatMap((id) => found.get(String(id)) ?? []);
  }

  /** Creates one record. */
  async create(resource: string, data: object, { meta }: Writing): Promise<AnyRecord> {
    const told = await this.#post(resource, bodyOf({ ...data }, meta), meta);
    return this.#remembered(resource, told, meta);
  }

  /** Creates all or none. */
  async createMany(
    resource: string,
    list: readonly object[],
    { meta }: Writing,
  ): Promise<readonly AnyRecord[]> {
    if (list.length === 0) return [];
    const bodies = list.map((data) => bodyOf({ ...data }, meta));
    return (await this.#post(resource, bodies, meta)).body as readonly AnyRecord[];
  }

  /**
   * Changes a record: the fields that differ from `previous`, and only when it still is as that (412 otherwise), if these
   * records have read it. Where nothing differs it is read anew.
   */
  async update(
    resource: string,
    id: Id,
    data: object,
    { meta, previous }: Writing,
  ): Promise<AnyRecord> {
    const body = changesOf({ ...data }, previous, meta);
    if (Object.keys(body).length === 0) return this.one(resource, id, { meta });
    const told = await this.#send({
      method: 'PATCH',
      path: [resource, id],
      query: selectionQuery(meta),
      body,
      headers: { 'if-match': await this.#match(resource, id, previous, meta) },
    });
    // A caller who may not read what it has written is told nothing.
    if (told.body === undefined) return { ...data, id };
    return this.#remembered(resource, told, meta);
  }

  /** Deletes a record; as `update`, only when it still is as it was read. */
  async remove(resource: string, id: Id, { meta, previous }: Writing): Promise<void> {
    await this.#send({
      method: 'DELETE',
      path: [resource, id],
      headers: { 'if-match': await this.#match(resource, id, previous, meta) },
    });
    this.#tags.forget(resource, id);
  }

  /**
   * Changes many records alike, and gives them. Each request changes all of its records or none; where some are refused, the
   * first refusal is thrown, which says how many there were.
   */
  async updateMany(
    resource: string,
    ids: readonly Id[],
    data: object,
    { meta }: Writing,
  ): Promise<readonly AnyRecord[]> {
    const body = changesOf({ ...data }, undefined, meta);
    if (Object.keys(body).length === 0) return this.many(resource, ids, { meta });
    const { changed, refused } = await this.#changeMany(resource, ids, {
      ask: { method: 'PATCH', body, headers: { prefer: 'return=representation' } },
      one: (id) => this.update(resource, id, data, { meta }),
      meta,
    });
    const found = new Map(changed.map((record) => [String(record.id), record]));
    for (const record of changed) this.#tags.remember(resource, record.id, record, null);
    const known = new Set([...found.keys(), ...refused.flatMap((one) => one.ids)]);
    const missing = ids.map(String).filter((id) => !known.has(id));
    if (missing.length > 0) refused.push(nothingWith(resource, missing));
    if (refused.length > 0) throw refusalOf(refused, ids.length);
    return ids.flatMap((id) => found.get(String(id)) ?? []);
  }

  /** Deletes many records; those that are gone already are no error. */
  async removeMany(resource: string, ids: readonly Id[], { meta }: Writing): Promise<void> {
    const one = async (id: Id): Promise<undefined> => {
      try {
        await this.remove(resource, id, { meta });
      } catch (error) {
        if (!(error instanceof PlinthError) || error.status !== 404) throw error;
      }
    };
    const ask = { method: 'DELETE' };
    const { refused } = await this.#changeMany(resource, ids, { ask, one, meta: undefined });
    if (refused.length > 0) throw refusalOf(refused, ids.length);
    for (const id of ids) this.#tags.forget(resource, id);
  }

  /** Groups of records with their totals; `parameters` are `group`, `aggregate` and `having`. */
  async totals(
    resource: string,
    { filters, sort, signal }: Listing,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Totals> {
    if (isImpossible(filters)) return { data: [], total: 0 };
    const query = new URLSearchParams(parameters);
    addFilters(query, filters);
    if (sort.length > 0) query.set('sort', sort.join(','));
    const { body, headers } = await this.#send({ method: 'GET', path: [resource], query, signal });
    if (!Array.isArray(body)) throw new PlinthError(200, undefined);
    return { data: body as readonly object[], total: Number(headers.get('x-total-count')) };
  }

  /** Sends a change of many in portions. */
  async #changeMany(resource: string, ids: readonly Id[], change: Change): Promise<Changed> {
    const done: Changed = { changed: [], refused: [] };
    for (const portion of portionsOf([...new Set(ids.map(String))], idsAtOnce))
      await this.#changePortion(resource, portion, change, done);
    return done;
  }

  /** A portion that is refused for its size, or for an id that can be none, is changed in halves. */
  async #changePortion(
    resource: string,
    ids: readonly string[],
    change: Change,
    done: Changed,
  ): Promise<void> {
    const query = selectionQuery(change.meta);
    addFilters(query, [[{ name: 'id_in', operand: ids }]]);
    try {
      const { body } = await this.#send({ ...change.ask, path: [resource], query });
      if (Array.isArray(body)) done.changed.push(...(body as readonly AnyRecord[]));
    } catch (error) {
      const isBlind = hasNoFilters(error);
      // What can be no id is refused as when it stands alone.
      if (isBlind || (mayBeParted(error) && ids.length === 1))
        for (const id of ids) await changeOne(id, change, done);
      else if (mayBeParted(error)) {
        const middle = Math.ceil(ids.length / 2);
        for (const half of [ids.slice(0, middle), ids.slice(middle)])
          await this.#changePortion(resource, half, change, done);
      } else done.refused.push({ error, ids });
    }
  }

  async #part(
    resource: string,
    { filters, sort, meta, signal }: Listing,
    paging: Readonly<Record<string, string | number>>,
  ): Promise<Page> {
    const query = readQuery(meta);
    addFilters(query, filters);
    if (sort.length > 0) query.set('sort', sort.join(','));
    if (meta?.nulls !== undefined) query.set('nulls', meta.nulls);
    for (const [name, value] of Object.entries(paging)) query.set(name, String(value));
    const count = 'cursor' in paging ? undefined : meta?.count;
    const told = await this.#send({
      method: 'GET',
      path: [resource],
      query,
      headers: { prefer: count === undefined ? undefined : `count=${count}` },
      signal,
    });
    const page = pageOf(told, 'cursor' in paging || count === 'none');
    for (const record of page.data) this.#tags.remember(resource, record.id, record, null);
    return page;
  }

  /** A portion that is refused for its size, or for an id that can be none, is asked for in halves. */
  async #portion(
    resource: string,
    ids: readonly string[],
    { meta, signal }: Reading,
  ): Promise<readonly AnyRecord[]> {
    const filters = [[{ name: 'id_in', operand: ids }]];
    const listing = { filters, sort: [], meta: { ...meta, count: 'none' as const }, signal };
    try {
      return (await this.page(resource, listing, 1, ids.length)).data;
    } catch (error) {
      if (!mayBeParted(error)) throw error;
      // What can be no id names no record, as it does when one record is read.
      if (ids.length === 1 && error.code !== 'LIMIT_EXCEEDED') return [];
      if (ids.length === 1) throw error;
      const middle = Math.ceil(ids.length / 2);
      const halves = [ids.slice(0, middle), ids.slice(middle)];
      return (
        await Promise.all(halves.map((half) => this.#portion(resource, half, { meta, signal })))
      ).flat();
    }
  }

  #post(resource: string, body: unknown, meta: PlinthMeta | undefined): Promise<Told> {
    return this.#send({
      method: 'POST',
      path: [resource],
      query: selectionQuery(meta),
      body,
      headers: { 'idempotency-key': meta?.idempotencyKey },
    });
  }

  async #match(
    resource: string,
    id: Id,
    previous: unknown,
    meta: PlinthMeta | undefined,
  ): Promise<string | undefined> {
    if (meta?.ifMatch !== undefined) return meta.ifMatch === false ? undefined : meta.ifMatch;
    const tag = previous === undefined ? undefined : this.#tags.of(resource, id, previous);
    return tag === null && isObject(previous)
      ? this.#tagNow(resource, id, previous)
      : (tag ?? undefined);
  }

  /**
   * The tag of a record that came in a list or with expansions, which have no tags: it is read plainly, and must still have
   * the values of `previous`. Undefined where nobody may read it so.
   */
  async #tagNow(resource: string, id: Id, previous: object): Promise<string | undefined> {
    let told: Told;
    try {
      told = await this.#send({ method: 'GET', path: [resource, id] });
    } catch (error) {
      // The write tells what is wrong.
      if (error instanceof PlinthError) return undefined;
      throw error;
    }
    const { body, headers } = told;
    if (!isObject(body)) return undefined;
    const before = Object.entries(previous).filter(([name]) => Object.hasOwn(body, name));
    if (before.every(([name, value]) => isSame(value, body[name])))
      return headers.get('etag') ?? undefined;
    throw new PlinthError(412, {
      status: 412,
      code: 'PRECONDITION_FAILED',
      message: 'The record was changed since it was read',
    });
  }

  #remembered(resource: string, { headers, body }: Told, meta: PlinthMeta | undefined): AnyRecord {
    if (!isObject(body) || (typeof body['id'] !== 'number' && typeof body['id'] !== 'string'))
      throw new PlinthError(200, undefined);
    const record = { ...body, id: body['id'] };
    const tag = isPlain(meta) ? headers.get('etag') : null;
    this.#tags.remember(resource, record.id, body, tag);
    return record;
  }
}

const nothing: Page = { data: [], total: 0, hasNext: false, next: undefined };

function pageOf({ headers, body }: Told, isUncounted: boolean): Page {
  const cursored = isObject(body) ? body : undefined;
  const data = cursored === undefined ? body : cursored['data'];
  if (!Array.isArray(data)) throw new PlinthError(200, undefined);
  const total = headers.get('x-total-count');
  if (total === null && !isUncounted)
    throw new Error(
      'The answer has no X-Total-Count. Where the API is on another origin, its Access-Control-Expose-Headers must reach the page',
    );
  const next = cursored === undefined ? headers.get('x-next-cursor') : cursored['next_cursor'];
  return {
    data: data as readonly AnyRecord[],
    total: total === null ? undefined : Number(total),
    hasNext: typeof next === 'string' || /rel="next"/u.test(headers.get('link') ?? ''),
    next: typeof next === 'string' ? next : undefined,
  };
}

/** Ids in portions that a URL takes. */
function portionsOf(ids: readonly string[], most: number): readonly (readonly string[])[] {
  const portions: string[][] = [];
  let length = 0;
  for (const id of ids) {
    const more = encodeURIComponent(listText([id])).length + 3;
    const last = portions.at(-1);
    if (last === undefined || last.length >= most || length + more > idsLength) {
      portions.push([id]);
      length = more;
    } else {
      last.push(id);
      length += more;
    }
  }
  return portions;
}

/** Whether fewer ids may be taken: there are too many, or one of them can be none. */
function mayBeParted(error: unknown): error is PlinthError {
  return (
    error instanceof PlinthError &&
    (error.code === 'LIMIT_EXCEEDED' ||
      (error.code === 'INVALID_FILTER' && error.errors?.['id_in'] !== undefined))
  );
}

/** Whether the caller may not read what it writes, and so cannot say by a filter which records it means. */
function hasNoFilters(error: unknown): boolean {
  return (
    error instanceof PlinthError &&
    error.code === 'INVALID_PARAMETER' &&
    error.errors?.['id_in'] !== undefined
  );
}

/** A change of many. */
interface Change {
  readonly ask: Pick<Ask, 'method' | 'body' | 'headers'>;
  /** Changes one record alone. */
  readonly one: (id: Id) => Promise<AnyRecord | undefined>;
  readonly meta: PlinthMeta | undefined;
}

/** What came of a change of many. */
interface Changed {
  readonly changed: AnyRecord[];
  readonly refused: Refused[];
}

interface Refused {
  readonly error: unknown;
  readonly ids: readonly string[];
}

async function changeOne(
  id: string,
  { one }: Change,
  { changed, refused }: Changed,
): Promise<void> {
  try {
    const record = await one(id);
    if (record !== undefined) changed.push(record);
  } catch (error) {
    refused.push({ error, ids: [id] });
  }
}

function nothingWith(resource: string, ids: readonly string[]): Refused {
  const message = `There is no record in ${resource} with id ${ids[0]}`;
  const body = { status: 404, code: 'RESOURCE_NOT_FOUND', message };
  return { error: new PlinthError(404, body), ids };
}

/** The first refusal. If it is not that of all records, it says of how many. */
function refusalOf([first, ...more]: readonly Refused[], all: number): unknown {
  if (first === undefined) return undefined;
  const { error } = first;
  const count = more.reduce((sum, { ids }) => sum + ids.length, first.ids.length);
  if (!(error instanceof PlinthError) || (more.length === 0 && count === all)) return error;
  const message = `${count} of ${all} records were refused. ${error.message}`;
  return new PlinthError(error.status, { ...error.body, errors: undefined, message });
}
