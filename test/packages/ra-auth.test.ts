import { act, cleanup, renderHook, waitFor } from './page.ts';
import {
  CoreAdminContext,
  memoryStore,
  TestMemoryRouter,
  useAuthState,
  useCanAccess,
  useDelete,
  useGetIdentity,
  useGetList,
  useLocation,
  useLogin,
  useLogout,
  usePermissions,
} from 'ra-core';
import { createElement, type ReactNode } from 'react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createAuthProvider,
  createDataProvider,
  type AuthOptions,
  type PlinthAuthProvider,
} from '../../packages/ra-data-provider/src/index.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { author, editorKey, late, serveNewsroom } from './newsroom.ts';
import { watchedFetch, type Sent } from './requests.ts';

let api: TestApi;
let sent: Sent[];
let auth: PlinthAuthProvider;

beforeEach(async () => {
  // react-admin writes every refusal to the console.
  vi.spyOn(console, 'error').mockReturnValue();
  api = await serveNewsroom();
  sent = [];
  auth = authWith({});
});
afterEach(async () => {
  cleanup();
  localStorage.clear();
  vi.restoreAllMocks();
  await api.stop();
});

function authWith(options: Partial<AuthOptions>): PlinthAuthProvider {
  return createAuthProvider({ baseUrl: `${api.url}/v1`, fetch: watchedFetch(sent), ...options });
}

const wrapper = ({ children }: { children?: ReactNode }) => {
  const { url } = api;
  const dataProvider = createDataProvider({
    baseUrl: `${url}/v1`,
    token: auth.token,
    fetch: watchedFetch(sent),
  });
  const props = { authProvider: auth, dataProvider, store: memoryStore() };
  const admin = createElement(CoreAdminContext, props, children);
  return createElement(TestMemoryRouter, { initialEntries: ['/posts'], children: admin });
};

const render = <Result>(hook: () => Result) => renderHook(hook, { wrapper }).result;
const permissionRequests = () => sent.filter(({ path }) => path === '/_permissions').length;

describe('logging in', () => {
  test.each([
    ['a token', { token: author }, author],
    ['an API key', { apiKey: editorKey }, editorKey],
    [
      'the form of react-admin, with a key as its password',
      { username: 'desk', password: editorKey },
      editorKey,
    ],
  ])('%s', async (_, params, credential) => {
    const result = render(() => ({ login: useLogin(), location: useLocation() }));
    await act(() => result.current.login(params, '/members'));
    expect(auth.token()).toBe(credential);
    expect(result.current.location.pathname).toBe('/members');
    // It stays when the page is loaded again.
    expect(authWith({}).token()).toBe(credential);
    expect(createAuthProvider({ baseUrl: 'https://other.example/v1' }).token()).toBeUndefined();
  });

  test.each([
    ['a wrong key', { password: 'plk_wrong' }, { status: 401, code: 'INVALID_CREDENTIALS' }],
    ['a token whose time is over', { token: late }, { status: 401, code: 'TOKEN_EXPIRED' }],
    ['nothing', { username: 'ann' }, { message: 'A token or API key is needed' }],
    ['no object', undefined, { message: 'A token or API key is needed' }],
  ])('%s is refused, and not kept', async (_, params, error) => {
    await expect(auth.login(params)).rejects.toMatchObject(error);
    expect(auth.token()).toBeUndefined();
    expect(localStorage.length).toBe(0);
  });

  test('an API that asks nobody takes any', async () => {
    const mock = await serveApi('resources: { posts: { fields: { title: { type: string } } } }');
    auth = authWith({ baseUrl: `${mock.url}/v1` });
    await auth.login({ username: 'ann', password: 'secret' });
    expect(auth.token()).toBe('secret');
    await expect(auth.canAccess({ action: 'delete', resource: 'posts' })).resolves.toBe(true);
    await mock.stop();
  });

  test('a refused login leaves who is logged in', async () => {
    await auth.login({ token: author });
    await expect(auth.login({ token: 'wrong' })).rejects.toThrow();
    expect(auth.token()).toBe(author);
  });

  test('the token may come from an identity provider, and be kept elsewhere', async () => {
    const items = new Map<string, string>();
    auth = authWith({
      login: async ({ username }) => (username === 'zoe' ? author : ''),
      storageKey: 'my token',
      storage: {
        getItem: (key) => items.get(key) ?? null,
        setItem: (key, value) => void items.set(key, value),
        removeItem: (key) => void items.delete(key),
      },
    });
    await auth.login({ username: 'zoe' });
    expect([...items]).toEqual([['my token', author]]);
    await expect(auth.login({ username: 'ann' })).rejects.toThrow('A token or API key is needed');
    await auth.logout({});
    expect(items.size).toBe(0);
  });
});

