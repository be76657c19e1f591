import { act, renderHook, waitFor } from './page.ts';
import {
  CoreAdminContext,
  memoryStore,
  TestMemoryRouter,
  useCreate,
  useCreateController,
  useDataProvider,
  useDelete,
  useDeleteMany,
  useEditController,
  useGetList,
  useGetMany,
  useGetManyReference,
  useGetOne,
  useInfiniteGetList,
  useListController,
  useNotificationContext,
  useUpdate,
  useUpdateMany,
} from 'ra-core';
import { useQuery } from '@tanstack/react-query';
import { createElement, type ReactNode } from 'react';
import { describe, expect, test } from 'vitest';
import {
  createDataProvider,
  type PlinthDataProvider,
} from '../../packages/ra-data-provider/src/index.ts';
import { serveEachShelf } from './served.ts';

const served = serveEachShelf(createDataProvider);

const wrapper = ({ children }: { children?: ReactNode }) =>
  createElement(
    TestMemoryRouter,
    null,
    createElement(
      CoreAdminContext,
      { dataProvider: served.provider, store: memoryStore() },
      children,
    ),
  );

/** Renders a hook of react-admin within its context. */
const render = <Result>(hook: () => Result) => renderHook(hook, { wrapper }).result;

const titles = (data: readonly { title: string }[] | undefined) => data?.map(({ title }) => title);

describe('reads', () => {
  test('useGetList: a page, in order, with the total', async () => {
    const result = render(() =>
      useGetList('books', {
        pagination: { page: 2, perPage: 2 },
        sort: { field: 'pages', order: 'DESC' },
        filter: { pages_gte: 1 },
      }),
    );
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(titles(result.current.data)).toEqual(['Alpha', 'Alp\u{10FFFF}z']);
    expect(result.current.total).toBe(4);
  });

  test('useGetList: relations, chosen fields and parameters from meta', async () => {
    const result = render(() =>
      useGetList('authors', {
        sort: { field: 'name,-id', order: 'ASC' },
        meta: {
          expand: ['books'],
          fields: ['name', 'books.title'],
          query: { 'books.limit': 1, 'books.sort': '-title' },
        },
      }),
    );
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.data?.[0]).toMatchObject({
      id: 1,
      name: 'Ann',
      books: [{ id: 2, title: 'alphabet' }],
    });
  });

  test('useGetList: without counting, whether there is more', async () => {
    const result = render(() =>
      useGetList('books', { pagination: { page: 2, perPage: 2 }, meta: { count: 'none' } }),
    );
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.total).toBeUndefined();
    expect(result.current.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: true });
  });

  test('useGetList: more than a request may ask for', async () => {
    served.provide({ maxLimit: 2 });
    const result = render(() => useGetList('books', { pagination: { page: 1, perPage: 1_000 } }));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.data?.map(({ id }) => id as number)).toEqual([5, 4, 3, 2, 1]);
    expect(result.current.total).toBe(5);
    expect(served.sent.length).toBe(3);
  });

  test('useInfiniteGetList: page after page', async () => {
    const result = render(() =>
      useInfiniteGetList('books', { pagination: { page: 1, perPage: 3 } }),
    );
    await waitFor(() => expect(result.current.hasNextPage).toBe(true));
    await act(() => result.current.fetchNextPage());
    await waitFor(() => expect(result.current.data?.pages.length).toBe(2));
    expect(result.current.hasNextPage).toBe(false);
    expect(result.current.data?.pages.map(({ data }) => data.length)).toEqual([3, 2]);
  });

  test('useListController: the page of a list', async () => {
    const result = render(() =>
      useListController({ resource: 'books', filter: { status: 'draft' } }),
    );
    await waitFor(() => expect(result.current.total).toBe(2));
    expect(titles(result.current.data)).toEqual(['Alpha', 'Alp\u{10FFFF}z']);
  });

  test('useGetOne: an id of a URL is a text, that of the record what the API gives', async () => {
    const result = render(() => useGetOne('authors', { id: '2' }));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.data).toEqual({ id: 2, name: 'Bob', email: 'bob@example.com' });
  });

  test('useGetOne: what is not there', async () => {
    const result = render(() => useGetOne('authors', { id: 99 }, { retry: false }));
    await waitFor(() => expect(result.current.isError).toBe(true));
    expect(result.current.error).toMatchObject({
      status: 404,
      body: { code: 'RESOURCE_NOT_FOUND' },
    });
  });

  test('useGetMany: those that are there, in the order that was asked for', async () => {
    const result = render(() => useGetMany('authors', { ids: [3, 1, 99] }));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(result.current.data?.map((author) => author?.id as number)).toEqual([3, 1]);
  });

  test('useGetManyReference: the records that point to one', async () => {
    const result = render(() =>
      useGetManyReference('books', {
        target: 'authorId',
        id: 1,
        sort: { field: 'pages', order: 'DESC' },
        filter: { status: 'draft' },
      }),
    );
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect(titles(result.current.data)).toEqual(['Alpha']);
    expect(result.current.total).toBe(1);
  });

  test('a request whose page was left is ended', async () => {
    let signal: AbortSignal | undefined;
    served.provide({
      fetch: (_, init) => {
        signal = init?.signal ?? undefined;
        return new Promise(() => undefined);
      },
    });
    const { unmount } = renderHook(() => useGetList('books'), { wrapper });
    await waitFor(() => expect(signal).toBeDefined());
    expect(signal?.aborted).toBe(false);
    unmount();
    await waitFor(() => expect(signal?.aborted).toBe(true));
  });
});

