import { globSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clientSource } from '../../src/openapi/client/client.ts';
import { buildValid, serveApi } from '../support/api.ts';
import { caller, withTokens } from '../support/callers.ts';
import { endedWell, launch, makeFolder, root } from '../support/command.ts';
import { fullView } from '../support/openapi.ts';

const pageOf = (name: string): string => readFileSync(join(root, `docs/how-to/${name}`), 'utf8');
/** The pages on Chinook; those with a `plinth.yaml` of their own are run by test/documents/own-files.test.ts. */
const pages = globSync('*.md', { cwd: join(root, 'docs/how-to') }).filter(
  (page) => !pageOf(page).includes('# plinth.yaml'),
);

/** The block of a page whose first line names a file. */
function fileOf(page: string, file: string): string {
  const name = file.replaceAll('.', String.raw`\.`);
  const [, text] =
    new RegExp(`^\`\`\`\\w+\n# ${name}\n(.*?)^\`\`\`$`, 'msu').exec(pageOf(page)) ?? [];
  if (text === undefined) throw new Error(`${page} has no ${file}`);
  return text;
}

const settings = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: { types: ['node'], lib: ['es2024', 'dom'], jsx: 'react-jsx' },
  include: ['*.ts', '*.tsx'],
};

test('the code of the how-tos compiles, beside the client of Chinook', async () => {
  const api = buildValid(readFileSync(join(root, 'examples/chinook/plinth.yaml'), 'utf8'));
  const version = api.versions.get(api.defaultVersion);
  const blocks = pages.flatMap((page) =>
    [...pageOf(page).matchAll(/^```(tsx?)\n(.*?)^```$/gmsu)]
      .filter(([, , code = '']) => code.includes('./client.ts') || code.startsWith('/**'))
      .map(([, extension = '', code = ''], index) => [
        `${page.replace('.md', '')}-${index}.${extension}`,
        code,
      ]),
  );
  expect(blocks.length).toBeGreaterThan(3);
  const folder = makeFolder({
    ...Object.fromEntries(blocks),
    'client.ts': version === undefined ? '' : clientSource(fullView(api, version)),
    'tsconfig.json': JSON.stringify(settings),
    'package.json': '{ "type": "module" }',
  });
  symlinkSync(join(root, 'node_modules'), folder.at('node_modules'));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  await endedWell(
    launch(join(root, 'node_modules/.bin/node'), [tsc, '-p', '.'], { cwd: folder.path }),
  );
});

test.each([
  ['asked for', 'position]', '&tracks.sort=pivot.position'],
  ['of the relation', 'position]\n        sort: pivot.position', ''],
])('ordered lists: links take an order %s in one request', async (_, line, sort) => {
  const file = fileOf('ordered-lists.md', 'playlists.yaml').replace('position]', line);
  const api = await serveApi(file, {
    tracks: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
    playlists: [{ name: 'Mix' }],
  });
  const inOrder = async (...ids: readonly number[]): Promise<unknown> => {
    const tracks = ids.map((id, index) => ({ id, pivot: { position: index + 1 } }));
    expect((await api.send('PATCH', '/v1/playlists/1', { tracks })).status).toBe(200);
    const path = `/v1/playlists/1?expand=tracks${sort}&tracks.limit=100`;
    const { body } = await api.get(path);
    return (body as { tracks: { id: number }[] }).tracks.map(({ id }) => id);
  };
  expect(await inOrder(1, 2, 3)).toEqual([1, 2, 3]);
  expect(await inOrder(3, 1, 2)).toEqual([3, 1, 2]);
  expect(await inOrder(2, 3)).toEqual([2, 3]);
  await api.stop();
});

test('ordered lists: a record is moved between two others', async () => {
  const api = await serveApi(fileOf('ordered-lists.md', 'board.yaml'), {
    columns: [{ name: 'Doing' }],
    tasks: [0, 1, 2].map((position) => ({ title: `${position}`, position, columnId: 1 })),
  });
  await api.send('PATCH', '/v1/tasks/3', { position: 0.5 });
  const { body } = await api.get('/v1/tasks?columnId=1&sort=position');
  expect((body as { title: string }[]).map(({ title }) => title)).toEqual(['0', '2', '1']);
  await api.stop();
});

test('soft delete: a deleted note is gone for all but admins, who restore it', async () => {
  const text = fileOf('soft-delete.md', 'notes.yaml').replace(/^auth: .*$/mu, withTokens);
  const [ann, admin] = [caller({ sub: 'ann' }), caller({ sub: 'eve', roles: ['admin'] })];
  const api = await serveApi(text);
  await api.send('POST', '/v1/notes', { title: 'A' }, ann);
  const deletion = { deletedAt: '2026-05-04T10:00:00Z' };
  const restoring = { deletedAt: null };
  const steps = [
    [await api.send('PATCH', '/v1/notes/1', deletion, ann), 204],
    [await api.get('/v1/notes/1', ann), 404],
    [await api.send('PATCH', '/v1/notes/1', restoring, ann), 404],
    [await api.send('DELETE', '/v1/notes/1', undefined, ann), 403],
    [await api.get('/v1/notes?deletedAt_exists=true', admin), 200],
    [await api.send('PATCH', '/v1/notes/1', restoring, admin), 200],
    [await api.get('/v1/notes/1', ann), 200],
    [await api.send('DELETE', '/v1/notes/1', undefined, admin), 204],
  ] as const;
  // The job that empties the bin: the new note stays.
  await api.send('POST', '/v1/notes', [{ title: 'B' }, { title: 'C' }], ann);
  await api.send('PATCH', '/v1/notes/2', deletion, ann);
  const emptied = await api.send('DELETE', '/v1/notes?deletedAt_lt=2026-06-04', undefined, admin);
  expect([emptied.status, emptied.body]).toEqual([200, { count: 1 }]);
  expect((await api.get('/v1/notes?fields=title', admin)).body).toEqual([{ id: 3, title: 'C' }]);
  expect(steps.map(([{ status }]) => status)).toEqual(steps.map(([, status]) => status));
  await api.stop();
});
