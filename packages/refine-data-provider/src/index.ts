export { createDataProvider, type PlinthDataProvider } from './provider.ts';
export {
  PlinthError,
  type ErrorBody,
  type FieldErrors,
  type FieldProblem,
} from '../../common/error.ts';
export type { Credential, ProviderOptions } from '../../common/http.ts';
export type { PlinthMeta } from '../../common/meta.ts';
export { createAuthProvider, type PlinthAuthProvider, type RefineAuthOptions } from './auth.ts';
export type {
  AuthOptions,
  CredentialStorage,
  Identity,
  Operation,
  Permissions,
  ResourcePermissions,
} from '../../common/session.ts';
