import { reservedParameters } from '../reserved.ts';
import { quote, type Entry } from '../yaml/node.ts';

/** The rule for names in a part of the file. */
export interface NameRule {
  readonly pattern: RegExp;
  /** Whether two names that differ only in case are rejected. */
  readonly caseless: boolean;
  /** Whether names that begin with `x-` are like all others. */
  readonly hasAnyKeys?: boolean;
  /** The message for a name that the pattern rejects. */
  readonly refusal: (name: string) => string;
  /** Advice about a valid name, if any. */
  readonly advice?: (
    name: string,
    entries: ReadonlyMap<string, Entry>,
    operatorSuffixes: readonly string[],
  ) => string | undefined;
}

/** The longest name in PostgreSQL, in bytes; it truncates longer ones. */
export const longestName = 63;

const version = /^v\d+$/;
const camelCase = /^[a-z][a-zA-Z0-9]*$/;
const lowerCaseHyphens = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

function refuseName(name: string, what: string, rule: string): string {
  if (name.length > longestName && /^[\w-]+$/.test(name)) {
    return `${quote(name)} is too long for ${what}; the most is ${longestName} characters`;
  }
  if (name === '') return `${what} cannot be empty; it takes ${rule}`;
  const hint = /^[\w-]+:/.test(name) ? ' (a `:` needs a blank behind it)' : '';
  return `${quote(name)} cannot be ${what}; it takes ${rule}${hint}`;
}

/** Names of resources. See docs/contract/1-specification-file.md#names, rule 1. */
export const resourceNames: NameRule = {
  pattern: /^(?!v\d+$)[A-Za-z][A-Za-z0-9_-]{0,62}$/,
  caseless: true,
  refusal: (name) =>
    version.test(name)
      ? `${quote(name)} cannot be a resource's name, as a path \`/${name}\` names a version of the API`
      : refuseName(
          name,
          "a resource's name",
          'letters from a to z, digits, `-` and `_`, and begins with a letter',
        ),
  advice: (name) =>
    lowerCaseHyphens.test(name)
      ? undefined
      : `by convention a resource's name is in lower case with hyphens: ${quote(hyphenated(name))} instead of ${quote(name)}`,
};

/** Names of fields and relations. */
export const fieldNames: NameRule = {
  pattern: /^[A-Za-z][A-Za-z0-9_]{0,62}$/,
  caseless: true,
  refusal: (name) =>
    refuseName(
      name,
      "a field's name",
      'letters from a to z, digits and `_`, and begins with a letter',
    ),
  // A relation is filtered by `group_exists` and `group.name`, whatever its name.
  advice: (name, entries, suffixes) =>
    adviceOnField(name, entries, suffixes, isRelation(entries.get(name)) ? [] : reservedParameters),
};

/** Names of the properties of an object field. */
export const propertyNames: NameRule = {
  ...fieldNames,
  caseless: false,
  refusal: (name) =>
    refuseName(
      name,
      "a property's name",
      'letters from a to z, digits and `_`, and begins with a letter',
    ),
  advice: (name, entries, suffixes) => adviceOnField(name, entries, suffixes, []),
};

/** Routes of quotas: a method, and a path below the version in which `*` and `:id` stand for one segment. */
export const routeNames: NameRule = {
  pattern: /^(\*|GET|POST|PUT|PATCH|DELETE)( \/[\w.~:*-]+(\/[\w.~:*-]+)*)$/,
  caseless: false,
  refusal: (name) =>
    `\`${name}\` is not a route: write a method or *, and a path below the version, such as \`POST /orders\` or \`GET /orders/:id\``,
};

/** Names of claims, as access rules write them. */
export const claimNames: NameRule = {
  pattern: /^[\w./:@-]+$/,
  caseless: false,
  hasAnyKeys: true,
  refusal: (name) => refuseName(name, "a claim's name", 'letters, digits and _ - . : / @'),
};

/** Names of settings of PostgreSQL. */
export const settingNames: NameRule = {
  pattern: /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/,
  caseless: true,
  refusal: (name) =>
    refuseName(
      name,
      "a setting's name",
      'letters from a to z, digits and `_`, and parts joined with dots, such as `app.tenant`',
    ),
};

/** Names of field groups, written after `@` in `fields`. */
export const groupNames: NameRule = {
  pattern: /^[A-Za-z][A-Za-z0-9_-]{0,62}$/,
  caseless: false,
  refusal: (name) =>
    refuseName(
      name,
      "a group's name",
      'letters from a to z, digits, `-` and `_`, and begins with a letter',
    ),
};

/** Numbers of versions. */
export const versionNumbers: NameRule = {
  pattern: /^[1-9]\d{0,8}$/,
  caseless: false,
  refusal: (name) => `${quote(name)} is not a version number; write a whole number from 1 up`,
};

function isRelation(entry: Entry | undefined): boolean {
  const type = entry?.value.kind === 'map' ? entry.value.entries.get('type')?.value : undefined;
  return type?.kind === 'scalar' && type.value === 'relation';
}

/** Lint: why a field's name is awkward in a query string, in JSON or in the OpenAPI document. */
function adviceOnField(
  name: string,
  names: { has(name: string): boolean },
  operatorSuffixes: readonly string[],
  reserved: readonly string[],
): string | undefined {
  if (reserved.includes(name)) {
    return `${quote(name)} is a query parameter as well, which wins: a filter needs an operator behind the name, such as ${quote(`${name}_eq`)}`;
  }
  const suffix = operatorSuffixes.findLast((end) => name.length > end.length && name.endsWith(end));
  if (suffix !== undefined) {
    const base = name.slice(0, -suffix.length);
    return names.has(base)
      ? `${quote(name)} stands beside ${quote(base)}: a filter ${quote(`${name}=…`)} always means the field ${quote(name)}, never the operator \`${suffix}\` on ${quote(base)}`
      : `${quote(name)} ends like the operator \`${suffix}\`; another name would not be mistaken for a filter on ${quote(base)}`;
  }
  if (Object.hasOwn(Object.prototype, name)) {
    return `${quote(name)} is a name that every object of JavaScript has: some tools that read the OpenAPI document fail on such a field`;
  }
  if (camelCase.test(name)) return undefined;
  return `by convention a field's name is in camelCase: ${quote(camelCased(name))} instead of ${quote(name)}`;
}

function words(name: string): readonly string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase()
    .split(/[-_]+/)
    .filter((word) => word !== '');
}

function hyphenated(name: string): string {
  return words(name).join('-');
}

function camelCased(name: string): string {
  return words(name)
    .map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join('');
}
