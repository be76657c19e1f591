import { errorTable, type ErrorCode } from '../../errors.ts';
import { ruleTable, type ParamType, type Rule } from '../../problem-rules.ts';

/** The types of errors in the typed client. */
export function errorTypes(hasCode: boolean): string {
  return [brokenRuleType(hasCode), fieldProblemType, errorBase, errorBodyType(hasCode)].join('\n');
}

/** What is wrong with a field, as the error of a 422 says it. */
const fieldProblemType = `/** What is wrong with a field or parameter. */
export type FieldProblem = BrokenRule & { readonly field: string; readonly message: string };
`;

const errorBase = `interface ErrorBase {
  readonly error: string;
  readonly message: string;
  readonly path: string;
  readonly requestId: string;
  /** In a batch: the number of the operation that failed, from 0. */
  readonly operation?: number;
}
`;

/** The errors as a union that `code` tells apart. */
function errorBodyType(hasCode: boolean): string {
  const codes = Object.keys(errorTable) as readonly ErrorCode[];
  const statuses = [...new Set(codes.map((code) => errorTable[code].status))].sort((a, b) => a - b);
  const kinds = statuses.map((status) => {
    const own = codes.filter((code) => errorTable[code].status === status);
    return `  | (ErrorBase & { readonly status: ${status}; readonly code: ${anyOf(own)};${members(status)} })`;
  });
  if (hasCode) kinds.push(ownErrors);
  return `/** Every error that the API answers with; \`code\` tells them apart. */\nexport type ErrorBody =\n${kinds.join('\n')};\n`;
}

/** What own code answers with: any code, and the members of the others, which are told apart all the same. */
const ownErrors = `  | (ErrorBase & { readonly status: number; readonly code: string;${[400, 422, 409].map(members).join('')} })`;

function members(status: number): string {
  if (status === 400)
    return ' readonly validationErrors?: readonly (BrokenRule & { readonly field: string; readonly error: string })[];';
  if (status === 422) return ' readonly errors?: readonly FieldProblem[];';
  return status === 409
    ? ' readonly dependents?: readonly { readonly resource: string; readonly count: number }[];'
    : '';
}

/** The rules as a union that `rule` tells apart; those with the same params are together. */
function brokenRuleType(hasCode: boolean): string {
  const rules = Object.keys(ruleTable) as readonly Rule[];
  const alike = Map.groupBy(rules, (rule) => paramsType(rule, hasCode));
  const kinds = [...alike].map(
    ([params, some]) => `  | { readonly rule: ${anyOf(some)}; readonly params: ${params} }`,
  );
  return `/** The rule that a value or parameter breaks, and what it asks for. */\nexport type BrokenRule =\n${kinds.join('\n')};\n`;
}

const types: Readonly<Record<ParamType, string>> = {
  string: 'string',
  integer: 'number',
  number: 'number | string',
  strings: 'readonly string[]',
  values: 'readonly JsonValue[]',
};

/** Own code may give any params to a rule of its own. */
function paramsType(rule: Rule, hasCode: boolean): string {
  const params = Object.entries(ruleTable[rule].params).map(([name, written]) => {
    const type = types[written.replace('?', '') as ParamType];
    return `readonly ${name}${written.endsWith('?') ? '?' : ''}: ${type}`;
  });
  if (hasCode && rule === 'custom') params.push('readonly [param: string]: unknown');
  return params.length === 0 ? 'Readonly<Record<string, never>>' : `{ ${params.join('; ')} }`;
}

function anyOf(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word)).join(' | ');
}
