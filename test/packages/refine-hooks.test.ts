import { act, renderHook, waitFor } from './page.ts';
import {
  Refine,
  useCreate,
  useCreateMany,
  useCustom,
  useDelete,
  useDeleteMany,
  useForm,
  useInfiniteList,
  useList,
  useMany,
  useOne,
  useSelect,
  useTable,
  useUpdate,
  useUpdateMany,
  type HttpError,
} from '@refinedev/core';
import { createElement, type ReactNode } from 'react';
import { describe, expect, test } from 'vitest';
import { createDataProvider } from '../../packages/refine-data-provider/src/index.ts';
import { serveEachShelf } from './served.ts';

interface Book {
  readonly id: number;
  readonly title: string;
  readonly pages: number | null;
}

const served = serveEachShelf(createDataProvider);

const wrapper = ({ children }: { children?: ReactNode }) =>
  createElement(
    Refine,
    {
      dataProvider: served.provider,
      resources: [{ name: 'authors' }, { name: 'books' }],
      options: {
        disableTelemetry: true,
        reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
      },
    },
    children,
  );

/** Renders a hook of refine within its context. */
const render = <Result>(hook: () => Result) => renderHook(hook, { wrapper }).result;

const ids = (data: readonly { id?: unknown }[]) => data.map(({ id }) => id);

