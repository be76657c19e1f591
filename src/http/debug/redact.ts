import { getOrInsert } from '../../lib/get-or-insert.ts';
import type { Api } from '../../model/api.ts';
import { isJsonObject } from '../../model/values.ts';
import { sentParameters, type SentParameters } from '../../query/request/debug.ts';
import type { HeaderValues } from '../../observability/events.ts';
import type { Mode } from '../edge/edge.ts';
import { splitUrl } from '../api/router.ts';
import { SecretNames } from './secret-names.ts';

/** The longest body that is looked into; of longer ones only the length is told. */
const longestBody = 64 * 1024;
const withheld = '[redacted]';
/** The members of an error that have no words of it. */
const wordless: ReadonlySet<string> = new Set(['status', 'error', 'code', 'requestId']);
/**
 * Hides the values of `writeOnly` fields in what is kept of a request, by their names (`SecretNames`), so that no
 * value shows because a request was wrong in some other way. See docs/contract/6-operation.md#redaction.
 */
export class Redactor {
  private readonly names: SecretNames;

  constructor(api: Api) {
    this.names = new SecretNames(api);
  }

  /** Whether there is anything to hide. */
  get isNeeded(): boolean {
    return this.names.areThere;
  }

  /** The value of a query parameter, where neither it nor its name has to do with what is secret. */
  parameter(name: string, value: string | readonly string[]): string | readonly string[] {
    const { names } = this;
    const isSecret = names.isAskedBy(name) || [value].flat().some((text) => names.isToldIn(text));
    return isSecret ? withheld : value;
  }

  /** What a parameter is called, without what stands behind a secret name. */
  parameterName(name: string): string {
    const told = this.names.nameWithin(name);
    return told === name ? name : `${told}${withheld}`;
  }

  /** A path, without what stands behind a secret name. */
  path(path: string): string {
    const told = this.names.pathWithin(path);
    return told === path ? path : `${told}${withheld}`;
  }

  /** The body of a request as it may be kept, by the code of its answer. */
  sent(body: string | Buffer | undefined, code: string | undefined): unknown {
    if (body === undefined || !this.isUnclear(code))
      return told(body, (value) => this.sentValue(value));
    return `[${Buffer.byteLength(body)} bytes, no record]`;
  }

  /** Whether a request was refused as no record, so that nobody knows where in its body a secret stands. */
  isUnclear(code: string | undefined): boolean {
    return this.isNeeded && code === 'INVALID_BODY';
  }

  /** The body of an answer as it may be kept. `url`: what was asked, which an error repeats in its own words. */
  answered(body: string | Buffer | undefined, url: string): unknown {
    return told(body, (value) => this.answeredValue(value, url));
  }

  /** The JSON value of a request without what is secret, be it under a name that is not quite it. */
  sentValue(value: unknown): unknown {
    if (!this.isNeeded) return value;
    if (Array.isArray(value)) return value.map((item) => this.sentValue(item));
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value);
    const isNaming = (member: unknown): boolean =>
      typeof member === 'string' && this.names.isNamedBy(member);
    // Who names the field in one member gives its value in another.
    const isSpread = members.some(([, member]) => isNaming(member));
    return Object.fromEntries(
      members.map(([name, member]) => {
        if (this.names.isMeantBy(name)) return [name, withheld];
        return [name, isSpread && !isNaming(member) ? withheld : this.sentValue(member)];
      }),
    );
  }

  /** The JSON value of an answer without what is secret. */
  answeredValue(value: unknown, url: string): unknown {
    if (!this.isNeeded) return value;
    const isError = isJsonObject(value) && 'code' in value && 'requestId' in value;
    if (!isError || !this.isAskedBy(url)) return this.part(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (name === 'path') return [name, this.path(String(member))];
        return [name, wordless.has(name) ? member : withheld];
      }),
    );
  }

  private part(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.part(item));
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        name,
        this.names.isMember(name) ? withheld : this.part(member),
      ]),
    );
  }

  /** Whether a URL has to do with what is secret. */
  isAskedBy(url: string): boolean {
    const { path, search } = splitUrl(url);
    if (this.path(path) !== path) return true;
    const sent = Object.entries(sentParameters(search));
    return sent.some(([name, value]) => this.parameter(name, value) === withheld);
  }
}

/** A body as it may be kept: JSON as `redacted` gives it, of anything else its length. */
function told(body: string | Buffer | undefined, redacted: (value: unknown) => unknown): unknown {
  if (body === undefined || body.length === 0) return undefined;
  const length = Buffer.byteLength(body);
  if (length > longestBody) return `[${length} bytes]`;
  try {
    return redacted(JSON.parse(body.toString()));
  } catch {
    return `[${length} bytes, not JSON]`;
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
/** Left out as well, unless the file lists other headers. See docs/contract/6-operation.md#logging, rule 4. */
const cookieHeaders = ['cookie', 'set-cookie'];
/** Headers that repeat the values of parameters, or hold those of records. */
const addressHeaders: ReadonlySet<string> = new Set([
  'link',
  'location',
  'referer',
  'x-next-cursor',
]);

/**
 * What the operator may be told of a request: credentials and `writeOnly` values never, and in `start` values of
 * parameters and bodies only with `logging.includeBodies`. See docs/contract/6-operation.md#logging, rule 5.
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

  /** The path of a request, by the status of its answer: one that leads nowhere may hold anything. */
  path(path: string, status: number): string {
    return status < 400 ? path : this.redactor.path(path);
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
