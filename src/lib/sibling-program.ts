import { extname } from 'node:path';

/**
 * The program `name` beside a module, for a process or a thread of its own: as source beside source, as built beside what
 * is built. `module` is the `import.meta.url` of the one that starts it.
 */
export function programBeside(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module);
}