describe('who is logged in', () => {
  test('pages that need somebody lead to the login', async () => {
    const result = render(() => ({ state: useAuthState({}, true), location: useLocation() }));
    await waitFor(() => expect(result.current.location.pathname).toBe('/login'));
  });

  test('they open for who is', async () => {
    await auth.login({ token: author });
    const result = render(() => useAuthState());
    await waitFor(() => expect(result.current.isPending).toBe(false));
    expect(result.current.authenticated).toBe(true);
  });

  test.each([
    [
      'the claims of a token',
      author,
      { id: '7', fullName: 'Zoë Ångström', avatar: 'https://example.com/z.png' },
    ],
    ['a key', editorKey, { id: 'api-key' }],
  ])('useGetIdentity: %s', async (_, token, identity) => {
    await auth.login({ token });
    const result = render(() => useGetIdentity());
    await waitFor(() => expect(result.current.isPending).toBe(false));
    expect(result.current.identity).toEqual(identity);
  });

  test('the requests of the data provider carry the credential, and see what it opens', async () => {
    const before = render(() => useGetList('posts'));
    await waitFor(() => expect(before.current.total).toBe(1));
    await auth.login({ token: author });
    const after = render(() => useGetList('posts'));
    await waitFor(() => expect(after.current.total).toBe(2));
  });

  test('logging out forgets the credential and what it opened', async () => {
    await auth.login({ token: editorKey });
    const result = render(() => ({ logout: useLogout(), location: useLocation() }));
    await act(() => result.current.logout());
    expect(auth.token()).toBeUndefined();
    expect(localStorage.length).toBe(0);
    await waitFor(() => expect(result.current.location.pathname).toBe('/login'));
    await expect(auth.canAccess({ action: 'list', resource: 'members' })).resolves.toBe(false);
  });
});

describe('what the API refuses', () => {
  test('401 logs out: a credential that is no longer good', async () => {
    await auth.login({ token: author });
    localStorage.setItem(`plinth ${api.url}/v1`, late);
    const result = render(() => ({ posts: useGetList('posts'), location: useLocation() }));
    await waitFor(() => expect(result.current.location.pathname).toBe('/login'));
    const asked = sent.find(({ path }) => path.startsWith('/v1/posts'));
    expect(asked?.headers.get('authorization')).toBe(`Bearer ${late}`);
    expect(auth.token()).toBeUndefined();
  });

  test('403 does not: who is logged in may not do this', async () => {
    await auth.login({ token: author });
    const result = render(() => ({ remove: useDelete(), location: useLocation() }));
    await act(async () => result.current.remove[0]('posts', { id: 1 }));
    await waitFor(() => expect(result.current.remove[1].error).toMatchObject({ status: 403 }));
    await expect(auth.checkError(result.current.remove[1].error)).resolves.toBeUndefined();
    expect([auth.token(), result.current.location.pathname]).toEqual([author, '/posts']);
  });

  test.each([404, 409, 422, 429, 500, 503])('%i does not either', async (status) => {
    await expect(auth.checkError({ status })).resolves.toBeUndefined();
    await expect(auth.checkError(new TypeError('fetch failed'))).resolves.toBeUndefined();
  });
});

describe('what the caller may do', () => {
  test('usePermissions tells it of the version of baseUrl', async () => {
    await auth.login({ token: author });
    const result = render(() => usePermissions());
    await waitFor(() => expect(result.current.isPending).toBe(false));
    expect(result.current.permissions).toEqual({
      authenticated: true,
      roles: ['author'],
      resources: {
        posts: {
          operations: { read: 'all', create: 'all', update: 'all' },
          fields: {
            id: ['read'],
            title: ['read', 'create', 'update'],
            status: ['read', 'create', 'update'],
          },
          relations: {},
        },
      },
    });
  });

  test.each<[string, string | undefined, Record<string, boolean>]>([
    [
      'nobody',
      undefined,
      {
        'list posts': true,
        'show posts': true,
        'export posts': true,
        'create posts': false,
        'list members': false,
      },
    ],
    [
      'an author',
      author,
      {
        'create posts': true,
        'edit posts': true,
        'delete posts': false,
        'list members': false,
        'list nothing': false,
        'read posts.title': true,
        'write posts.title': true,
        'read posts.fee': false,
        'list constructor': false,
      },
    ],
    [
      'an editor',
      editorKey,
      {
        'delete posts': true,
        'list members': true,
        'create members': true,
        'write posts.fee': true,
        'write posts.id': false,
      },
    ],
  ])('useCanAccess: %s', async (_, token, expected) => {
    if (token !== undefined) await auth.login({ token });
    for (const [question, answer] of Object.entries(expected)) {
      const [action = '', resource = ''] = question.split(' ');
      const result = render(() => useCanAccess({ action, resource }));
      await waitFor(() => expect(result.current.isPending).toBe(false));
      expect([question, result.current.canAccess]).toEqual([question, answer]);
    }
    // It is asked for once.
    expect(permissionRequests()).toBe(1);
  });

  test('a baseUrl without a version means the only one', async () => {
    auth = authWith({ baseUrl: api.url });
    await expect(auth.canAccess({ action: 'list', resource: 'posts' })).resolves.toBe(true);
    auth = authWith({ baseUrl: `${api.url}/v1/` });
    await expect(auth.canAccess({ action: 'list', resource: 'posts' })).resolves.toBe(true);
  });

  test('a server that answers otherwise, or not at all, is said to', async () => {
    auth = authWith({ permissionsUrl: `${api.url}/v1/posts` });
    await expect(auth.getPermissions()).rejects.toThrow('not as the API does');
    auth = authWith({ baseUrl: 'http://127.0.0.1:1/v1' });
    await expect(auth.getPermissions()).rejects.toThrow('fetch failed');
    // A failure is not kept.
    await expect(auth.canAccess({ action: 'list', resource: 'posts' })).rejects.toThrow();
    expect(permissionRequests()).toBe(2);
  });
});
