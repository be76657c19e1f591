/** The public API of the package: from the text of a specification to its model, and what functions of a user's are called with. */
export { loadSpecification } from './model/load-specification.ts';
export type { Problem } from './specification/problems.ts';
export type { Specification } from './specification/specification.ts';
export { specificationJsonSchema } from './model/load-specification.ts';
export { buildApi } from './model/build/api.ts';
export type { Api } from './model/api.ts';
export type { GeneratorContext } from './generate/custom/modules.ts';
/** Own code: what the module of `code` exports. */
export { defineCode } from './extensions/code.ts';
export type {
  AnyApi,
  ApiTypes,
  ChangeHookContext,
  Code,
  CodeContext,
  CodeLog,
  CodeProblem,
  CodeRequest,
  Committed,
  ComputedValue,
  Db,
  EndpointContext,
  EndpointDefinition,
  EndpointHandler,
  Fail,
  Operation,
  ResourceCode,
  User,
  WriteHookContext,
} from './extensions/code.ts';