describe('writes', () => {
  test('useCreate', async () => {
    const result = render(() => useCreate());
    const [create] = result.current;
    const data = { name: 'Dee', email: undefined };
    await act(() => create('authors', { data }, { returnPromise: true }));
    await waitFor(() => expect(result.current[1].isSuccess).toBe(true));
    expect(result.current[1].data).toEqual({ id: 4, name: 'Dee', email: null });
  });

  test('useUpdate sends what has changed', async () => {
    const result = render(() => useUpdate());
    const previousData = (await served.api.get('/v1/books/1')).body as { specs: object };
    const data = { ...previousData, pages: 101, specs: { size: 's', weight: 1.5 } };
    await act(() =>
      result.current[0]('books', { id: 1, data, previousData }, { returnPromise: true }),
    );
    expect(served.sent.at(-1)).toMatchObject({
      method: 'PATCH',
      path: '/v1/books/1',
      body: { pages: 101 },
    });
    expect((await served.api.get('/v1/books/1')).body).toEqual({ ...previousData, pages: 101 });
  });

  test('useUpdateMany and useDeleteMany', async () => {
    const result = render(() => [useUpdateMany(), useDeleteMany()] as const);
    const [[updateMany], [deleteMany]] = result.current;
    const ids = [1, '2', 4];
    await act(() =>
      updateMany('books', { ids, data: { status: 'printed' } }, { returnPromise: true }),
    );
    expect((await served.api.get('/v1/books?status=printed&fields=id')).body).toEqual([
      { id: 1 },
      { id: 2 },
      { id: 4 },
    ]);
    await act(() => deleteMany('books', { ids }, { returnPromise: true }));
    await waitFor(() => expect(result.current[1][1].data).toEqual(ids));
    const written = served.sent.filter(({ method }) => method !== 'GET');
    expect(written.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PATCH /v1/books?id_in=1,2,4',
      'DELETE /v1/books?id_in=1,2,4',
    ]);
    expect((await served.api.get('/v1/books?fields=id')).body).toEqual([{ id: 3 }, { id: 5 }]);
  });

  test('a list with a search', async () => {
    const result = render(() => useGetList('books', { filter: { q: 'ALPH bet' } }));
    await waitFor(() => expect(result.current.total).toBe(1));
    expect(result.current.data?.map(({ title }) => title as string)).toEqual(['alphabet']);
  });

  test('groups', async () => {
    const result = render(() => {
      const dataProvider = useDataProvider<PlinthDataProvider>();
      return useQuery({
        queryKey: ['totals'],
        queryFn: () =>
          dataProvider.aggregate('books', {
            group: ['status'],
            aggregate: ['count', 'sum:pages'],
            filter: { status_neq: null },
            having: 'count_gte:1',
            sort: { field: 'count', order: 'DESC' },
            pagination: { page: 1, perPage: 1 },
          }),
      });
    });
    await waitFor(() => expect(result.current.data).toBeDefined());
    expect(result.current.data).toEqual({
      data: [{ group: { status: 'draft' }, count: 2, sum: { pages: 150 } }],
      total: 2,
    });
    expect((await served.provider.aggregate('books', {})).data).toEqual([{ group: {}, count: 5 }]);
  });

  test('useDelete', async () => {
    const result = render(() => useDelete());
    const previousData = (await served.api.get('/v1/books/5')).body as { id: number };
    await act(() => result.current[0]('books', { id: 5, previousData }, { returnPromise: true }));
    await waitFor(() => expect(result.current[1].data).toEqual(previousData));
    expect((await served.api.get('/v1/books/5')).status).toBe(404);
  });

  test('a record that others need', async () => {
    const result = render(() => useDelete());
    await act(() => result.current[0]('authors', { id: 1 }));
    await waitFor(() => expect(result.current[1].isError).toBe(true));
    expect(result.current[1].error).toMatchObject({
      status: 409,
      body: { code: 'HAS_DEPENDENTS' },
    });
  });
});

