import { singular } from '../../lib/text/singular.ts';
import { freeName, resourceName, wordsOf } from './words.ts';
import type { FoundTable } from '../table.ts';

/**
 * The names of the resources of tables: those that a migration has recorded, else the plural of the table's own name, without
 * a prefix that all tables have. See docs/contract/8-existing-databases.md#names.
 */
export function resourceNames(tables: readonly FoundTable[]): readonly string[] {
  const recorded = tables.map(({ record }) => record.get('')?.resource);
  // They come first, so that they are free.
  const taken = new Set(recorded.flatMap((name) => name?.toLowerCase() ?? []));
  const prefixes = prefixesOf(tables.filter(({ isView }) => !isView).map(plainWords));
  const whole = tables.map((table) => resourceName(plainWords(table).join('_')));
  const short = tables.map((table) => shortName(plainWords(table), prefixes));
  return tables.map((table, index) => {
    const known = recorded[index];
    if (known !== undefined) return known;
    const [own = '', full = ''] = [short[index], whole[index]];
    const isClear = tables.every(
      (_, other) => other === index || (short[other] !== own && whole[other] !== own),
    );
    const names = [isClear ? own : full, full, resourceName(table.actual.name)];
    return freeName(names.find((name) => !taken.has(name)) ?? full, taken);
  });
}

/** The words of a table's name without its schema. */
function plainWords({ actual: { name } }: FoundTable): readonly string[] {
  return wordsOf(name.slice(name.indexOf('.') + 1));
}

/**
 * The prefixes of tables, as words: of Django's `auth_user`, `auth_group` and `blog_post`, or WordPress' `wp_posts`. None if a
 * table has no prefix, or if prefixes are so many that they are parts of the names.
 */
function prefixesOf(tables: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const groups = Map.groupBy(tables, ([first]) => first);
  if (tables.some(({ length }) => length < 2) || groups.size * 2 > tables.length) return [];
  return [...groups.values()].map((group) => {
    const [one = []] = group;
    const most = group.length === 1 ? 1 : Math.min(...group.map(({ length }) => length - 1));
    const other = one.findIndex((word, index) => group.some((words) => words[index] !== word));
    return one.slice(0, other === -1 ? most : Math.min(most, other));
  });
}

/** Without the prefix, and without a word that repeats the one before it, as in TypeORM's `post_tags_tag`. */
function shortName(words: readonly string[], prefixes: readonly (readonly string[])[]): string {
  const prefix = prefixes.find(
    (one) => one.length < words.length && one.every((word, index) => words[index] === word),
  );
  const own = words.slice(prefix?.length ?? 0);
  const said = own.filter(
    (word, index) => index === 0 || singular(word) !== singular(own[index - 1] ?? ''),
  );
  return resourceName(said.join('_'));
}
