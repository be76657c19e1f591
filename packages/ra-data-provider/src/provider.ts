import type {
  CreateParams,
  DataProvider,
  DeleteManyParams,
  DeleteParams,
  GetListParams,
  GetManyParams,
  GetManyReferenceParams,
  GetOneParams,
  PaginationPayload,
  SortPayload,
  UpdateManyParams,
  UpdateParams,
} from 'ra-core';
import { equalityOf, operandOf, type Filters } from '../../common/conditions.ts';
import type { ProviderOptions } from '../../common/http.ts';
import type { PlinthMeta } from '../../common/meta.ts';
import { Records, type Page, type Reading, type Writing } from '../../common/records.ts';
import { filtersOf } from './filters.ts';

export interface RaProviderOptions extends ProviderOptions {
  /** The fields of each resource that the filter `q` looks into; of others the API searches those of their `search`. */
  readonly search?: Readonly<Record<string, readonly string[]>>;
  /** Other names for operators: `{ _q: '_ilike', _inc: '_containsAll', _eq_any: '_in' }`. */
  readonly suffixes?: Readonly<Record<string, string>>;
}

/** What groups of records are asked for. */
export interface AggregateParams {
  /** What groups the records: `['status', 'author.name', 'createdAt:month']`; none: one group of all. */
  readonly group?: readonly string[];
  /** Functions: `['count', 'sum:total']`. */
  readonly aggregate?: readonly string[];
  /** Conditions of groups: `count_gte:5,sum.total_gt:100`. */
  readonly having?: string;
  /** As of `getList`. */
  readonly filter?: unknown;
  readonly sort?: SortPayload;
  readonly pagination?: PaginationPayload;
  readonly signal?: AbortSignal;
}

/** A group: `{ group: { status: 'open' }, count: 3, sum: { total: '61.40' } }`. */
export interface Aggregate {
  readonly group: Readonly<Record<string, string | number | boolean | null>>;
  readonly count?: number;
  readonly [name: string]: unknown;
}

/** A data provider that ends the requests whose answers nobody waits for any more, and knows groups. */
export type PlinthDataProvider = DataProvider & {
  readonly supportAbortSignal: true;
  readonly aggregate: (
    resource: string,
    params: AggregateParams,
  ) => Promise<{ readonly data: readonly Aggregate[]; readonly total: number }>;
};

/**
 * A data provider of react-admin over an API of Plinth. `previousData` decides what a change sends, and that it is
 * refused with 412 when somebody else was quicker. What the API refuses is thrown as a `PlinthError`.
 */
export function createDataProvider(options: RaProviderOptions): PlinthDataProvider {
  const records = new Records(options);

  const filtersFor = (resource: string, filter: unknown): Filters =>
    filtersOf(filter, { search: options.search?.[resource], suffixes: options.suffixes ?? {} });

  const list = async (
    resource: string,
    { pagination = { page: 1, perPage: 10 }, sort, ...params }: GetListParams,
    filters: Filters,
  ): Promise<object> => {
    const { page, perPage } = pagination;
    const listing = { filters, sort: sortOf(sort), ...readingOf(params) };
    return listResult(await records.page(resource, listing, page, perPage), page);
  };

  const provider = {
    supportAbortSignal: true,

    getList: (resource: string, params: GetListParams) =>
      list(resource, params, filtersFor(resource, params.filter)),

    getOne: async (resource: string, params: GetOneParams) => ({
      data: await records.one(resource, params.id, readingOf(params)),
    }),

    getMany: async (resource: string, params: GetManyParams) => ({
      data: await records.many(resource, params.ids, readingOf(params)),
    }),

    getManyReference: async (
      resource: string,
      { target, id, ...params }: GetManyReferenceParams,
    ) => {
      const owner = { name: equalityOf(target), operand: operandOf(id, target) };
      return list(resource, params, [[owner], ...filtersFor(resource, params.filter)]);
    },

    create: async (resource: string, params: CreateParams) => ({
      data: await records.create(resource, params.data, writingOf(params)),
    }),

    update: async (resource: string, params: UpdateParams) => ({
      data: await records.update(resource, params.id, params.data, writingOf(params)),
    }),

    updateMany: async (resource: string, params: UpdateManyParams) => {
      await records.updateMany(resource, params.ids, params.data, writingOf(params));
      return { data: params.ids };
    },

    delete: async (resource: string, params: DeleteParams) => {
      await records.remove(resource, params.id, writingOf(params));
      return { data: params.previousData ?? { id: params.id } };
    },

    deleteMany: async (resource: string, params: DeleteManyParams) => {
      await records.removeMany(resource, params.ids, writingOf(params));
      return { data: params.ids };
    },

    aggregate: async (resource: string, params: AggregateParams) => {
      const { group = [], aggregate = ['count'], having, filter, sort, pagination } = params;
      const { page = 1, perPage } = pagination ?? {};
      const listing = {
        filters: filtersFor(resource, filter),
        sort: sortOf(sort),
        ...readingOf(params),
      };
      return records.totals(resource, listing, {
        ...(group.length === 0 ? {} : { group: group.join(',') }),
        aggregate: aggregate.join(','),
        ...(having === undefined ? {} : { having }),
        ...(perPage === undefined ? {} : { page: String(page), limit: String(perPage) }),
      });
    },
  };
  // Which fields a record has is the word of the one who asks for it.
  return provider as unknown as PlinthDataProvider;
}

interface Given {
  readonly meta?: PlinthMeta;
  readonly signal?: AbortSignal;
  readonly previousData?: unknown;
}

function readingOf({ meta, signal }: Given): Reading {
  return { meta, signal };
}

function writingOf({ meta, previousData }: Given): Writing {
  return { meta, previous: previousData };
}

/** Several fields may be given, with commas between them. */
function sortOf(sort: SortPayload | undefined): readonly string[] {
  if (!sort?.field) return [];
  const sign = sort.order === 'DESC' ? '-' : '';
  return sort.field.split(',').map((field) => `${sign}${field.trim()}`);
}

/** Without a total react-admin goes by whether there is more. */
function listResult({ data, total, hasNext }: Page, page: number): object {
  return total === undefined
    ? { data, pageInfo: { hasNextPage: hasNext, hasPreviousPage: page > 1 } }
    : { data, total };
}
