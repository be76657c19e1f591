import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientSource } from '../../src/openapi/client.ts';
import { buildValid, serveApi } from '../support/api.ts';
import { launch, makeFolder, root } from '../support/command.ts';
import { fullView } from '../support/openapi.ts';
import {
  chinookProgram,
  everythingOutput,
  everythingProgram,
  frontEndProgram,
} from './client-program.ts';
import { everything, guarded, versioned } from './specifications.ts';
import { world } from '../query/world.ts';

const example = (name: string): string =>
  readFileSync(join(root, `examples/${name}/plinth.yaml`), 'utf8');
const chinook = example('chinook');
const node = join(root, 'node_modules/.bin/node');

function sourceOf(text: string, number?: number): string {
  const api = buildValid(text);
  const version = api.versions.get(number ?? api.defaultVersion);
  if (version === undefined) throw new Error(`There is no version ${number}`);
  return clientSource(fullView(api, version));
}

/** As strict as the project itself, whose types of Node have fetch. */
const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { types: ['node'], lib: ['es2024'] },
  include: ['*.ts'],
};

interface Program {
  readonly path: string;
  readonly problems: string;
}

/** Writes files beside each other and compiles them; gives what the compiler says. */
async function compiled(
  files: Readonly<Record<string, string>>,
  compilerOptions: object = settings.compilerOptions,
): Promise<Program> {
  const folder = makeFolder({
    ...files,
    'tsconfig.json': JSON.stringify({ ...settings, compilerOptions }),
    'package.json': '{ "type": "module" }',
  });
  symlinkSync(join(root, 'node_modules'), folder.at('node_modules'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { out } = await launch(node, [tsc, '-p', folder.path, '--pretty', 'false'], {
    cwd: folder.path,
  }).ended;
  return { path: folder.path, problems: out };
}

describe('the client', () => {
  test.each([
    [
      'every type and relation',
      everything,
      everythingProgram,
      everythingOutput.map((line) => JSON.stringify(line)).join('\n'),
    ],
    [
      'Chinook',
      chinook,
      chinookProgram,
      JSON.stringify([
        'AC/DC',
        [{ id: 1, name: 'Realize', album: { id: 1, artist: { id: 1, name: 'AC/DC' } } }],
        20,
        502,
      ]),
    ],
  ])(
    'of %s compiles, refuses what is wrong, and does what it says',
    async (_, specification, program, output) => {
      const { path, problems } = await compiled({
        'client.ts': sourceOf(specification),
        'program.ts': program,
      });
      expect(problems).toBe('');
      const api = await serveApi(specification);
      const { out, err } = await launch(node, [join(path, 'program.ts'), api.url], { cwd: path })
        .ended;
      expect(err).toBe('');
      expect(out.split('\n')).toEqual(output.split('\n'));
      await api.stop();
    },
  );

  test('has no methods that the API has not', async () => {
    const program = `
      import { createClient } from './guarded.ts';
      import { createClient as old } from './old.ts';
      import type * as world from './world.ts';
      const api = createClient({ baseUrl: '', apiKey: 'k' });
      export const title = async (): Promise<string | null> => (await old({ baseUrl: '' }).posts.get(1)).headline;
      export const drafts = async (): Promise<{ readonly id: number }> => api.inbox.create({ text: 'x' });
      export type Meta = world.Post['meta'];
      export const none = [
        // @ts-expect-error -- nobody may read it
        api.inbox.list,
        // @ts-expect-error -- nor delete
        api.inbox.delete,
        // @ts-expect-error -- it is hidden in that version
        old({ baseUrl: '' }).drafts,
      ];
    `;
    const files = {
      'guarded.ts': sourceOf(guarded),
      'old.ts': sourceOf(versioned, 1),
      'world.ts': sourceOf(world),
      'program.ts': program,
    };
    expect((await compiled(files)).problems).toBe('');
  });

  test('compiles whatever resources are called that it has types of', async () => {
    const names = ['filters.ts', 'types.ts', 'runtime.ts'].flatMap((file) => {
      const source = readFileSync(join(root, 'packages/client', file), 'utf8');
      const declared = source.matchAll(/^(?:export )?(?:type|interface|class) (\w+)/gmu);
      return [...declared].map(([, name = '']) => name);
    });
    expect(names).toContain('Collections');
    const resources = names.map(
      (name) => `  ${name.replaceAll(/\B(?=[A-Z])/gu, '-').toLowerCase()}s: { fields: {} }\n`,
    );
    const client = sourceOf(`resources:\n${[...new Set(resources)].join('')}`);
    expect((await compiled({ 'client.ts': client })).problems).toBe('');
  });

  test('takes what a front end has: what may be undefined, longer paths, types by name', async () => {
    const files = {
      'shop.ts': sourceOf(example('shop')),
      'media.ts': sourceOf(example('media')),
      'program.ts': frontEndProgram,
    };
    const inBrowsers = {
      ...settings.compilerOptions,
      types: [],
      target: 'es2020',
      lib: ['es2020', 'dom'],
    };
    expect((await compiled(files, inBrowsers)).problems).toBe('');
  });

  test('the examples of the guide compile', async () => {
    const guide = readFileSync(join(root, 'docs/clients.md'), 'utf8');
    const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gmsu)].map(([, code = '']) => code);
    expect(blocks.length).toBeGreaterThan(2);
    const files = { 'client.ts': sourceOf(chinook), 'program.ts': blocks.join('\n') };
    expect((await compiled(files)).problems).toBe('');
  });

  test('the compiler does say what is wrong', async () => {
    const { problems } = await compiled({
      'client.ts': sourceOf(versioned),
      'program.ts':
        "import { createClient } from './client.ts';\nvoid createClient({ baseUrl: '' }).posts.list({ sort: ['x'] });\n",
    });
    expect(problems).toMatch(/program\.ts\(2,\d+\): error/u);
  });

  test('the compiler names what there is not, and where', async () => {
    const wrong: readonly (readonly [options: string, said: string])[] = [
      [`fields: ['name', 'nope']`, 'NoField<"nope", OwnField<"tracks">>'],
      [`fields: ['nope.more']`, 'NoField<"nope", OwnField<"tracks">>'],
      [`expand: ['album'], fields: ['album.titel']`, 'NoField<"titel", OwnField<"albums">>'],
      [
        `expand: ['album.artist'], fields: ['album.artist.nam']`,
        'NoField<"nam", OwnField<"artists">>',
      ],
      [`fields: ['name', 'album.title']`, 'NotExpanded<"album">'],
      [`exclude: ['nope']`, 'NoField<"nope", Hidden<"tracks", never>>'],
      [`sort: ['nme']`, `Did you mean '"name"'?`],
      [`expand: ['album.artst']`, `Did you mean '"album.artist"'?`],
      [`where: { nmae: 'x' }`, `'nmae' does not exist`],
    ];
    const { problems } = await compiled({
      'client.ts': sourceOf(chinook),
      'program.ts': [
        `import { createClient } from './client.ts';`,
        `const { tracks } = createClient({ baseUrl: '' });`,
        ...wrong.map(([options]) => `void tracks.list({ ${options} });`),
      ].join('\n'),
    });
    const told = problems.split('\n').filter((line) => line.startsWith('program.ts('));
    expect(told).toEqual(wrong.map(([, said]) => expect.stringContaining(said)));
  });
});
