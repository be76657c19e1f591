import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Api, Field } from '../../model/api.ts';
import { dateParts } from '../../model/field-types/group-values.ts';
import { isJsonObject } from '../../model/values.ts';
import type { HeaderValues } from '../../observability/events.ts';
import { leavesOf, parseGroup } from '../../query/filter/group.ts';
import { groupFunctions } from '../../query/plan.ts';
import { sentParameters, type SentParameters } from '../../query/request/debug.ts';
import { groupParameters, isGroupParameter, isParameter } from '../../query/request/parameters.ts';
import { filterOperators, operators } from '../../model/operators.ts';
import { splitUrl } from '../api/router.ts';
import type { Mode } from '../edge/edge.ts';

/** Longer bodies are logged by their length alone. */
const longestBody = 64 * 1024;
const withheld = '[redacted]';

/** Headers of credentials, by the words in their names: never logged, whatever `excludeHeaders` names. */
const credentialHeader =
  /authorization|(?:^|[-_])auth(?:[-_]|$)|token|secret|passw|credential|api[-_]?key|session|jwt|assertion|signature/u;
/** The rest of the default of `excludeHeaders`. See docs/contract/6-operation.md#logging, rule 4. */
const cookieHeaders = ['cookie', 'set-cookie'];
/** Headers that repeat values of parameters or records. */
const valueHeaders = ['link', 'location', 'referer', 'x-next-cursor'];
/** The members of an error body that repeat nothing of the request. */
const errorFacts: ReadonlySet<string> = new Set(['status', 'error', 'code', 'requestId']);

const suffixes = filterOperators().map((name) => operators[name].suffix);
const operator = new RegExp(`(?:${suffixes.join('|')})$`, 'u');
/** A name or path up to the first character that no name has: `pin>1` and `pin:1` hold a value. */
const beginning = /^[\w.~%[\]-]*/u;

type NameClass = 'public' | 'secret' | 'unknown';
type ParameterValue = string | readonly string[];

/** The names of fields, in all resources and versions. One that is `writeOnly` in any resource is secret in all. */
class FieldNames {
  private readonly secret = new Set<string>();
  private readonly public = new Set(['pivot']);
  /** Fields whose members are not declared: any name may follow them in a path. */
  private readonly open = new Set<string>();

  constructor({ resources, versions }: Api) {
    for (const resource of resources.values()) {
      const inVersions = [...versions.values()].map(({ names }) => names.get(resource));
      const namesOf = (name: string): readonly string[] => [
        name,
        ...inVersions.flatMap((names) => names?.get(name) ?? []),
      ];
      this.public.add(resource.name);
      for (const { name } of resource.relations.values())
        for (const each of namesOf(name)) this.public.add(each);
      for (const field of resource.fields.values()) {
        for (const each of namesOf(field.name)) this.add(each, field);
        this.addMembers(field);
      }
    }
  }

  private add(name: string, { type, properties, writeOnly }: Field): void {
    (writeOnly ? this.secret : this.public).add(name);
    if (properties === undefined && ['json', 'object'].includes(type.name)) this.open.add(name);
  }

  private addMembers({ properties, items }: Field): void {
    for (const [name, member] of properties ?? []) {
      this.add(name, member);
      this.addMembers(member);
    }
    if (items !== undefined) this.addMembers(items);
  }

  get haveSecrets(): boolean {
    return this.secret.size > 0;
  }

  classOf(name: string): NameClass {
    if (this.secret.has(name)) return 'secret';
    return this.public.has(name) ? 'public' : 'unknown';
  }

  /** Of the name of a filter or an item of `sort`: `author.name_like`, `owner:posts.title`, `comments.limit`. */
  classOfPath(path: string): NameClass {
    let result: NameClass = 'public';
    let isOpen = false;
    for (const step of path.split(/[.:]/u)) {
      const name = this.classOf(step) === 'unknown' ? step.replace(operator, '') : step;
      const found = this.classOf(name);
      if (found === 'secret') return found;
      if (found === 'unknown' && !isOpen && !isParameter(name)) result = found;
      isOpen ||= this.open.has(name);
    }
    return result;
  }

