import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { launch, makeFolder, root } from './command.ts';

export const node = join(root, 'node_modules/.bin/node');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** As strict as the project itself, whose types of Node have fetch. */
export const strictly = { types: ['node'], lib: ['es2024'] };

export interface Program {
  readonly path: string;
  readonly problems: string;
}

/** Writes files beside each other and compiles them; gives what the compiler says. */
export async function compiled(
  files: Readonly<Record<string, string>>,
  compilerOptions: object = strictly,
): Promise<Program> {
  const folder = makeFolder({
    ...files,
    'tsconfig.json': JSON.stringify({
      extends: join(root, 'tsconfig.json'),
      compilerOptions,
      include: ['*.ts'],
    }),
    'package.json': '{ "type": "module" }',
  });
  symlinkSync(join(root, 'node_modules'), folder.at('node_modules'));
  const { out } = await launch(node, [tsc, '-p', folder.path, '--pretty', 'false'], {
    cwd: folder.path,
  }).ended;
  return { path: folder.path, problems: out };
}
