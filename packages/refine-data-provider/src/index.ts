export { createDataProvider, type PlinthDataProvider } from './provider.ts';
export { PlinthError, type ErrorBody, type FieldErrors } from '../../shared/error.ts';
export type { Credential, ProviderOptions } from '../../shared/http.ts';
export type { PlinthMeta } from '../../shared/meta.ts';
