import { extname } from 'node:path';

/** The program `name` beside a module, source or built as the module is. `module` is its `import.meta.url`. */
export function programBeside(module: string, name: string): URL {
  return new URL(`./${name}${extname(module)}`, module);
}
