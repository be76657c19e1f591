import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest extends Locked {
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Licensed {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  /** The text of its licence files; empty if it has none. */
  readonly text: string;
}

const names = 'MIT|ISC|0BSD|Apache-2\\.0|BSD-[23]-Clause|CC0-1\\.0|Unlicense|OFL-1\\.1';
/** Licences that bind nobody who uses Plinth; that of fonts allows them in a program. */
const allowed = new RegExp(`^\\(?(?:${names})(?: (?:OR|AND) (?:${names}))*\\)?$`, 'u');

/** What the dashboard is built with, of which nothing is in the build. */
const tools = /^(?:@types\/|@vitejs\/|vite$)/u;

const json = (path: string): unknown => JSON.parse(readFileSync(resolve(root, path), 'utf8'));

/** Every package that an install of Plinth has, and those that are built into its own files. */
export function thirdParties(): readonly Licensed[] {
  const { packages } = json('package-lock.json') as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const { dependencies, optionalDependencies } = json('package.json') as Manifest;
  const { devDependencies = {} } = json('dashboard/package.json') as Manifest;
  const found = new Set<string>();
  const visit = (names: readonly string[], from: string): void => {
    for (const name of names) {
      const place = placeOf(name, from, packages);
      if (place === undefined || found.has(place)) continue;
      found.add(place);
      const { dependencies: further, optionalDependencies: optional } = packages[place] ?? {};
      visit(Object.keys({ ...further, ...optional }), place);
    }
  };
  visit(Object.keys({ ...dependencies, ...optionalDependencies }), '');
  // Built into the pages.
  visit(
    Object.keys(devDependencies).filter((name) => !tools.test(name)),
    'dashboard',
  );
  return [...found]
    .map((place) => licensed(place, packages[place] ?? {}))
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** The packages whose licence a person has to read before a release. */
export function unknownLicences(packages: readonly Licensed[]): readonly string[] {
  return packages
    .filter(({ licence }) => !allowed.test(licence))
    .map(({ name, licence }) => `${name} (${licence})`);
}

/** Where a package that `from` names is installed, as Node looks for it. */
function placeOf(
  name: string,
  from: string,
  packages: Readonly<Record<string, Locked>>,
): string | undefined {
  for (let folder = from; ;) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === '') return undefined;
    folder = folder.replace(/(?:^|\/)(?:node_modules\/)?(?:@[^/]+\/)?[^/]+$/u, '');
  }
}

function licensed(place: string, { version = '', license = 'unknown' }: Locked): Licensed {
  const files = readdirSync(resolve(root, place)).filter((name) =>
    /^(?:un)?(?:licen[cs]e|copying|notice)/iu.test(name),
  );
  const texts = files.toSorted().map((name) => readFileSync(resolve(root, place, name), 'utf8'));
  return {
    name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
    version,
    licence: license,
    text: texts.map((text) => text.trim()).join('\n\n'),
  };
}

/** The file of licences: each text once, below the packages that have it. */
export function licenceFile(): string {
  const byText = Map.groupBy(thirdParties(), ({ text, licence }) =>
    text === '' ? `Licence: ${licence}. The package has no file of it.` : text,
  );
  const rule = '-'.repeat(80);
  return [
    'Plinth is under the licence in LICENSE. It uses these packages, whose licences follow.',
    ...[...byText].map(
      ([text, packages]) =>
        `${rule}\n${packages.map(({ name, version, licence }) => `${name} ${version} (${licence})`).join('\n')}\n\n${text}`,
    ),
    '',
  ].join('\n\n');
}
