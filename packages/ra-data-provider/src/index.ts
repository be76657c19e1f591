export {
  createDataProvider,
  type Aggregate,
  type AggregateParams,
  type PlinthDataProvider,
  type RaProviderOptions,
} from './provider.ts';
export {
  PlinthError,
  type ErrorBody,
  type FieldErrors,
  type FieldProblem,
} from '../../common/error.ts';
export type { Credential, ProviderOptions } from '../../common/http.ts';
export type { PlinthMeta } from '../../common/meta.ts';
export { createAuthProvider, type PlinthAuthProvider } from './auth.ts';
export type {
  AuthOptions,
  CredentialStorage,
  Identity,
  Operation,
  Permissions,
  ResourcePermissions,
} from '../../common/session.ts';
