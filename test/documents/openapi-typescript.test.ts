import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { servedDocumentOf } from '../openapi/documents.ts';
import { oddSpecifications } from '../openapi/odd-specifications.ts';
import { everything, guarded, versioned } from '../openapi/specifications.ts';
import { world } from '../query/world.ts';
import { launch, makeFolder, root } from '../support/command.ts';

const node = join(root, 'node_modules/.bin/node');
const tsc = join(root, 'node_modules/typescript/bin/tsc');

/** As much of it as is used; it is made for another TypeScript than that of the project. */
interface Generator {
  readonly default: (document: object, options: object) => Promise<unknown>;
  readonly astToString: (ast: unknown) => string;
}
const generator = join(root, 'test/tools/node_modules/openapi-typescript/dist/index.mjs');

const blog = readFileSync(join(root, 'examples/blog/plinth.yaml'), 'utf8');
const examples = ['shop', 'media', 'chinook'].map((name) =>
  readFileSync(join(root, `examples/${name}/plinth.yaml`), 'utf8'),
);
const others = Object.values(oddSpecifications).map(({ text }) => text);
const texts = [blog, ...examples, everything, guarded, versioned, world, ...others];

const settings = {
  compilerOptions: {
    strict: true,
    noEmit: true,
    target: 'es2024',
    module: 'esnext',
    moduleResolution: 'bundler',
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    types: [],
  },
  include: ['*.ts'],
};

/** What somebody writes against the types of the blog's document, and that of everything. */
const use = `import type { components, operations } from './0.ts';
import type { components as all } from './4.ts';
type Thing = all['schemas']['Thing'] | all['schemas']['ThingSelection'];
export const width = (thing: Thing): number | null | undefined => thing.specs?.size?.width;
export const size = (thing: Thing): unknown => thing.free?.['size'];
export const free: all['schemas']['ThingUpdate'] = { free: { size: 1 } };
type Post = components['schemas']['Post'];
export const title = (post: Post): string => post.title;
export const status = (post: Post): 'draft' | 'published' | null => post.status;
export const made: components['schemas']['PostCreate'] = { title: 'a title', slug: 'a-title', body: 'text', authorId: 1 };
export const query: NonNullable<operations['listPosts']['parameters']['query']> = {
  title: 'love', sort: ['-id'], expand: ['author'], limit: 5,
  filters: { title_ilike: 'love', status_in: 'draft,published', readingMinutes_gte: 5, 'author.name': 'Ursula', status: 'draft' },
};
export const many: operations['deleteManyPost']['parameters']['query']['filters'] = { readingMinutes_lt: 5 };
export const told = (error: components['schemas']['Error']): string | undefined => error.validationErrors?.[0]?.field;
// @ts-expect-error -- a title is a text
export const wrong: components['schemas']['PostUpdate'] = { title: 1 };
// @ts-expect-error -- there is no such filter
export const unknown: typeof query = { filters: { title_near: 'x' } };
// @ts-expect-error -- minutes are counted
export const many2: typeof query = { filters: { readingMinutes_gte: 'five' } };
`;

test('the types that openapi-typescript makes of every document compile, and can be used', async () => {
  const { default: typesOf, astToString } = (await import(generator)) as Generator;
  const folder = makeFolder({ 'tsconfig.json': JSON.stringify(settings), 'use.ts': use });
  for (const [index, text] of texts.entries()) {
    const document = await servedDocumentOf(text, undefined, { isDebugOn: true });
    // As docs/clients.md says: what has a default may be left out of a body.
    const ast = await typesOf(document, { defaultNonNullable: false });
    folder.write(`${index}.ts`, astToString(ast));
  }
  const { code, out } = await launch(node, [tsc, '-p', '.'], { cwd: folder.path }).ended;
  expect([code, out]).toEqual([0, '']);
});
