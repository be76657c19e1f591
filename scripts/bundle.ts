import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';

const root = resolve(import.meta.dirname, '..');

/** What the package exports or runs, and what is loaded by `packageModule`. */
const entries = [
  'index',
  'test',
  'cli/main',
  'databases/sqlite/slow-reads/reader-process',
  'databases/sqlite/slow-reads/parent-watch',
  'server/dev/background-check-process',
];

/**
 * Bundles the program into a folder. Modules that are loaded together become one file, so that a server starts in three
 * quarters of the time that 566 modules take. Packages are not bundled. Files that have not changed are not written again,
 * since another process may be loading them.
 */
export async function bundle(folder = join(root, 'dist')): Promise<void> {
  const program = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, 'src', `${name}.ts`)])),
    platform: 'node',
    external: /^[^./]/u,
    tsconfig: false,
  });
  const { output } = await program.generate({
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
  });
  await program.close();
  const names = new Set<string>();
  for (const file of output) {
    const path = join(folder, file.fileName);
    const text = file.type === 'chunk' ? file.code : file.source;
    names.add(file.fileName);
    if (existsSync(path) && readFileSync(path, 'utf8') === String(text)) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  for (const name of readdirSync(join(folder, 'chunks')))
    if (!names.has(`chunks/${name}`)) rmSync(join(folder, 'chunks', name));
}

if (import.meta.main) await bundle(process.argv[2]);
