import type { AccessControlProvider, AuthActionResponse, AuthProvider } from '@refinedev/core';
import { isObject } from '../../common/error.ts';
import {
  Session,
  type AuthOptions,
  type Identity,
  type Operation,
  type Permissions,
} from '../../common/session.ts';

export interface RefineAuthOptions extends AuthOptions {
  /** Where one logs in: `/login` unless given. */
  readonly loginPath?: string;
}

/** An auth provider of refine whose `token` is that of a data provider. */
export type PlinthAuthProvider = Pick<AuthProvider, 'login' | 'logout' | 'check' | 'onError'> & {
  readonly getPermissions: () => Promise<Permissions>;
  readonly getIdentity: () => Promise<Identity | null>;
  readonly token: () => string | undefined;
  /** Tells refine what the caller may do. */
  readonly accessControl: AccessControlProvider;
};

/** Which right an action of refine needs; others need that the resource may be read. */
const operationOf: ReadonlyMap<string, Operation> = new Map([
  ['create', 'create'],
  ['clone', 'create'],
  ['edit', 'update'],
  ['delete', 'delete'],
]);

/**
 * An auth provider of refine over an API of Plinth: a token or API key is kept once the API has taken it, and thrown away
 * when the API refuses it with 401. `accessControl` answers what the caller may do.
 */
export function createAuthProvider({
  loginPath = '/login',
  ...options
}: RefineAuthOptions): PlinthAuthProvider {
  const session = new Session(options);
  return {
    token: session.token,
    login: async (params: unknown): Promise<AuthActionResponse> => {
      try {
        await session.login(params);
      } catch (error) {
        return { success: false, error: asError(error) };
      }
      const to = isObject(params) ? params['redirectTo'] : undefined;
      return { success: true, redirectTo: typeof to === 'string' ? to : '/' };
    },
    logout: async () => {
      session.logout();
      return { success: true, redirectTo: loginPath };
    },
    check: async () =>
      session.token() === undefined
        ? { authenticated: false, redirectTo: loginPath }
        : { authenticated: true },
    onError: async (error: unknown) =>
      session.isExpiry(error) ? { logout: true, redirectTo: loginPath, error: asError(error) } : {},
    getPermissions: () => session.permissions(),
    getIdentity: async () => session.identity() ?? null,
    accessControl: {
      can: async ({ action, resource, params }) => {
        if (resource === undefined) return { can: true };
        const field: unknown = params?.['field'];
        const name =
          action === 'field' && typeof field === 'string' ? `${resource}.${field}` : resource;
        const can = await session.may(operationOf.get(action) ?? 'read', name);
        return can ? { can } : { can, reason: 'You may not do this' };
      },
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
