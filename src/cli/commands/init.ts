import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { specificationJsonSchema } from '../../spec/json-schema.ts';
import { fromFolder, type Context } from '../context.ts';
import { CommandFailure } from '../failure.ts';

interface Flags {
  readonly name?: string;
  readonly example?: string;
}

const examplesFolder = fileURLToPath(new URL('../../../examples/', import.meta.url));
const fallback = { name: 'My API', example: 'blog' };
/** Beside the file, so that an editor finds it without a network. */
const schemaFile = '.plinth/schema.json';

/** `plinth init [dir]`: writes a `plinth.yaml` that runs, from an example. */
export async function init(
  context: Context,
  directory: string | undefined,
  flags: Flags,
): Promise<void> {
  const folder = fromFolder(context, directory ?? '.');
  const file = join(folder, 'plinth.yaml');
  const shown = (path: string): string => relative(context.folder, path) || '.';
  if (existsSync(file))
    throw new CommandFailure(`${shown(file)} is there already. Choose another folder.`);
  const examples = readdirSync(examplesFolder).filter((name) =>
    existsSync(join(examplesFolder, name, 'plinth.yaml')),
  );
  if (flags.example !== undefined && !examples.includes(flags.example))
    throw new CommandFailure(
      `There is no example ${flags.example}; there is ${examples.join(', ')}.`,
      { exitCode: 2 },
    );
  const { name, example } = await choose(context, flags, examples);
  const source = resolve(examplesFolder, example);
  const text = readFileSync(join(source, 'plinth.yaml'), 'utf8').replace(
    /^name: .*$/mu,
    () => `name: ${JSON.stringify(name)}`,
  );
  try {
    mkdirSync(join(folder, '.plinth'), { recursive: true });
    writeFileSync(
      join(folder, schemaFile),
      JSON.stringify(specificationJsonSchema(), undefined, 2),
    );
    if (existsSync(join(source, 'data')))
      cpSync(join(source, 'data'), join(folder, 'data'), { recursive: true });
    writeFileSync(file, `# yaml-language-server: $schema=${schemaFile}\n${text}`, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      `${shown(folder)} cannot be written to (${code ?? 'unknown'}). Choose another folder.`,
      { cause: error },
    );
  }
  const where = directory === undefined ? '' : ` ${shown(file)}`;
  context.output.print(`${shown(file)} is ready. Serve it with:\n\n  plinth dev${where}`);
}

/** The flags, or what the user answers at a terminal, or the defaults. */
async function choose(
  { output }: Context,
  flags: Flags,
  examples: readonly string[],
): Promise<{ name: string; example: string }> {
  if (!output.isInteractive || (flags.name !== undefined && flags.example !== undefined))
    return { name: flags.name ?? fallback.name, example: flags.example ?? fallback.example };
  const prompts = await import('@clack/prompts');
  const answer = (value: string | symbol): string => {
    if (typeof value === 'symbol') throw new CommandFailure('Nothing was written.');
    return value;
  };
  const name =
    flags.name ??
    answer(
      await prompts.text({
        message: 'What is the API called?',
        defaultValue: fallback.name,
        placeholder: fallback.name,
      }),
    );
  const example =
    flags.example ??
    answer(
      await prompts.select({
        message: 'Which example do you want to start from?',
        options: examples.map((value) => ({ value, label: value })),
        initialValue: fallback.example,
      }),
    );
  return { name, example };
}
