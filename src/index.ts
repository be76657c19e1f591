/** The public API of the package: from the text of a specification to its model, and what functions of a user's are called with. */
export { loadSpecification } from './spec/load.ts';
export type { Problem } from './spec/problems.ts';
export type { Specification } from './spec/specification.ts';
export { specificationJsonSchema } from './spec/json-schema.ts';
export { buildApi } from './model/build.ts';
export type { Api } from './model/api.ts';
export type { GeneratorContext } from './generate/modules.ts';
