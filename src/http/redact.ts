import { getOrInsert } from '../get-or-insert.ts';
import type { Api } from '../model/api.ts';
import { isJsonObject } from '../model/values.ts';
import { sentParameters, type SentParameters } from '../request/debug.ts';
import { operatorSuffixes } from '../spec/reserved.ts';
import type { HeaderValues } from '../trace/events.ts';
import type { Mode } from './edge.ts';
import { splitUrl } from './router.ts';

/** The longest body that is looked into; of longer ones only the length is told. */
const longestBody = 64 * 1024;
const withheld = '[redacted]';
/** The members of an error that have no words of it. */
const wordless: ReadonlySet<string> = new Set(['status', 'error', 'path', 'code', 'requestId']);
/** What a parameter is called goes on like this behind the name of a field: `pin_gt`, `pin[gt]`, `pin.limit`. */
const ofName = /^[\w.[\]]*$/u;

/**
 * Hides the values of `writeOnly` fields in what is kept of a request, by their names: those of any resource, in any
 * version and in whatever case, so that no value shows because a request was wrong in some other way. Contract 3, Logging.
 */
export class Redactor {
  /** Finds such a name where it stands by itself or with an operator, as in `pin`, `owner.pin`, `where[pin]` and `pin_gt`. */
  private readonly name: RegExp | undefined;
  /** The same, with whatever operator: in what a parameter is called, and in what it says, as `_or=pin:1`. */
  private readonly inParameter: RegExp | undefined;

  constructor({ resources, versions }: Api) {
    const names = new Set<string>();
    for (const resource of resources.values())
      for (const field of resource.fields.values()) {
        if (!field.writeOnly) continue;
        names.add(field.name);
        for (const version of versions.values()) {
          const name = version.names.get(resource)?.get(field.name);
          if (typeof name === 'string') names.add(name);
        }
      }
    if (names.size === 0) return;
    const any = `(?<![\\p{L}\\p{N}_])(?:${[...names].join('|')})`;
    const operator = `(?:${operatorSuffixes.join('|')})?`;
    this.name = new RegExp(`${any}${operator}(?![\\p{L}\\p{N}_])`, 'iu');
    this.inParameter = new RegExp(`${any}(?![\\p{L}\\p{N}])`, 'iu');
  }

  /** Whether there is anything to hide. */
  get isNeeded(): boolean {
    return this.name !== undefined;
  }

  /** The value of a query parameter, where neither it nor its name has to do with what is secret. */
  parameter(name: string, value: string | readonly string[]): string | readonly string[] {
    const isSecret = [name, value].flat().some((text) => this.inParameter?.test(text) === true);
    return isSecret ? withheld : value;
  }

  /** What a parameter is called, without what stands behind a secret name: who writes `pin:1` or `pin>1` puts the value there. */
  parameterName(name: string): string {
    const found = this.inParameter?.exec(name);
    if (found === undefined || found === null) return name;
    const end = found.index + found[0].length;
    return ofName.test(name.slice(end)) ? name : `${name.slice(0, end)}${withheld}`;
  }

  /** The body of a request as it may be kept, by the code of its answer. */
  sent(body: string | Buffer | undefined, code: string | undefined): unknown {
    if (body === undefined || !this.isUnclear(code)) return this.body(body);
    return `[${Buffer.byteLength(body)} bytes, no record]`;
  }

  /** Whether a request was refused as no record, so that nobody knows where in its body a secret stands. */
  isUnclear(code: string | undefined): boolean {
    return this.isNeeded && code === 'INVALID_BODY';
  }

  /**
   * A body as it may be kept: JSON without what is secret; of anything else its length. `url`: what an answer was asked with,
   * which an error repeats in its own words.
   */
  body(body: string | Buffer | undefined, url = ''): unknown {
    if (body === undefined || body.length === 0) return undefined;
    const length = Buffer.byteLength(body);
    if (length > longestBody) return `[${length} bytes]`;
    try {
      return this.redacted(JSON.parse(body.toString()), url);
    } catch {
      return `[${length} bytes, not JSON]`;
    }
  }

  /** A JSON value without what is secret. */
  redacted(value: unknown, url = ''): unknown {
    if (!this.isNeeded) return value;
    const isError = isJsonObject(value) && 'code' in value && 'requestId' in value;
    if (!isError || !this.isAskedBy(url)) return this.part(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, wordless.has(name) ? member : withheld]),
    );
  }

  private part(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.part(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        this.name?.test(name) === true ? withheld : this.part(member),
      ]),
    );
  }

  /** Whether a parameter in a URL has to do with what is secret. */
  isAskedBy(url: string): boolean {
    const sent = Object.entries(sentParameters(splitUrl(url).search));
    return sent.some(([name, value]) => this.parameter(name, value) === withheld);
  }
}

/** A parameter as it was sent, decoded. */
function decodedPair(pair: string): readonly [name: string, value: string] {
  if (/[%+]/u.test(pair)) return [...new URLSearchParams(pair)][0] ?? ['', ''];
  const [name = ''] = pair.split('=', 1);
  return [name, pair.slice(name.length + 1)];
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
    const { redactor } = this;
    if (!this.tellsValues) return Object.keys(sent).map((name) => redactor.parameterName(name));
    return Object.fromEntries(
      Object.entries(sent).map(([name, value]) => [
        redactor.parameterName(name),
        redactor.parameter(name, value),
      ]),
    );
  }

  /** The same as one text, each parameter as it was sent, decoded no further. */
  queryText(url: string): string {
    const { search: raw } = splitUrl(url);
    const { redactor } = this;
    if (this.tellsValues && !redactor.isNeeded) return raw;
    const pairs = raw.split('&').filter((pair) => pair !== '');
    const nameOf = (pair: string): string => {
      const [name] = decodedPair(pair);
      const told = redactor.parameterName(name);
      return told === name ? (pair.split('=', 1)[0] ?? '') : told;
    };
    if (!this.tellsValues) return [...new Set(pairs.map(nameOf))].join('&');
    const shown = pairs.map((pair) => {
      const [name, value] = decodedPair(pair);
      return redactor.parameter(name, value) === value ? pair : `${nameOf(pair)}=${withheld}`;
    });
    return shown.join('&');
  }

  /** The headers of a request or an answer. */
  headers(headers: HeaderValues): HeaderValues {
    const shown = Object.entries(headers).filter(([name]) => !this.withheld.has(name));
    return Object.fromEntries(
      shown.map(([name, value]) => {
        const texts = addressHeaders.has(name) ? [value ?? []].flat() : [];
        return [name, texts.some((text) => this.redactor.isAskedBy(text)) ? withheld : value];
      }),
    );
  }
}

const disclosures = new WeakMap<Api, Disclosure>();

/** The disclosure of an Api, which is made once. */
export function disclosureOf(api: Api, mode: Mode): Disclosure {
  return getOrInsert(disclosures, api, () => new Disclosure(api, mode));
}
