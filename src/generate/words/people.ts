export type Sex = 'female' | 'male';

/** How first and last name are joined. */
export interface NameOrder {
  readonly isLastFirst: boolean;
  readonly joint: string;
}

/** The order of names, from the faker library's patterns for the locale. */
export function nameOrder(patterns: readonly { readonly value: string }[]): NameOrder {
  for (const { value } of patterns) {
    const [, first, joint = ' '] =
      /\{\{person\.(firstName|lastName)\}\}(\s?)\{\{person\.(?:firstName|lastName)\}\}/u.exec(
        value,
      ) ?? [];
    if (first !== undefined) return { isLastFirst: first === 'lastName', joint };
  }
  return { isLastFirst: false, joint: ' ' };
}

/** The names of every sex, without duplicates; undefined if the locale builds names from patterns. */
export function plainNames(lists: unknown): readonly string[] | undefined {
  const all = Object.values((lists ?? {}) as Record<string, readonly string[]>).flat();
  const names = [...new Set(all)].filter((name) => name !== '');
  return names.length === 0 || names.some((name) => name.includes('{{')) ? undefined : names;
}

/** The first names that only one sex has. */
export function sexesOf(lists: unknown): ReadonlyMap<string, Sex> {
  const { female = [], male = [] } = (lists ?? {}) as Partial<Record<Sex, readonly string[]>>;
  const [women, men] = [new Set(female), new Set(male)];
  return new Map([
    ...female.filter((name) => !men.has(name)).map((name) => [name, 'female'] as const),
    ...male.filter((name) => !women.has(name)).map((name) => [name, 'male'] as const),
  ]);
}

/** Last names by sex; empty if the locale has no such lists. */
export function surnamesOf(lists: unknown): Partial<Record<Sex, readonly string[]>> {
  const {
    female = [],
    male = [],
    generic = [],
  } = (lists ?? {}) as Readonly<Partial<Record<Sex | 'generic', readonly string[]>>>;
  const isPlain = [...female, ...male].every((name) => !name.includes('{{'));
  if (female.length === 0 || male.length === 0 || !isPlain) return {};
  return { female: [...female, ...generic], male: [...male, ...generic] };
}
