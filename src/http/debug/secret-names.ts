import type { Api, Field } from '../../model/api.ts';
import { nearest } from '../../lib/nearest.ts';
import { operators } from '../../model/operators.ts';
import { reservedParameters } from '../../specification/reserved.ts';

const operatorSuffixes = Object.values(operators).map(({ suffix }) => suffix);

/** What a parameter is called goes on like this behind the name of a field: `pin_gt`, `pin[gt]`, `pin.limit`. */
const ofName = /^[\w.[\]]*$/u;
const words = /[\p{L}\p{N}_]+/gu;
/** Words, and whether something is said of them: `pin:1`, `pin = 1`. Each is met once, however long it is. */
const named = /([\p{L}\p{N}_]+)(\s*[:=<>])?/gu;
const suffix = new RegExp(`(?:${operatorSuffixes.join('|')})$`, 'u');
/** A shorter name stands within too many words that have nothing to do with it. */
const shortestWithin = 4;

/**
 * The names of `writeOnly` fields, those of any resource, in any version and in whatever case; and what else a client may
 * have meant by them: a word that the model does not know, and that is like such a name or has one in it.
 */
export class SecretNames {
  private readonly names = new Set<string>();
  /** What else has a name, in lower case: a word that is near to a secret and one of these is no typing error. */
  private readonly known = new Set(reservedParameters.map((name) => name.toLowerCase()));
  private readonly resources: ReadonlySet<string>;
  /** Finds such a name where it stands by itself or with an operator, as in `pin`, `owner.pin`, `where[pin]` and `pin_gt`. */
  private readonly alone: RegExp;
  /** The same, with whatever operator: in what a parameter is called, and in what it says, as `_or=pin:1`. */
  private readonly anywhere: RegExp;

  constructor({ resources, versions }: Api) {
    for (const resource of resources.values()) {
      const namesOf = ({ name }: { readonly name: string }): readonly string[] => {
        const others = [...versions.values()].map(({ names }) => names.get(resource)?.get(name));
        return [name, ...others.filter((other) => typeof other === 'string')];
      };
      for (const relation of resource.relations.values()) this.know(namesOf(relation));
      for (const field of resource.fields.values()) {
        if (field.writeOnly) for (const name of namesOf(field)) this.names.add(name);
        else this.know(namesOf(field));
        this.know(memberNames(field));
      }
    }
    this.resources = new Set(resources.keys());
    const any = `(?<![\\p{L}\\p{N}_])(?:${[...this.names].join('|')})`;
    const operator = `(?:${operatorSuffixes.join('|')})?`;
    this.alone = new RegExp(`${any}${operator}(?![\\p{L}\\p{N}_])`, 'iu');
    this.anywhere = new RegExp(`${any}(?![\\p{L}\\p{N}])`, 'iu');
  }

  private know(names: readonly string[]): void {
    for (const name of names) this.known.add(name.toLowerCase());
  }

  /** Whether there are any. */
  get areThere(): boolean {
    return this.names.size > 0;
  }

  /** Whether a member of this name holds what is secret. */
  isMember(name: string): boolean {
    return this.areThere && this.alone.test(name);
  }

  /** The same of a member that was sent, perhaps under a name that is not quite it. */
  isMeantBy(name: string): boolean {
    return this.isMember(name) || (name.match(words) ?? []).some((word) => this.isLike(word));
  }

  /** Whether a text is nothing but such a name, as `/pin` in `{ "path": "/pin", "value": 1 }`. */
  isNamedBy(text: string): boolean {
    const [word, ...others] = text.match(words) ?? [];
    return word !== undefined && others.length === 0 && this.isMeantBy(word);
  }

  /** Whether what a parameter is called has to do with what is secret. */
  isAskedBy(name: string): boolean {
    return this.endIn(name) !== undefined;
  }

  /** Whether a parameter says something of what is secret. */
  isToldIn(value: string): boolean {
    return (
      this.areThere &&
      (this.anywhere.test(value) ||
        [...value.matchAll(named)].some(
          ([, word = '', sign]) => sign !== undefined && this.isLike(word),
        ))
    );
  }

  /** What a parameter is called as far as it is a name: who writes `pin:1` or `pin>1` puts the value there. */
  nameWithin(text: string): string {
    const end = this.endIn(text);
    return end === undefined || ofName.test(text.slice(end)) ? text : text.slice(0, end);
  }

  /** How much of a path is no value: behind such a name there may be one, be it in the same step or in the next. */
  pathWithin(path: string): string {
    const steps = path.split('/');
    for (const [index, step] of steps.entries()) {
      const text = decoded(step);
      const end = this.resources.has(text) ? undefined : this.endIn(text);
      if (end === undefined) continue;
      const isLast = end === text.length && index === steps.length - 1;
      return isLast ? path : [...steps.slice(0, index), text.slice(0, end)].join('/');
    }
    return path;
  }

  /** Where the first such name in a text ends; undefined where there is none. */
  private endIn(text: string): number | undefined {
    if (!this.areThere) return undefined;
    const found = this.anywhere.exec(text);
    const exact = found === null ? Number.POSITIVE_INFINITY : found.index + found[0].length;
    for (const match of text.matchAll(words)) {
      if (match.index >= exact) break;
      const [word] = match;
      if (this.isLike(word)) return Math.min(exact, match.index + word.length);
    }
    return found === null ? undefined : exact;
  }

  /** Whether a word that the model does not know was meant to be such a name. */
  private isLike(word: string): boolean {
    const lower = word.toLowerCase();
    const plain = lower.replace(suffix, '');
    if (this.known.has(lower) || this.known.has(plain)) return false;
    return (
      nearest(plain, this.names) !== undefined ||
      [...this.names].some(
        (name) => name.length >= shortestWithin && lower.includes(name.toLowerCase()),
      )
    );
  }
}

/** The names of an object's declared members, and of those below them. */
function memberNames({ properties, items }: Field): readonly string[] {
  const own = [...(properties ?? [])].flatMap(([name, member]) => [name, ...memberNames(member)]);
  return items === undefined ? own : [...own, ...memberNames(items)];
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
