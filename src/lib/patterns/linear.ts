import { readPattern } from './structure.ts';

/**
 * Regular expressions without look-around and back-references, tried in a time that grows with the length of the
 * text alone: all ways of matching are followed at once.
 */

/** Where a match can stand: `next` is reached by one character, `forks` by none. */
type State =
  | {
      readonly kind: 'character';
      readonly fits: (character: string) => boolean;
      readonly next: State;
    }
  | { readonly kind: 'place'; readonly holds: Place; readonly next: State }
  | { readonly kind: 'fork'; readonly forks: State[] }
  | { readonly kind: 'end' };

/** What stands before and behind a place; undefined at the edges of the text. */
type Place = (before: string | undefined, behind: string | undefined) => boolean;

/** A part of a pattern, put before what follows it. */
type Part = (next: State) => State;

/** Longer programs would be slower than what they replace. */
const mostStates = 1_000;

const isWord = (character: string | undefined): boolean => /^\w$/u.test(character ?? '');
const places: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['^', (before) => before === undefined],
  ['$', (_, behind) => behind === undefined],
  [String.raw`\b`, (before, behind) => isWord(before) !== isWord(behind)],
  [String.raw`\B`, (before, behind) => isWord(before) === isWord(behind)],
]);

/** Tests a text; undefined where it was not to go on. */
export type LinearTest = (text: string, goesOn?: () => boolean) => boolean | undefined;

/** After so many states that were looked at a test asks whether it goes on. */
const statesAtOnce = 10_000;

/** A test for texts that a valid pattern (`u` flag) matches somewhere; undefined where it is none of this kind. */
export function linearTest(source: string): LinearTest | undefined {
  let states = 0;
  const fork = (...forks: State[]): State & { readonly forks: State[] } => ({
    kind: 'fork',
    forks,
  });

  const single = (token: string): Part => {
    const holds = places.get(token);
    if (holds !== undefined) return (next) => ({ kind: 'place', holds, next });
    const one = /^(?:[[\\.])/u.test(token) ? new RegExp(`^${token}$`, 'u') : undefined;
    const fits = (character: string): boolean => one?.test(character) ?? character === token;
    return (next) => {
      states += 1;
      return { kind: 'character', fits, next };
    };
  };
  /** Repeats what `more` puts before the rest, so long as the program is not too long anyway. */
  const times = (count: number, rest: State, more: (rest: State) => State): State => {
    let following = rest;
    for (let left = count; left > 0 && states <= mostStates; left -= 1) {
      states += 1;
      following = more(following);
    }
    return following;
  };
  const whole = readPattern<Part>(source, {
    single,
    oneOf: (parts) => (next) => fork(...parts.map((part) => part(next))),
    inOrder: (parts) => (next) => parts.reduceRight((following, part) => part(following), next),
    repeated: (part, from, to) => (next) => {
      if (to !== Infinity)
        return times(
          from,
          times(to - from, next, (rest) => fork(next, part(rest))),
          part,
        );
      const loop = fork(next);
      loop.forks.push(part(loop));
      return times(from, loop, part);
    },
  });
  if (whole === undefined) return undefined;
  const start = whole({ kind: 'end' });
  return states <= mostStates ? (text, goesOn) => run(start, text, goesOn) : undefined;
}

function run(start: State, text: string, goesOn = (): boolean => true): boolean | undefined {
  const characters = Array.from(text);
  let reached: readonly State[] = [];
  let looked = 0;
  for (let index = 0; index <= characters.length; index += 1) {
    const behind = characters[index];
    const seen = new Set<State>([start, ...reached]);
    const next: State[] = [];
    // A set is walked with what is added to it meanwhile.
    for (const state of seen) {
      if (state.kind === 'end') return true;
      if (state.kind === 'fork') for (const one of state.forks) seen.add(one);
      else if (state.kind === 'place') {
        if (state.holds(characters[index - 1], behind)) seen.add(state.next);
      } else if (behind !== undefined && state.fits(behind)) next.push(state.next);
    }
    reached = next;
    looked += seen.size;
    if (looked > statesAtOnce) {
      if (!goesOn()) return undefined;
      looked = 0;
    }
  }
  return false;
}
