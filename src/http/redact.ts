import type { Api } from '../model/api.ts';
import { sentParameters, type SentParameters } from '../request/debug.ts';
import type { HeaderValues } from '../trace/events.ts';
import type { Mode } from './edge.ts';
import { operatorSuffixes } from '../spec/reserved.ts';

/** The longest body that is looked into; of longer ones only the length is told. */
const longestBody = 64 * 1024;
const suffix = new RegExp(`(?:${operatorSuffixes.join('|')})$`, 'u');
const withheld = '[redacted]';

/**
 * Hides the values of `writeOnly` fields in what is kept of a request, by their names: those of any resource, in any
 * version, so that no value shows because a request was wrong in some other way. Contract 3, Logging.
 */
export class Redactor {
  private readonly names = new Set<string>();

  constructor({ resources, versions }: Api) {
    for (const resource of resources.values())
      for (const field of resource.fields.values()) {
        if (!field.writeOnly) continue;
        this.names.add(field.name);
        for (const version of versions.values()) {
          const name = version.names.get(resource)?.get(field.name);
          if (typeof name === 'string') this.names.add(name);
        }
      }
  }

  /** Whether there is anything to hide. */
  get isNeeded(): boolean {
    return this.names.size > 0;
  }

  /** The value of a query parameter. */
  parameter(name: string, value: string | readonly string[]): string | readonly string[] {
    return this.isWithheld(name, value) ? withheld : value;
  }

  /** A body as it may be kept: JSON without what is secret; of anything else its length. */
  body(body: string | Buffer | undefined): unknown {
    if (body === undefined || body.length === 0) return undefined;
    const length = Buffer.byteLength(body);
    if (length > longestBody) return `[${length} bytes]`;
    try {
      return this.redacted(JSON.parse(body.toString()));
    } catch {
      return `[${length} bytes, not JSON]`;
    }
  }

  /** A JSON value without what is secret. What is debugged repeats the parameters. */
  redacted(value: unknown): unknown {
    if (!this.isNeeded || typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.redacted(item));
    const isOfGroup = 'field' in value && value.field === '_or';
    const members = Object.entries(value).map(([name, member]) => [
      name,
      this.isWithheld(name, member) || (isOfGroup && name !== 'field')
        ? withheld
        : this.redacted(member),
    ]);
    return Object.fromEntries(members) as unknown;
  }

  /** Whether a member or a parameter is of a secret field: by its name, or by a part of its path, with an operator or without. */
  private isWithheld(name: string, value: unknown): boolean {
    if (this.names.size === 0) return false;
    // Each pair of `_or` names its field in its value.
    if (name === '_or') return [...this.names].some((secret) => String(value).includes(secret));
    // What is wrong with a group is told with a part of it, perhaps with what stands behind the name.
    if (typeof value === 'string' && value.includes('_or: ')) return true;
    // Others write `name[operator]`.
    return name
      .split(/[.[\]]/u)
      .some((part) => this.names.has(part) || this.names.has(part.replace(suffix, '')));
  }
}

/** What callers prove who they are with here. Whoever names other headers to leave out has not asked to see these. */
const credentialHeaders = ['authorization', 'x-api-key'];
/** Contract 3, Logging: what else is left out where the file names nothing. */
const cookieHeaders = ['cookie', 'set-cookie'];
/** Headers that repeat the values of parameters, or hold those of records. */
const addressHeaders: ReadonlySet<string> = new Set([
  'link',
  'location',
  'referer',
  'x-next-cursor',
]);

/**
 * What may be told of a request to who runs the service: credentials and `writeOnly` values never, and in `start`
 * values of parameters and bodies only where `logging.includeBodies` says so. Contract 3, Logging.
 */
export class Disclosure {
  readonly redactor: Redactor;
  /** Whether values are told, or only the names of parameters. */
  readonly tellsValues: boolean;
  private readonly withheld: ReadonlySet<string>;

  constructor(api: Api, mode: Mode) {
    const { includeBodies = false, excludeHeaders = cookieHeaders } = api.settings.logging ?? {};
    this.redactor = new Redactor(api);
    this.tellsValues = includeBodies || mode === 'dev';
    const names = [...credentialHeaders, ...excludeHeaders.map((name) => name.toLowerCase())];
    this.withheld = new Set(this.tellsValues ? names : [...names, ...addressHeaders]);
  }

  /** The parameters of a URL; undefined where it has none. */
  query(url: string): readonly string[] | SentParameters | undefined {
    const mark = url.indexOf('?');
    if (mark === -1) return undefined;
    const sent = sentParameters(url.slice(mark + 1));
    if (!this.tellsValues) return Object.keys(sent);
    return Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [name, this.redactor.parameter(name, value)]),
    );
  }

  headers(headers: HeaderValues): HeaderValues {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => !this.withheld.has(name)));
  }
}

const disclosures = new WeakMap<Api, Disclosure>();

/** The disclosure of an Api, which is made once. */
export function disclosureOf(api: Api, mode: Mode): Disclosure {
  let disclosure = disclosures.get(api);
  if (disclosure === undefined) {
    disclosure = new Disclosure(api, mode);
    disclosures.set(api, disclosure);
  }
  return disclosure;
}
