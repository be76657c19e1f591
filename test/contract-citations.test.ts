import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

const filesIn = (...patterns: readonly string[]): readonly string[] =>
  globSync(patterns, {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|dist|\.plinth)$/u.test(path),
  });

const textOf = (path: string): string => readFileSync(resolve(root, path), 'utf8');

/** A section of a chapter: its heading, and the numbers of its rules in their order. */
interface Section {
  readonly anchor: string;
  readonly rules: readonly number[];
}

/** The anchor that Markdown readers give a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/gu, '')
    .replaceAll(' ', '-');
}

function sectionsOf(chapter: string): readonly Section[] {
  return chapter.split(/^(?=#+ )/mu).map((part) => {
    const [, heading = ''] = /^#+ (.*)$/mu.exec(part) ?? [];
    const rules = [...part.matchAll(/^(\d+)\. /gmu)].map(([, number]) => Number(number));
    return { anchor: anchorOf(heading), rules };
  });
}

const chapters = new Map(
  filesIn('docs/contract/*.md').map((path) => [path, sectionsOf(textOf(path))]),
);

interface Citation {
  readonly citedIn: string;
  readonly chapter: string;
  readonly anchor?: string;
  readonly rule?: number;
}

/** Why a citation leads nowhere; undefined where it leads to a rule, a section or a chapter. */
function faultOf({ chapter, anchor, rule }: Citation): string | undefined {
  const sections = chapters.get(chapter);
  if (sections === undefined) return 'no such file';
  const section = sections.find((one) => one.anchor === anchor);
  if (anchor !== undefined && section === undefined) return 'no such heading';
  return rule === undefined || section?.rules.includes(rule) === true ? undefined : 'no such rule';
}

/** `docs/contract/2-reading.md#sorting, rule 3`, which a comment may break between lines. */
function citationsIn(citedIn: string): readonly Citation[] {
  const unbroken = textOf(citedIn).replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/)?\s*/gu, ' ');
  const found = unbroken.matchAll(
    /(?<chapter>docs\/contract\/[\w-]+\.md)(?:#(?<anchor>[\w-]+)(?:`?, rule (?<rule>\d+))?)?/gu,
  );
  return [...found].map(({ groups = {} }) => {
    const { chapter = '', anchor, rule } = groups as Partial<Record<string, string>>;
    return {
      citedIn,
      chapter,
      ...(anchor === undefined ? {} : { anchor }),
      ...(rule === undefined ? {} : { rule: Number(rule) }),
    };
  });
}

const citations = filesIn(
  '{src,test,bench,packages,dashboard/src,docs}/**/*.{ts,tsx,js,mjs,md}',
).flatMap(citationsIn);

test('the code cites the contract', () => {
  const inCode = citations.filter(({ citedIn }) => !citedIn.startsWith('docs/'));
  expect(inCode).not.toEqual([]);
});

test('every citation leads to a rule, a section or a chapter', () => {
  const faults = citations.flatMap((citation) => {
    const fault = faultOf(citation);
    return fault === undefined ? [] : [{ ...citation, fault }];
  });
  expect(faults).toEqual([]);
});

/** Documents for contributors. Those for users name files of users. */
const internal = filesIn(
  'docs/{ARCHITECTURE.md,decisions/*.md,development/*.md}',
  'dashboard/*.md',
  '{src,test,bench,scripts,packages,dashboard/src}/**/*.{ts,tsx,css,md}',
);
const sources = filesIn('{src,test,bench,scripts,packages,dashboard}/**/*.{ts,tsx,css}');
const folders = ['src', 'dashboard', 'test', 'bench', 'scripts'];
const foldersOfSource = new Set(
  sources.flatMap((path) => /^src\/(\w+)\//u.exec(path)?.slice(1) ?? []),
);

/** The files of the project that a text names: with their path from the root, from `src/`, or from a folder in there. */
function namedIn(path: string): readonly string[] {
  const roots = [...folders, ...foldersOfSource].join('|');
  // Specifiers of imports are in quotes.
  const names = new RegExp(`(?<![\\w./'"-])(?:${roots})/[\\w./-]+\\.(?:tsx?|css)\\b`, 'gu');
  return [...textOf(path).matchAll(names)].map(([name]) => name);
}

test('every file that a comment or a document for contributors names is there', () => {
  const named = internal.flatMap((path) => namedIn(path).map((name) => [path, name] as const));
  expect(named.length).toBeGreaterThan(100);
  const ends = new Set(
    sources.flatMap((path) => {
      const parts = path.split('/');
      return parts.map((_, index) => parts.slice(index).join('/'));
    }),
  );
  expect(named.filter(([, name]) => !ends.has(name))).toEqual([]);
});

test.each([...chapters.keys()])('%s links to sections that exist', (path) => {
  const links = [...textOf(path).matchAll(/\]\((?<file>[\w-]+\.md)?(?:#(?<anchor>[\w-]+))?\)/gu)];
  const faults = links.flatMap(({ 0: link, groups = {} }) => {
    const { file, anchor } = groups as Partial<Record<string, string>>;
    const chapter = file === undefined ? path : `docs/contract/${file}`;
    const fault = faultOf({ citedIn: path, chapter, ...(anchor === undefined ? {} : { anchor }) });
    return fault === undefined ? [] : [`${link}: ${fault}`];
  });
  expect(faults).toEqual([]);
});

test.each([...chapters])(
  '%s has each heading once, and numbers its rules from 1',
  (_, sections) => {
    const anchors = sections.map(({ anchor }) => anchor);
    expect(anchors).toEqual([...new Set(anchors)]);
    for (const { rules } of sections) expect(rules).toEqual(rules.map((_, index) => index + 1));
  },
);
