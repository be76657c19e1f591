import { act, cleanup, renderHook, waitFor } from './page.ts';
import {
  Refine,
  useCan,
  useDelete,
  useGetIdentity,
  useIsAuthenticated,
  useList,
  useLogin,
  useLogout,
  usePermissions,
  type RouterProvider,
} from '@refinedev/core';
import { createElement, type ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createAuthProvider,
  createDataProvider,
  type PlinthAuthProvider,
  type RefineAuthOptions,
} from '../../packages/refine-data-provider/src/index.ts';
import type { TestApi } from '../support/api.ts';
import { author, editorKey, late, serveNewsroom } from './newsroom.ts';
import { watchedFetch, type Sent } from './requests.ts';

let api: TestApi;
let sent: Sent[];
let auth: PlinthAuthProvider;
/** Where refine has led to. */
let visited: unknown[];

beforeEach(async () => {
  // Whatever is refused is written to the console.
  vi.spyOn(console, 'error').mockReturnValue();
  api = await serveNewsroom();
  sent = [];
  visited = [];
  auth = authWith({});
});
afterEach(async () => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
  await api.stop();
});

function authWith(options: Partial<RefineAuthOptions>): PlinthAuthProvider {
  return createAuthProvider({ baseUrl: `${api.url}/v1`, fetch: watchedFetch(sent), ...options });
}

const routerProvider: RouterProvider = {
  go:
    () =>
    ({ to }) =>
      void visited.push(to),
};

const wrapper = ({ children }: { children?: ReactNode }) =>
  createElement(
    Refine,
    {
      authProvider: auth,
      accessControlProvider: auth.accessControl,
      dataProvider: createDataProvider({
        baseUrl: `${api.url}/v1`,
        token: auth.token,
        fetch: watchedFetch(sent),
      }),
      routerProvider,
      resources: [{ name: 'posts' }, { name: 'members' }],
      options: {
        disableTelemetry: true,
        reactQuery: { clientConfig: { defaultOptions: { queries: { retry: false } } } },
      },
    },
    children,
  );

/** Renders a hook of refine within its context. */
const render = <Result>(hook: () => Result) => renderHook(hook, { wrapper }).result;

test('useLogin keeps what the API takes, and leads on', async () => {
  const result = render(() => useLogin());
  const answer = await act(async () => result.current.mutateAsync({ password: editorKey }));
  expect(answer).toEqual({ success: true, redirectTo: '/' });
  expect(auth.token()).toBe(editorKey);
  await waitFor(() => expect(visited).toEqual(['/']));
  const to = await auth.login({ token: author, redirectTo: '/posts' });
  expect(to).toEqual({ success: true, redirectTo: '/posts' });
});

test.each([
  ['a wrong key', { password: 'plk_wrong' }, /credential|key/iu],
  ['a token whose time is over', { token: late }, /expired|over/iu],
  ['nothing', {}, /A token or API key is needed/u],
])('useLogin: %s is refused, and not kept', async (_, params, message) => {
  const result = render(() => useLogin());
  const answer = await act(async () => result.current.mutateAsync(params));
  expect(answer).toMatchObject({
    success: false,
    error: { message: expect.stringMatching(message) as string },
  });
  expect([auth.token(), visited]).toEqual([undefined, []]);
});

test('useIsAuthenticated', async () => {
  const before = render(() => useIsAuthenticated());
  await waitFor(() => expect(before.current.isSuccess).toBe(true));
  expect(before.current.data).toEqual({ authenticated: false, redirectTo: '/login' });
  await auth.login({ token: author });
  const after = render(() => useIsAuthenticated());
  await waitFor(() => expect(after.current.data).toEqual({ authenticated: true }));
});

test('useLogout forgets the credential', async () => {
  auth = authWith({ loginPath: '/enter' });
  await auth.login({ token: author });
  const result = render(() => useLogout());
  await act(async () => result.current.mutateAsync({}));
  expect([auth.token(), localStorage.length]).toEqual([undefined, 0]);
  await waitFor(() => expect(visited).toEqual(['/enter']));
});

test('useGetIdentity and usePermissions', async () => {
  await auth.login({ token: author });
  const result = render(() => ({ who: useGetIdentity(), may: usePermissions({}) }));
  await waitFor(() =>
    expect(result.current.may.isSuccess && result.current.who.isSuccess).toBe(true),
  );
  expect(result.current.who.data).toEqual({
    id: '7',
    fullName: 'Zoë Ångström',
    avatar: 'https://example.com/z.png',
  });
  expect(result.current.may.data).toMatchObject({
    roles: ['author'],
    resources: { posts: { operations: { read: 'all', create: 'all', update: 'all' } } },
  });
  await auth.logout({});
  await expect(auth.getIdentity()).resolves.toBeNull();
});

describe('what the API refuses', () => {
  test('401 logs out: a credential that is no longer good', async () => {
    await auth.login({ token: author });
    localStorage.setItem(`plinth ${api.url}/v1`, late);
    render(() => useList({ resource: 'posts' }));
    await waitFor(() => expect(visited).toContain('/login'));
    const asked = sent.find(({ path }) => path.startsWith('/v1/posts'));
    expect(asked?.headers.get('authorization')).toBe(`Bearer ${late}`);
    await waitFor(() => expect(auth.token()).toBeUndefined());
  });

  test('403 does not: who is logged in may not do this', async () => {
    await auth.login({ token: author });
    const result = render(() => useDelete());
    const refused = act(async () => result.current.mutateAsync({ resource: 'posts', id: 1 }));
    await expect(refused).rejects.toMatchObject({ statusCode: 403 });
    await expect(auth.onError({ status: 403 })).resolves.toEqual({});
    expect([auth.token(), visited]).toEqual([author, []]);
  });
});

test.each<[string, string | undefined, Record<string, boolean>]>([
  ['nobody', undefined, { 'list posts': true, 'create posts': false, 'list members': false }],
  [
    'an author',
    author,
    {
      'edit posts': true,
      'clone posts': true,
      'delete posts': false,
      'list members': false,
      'field posts title': true,
      'field posts fee': false,
      'list toString': false,
    },
  ],
  ['an editor', editorKey, { 'delete posts': true, 'show members': true, 'field posts fee': true }],
])('useCan: %s', async (_, token, expected) => {
  if (token !== undefined) await auth.login({ token });
  for (const [question, answer] of Object.entries(expected)) {
    const [action = '', resource = '', field] = question.split(' ');
    const result = render(() => useCan({ action, resource, params: { field } }));
    await waitFor(() => expect(result.current.isSuccess).toBe(true));
    expect([question, result.current.data?.can]).toEqual([question, answer]);
  }
});

test('what belongs to no resource is open', async () => {
  await expect(auth.accessControl.can({ action: 'list' })).resolves.toEqual({ can: true });
});
