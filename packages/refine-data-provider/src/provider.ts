import type {
  CreateManyParams,
  CreateParams,
  CustomParams,
  DataProvider,
  DeleteManyParams,
  DeleteOneParams,
  GetListParams,
  GetManyParams,
  GetOneParams,
  UpdateManyParams,
  UpdateParams,
} from '@refinedev/core';
import type { ProviderOptions } from '../../common/http.ts';
import { Records, type Page } from '../../common/records.ts';
import { custom } from './custom.ts';
import { filtersOf } from './filters.ts';
import { readingOf, sortOf, writingOf } from './parameters.ts';

/** A data provider with all methods that refine knows. */
export type PlinthDataProvider = Required<DataProvider>;

/**
 * A data provider of refine over an API of Plinth. A change whose `meta.previous` is the record as it was read sends what
 * differs, and is refused with 412 when somebody else was quicker. What the API refuses is thrown as a `PlinthError`.
 */
export function createDataProvider(options: ProviderOptions): PlinthDataProvider {
  const records = new Records(options);
  const provider = {
    getApiUrl: () => options.baseUrl,

    getList: async ({ resource, pagination = {}, filters, sorters, meta }: GetListParams) => {
      const { currentPage = 1, pageSize = 10, mode = 'server' } = pagination;
      const listing = {
        filters: filtersOf(filters),
        sort: sortOf(sorters),
        ...readingOf(meta),
      };
      if (mode !== 'server') {
        const data = await records.all(resource, listing);
        return { data, total: data.length };
      }
      // What `cursor.next` says comes back as the page.
      if (typeof currentPage === 'string')
        return listResult(await records.behind(resource, listing, currentPage, pageSize), 0);
      const page = await records.page(resource, listing, currentPage, pageSize);
      return listResult(page, (currentPage - 1) * pageSize);
    },

    getOne: async ({ resource, id, meta }: GetOneParams) => ({
      data: await records.one(resource, id, readingOf(meta)),
    }),

    getMany: async ({ resource, ids, meta }: GetManyParams) => ({
      data: await records.many(resource, ids, readingOf(meta)),
    }),

    create: async ({ resource, variables, meta }: CreateParams) => ({
      data: await records.create(resource, variables, writingOf(meta)),
    }),

    createMany: async ({ resource, variables, meta }: CreateManyParams) => ({
      data: await records.createMany(resource, variables, writingOf(meta)),
    }),

    update: async ({ resource, id, variables, meta }: UpdateParams) => ({
      data: await records.update(resource, id, variables, writingOf(meta)),
    }),

    updateMany: async ({ resource, ids, variables, meta }: UpdateManyParams) => ({
      data: await records.updateMany(resource, ids, variables, writingOf(meta)),
    }),

    deleteOne: async ({ resource, id, meta }: DeleteOneParams) => {
      await records.remove(resource, id, writingOf(meta));
      return { data: { id } };
    },

    deleteMany: async ({ resource, ids, meta }: DeleteManyParams) => {
      await records.removeMany(resource, ids, writingOf(meta));
      return { data: ids.map((id) => ({ id })) };
    },

    custom: async (params: CustomParams) => ({ data: await custom(options, params) }),
  };
  // Which fields a record has is the word of the one who asks for it.
  return provider as unknown as PlinthDataProvider;
}

/** Where nobody has counted, the total is what is known: the records until here, and one more where there are more. */
function listResult({ data, total, hasNext, next }: Page, before: number): object {
  return {
    data,
    total: total ?? before + data.length + (hasNext ? 1 : 0),
    ...(next === undefined ? {} : { cursor: { next } }),
  };
}