describe('forms', () => {
  test('what the API refuses marks the fields', async () => {
    const result = render(() => useCreateController({ resource: 'books', redirect: false }));
    const save = result.current.save;
    const errors: unknown = await act(async () =>
      save?.({ title: 'x'.repeat(41), pages: -1, specs: { weight: -1 } }),
    );
    expect(errors).toEqual({
      title: 'must have at most 40 characters',
      pages: 'must be at least 0',
      specs: { weight: 'must be at least 0' },
      root: { serverError: 'Some values are not allowed' },
    });
  });

  test('so does what is missing or of the wrong type', async () => {
    const result = render(() => useCreateController({ resource: 'books', redirect: false }));
    const errors: unknown = await act(async () => result.current.save?.({ pages: 'many' }));
    expect(errors).toMatchObject({
      title: expect.any(String) as string,
      pages: expect.any(String) as string,
      root: { serverError: 'Validation failed' },
    });
  });

  test('what somebody else has changed meanwhile is not overwritten', async () => {
    const result = render(() => ({
      edit: useEditController({
        resource: 'authors',
        id: 1,
        mutationMode: 'pessimistic',
        redirect: false,
      }),
      ...useNotificationContext(),
    }));
    await waitFor(() => expect(result.current.edit.record).toBeDefined());
    await served.api.send('PATCH', '/v1/authors/1', { name: 'Anne' });
    await act(async () =>
      result.current.edit.save?.({ ...result.current.edit.record, email: null }),
    );
    expect(served.sent.at(-1)?.headers.get('if-match')).toMatch(/^"/u);
    expect(result.current.notifications[0]?.message).toBe(
      'The record has changed since it was read; read it again and repeat the change',
    );
    await act(async () => result.current.edit.refetch());
    await act(async () =>
      result.current.edit.save?.({ ...result.current.edit.record, email: null }),
    );
    expect((await served.api.get('/v1/authors/1')).body).toEqual({
      id: 1,
      name: 'Anne',
      email: null,
    });
    // The answer of a write counts as read.
    await act(async () =>
      result.current.edit.save?.({ ...result.current.edit.record, name: 'An' }),
    );
    expect((await served.api.get('/v1/authors/1')).body).toEqual({
      id: 1,
      name: 'An',
      email: null,
    });
  });
});