  /** Of a parameter, by its name and the names in its value. */
  classOfParameter(name: string, value: string): NameClass {
    if (isGroupParameter(name) || name === 'having') {
      const group = parseGroup(name === 'having' ? 'and' : groupParameters[name], value);
      return group.ok
        ? this.worst(leavesOf(group.value).map((pair) => ofFunction(pair.name)))
        : 'unknown';
    }
    if (name === 'group' || name === 'aggregate') {
      const items = value.split(',').map((item) => ofFunction(item.trim()));
      return this.worst([name, ...items]);
    }
    if (/^(?:fields|exclude|expand|(?:.+\.)?sort)$/u.test(name) && value !== '') {
      const items = value.split(',').map((item) => item.trim().replace(/^-/u, ''));
      return this.worst([name, ...items]);
    }
    return this.classOfPath(name);
  }

  private worst(paths: readonly string[]): NameClass {
    const classes = new Set(paths.map((path) => this.classOfPath(path)));
    return (['unknown', 'secret'] as const).find((each) => classes.has(each)) ?? 'public';
  }
}

/** The path that a function is of: `sum:total` and `sum.total_gt`. `count` is no name of a field. */
function ofFunction(text: string): string {
  return text
    .replace(/^count(?=$|_)/u, 'group')
    .replace(functionPrefix, '')
    .replace(datePart, '');
}

const functionPrefix = new RegExp(`^(?:${groupFunctions.join('|')})[.:]`, 'u');
const datePart = new RegExp(`:(?:${Object.keys(dateParts).join('|')})(?=$|_)`, 'u');

/**
 * What a log, the dashboard or a trace may hold of a request. Credentials and values of `writeOnly` fields never; in
 * `start`, values of parameters and bodies only with `logging.includeBodies`. If the file has `writeOnly` fields, a query
 * or body with a name that no resource has is withheld as a whole, since the name may be a secret one misspelt. See
 * docs/contract/6-operation.md#redaction.
 */
export class Redaction {
  /** Whether values are shown, or only the names of parameters. */
  readonly showsValues: boolean;
  private readonly names: FieldNames;
  private readonly excludedHeaders: ReadonlySet<string>;

  constructor(api: Api, mode: Mode) {
    const { includeBodies = false, excludeHeaders = cookieHeaders } = api.settings.logging ?? {};
    this.names = new FieldNames(api);
    this.showsValues = includeBodies || mode === 'dev';
    this.excludedHeaders = new Set([
      ...excludeHeaders.map((name) => name.toLowerCase()),
      ...(this.showsValues && !this.names.haveSecrets ? [] : valueHeaders),
    ]);
  }

  headers(headers: HeaderValues): HeaderValues {
    return Object.fromEntries(
      Object.entries(headers).filter(
        ([name]) => !this.excludedHeaders.has(name) && !credentialHeader.test(name),
      ),
    );
  }

  /** A path, by the status of its response: one that leads nowhere may hold anything. */
  path(path: string, status: number): string {
    if (status < 400 || !this.names.haveSecrets) return path;
    const steps = path.split('/');
    for (const [index, step] of steps.entries()) {
      const decoded = decodedStep(step);
      const [shown = ''] = beginning.exec(decoded) ?? [];
      const isSecret = index < steps.length - 1 && this.names.classOf(shown) === 'secret';
      if (shown === decoded && !isSecret) continue;
      return `${[...steps.slice(0, index), shown].join('/')}${withheld}`;
    }
    return path;
  }

