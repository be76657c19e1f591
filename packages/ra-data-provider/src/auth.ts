import type { AuthProvider, UserIdentity } from 'ra-core';
import {
  Session,
  type AuthOptions,
  type Operation,
  type Permissions,
} from '../../common/session.ts';

/** An auth provider of react-admin whose `token` is that of a data provider. */
export type PlinthAuthProvider = Required<
  Pick<AuthProvider, 'login' | 'logout' | 'checkAuth' | 'checkError' | 'getIdentity' | 'canAccess'>
> & {
  readonly getPermissions: () => Promise<Permissions>;
  readonly token: () => string | undefined;
};

/** Which right an action of react-admin needs; others need that the resource may be read. */
const operationOf: ReadonlyMap<string, Operation> = new Map([
  ['create', 'create'],
  ['clone', 'create'],
  ['edit', 'update'],
  ['update', 'update'],
  ['write', 'update'],
  ['delete', 'delete'],
]);

/**
 * An auth provider of react-admin over an API of Plinth: a token or API key is kept once the API has taken it, and
 * thrown away when the API refuses it with 401. Pages and buttons of what the caller may not do are left out.
 */
export function createAuthProvider(options: AuthOptions): PlinthAuthProvider {
  const session = new Session(options);
  return {
    token: session.token,
    login: (params) => session.login(params),
    logout: async () => session.logout(),
    checkAuth: async () => {
      if (session.token() === undefined) throw new Error('Nobody is logged in');
    },
    // What is thrown here logs out.
    checkError: async (error) => {
      if (session.isExpiry(error)) throw error;
    },
    getPermissions: () => session.permissions(),
    getIdentity: async (): Promise<UserIdentity> => {
      const identity = session.identity();
      if (identity === undefined) throw new Error('Nobody is logged in');
      return identity;
    },
    canAccess: ({ action, resource }) => session.may(operationOf.get(action) ?? 'read', resource),
  };
}
