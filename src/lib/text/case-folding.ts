/**
 * The classes of code points that are equal under Unicode's CaseFolding (C and S), for `_ilike`. Regular expressions with
 * the flags `iu` use the same folding, so the classes are built from them, on the first `_ilike`.
 */
let classes: ReadonlyMap<string, readonly string[]> | undefined;

/** All characters that fold to the same as `character`, including itself. */
export function foldingClass(character: string): readonly string[] {
  classes ??= buildClasses();
  return classes.get(character) ?? [character];
}

function isOneCodePoint(text: string): boolean {
  return Array.from(text).length === 1;
}

function buildClasses(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  // Letters without an upper case of one character, such as ﬅ and ﬆ, which share an upper case of several.
  const byUpper = new Map<string, string>();
  const changes = /\p{Changes_When_Casemapped}/u;
  for (let code = 0x41; code < 0x1f000; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    if (!changes.test(character)) continue;
    const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
    const sibling = byUpper.get(upper) ?? character;
    byUpper.set(upper, sibling);
    const partners = [lower, upper, upper.toLowerCase(), lower.toUpperCase(), sibling].filter(
      (other) =>
        other !== character &&
        isOneCodePoint(other) &&
        new RegExp(`^${character}$`, 'iu').test(other),
    );
    const joined = new Set([character]);
    for (const member of [character, ...partners])
      for (const other of found.get(member) ?? [member]) joined.add(other);
    for (const member of joined) found.set(member, joined);
  }
  return new Map([...found].map(([character, members]) => [character, [...members].sort()]));
}
