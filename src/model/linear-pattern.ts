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

const token =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u.{4}|\\x..|\\c.|\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|\(\?<[^=!][^>]*>|\(\??|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;
const isWord = (character: string | undefined): boolean => /^\w$/u.test(character ?? '');
const places: ReadonlyMap<string, Place> = new Map<string, Place>([
  ['^', (before) => before === undefined],
  ['$', (_, behind) => behind === undefined],
  [String.raw`\b`, (before, behind) => isWord(before) !== isWord(behind)],
  [String.raw`\B`, (before, behind) => isWord(before) === isWord(behind)],
]);

/** How often at least and at most a quantifier wants what stands before it; undefined where it is none. */
export function boundsOf(quantifier: string): readonly [number, number] | undefined {
  const [, sign, least = '', comma, most] =
    /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/u.exec(quantifier) ?? [];
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
  if (least === '') return undefined;
  const last = comma === '' ? least : most;
  return [Number(least), last === '' ? Infinity : Number(last)];
}

/** The tokens of a valid pattern (`u` flag); undefined where it has look-around or back-references. */
export function tokensOf(source: string): readonly string[] | undefined {
  const tokens = source.match(token) ?? [];
  return tokens.some((one) => one === '(?' || /^\\[1-9k]/u.test(one)) ? undefined : tokens;
}

/** A test for texts that a valid pattern (`u` flag) matches somewhere; undefined where it is none of this kind. */
export function linearTest(source: string): ((text: string) => boolean) | undefined {
  const tokens = tokensOf(source);
  if (tokens === undefined) return undefined;
  let states = 0;
  const fork = (...forks: State[]): State & { readonly forks: State[] } => ({
    kind: 'fork',
    forks,
  });

  let position = 0;
  const any = (): Part => {
    const parts = [all()];
    while (tokens[position] === '|') {
      position += 1;
      parts.push(all());
    }
    const [only, another] = parts;
    return only !== undefined && another === undefined
      ? only
      : (next) => fork(...parts.map((part) => part(next)));
  };
  const all = (): Part => {
    const parts: Part[] = [];
    for (
      let one = tokens[position];
      one !== undefined && one !== ')' && one !== '|';
      one = tokens[position]
    ) {
      position += 1;
      parts.push(repeated(atom(one)));
    }
    return (next) => parts.reduceRight((following, part) => part(following), next);
  };
  const atom = (one: string): Part => {
    if (one.startsWith('(')) {
      const group = any();
      position += 1;
      return group;
    }
    const holds = places.get(one);
    if (holds !== undefined) return (next) => ({ kind: 'place', holds, next });
    const single = /^(?:[[\\.])/u.test(one) ? new RegExp(`^${one}$`, 'u') : undefined;
    const fits = (character: string): boolean => single?.test(character) ?? character === one;
    return (next) => {
      states += 1;
      return { kind: 'character', fits, next };
    };
  };
  const repeated = (part: Part): Part => {
    const bounds = boundsOf(tokens[position] ?? '');
    if (bounds === undefined) return part;
    position += 1;
    const [from, to] = bounds;
    /** Repeats what `more` puts before the rest, so long as the program is not too long anyway. */
    const times = (count: number, rest: State, more: (rest: State) => State): State => {
      let following = rest;
      for (let left = count; left > 0 && states <= mostStates; left -= 1) {
        states += 1;
        following = more(following);
      }
      return following;
    };
    return (next) => {
      if (to !== Infinity)
        return times(
          from,
          times(to - from, next, (rest) => fork(next, part(rest))),
          part,
        );
      const loop = fork(next);
      loop.forks.push(part(loop));
      return times(from, loop, part);
    };
  };
  const start = any()({ kind: 'end' });
  return states <= mostStates ? (text) => run(start, text) : undefined;
}

function run(start: State, text: string): boolean {
  const characters = Array.from(text);
  let reached: readonly State[] = [];
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
  }
  return false;
}
