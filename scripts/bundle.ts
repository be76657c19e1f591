import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { rolldown } from 'rolldown';

/**
 * Bundles the program into the first argument, or `dist`: what is imported together is one file. A server starts in two
 * thirds of the time that 566 modules need. Its packages stay packages.
 */
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

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(root, 'src', `${name}.ts`)])),
  platform: 'node',
  external: /^[^./]/u,
  tsconfig: false,
});
const folder = resolve(process.argv[2] ?? join(root, 'dist'));
rmSync(join(folder, 'chunks'), { recursive: true, force: true });
await bundle.write({
  dir: folder,
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name].js',
});
await bundle.close();
