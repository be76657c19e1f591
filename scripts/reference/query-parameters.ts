import { fieldTypes } from '../../src/model/field-types/registry.ts';
import { filterOperators, operators, takes } from '../../src/model/operators.ts';
import {
  collectionParameters,
  parameterNames,
  parameters,
  type ParameterName,
  type RequestKind,
} from '../../src/query/request/parameters.ts';
import { limitDefaults as limits } from '../../src/specification/keys/limits.ts';
import { code, table } from './markdown.ts';

const parameterTexts: Readonly<Record<ParameterName, readonly [example: string, what: string]>> = {
  page: ['page=2', 'The page, from 1.'],
  limit: [
    'limit=50',
    `Records of a page; ${limits.defaultLimit} if left out, ${count(limits.maxLimit)} at most (CSV and NDJSON: ${count(limits.exportItems)}).`,
  ],
  offset: ['offset=40', 'Records to skip, in place of `page`.'],
  cursor: [
    'cursor=',
    'The position to continue from, in place of `page`; empty for the first page.',
  ],
  sort: ['sort=-price,name', 'Sort keys; `-` sorts descending.'],
  nulls: ['nulls=last', 'Where nulls are sorted: `first` or `last`.'],
  search: ['search=crème+brul', 'Words that must all be found in the texts of a record.'],
  fields: ['fields=name,author.name', 'The fields to return. Takes `*`, `@group` and paths.'],
  exclude: ['exclude=body', 'The fields to leave out, in place of `fields`.'],
  expand: ['expand=author,comments.author', 'The relations to return with each record.'],
  maxDepth: [
    'maxDepth=4',
    `How deep \`expand\` may go; ${limits.defaultDepth} if left out, ${limits.maxDepth} at most.`,
  ],
  group: [
    'group=status,placedAt:month',
    'What groups records. The answer has groups in place of records.',
  ],
  aggregate: [
    'aggregate=count,sum:total',
    'Functions over the records of each group, or of all records.',
  ],
  having: ['having=count_gte:5', 'Conditions on groups, all of which must hold.'],
  _and: ['_and=price_gt:100,or(status:open,rating:5)', 'Conditions that must all hold.'],
  _or: [
    '_or=status:draft,and(price_gt:100,stock:0)',
    'Conditions of which at least one must hold. `and(…)`, `or(…)` and `not(…)` nest.',
  ],
  _not: ['_not=status:draft,price_gt:100', 'Conditions of which none may hold.'],
  onConflict: [
    'onConflict=slug',
    'A unique field or group: a record with the same values is changed instead of created.',
  ],
  _debug: [
    '_debug=true',
    'Adds the query as understood, times and SQL; `plan` also the plan of each statement.',
  ],
  _trace: ['_trace=true', 'Adds the steps of the request with their times.'],
  _verbose: ['_verbose=true', 'Adds details to an error.'],
  _inspect: ['_inspect=data', 'Adds how the values shown were generated.'],
  _inspectNetwork: ['_inspectNetwork=true', 'Adds what the simulated network did.'],
};

const collectionTexts: Readonly<Record<(typeof collectionParameters)[number], string>> = {
  page: 'The page of the collection, from 1.',
  limit: 'Records of the collection for each parent.',
  offset: 'Records to skip, in place of `page`.',
  sort: 'Sort keys of the collection.',
};

const operandTexts = {
  value: 'one value',
  list: 'a comma list',
  flag: '`true` or `false`',
} as const;

const kinds: readonly (readonly [RequestKind, string])[] = [
  ['list', 'lists'],
  ['read', 'single reads'],
  ['create', 'POST'],
  ['replace', 'PUT'],
  ['update', 'PATCH'],
  ['delete', 'DELETE'],
];

/** The parameters of a query string as Markdown. */
export function queryParameterReference(): string {
  const on = (name: ParameterName): string => {
    const accepted: readonly RequestKind[] = parameters[name].on;
    return accepted.length === kinds.length
      ? 'all requests'
      : kinds
          .filter(([kind]) => accepted.includes(kind))
          .map(([, words]) => words)
          .join(', ');
  };
  return [
    '# Query parameters',
    '',
    '<!-- Made from src/query/request/parameters.ts and src/model/operators.ts by `npm run documents`. -->',
    '',
    'Every parameter of this list has a meaning of its own. Any other parameter is a filter on the field of that name. An',
    'unknown parameter is 400. [Query](../query.md) explains them with examples.',
    '',
    ...table(
      ['parameter', 'on', 'what it does'],
      parameterNames.map((name) => {
        const [example, what] = parameterTexts[name];
        return [code(example), on(name), what];
      }),
    ),
    'A field that has the name of a parameter is filtered with an operator: `limit_eq=5`.',
    '',
    '## Expanded collections',
    '',
    'For a collection that the request expands, behind its path: `expand=comments&comments.limit=5`.',
    '',
    ...table(
      ['parameter', 'what it does'],
      collectionParameters.map((name) => [code(`<path>.${name}`), collectionTexts[name]]),
    ),
    '## Filters',
    '',
    'A filter is `<field><operator>=<value>`: `price_gte=10`, `author.name_like=Ann`, `specs.weight_lt=5`. Without an operator',
    'the field must equal the value. All filters of a request must hold.',
    '',
    ...table(
      ['operator', 'value', 'keeps records whose field'],
      filterOperators().map((name) => {
        const { suffix, operand, meaning } = operators[name];
        return [code(suffix), operandTexts[operand], meaning];
      }),
    ),
    '`_neq`, `_nin`, `_nlike` and `_nilike` keep records whose field is null. In a text that is looked for, the characters `%`,',
    '`_` and `*` are ordinary.',
    'In a list, an item with a comma or a double quote is written in double quotes, with `\\"` and `\\\\` inside.',
    '',
    '## Operators of each type',
    '',
    ...operatorsByType(),
    'Relations take `_exists` and `_null`. The full rules are in the contract:',
    '[filters](../contract/2-reading.md#filters), [values](../contract/2-reading.md#filter-values),',
    '[sorting](../contract/2-reading.md#sorting), [pagination](../contract/2-reading.md#pagination),',
    '[field selection](../contract/2-reading.md#field-selection), [expansion](../contract/2-reading.md#expansion).',
    '',
  ].join('\n');
}

function count(number: number): string {
  return number.toLocaleString('en');
}

/** Types that take the same operators share a line. */
function operatorsByType(): readonly string[] {
  const lines = new Map<string, string[]>();
  for (const [name, type] of Object.entries(fieldTypes)) {
    const taken = filterOperators().filter((operator) => takes(type, operator));
    const suffixes = taken.map((operator) => code(operators[operator].suffix)).join(' ');
    lines.set(suffixes, [...(lines.get(suffixes) ?? []), code(name)]);
  }
  return table(
    ['types', 'operators'],
    [...lines].map(([suffixes, types]) => [types.join(', '), suffixes]),
  );
}
