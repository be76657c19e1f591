import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Documents for contributors. */
const leftOut: readonly string[] = ['docs/ARCHITECTURE.md', 'docs/decisions', 'docs/development'];

/** The headings of the folders of `docs/`, in this order; others follow with their own name. */
const headings: Readonly<Record<string, string>> = {
  docs: 'Guide',
  'docs/how-to': 'How to',
  'docs/deploy': 'Deploy',
  'docs/migrate-in': 'Migrate in',
  'docs/reference': 'Reference',
  'docs/contract': 'Contract: the exact rules',
};

const introduction = `# Plinth

> One file, plinth.yaml, names resources, fields and relations. From it Plinth serves a complete REST API over SQLite or
> PostgreSQL: from the first mock with generated data to production, with the same URLs and the same answers.

To write or change a plinth.yaml, read [the skill](skills/plinth/SKILL.md) first: what the file looks like, the ten
commonest mistakes, and how to check it. In short:

1. Write plinth.yaml. [schema.json](schema.json) is its JSON Schema.
2. Run \`npx plinth check --json\`. Make each \`edit\`, fix the others by \`rule\`, \`path\` and \`message\`, and run it again.
3. Run \`npx plinth dev\`, and try requests at http://127.0.0.1:4000. \`GET /_openapi.json\` describes them.

Complete files: [blog](examples/blog/plinth.yaml) (relations, tags), [shop](examples/shop/plinth.yaml) (orders,
categories as a tree), [media](examples/media/plinth.yaml) (polymorphic relations).
`;

/** `llms.txt`: what Plinth is, and every page of the documents with its first sentence. */
export function llms(): string {
  const pages = globSync('docs/**/*.md', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !leftOut.some((start) => path.startsWith(start)))
    .toSorted();
  const byFolder = Map.groupBy(pages, (path) => dirname(path));
  const known = Object.keys(headings);
  const rank = (folder: string): number =>
    known.includes(folder) ? known.indexOf(folder) : known.length;
  const folders = [...byFolder].toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return [
    introduction,
    ...folders.flatMap(([folder, paths]) => [
      `## ${headings[folder] ?? folder.slice('docs/'.length)}`,
      '',
      ...paths.map(entryOf),
      '',
    ]),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

/** `- [title](path): first sentence` */
function entryOf(path: string): string {
  const text = readFileSync(resolve(root, path), 'utf8').replaceAll(/^---\n[\s\S]*?\n---\n/gu, '');
  const title = /^# (.+)$/mu.exec(text)?.[1] ?? path;
  const paragraphs = text.split(/\n{2,}/u).map((paragraph) => paragraph.trim());
  const prose = paragraphs.find((paragraph) => /^(?!```)[\p{L}`"[]/u.test(paragraph)) ?? '';
  const plain = prose.replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1').replaceAll(/\s+/gu, ' ');
  const sentence = (/^.*?\.(?=\s|$)/u.exec(plain)?.[0] ?? plain).replace(/[.:]$/u, '');
  return `- [${title}](${path})${sentence === '' ? '' : `: ${sentence}`}`;
}
