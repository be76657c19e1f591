import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';

const root = resolve(import.meta.dirname, '..');

/** The anchor that GitHub and the site give a heading. */
export function anchorOf(heading: string): string {
  return heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/gu, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The Markdown files that refer to each other, by their path from the root of the repository. */
function documentsOf(folder: string): readonly string[] {
  return globSync(['*.md', 'docs/**/*.md'], { cwd: folder }).toSorted();
}

interface Line {
  readonly number: number;
  readonly text: string;
}

/** The lines of a document that are prose: code has no headings and no links. */
function proseOf(markdown: string): readonly Line[] {
  let isCode = false;
  return markdown.split('\n').flatMap((line, index) => {
    const isFence = /^\s*```/u.test(line);
    if (isFence) isCode = !isCode;
    if (isFence || isCode) return [];
    return [{ number: index + 1, text: line }];
  });
}

function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const { text } of proseOf(markdown)) {
    const [, heading] = /^#+ (.*)$/u.exec(text) ?? [];
    if (heading === undefined) continue;
    const anchor = anchorOf(heading);
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

/** The links of the documents that lead to no file or to no heading, each with its place. */
export function brokenLinks(folder: string = root): readonly string[] {
  const textOf = (path: string): string => readFileSync(join(folder, path), 'utf8');
  return documentsOf(folder).flatMap((document) =>
    proseOf(textOf(document)).flatMap(({ number, text }) =>
      [...text.replaceAll(/`[^`]*`/gu, '').matchAll(/\]\(([^)\s]+)\)/gu)].flatMap(
        ([, link = '']) => {
          if (/^\w+:/u.test(link)) return [];
          const [path = '', anchor] = link.split('#');
          const named = path === '' ? document : join(dirname(document), path);
          const target = named.endsWith('/') ? `${named}index.md` : named;
          const isThere =
            existsSync(join(folder, target)) &&
            (anchor === undefined || anchorsOf(textOf(target)).has(anchor));
          return isThere ? [] : [`${document}:${number}: ${link} leads nowhere`];
        },
      ),
    ),
  );
}

if (import.meta.main) {
  const broken = brokenLinks();
  for (const line of broken) process.stderr.write(`${line}\n`);
  if (broken.length > 0) process.exitCode = 1;
}
