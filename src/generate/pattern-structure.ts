/** What a pattern is made into: each of its parts from the parts within it. */
export interface PatternBuilders<Part> {
  /** One of several: `a|b`. */
  readonly oneOf: (parts: readonly Part[]) => Part;
  readonly inOrder: (parts: readonly Part[]) => Part;
  /** `most` is Infinity where there is no end. */
  readonly repeated: (part: Part, least: number, most: number) => Part;
  /** A character, a class of them, or a place between two: `^`, `$`, `\b`, `\B`. */
  readonly single: (token: string) => Part;
}

const token =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u.{4}|\\x..|\\c.|\\.|\[(?:\\.|[^\]\\])*\]|\(\?:|\(\?<[^=!][^>]*>|\(\??|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu;

/** How often at least and at most a quantifier wants what stands before it; undefined where it is none. */
function boundsOf(quantifier: string): readonly [number, number] | undefined {
  const [, sign, least = '', comma, most] =
    /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/u.exec(quantifier) ?? [];
  if (sign !== undefined) return [sign === '+' ? 1 : 0, sign === '?' ? 1 : Infinity];
  if (least === '') return undefined;
  const last = comma === '' ? least : most;
  return [Number(least), last === '' ? Infinity : Number(last)];
}

/** Makes a whole of a valid pattern (`u` flag); undefined where it has look-around or back-references. */
export function readPattern<Part>(
  source: string,
  builders: PatternBuilders<Part>,
): Part | undefined {
  const tokens = source.match(token) ?? [];
  if (tokens.some((one) => one === '(?' || /^\\[1-9k]/u.test(one))) return undefined;
  let position = 0;
  const any = (): Part => {
    const first = all();
    if (tokens[position] !== '|') return first;
    const parts = [first];
    while (tokens[position] === '|') {
      position += 1;
      parts.push(all());
    }
    return builders.oneOf(parts);
  };
  const all = (): Part => {
    const parts: Part[] = [];
    for (
      let one = tokens[position];
      one !== undefined && one !== ')' && one !== '|';
      one = tokens[position]
    ) {
      position += 1;
      parts.push(repeated(one.startsWith('(') ? group() : builders.single(one)));
    }
    return builders.inOrder(parts);
  };
  const group = (): Part => {
    const part = any();
    position += 1;
    return part;
  };
  const repeated = (part: Part): Part => {
    const bounds = boundsOf(tokens[position] ?? '');
    if (bounds === undefined) return part;
    position += 1;
    return builders.repeated(part, ...bounds);
  };
  return any();
}
