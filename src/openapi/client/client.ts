import { readFileSync } from 'node:fs';
import { packageFile } from '../../lib/modules/package-files.ts';
import { owner } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import { filterOperators, isFlag, operators, type Operator } from '../../model/operators.ts';
import { versionOfFile, viewOf, type ResourceView, type View } from '../../model/view.ts';
import type { DocumentedEndpoint } from '../document/endpoints.ts';
import { DeclaredTypes, indent, key, oneLine, union } from './declarations.ts';
import { endpointsType } from './endpoints.ts';
import { errorTypes } from './errors.ts';
import { clientNaming } from './naming.ts';
import { ownCodeTypes } from './own-code.ts';
import { resourceTexts } from './resources.ts';

/** A typed TypeScript client of the API as a view shows it: one file that needs nothing else. */
export function clientSource(view: View, endpoints: readonly DocumentedEndpoint[] = []): string {
  const { api, version } = view;
  const resourceViews = view.resourceViews();
  const ownerView = viewOf(api, versionOfFile, owner);
  const hidden = ownerView.resourceViews().filter(({ name }) => !isIn(resourceViews, name));
  const naming = clientNaming(view, hidden);
  const root = `${api.basePath}/v${version.number}`;
  const declared = new DeclaredTypes([...naming.names.values()]);
  const texts = resourceTexts(resourceViews, naming, declared);
  const members = [...texts].map(
    ([name, one]) => `${key(name)}: {\n${indent([...one.members.values()].join('\n'))}\n};`,
  );
  const resources = `/** Every resource: its records, relations, filters and what can be done with it. */\nexport interface Resources {\n${indent(members.join('\n'))}\n}\n`;
  const parts = [
    endpointsType(endpoints),
    errorTypes(api.settings.code !== undefined),
    filtersSource(),
    ...['types.ts', 'batch.ts', 'calls.ts', 'client.ts', 'runtime.ts'].map(source),
    apiType(version),
  ];
  return [
    `// ${oneLine(api.name)}, version ${version.number}: made by "plinth types". Changes to this file are lost when it is made again.\n`,
    `const root = ${JSON.stringify(root)};\n`,
    `const resourceNames: readonly string[] = ${JSON.stringify(resourceViews.map(({ name }) => name))};\n`,
    'export type JsonValue =\n  | null\n  | boolean\n  | number\n  | string\n  | JsonValue[]\n  | { [member: string]: JsonValue };\n',
    '/** JSON in a body. */\nexport type JsonInput =\n  | null\n  | boolean\n  | number\n  | string\n  | readonly JsonInput[]\n  | { readonly [member: string]: JsonInput | undefined };\n',
    ...[...texts.values()].flatMap(({ types }) => types),
    resources,
    ...ownCodeTypes(texts, ownerView, naming, declared),
    withoutClashes(parts.join('\n'), declared),
  ].join('\n');
}

function isIn(resourceViews: readonly ResourceView[], wanted: string): boolean {
  return resourceViews.some(({ name }) => name === wanted);
}

/** The source with other names for its own types where a record or object has their names. */
function withoutClashes(text: string, declared: DeclaredTypes): string {
  const own = text.matchAll(/^(?:export )?(?:type|interface|class) (\w+)/gmu);
  let result = text;
  for (const name of new Set([...own].map(([, one = '']) => one)))
    if (declared.has(name))
      result = result.replaceAll(new RegExp(String.raw`\b${name}\b`, 'gu'), `Plinth${name}`);
  return result;
}

/** The package ships these sources beside `dist/`. */
const runtimeFolder = packageFile('src/client/');

/** The text of one source file of the client without its imports: the generated file defines what they import. */
function source(name: string): string {
  const text = readFileSync(new URL(name, runtimeFolder), 'utf8');
  return text.replaceAll(/^import [^;]+;\n/gmu, '').trimStart();
}

/** The types of filters, with all operators in the place of those that the file itself names. */
function filtersSource(): string {
  const some = (isOne: (name: Operator) => boolean): string =>
    union(filterOperators().filter(isOne)).replaceAll(`"`, `'`);
  const isPart = (name: Operator): boolean => operators[name].comparesWith === 'part';
  const isValue = (name: Operator): boolean => operators[name].operand === 'value' && !isPart(name);
  const isList = (name: Operator): boolean => operators[name].operand === 'list';
  return source('filters.ts')
    .replace(/(?<=type ValueOperator = )[^;]+/u, some(isValue))
    .replace(/(?<=type ListOperator = )[^;]+/u, some(isList))
    .replace(/'like' \|[^>]+(?=>)/u, some(isPart))
    .replace("'exists' | 'null'", some(isFlag));
}

/** What `defineCode` takes. Its names are those of the file: if those of the version are not, callers have the types of the owner. */
function apiType({ names, hiddenResources }: Version): string {
  const client = names.size > 0 || hiddenResources.size > 0 ? 'OwnerClient' : 'Client';
  return `/** What \`defineCode\` of plinth takes. */\nexport interface Api {\n  readonly resources: CodeResources;\n  readonly client: ${client};\n  readonly owner: OwnerClient;\n}\n`;
}
