import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { clientSource } from '../../src/openapi/client/client.ts';
import { buildValid, serveApi } from '../support/api.ts';
import { launch, root } from '../support/command.ts';
import { compiled, node, strictly } from '../support/compiled.ts';
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

function sourceOf(text: string, number?: number): string {
  const api = buildValid(text);
  const version = api.versions.get(number ?? api.defaultVersion);
  if (version === undefined) throw new Error(`There is no version ${number}`);
  return clientSource(fullView(api, version));
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
    const names = [
      'filters.ts',
      'types.ts',
      'batch.ts',
      'calls.ts',
      'client.ts',
      'runtime.ts',
    ].flatMap((file) => {
      const source = readFileSync(join(root, 'src/client', file), 'utf8');
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

  test('types follow the file: names of records and objects, what is never null, and what a morphTo leads to', async () => {
    const specification = `
resources:
  pages: { fields: { title: { type: string, required: true }, remarks: { type: relation, relation: morphMany, resource: remarks } } }
  requests: { fields: { path: { type: string, required: true }, remarks: { type: relation, relation: morphMany, resource: remarks } } }
  answers: { fields: { text: { type: string } } }
  clients: { fields: { name: { type: string } } }
  targets: { fields: { name: { type: string } } }
  selections: { fields: { name: { type: string } } }
  recipes:
    fields:
      title: { type: string, required: true }
      clientId: { type: integer, required: true, reference: clients.id }
      client: { type: relation, relation: belongsTo, resource: clients }
      cookId: { type: integer, reference: clients.id }
      cook: { type: relation, relation: belongsTo, resource: clients }
      steps: { type: array, items: { type: object, properties: { text: { type: string, required: true }, price: { type: decimal } } } }
      size: { type: object, properties: { unit: { type: enum, values: [g, ml], required: true }, of: { type: object, properties: { pan: { type: string } } } } }
      words: { type: array, items: { type: string } }
      more: { type: json }
  remarks:
    fields:
      text: { type: string }
      about: { type: relation, relation: morphTo }
`;
    const program = `
      import { createClient, type Answer, type Client, type Page, type PlinthPage, type Recipe, type RecipeSize, type RecipeSizeOf, type RecipeStep, type Request, type Selection, type Target } from './client.ts';
      const api = createClient({ baseUrl: '' });
      export const names = async (): Promise<[Page, Request, Answer, Client, Target, Selection]> =>
        [await api.pages.get(1), await api.requests.get(1), await api.answers.get(1), await api.clients.get(1), await api.targets.get(1), await api.selections.get(1)];
      export const first = async (): Promise<PlinthPage<Page>> => api.pages.list();
      export const parts = (recipe: Recipe): [RecipeStep | undefined, RecipeSizeOf | null | undefined, RecipeSize | null] =>
        [recipe.steps?.[0], recipe.size?.of, recipe.size];
      const words: readonly string[] = ['a'];
      const steps = [{ text: 'stir', price: 2 }] as const;
      const more = { list: words } as const;
      export const made = await api.recipes.create({ title: 'x', clientId: 1, words, steps, more });
      const { data: [recipe] } = await api.recipes.list({ expand: ['client', 'cook'] });
      export const client: string | null | undefined = recipe?.client.name;
      // @ts-expect-error -- nobody may have cooked it
      export const cook = recipe?.cook.name;
      const remark = await api.remarks.get(1, { expand: ['about'] });
      if (remark.aboutType === 'pages') void (remark.about?.title satisfies string | undefined);
      else if (remark.aboutType === 'requests') void (remark.about?.path satisfies string | undefined);
      else void (remark.about satisfies null);
      // @ts-expect-error -- it may be a request
      export const title = remark.about?.title;
      const some = await api.remarks.get(1, { expand: ['about'], fields: ['text', 'about'] });
      export const shown: boolean = some.about !== null && 'path' in some.about;
    `;
    const client = sourceOf(specification);
    expect(client).toContain('export interface RecipeStepInput {');
    expect((await compiled({ 'client.ts': client, 'program.ts': program })).problems).toBe('');
  });

  test('the base URL may end with the version', async () => {
    const { path } = await compiled({ 'client.ts': sourceOf(versioned) });
    const { createClient } = (await import(join(path, 'client.ts'))) as {
      createClient: (options: object) => Record<string, { list: () => Promise<unknown> }>;
    };
    const asked: string[] = [];
    for (const baseUrl of [
      'http://a',
      'http://a/',
      'http://a/v2',
      'http://a/v2/',
      'http://a/b/v2',
    ]) {
      const fetch = async (url: string): Promise<Response> => {
        asked.push(url);
        return new Response('[]');
      };
      await createClient({ baseUrl, fetch })['posts']?.list();
    }
    expect([...new Set(asked)]).toEqual(['http://a/v2/posts', 'http://a/b/v2/posts']);
  });

  test('takes what a front end has: what may be undefined, longer paths, types by name', async () => {
    const files = {
      'shop.ts': sourceOf(example('shop')),
      'media.ts': sourceOf(example('media')),
      'program.ts': frontEndProgram,
    };
    const inBrowsers = {
      ...strictly,
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
