import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { endedWell, launch, root, type Ended, type makeFolder } from './command.ts';

type Folder = ReturnType<typeof makeFolder>;

const node = join(root, 'node_modules/.bin/node');

/** The texts at the top of the package. */
export const packedTexts = [
  'CHANGELOG.md',
  'CODE_OF_CONDUCT.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'SECURITY.md',
];

/** Builds the package apart from the checkout, and packs it into the folder. Gives the path of the tarball. */
export async function packPlinth(folder: Folder): Promise<string> {
  const build = folder.at('build');
  mkdirSync(build);
  for (const name of ['node_modules', 'scripts', 'tsconfig.json', 'tsconfig.build.json'])
    symlinkSync(join(root, name), join(build, name));
  const run = (program: string, ...args: string[]): Promise<Ended> =>
    endedWell(launch(program, args, { cwd: build }));
  const copied = ['package.json', 'examples', 'schema.json', 'docs', 'llms.txt', 'skills'];
  await run('cp', '-r', ...[...copied, ...packedTexts].map((name) => join(root, name)), '.');
  await run('mkdir', 'bench', 'src');
  await run('cp', '-r', join(root, 'src/client'), 'src');
  await run('cp', join(root, 'bench/RESULTS.md'), 'bench');
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const project = join(root, 'tsconfig.build.json');
  await run(node, tsc, '-p', project, '--outDir', join(build, 'dist'));
  await run(node, join(root, 'scripts/bundle.ts'), join(build, 'dist'));
  // Built by every install in a checkout.
  await run('cp', '-r', join(root, 'dist/dashboard'), join(build, 'dist'));
  await run(node, join(root, 'scripts/assets.ts'), join(build, 'dist'));
  await run('npm', 'pack', '--ignore-scripts', '--pack-destination', folder.path);
  return folder.at(readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '');
}

/**
 * Arguments of npm that take from its cache what is there. What a checkout has installed is, so that little is fetched. What
 * is added is gone with the folder.
 */
export async function fromCache(folder: Folder): Promise<readonly string[]> {
  const asked = launch('npm', ['config', 'get', 'cache'], { cwd: folder.path });
  const { out } = await endedWell(asked);
  mkdirSync(folder.at('cache'));
  symlinkSync(join(out.trim(), '_cacache'), folder.at('cache/_cacache'));
  return ['--prefer-offline', '--cache', folder.at('cache')];
}