  /** The parameters of a URL: their names, or with their values; undefined if there are none. */
  query(url: string): readonly string[] | SentParameters | undefined {
    const mark = url.indexOf('?');
    if (mark === -1) return undefined;
    const sent = sentParameters(url.slice(mark + 1));
    if (!this.showsValues) return Object.keys(sent).map((name) => this.parameterName(name));
    const isShown = this.shownParameters(sent);
    return Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [
        this.parameterName(name),
        isShown(name, value) ? value : withheld,
      ]),
    );
  }

  /** The same as a query string, in which what is shown stays as it was sent. */
  queryText(url: string): string {
    const { search } = splitUrl(url);
    if (this.showsValues && !this.names.haveSecrets) return search;
    const isShown = this.shownParameters(sentParameters(search));
    const shown = search.split('&').flatMap((pair) => {
      if (pair === '') return [];
      const [written = ''] = pair.split('=', 1);
      const [decoded, value] = decodedPair(pair);
      const name = this.parameterName(decoded);
      const text = name === decoded ? written : name;
      if (!this.showsValues || pair === written) return [text];
      return [isShown(decoded, value) ? pair : `${text}=${withheld}`];
    });
    return (this.showsValues ? shown : [...new Set(shown)]).join('&');
  }

  /** The JSON body of a request; undefined if it is withheld as a whole. */
  requestValue(value: unknown): unknown {
    if (!this.names.haveSecrets) return value;
    const items = Array.isArray(value) ? (value as unknown[]) : [value];
    const isKnown = (item: unknown): boolean =>
      isJsonObject(item) &&
      Object.keys(item).every((name) => this.names.classOf(name) !== 'unknown');
    return items.every(isKnown) ? this.withoutSecrets(value) : undefined;
  }

  /** The JSON body of a response. An error is reduced to its code if its query or the whole body of its request is withheld. */
  responseValue(value: unknown, url: string, requestBody: string | Buffer | undefined): unknown {
    if (!this.names.haveSecrets) return value;
    const isError = isJsonObject(value) && 'code' in value && 'requestId' in value;
    if (!isError || this.isShown(url, requestBody)) return this.withoutSecrets(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === 'path') return [name, this.path(String(member), 404)];
        return [name, errorFacts.has(name) ? member : withheld];
      }),
    );
  }

  /** `requestValue` as a log line has it. */
  requestBody(body: string | Buffer | undefined): unknown {
    return logged(body, (value) => this.requestValue(value));
  }

  /** `responseValue` as a log line has it. */
  responseBody(
    body: string | Buffer | undefined,
    url: string,
    requestBody: string | Buffer | undefined,
  ): unknown {
    return logged(body, (value) => this.responseValue(value, url, requestBody));
  }

  /** Whether all of a request may be shown, so that an error may repeat any part of it. */
  private isShown(url: string, body: string | Buffer | undefined): boolean {
    const { path, search } = splitUrl(url);
    const isShown = this.shownParameters(sentParameters(search));
    return (
      this.path(path, 404) === path &&
      Object.entries(sentParameters(search)).every(([name, value]) => isShown(name, value)) &&
      (body === undefined || body.length === 0 || typeof this.requestBody(body) === 'object')
    );
  }

  private parameterName(name: string): string {
    if (!this.names.haveSecrets || this.names.classOfPath(name) === 'public') return name;
    const [shown = ''] = beginning.exec(name) ?? [];
    return shown === name ? name : `${shown}${withheld}`;
  }

  /** Tells which values of a query are shown: none if one of its names is unknown. */
  private shownParameters(sent: SentParameters): (name: string, value: ParameterValue) => boolean {
    if (!this.names.haveSecrets) return () => true;
    const classOf = (name: string, value: ParameterValue): readonly NameClass[] =>
      [value].flat().map((text) => this.names.classOfParameter(name, text));
    const isUnknown = Object.entries(sent).some(([name, value]) =>
      classOf(name, value).includes('unknown'),
    );
    return (name, value) => !isUnknown && !classOf(name, value).includes('secret');
  }

  private withoutSecrets(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.withoutSecrets(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        this.names.classOf(name) === 'secret' ? withheld : this.withoutSecrets(member),
      ]),
    );
  }
}

function decodedPair(pair: string): readonly [name: string, value: string] {
  if (/[%+]/u.test(pair)) return [...new URLSearchParams(pair)][0] ?? ['', ''];
  const [name = ''] = pair.split('=', 1);
  return [name, pair.slice(name.length + 1)];
}

/** A body as a log line has it: JSON, or its length. */
function logged(body: string | Buffer | undefined, shown: (value: unknown) => unknown): unknown {
  if (body === undefined || body.length === 0) return undefined;
  const length = Buffer.byteLength(body);
  if (length > longestBody) return `[${length} bytes]`;
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return `[${length} bytes, not JSON]`;
  }
  return shown(value) ?? (value === null ? null : `[${length} bytes, withheld]`);
}

function decodedStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

const redactions = new WeakMap<Api, Redaction>();

/** The redaction of an Api, which is made once. */
export function redactionOf(api: Api, mode: Mode): Redaction {
  return getOrInsert(redactions, api, () => new Redaction(api, mode));
}
