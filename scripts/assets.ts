import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { brotliCompressSync } from 'node:zlib';
import { licenceFile } from './licences.ts';

/** Makes the build folder what the package has: the first argument, or `dist`. */
const root = resolve(import.meta.dirname, '..');
const dist = resolve(process.argv[2] ?? resolve(root, 'dist'));
const filesOf = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));

writeFileSync(resolve(dist, 'THIRD-PARTY-LICENSES.txt'), licenceFile());
compressDashboard(resolve(dist, 'dashboard'));
removeDeclarations([resolve(dist, 'index.d.ts'), resolve(dist, 'test.d.ts')]);

/** 2.3 MB of scripts and styles become 0.6 MB. They are decompressed when the dashboard is first opened. */
function compressDashboard(folder: string): void {
  if (!existsSync(folder)) return;
  for (const path of filesOf(folder).filter((name) => /\.(?:js|css)$/u.test(name))) {
    writeFileSync(`${path}.br`, brotliCompressSync(readFileSync(path)));
    rmSync(path);
  }
}

/** Removes the declarations that no entry of the package needs: 2 MB, as most files are small. */
function removeDeclarations(entries: readonly string[]): void {
  const needed = new Set<string>();
  const visit = (path: string): void => {
    if (needed.has(path) || !existsSync(path)) return;
    needed.add(path);
    const imports = readFileSync(path, 'utf8').matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/gu);
    for (const [, name = ''] of imports)
      visit(join(dirname(path), name.replace(/\.[jt]s$/u, '.d.ts')));
  };
  entries.forEach(visit);
  for (const path of filesOf(dist)) if (path.endsWith('.d.ts') && !needed.has(path)) rmSync(path);
}