describe('reads', () => {
  test('useList: a page, in order, with the total', async () => {
    const result = render(() =>
      useList<Book>({
        resource: 'books',
        pagination: { currentPage: 2, pageSize: 2 },
        sorters: [
          { field: 'status', order: 'desc' },
          { field: 'pages', order: 'asc' },
        ],
        filters: [{ field: 'pages', operator: 'nnull', value: true }],
        meta: { nulls: 'last', fields: ['title'] },
      }),
    );
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(result.current.result).toEqual({
      data: [
        { id: 1, title: 'Alpha' },
        { id: 3, title: 'Beta, "gamma": \\' },
      ],
      total: 4,
    });
  });

  test('useList: everything at once', async () => {
    served.provide({ maxLimit: 2 });
    const result = render(() => useList({ resource: 'books', pagination: { mode: 'off' } }));
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(ids(result.current.result.data)).toEqual([1, 2, 3, 4, 5]);
    expect(result.current.result.total).toBe(5);
    expect(served.sent.length).toBe(3);
  });

  test('useList: without counting, one more than there are until here', async () => {
    const result = render(() =>
      useList({
        resource: 'books',
        pagination: { currentPage: 2, pageSize: 2 },
        meta: { count: 'none' },
      }),
    );
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(result.current.result.total).toBe(5);
    expect(served.sent[0]?.headers.get('prefer')).toBe('count=none');
  });

  test('useTable: filters, sorters and pages of a table', async () => {
    const result = render(() =>
      useTable<Book>({
        resource: 'books',
        pagination: { pageSize: 2 },
        sorters: { initial: [{ field: 'title', order: 'desc' }] },
        filters: { initial: [{ field: 'title', operator: 'contains', value: 'alp' }] },
      }),
    );
    await waitFor(() => expect(result.current.result.total).toBe(3));
    expect(ids(result.current.result.data)).toEqual([2, 4]);
    expect(result.current.pageCount).toBe(2);
    act(() => result.current.setCurrentPage(2));
    await waitFor(() => expect(ids(result.current.result.data)).toEqual([1]));
    act(() => result.current.setCurrentPage(1));
    act(() => result.current.setFilters([{ field: 'pages', operator: 'gte', value: 200 }]));
    await waitFor(() => expect(ids(result.current.result.data)).toEqual([2]));
  });

  test('useInfiniteList: goes on behind the last record, whatever has come before it', async () => {
    const result = render(() =>
      useInfiniteList<Book>({
        resource: 'books',
        pagination: { pageSize: 2 },
        sorters: [{ field: 'pages', order: 'desc' }],
      }),
    );
    await waitFor(() => expect(result.current.query.hasNextPage).toBe(true));
    await served.api.send('POST', '/v1/books', { title: 'New', pages: 999 });
    await act(() => result.current.query.fetchNextPage());
    await waitFor(() => expect(result.current.result.data?.pages.length).toBe(2));
    await act(() => result.current.query.fetchNextPage());
    await waitFor(() => expect(result.current.result.data?.pages.length).toBe(3));
    expect(result.current.query.hasNextPage).toBe(false);
    expect(result.current.result.data?.pages.map(({ data }) => ids(data))).toEqual([
      [3, 2],
      [1, 4],
      [5],
    ]);
  });

  test('useOne, with relations', async () => {
    const result = render(() =>
      useOne({ resource: 'books', id: '1', meta: { expand: 'author,genres', fields: ['title'] } }),
    );
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(result.current.result).toMatchObject({
      id: 1,
      title: 'Alpha',
    });
  });

  test('useOne: what is not there', async () => {
    const result = render(() => useOne({ resource: 'books', id: 99 }));
    await waitFor(() => expect(result.current.query.isError).toBe(true));
    expect(result.current.query.error).toMatchObject({
      statusCode: 404,
      message: 'There is no record in books with id 99',
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  test('useMany and useSelect', async () => {
    const result = render(() => ({
      many: useMany({ resource: 'authors', ids: ['3', 1, 99] }),
      select: useSelect({ resource: 'authors', optionLabel: 'name' }),
    }));
    await waitFor(() => expect(result.current.many.query.isSuccess).toBe(true));
    expect(ids(result.current.many.result.data)).toEqual([3, 1]);
    await waitFor(() => expect(result.current.select.options.length).toBe(3));
    act(() => result.current.select.onSearch('ANN'));
    await waitFor(() =>
      expect(result.current.select.options.map(({ label }) => label)).toEqual(['Ann', 'ann b']),
    );
  });

  test('useCustom', async () => {
    const result = render(() =>
      useCustom({
        url: '/books?limit=1',
        method: 'get',
        config: {
          query: { fields: 'title', exclude: undefined },
          filters: [{ field: 'pages', operator: 'gt', value: 100 }],
          sorters: [{ field: 'pages', order: 'desc' }],
          headers: { prefer: 'count=none' },
        },
      }),
    );
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(result.current.result.data).toEqual([{ id: 3, title: 'Beta, "gamma": \\' }]);
  });

  test('useCustom: groups', async () => {
    const result = render(() =>
      useCustom({
        url: '/books',
        method: 'get',
        config: {
          query: { group: 'status', aggregate: 'count,sum:pages' },
          filters: [{ field: 'status', operator: 'nnull', value: true }],
          sorters: [{ field: 'count', order: 'desc' }],
        },
      }),
    );
    await waitFor(() => expect(result.current.query.isSuccess).toBe(true));
    expect(result.current.result.data).toEqual([
      { group: { status: 'draft' }, count: 2, sum: { pages: 150 } },
      { group: { status: 'printed' }, count: 1, sum: { pages: 200 } },
    ]);
  });

  test('a request whose page was left is ended', async () => {
    let signal: AbortSignal | undefined;
    served.provide({
      fetch: (_, init) => {
        signal = init?.signal ?? undefined;
        return new Promise(() => undefined);
      },
    });
    const { unmount } = renderHook(() => useList({ resource: 'books' }), { wrapper });
    await waitFor(() => expect(signal).toBeDefined());
    expect(signal?.aborted).toBe(false);
    unmount();
    await waitFor(() => expect(signal?.aborted).toBe(true));
  });
});

describe('writes', () => {
  test('useCreate and useCreateMany', async () => {
    const result = render(() => ({ one: useCreate(), many: useCreateMany() }));
    const created = await act(() =>
      result.current.one.mutateAsync({
        resource: 'books',
        values: {
          title: 'New',
          genres: [{ id: 2, name: 'crime', pivot: { main: true } }, { id: 3, name: 'poem' }, 1],
        },
        meta: { expand: ['genres'], idempotencyKey: 'once' },
      }),
    );
    expect(created.data).toMatchObject({
      id: 6,
      genres: [
        { id: 1, pivot: { main: null } },
        { id: 2, pivot: { main: true } },
        { id: 3, pivot: { main: null } },
      ],
    });
    expect(served.sent[0]?.headers.get('idempotency-key')).toBe('once');
    const values = [{ name: 'crime story' }, { name: 'tale' }];
    const many = await act(() => result.current.many.mutateAsync({ resource: 'genres', values }));
    expect(ids(many.data)).toEqual([4, 5]);
  });

  test('useUpdate sends what it is given', async () => {
    const result = render(() => useUpdate());
    const values = { id: 1, name: 'Anne', email: undefined };
    await act(() => result.current.mutateAsync({ resource: 'authors', id: '1', values }));
    expect(served.sent.at(-1)).toMatchObject({
      method: 'PATCH',
      path: '/v1/authors/1',
      body: { name: 'Anne' },
    });
  });

  test('useUpdate with the record as it was sends what differs, if nobody was quicker', async () => {
    const result = render(() => ({
      one: useOne({ resource: 'authors', id: 1 }),
      update: useUpdate({ mutationOptions: { retry: false } }),
    }));
    await waitFor(() => expect(result.current.one.result).toBeDefined());
    const previous = result.current.one.result;
    const update = (email: string | null) =>
      result.current.update.mutateAsync({
        resource: 'authors',
        id: 1,
        values: { ...previous, email },
        meta: { previous },
        invalidates: [],
      });
    await served.api.send('PATCH', '/v1/authors/1', { name: 'Anne' });
    await act(() => expect(update(null)).rejects.toMatchObject({ statusCode: 412 }));
    expect(served.sent.at(-1)?.body).toEqual({ email: null });
    await served.api.send('PATCH', '/v1/authors/1', { name: 'Ann' });
    await act(() => update(null));
    expect((await served.api.get('/v1/authors/1')).body).toEqual({
      id: 1,
      name: 'Ann',
      email: null,
    });
  });

  test('useUpdateMany, useDeleteMany and useDelete', async () => {
    const result = render(() => ({
      update: useUpdateMany(),
      deleteMany: useDeleteMany(),
      deleteOne: useDelete(),
    }));
    const targets = { resource: 'books', ids: [1, '2', 4] };
    const { data } = await act(() =>
      result.current.update.mutateAsync({ ...targets, values: { status: 'printed' } }),
    );
    expect(data.map(({ id, ['status']: status }) => [id, status as string])).toEqual([
      [1, 'printed'],
      [2, 'printed'],
      [4, 'printed'],
    ]);
    await act(() => result.current.deleteMany.mutateAsync(targets));
    const written = served.sent.filter(({ method }) => method !== 'GET');
    expect(written.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'PATCH /v1/books?id_in=1,2,4',
      'DELETE /v1/books?id_in=1,2,4',
    ]);
    await act(() => result.current.deleteOne.mutateAsync({ resource: 'books', id: 3 }));
    expect((await served.api.get('/v1/books?fields=id')).body).toEqual([{ id: 5 }]);
  });

  test('useForm: what the API refuses is told by field', async () => {
    const result = render(() =>
      useForm<Book, HttpError, object>({ resource: 'books', action: 'create', redirect: false }),
    );
    let error: HttpError | undefined;
    await act(async () => {
      await result.current
        .onFinish({ title: 'x'.repeat(41), pages: -1, specs: { weight: -1 } })
        .catch((thrown: HttpError) => {
          error = thrown;
        });
    });
    error ??= result.current.mutation.error ?? undefined;
    expect(error).toMatchObject({
      statusCode: 422,
      message: 'Some values are not allowed',
      errors: {
        title: 'must have at most 40 characters',
        pages: 'must be at least 0',
        'specs.weight': 'must be at least 0',
      },
    });
  });

  test('useForm: reads a record and changes it', async () => {
    const result = render(() =>
      useForm<Book, HttpError, object>({
        resource: 'books',
        action: 'edit',
        id: '1',
        redirect: false,
      }),
    );
    await waitFor(() => expect(result.current.query?.data?.data.title).toBe('Alpha'));
    await act(() => result.current.onFinish({ ...result.current.query?.data?.data, pages: 7 }));
    expect((await served.api.get('/v1/books/1?fields=pages')).body).toEqual({ id: 1, pages: 7 });
  });
});
