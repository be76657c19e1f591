import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { shellArgument, fromFolder, typedCommand, type Context } from '../../server/context.ts';
import { schemaLine, writeEditorSchema } from '../files/editor-schema.ts';
import { exampleNames, examplesFolder } from '../files/examples.ts';
import { CommandFailure, fileReason } from '../../server/failure.ts';
import { ownFolder } from '../../server/files/own-folder.ts';
import { loadOptional } from '../../lib/modules/optional-package.ts';
import { wholeOrNothing } from '../../lib/whole-files.ts';

interface Flags {
  readonly name?: string;
  readonly example?: string;
}

/** Hints for the prompt. */
const hints: Readonly<Record<string, string>> = {
  blog: 'posts, comments as a tree, tags with pivot; generated data',
  shop: 'categories, products, orders, reviews; generated data',
  media: 'images and comments of several resources (polymorphic); generated data',
  chinook: 'a music shop of 11 resources with 15,607 real records',
};
const fallback = { name: 'My API', example: 'blog' };

/** `plinth init [dir]`: writes a working `plinth.yaml` from an example. */
export async function init(
  context: Context,
  directory: string | undefined,
  flags: Flags,
): Promise<void> {
  const folder = fromFolder(context, directory ?? '.');
  const shown = (path: string): string => relative(context.folder, path) || '.';
  const examples = exampleNames();
  if (flags.example !== undefined && !examples.includes(flags.example))
    throw new CommandFailure(
      `There is no example ${flags.example}. Choose one of ${examples.join(', ')}.`,
      { exitCode: 2 },
    );
  if (flags.name?.trim() === '')
    throw new CommandFailure('The name is empty. Give the API one with --name.', { exitCode: 2 });
  refuseExisting(folder, ['plinth.yaml', 'data'], shown);
  const { name, example } = await choose(context, flags, examples);
  const source = join(examplesFolder, example);
  const files = readdirSync(source).filter((file) => file !== 'plinth.yaml' && file !== ownFolder);
  refuseExisting(folder, files, shown);
  const written = [...files, ownFolder, 'plinth.yaml'].map((name) => join(folder, name));
  try {
    wholeOrNothing([folder, ...written], () => write(folder, source, files, name));
  } catch (error) {
    const reason = fileReason(error);
    if (reason === undefined) throw error;
    throw new CommandFailure(
      `${shown(folder)} cannot be written to: ${reason}. Choose another folder.`,
      { cause: error },
    );
  }
  const file = shown(join(folder, 'plinth.yaml'));
  const where = folder === context.folder ? '' : ` ${shellArgument(file)}`;
  context.output.print(
    `${file} is ready. Serve it with:\n\n  ${typedCommand(context, `dev${where}`)}`,
  );
}

function refuseExisting(
  folder: string,
  files: readonly string[],
  shown: (path: string) => string,
): void {
  const path = files.map((file) => join(folder, file)).find((file) => existsSync(file));
  if (path !== undefined)
    throw new CommandFailure(`${shown(path)} already exists. Choose another folder.`);
}

function write(folder: string, source: string, files: readonly string[], name: string): void {
  // `${` would start a variable.
  const line = `name: ${JSON.stringify(name).replaceAll('${', () => '$${')}`;
  const text = readFileSync(join(source, 'plinth.yaml'), 'utf8');
  const named = /^name:/mu.test(text)
    ? text.replace(/^name:.*$/mu, () => line)
    : `${line}\n${text}`;
  writeEditorSchema(folder);
  for (const file of files) cpSync(join(source, file), join(folder, file), { recursive: true });
  // Last, since `init` rejects a folder that has this file.
  writeFileSync(join(folder, 'plinth.yaml'), `${schemaLine}\n${named}`, { flag: 'wx' });
}

/** From the flags, or else the user's answers on a terminal, or else the defaults. */
async function choose(
  { output }: Context,
  flags: Flags,
  examples: readonly string[],
): Promise<{ name: string; example: string }> {
  if (!output.isInteractive || (flags.name !== undefined && flags.example !== undefined))
    return { name: flags.name ?? fallback.name, example: flags.example ?? fallback.example };
  const prompts = await loadOptional(
    'A question',
    ['@clack/prompts'],
    () => import('@clack/prompts'),
  );
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
        options: examples.map((value) => {
          const hint = hints[value];
          return { value, label: value, ...(hint === undefined ? {} : { hint }) };
        }),
        initialValue: fallback.example,
      }),
    );
  return { name, example };
}
