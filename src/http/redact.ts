import type { Api } from '../model/api.ts';
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
      // What is debugged repeats the parameters.
      return JSON.parse(body.toString(), (key, value: unknown) =>
        this.isWithheld(key, value) ? withheld : value,
      ) as unknown;
    } catch {
      return `[${length} bytes, not JSON]`;
    }
  }

  /** Whether a member or a parameter is of a secret field: by its name, or by a part of its path, with an operator or without. */
  private isWithheld(name: string, value: unknown): boolean {
    if (this.names.size === 0) return false;
    // Each pair of `_or` names its field in its value.
    if (name === '_or') return [...this.names].some((secret) => String(value).includes(secret));
    return name
      .split('.')
      .some((part) => this.names.has(part) || this.names.has(part.replace(suffix, '')));
  }
}
