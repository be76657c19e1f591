import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atOnce, launchPlinth, library, makeFolder, plinth, until } from '../support/command.ts';
import { kept, live, reloaded } from '../support/live.ts';

const withPages = library.replace(
  'title: { type: string, required: true }',
  'title: { type: string, required: true }\n      pages: { type: integer }',
);

test('types --watch writes the client after each change, and says what is wrong', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const running = launchPlinth(['types', '--out', 'src/client.ts', '--watch'], {
    cwd: folder.path,
  });
  const client = (): string =>
    existsSync(folder.at('src/client.ts')) ? readFileSync(folder.at('src/client.ts'), 'utf8') : '';
  const save = (text: string): void =>
    atOnce(running, () => void folder.write('plinth.yaml', text));
  await until(() => client().includes('export interface Book {'));
  expect(client()).not.toContain('  pages: number');
  save(withPages);
  await until(() => client().includes('  pages: number | null;'));
  save(library.replace('type: email', 'type: emial'));
  await until(() => running.err().includes('did you mean `email`?'));
  expect(client()).toContain('  pages: number | null;');
  save(library);
  await until(() => !client().includes('  pages: number'));
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 0, signal: null });
});

test('types --watch needs a file to write to', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  expect(await plinth(['types', '--watch'], { cwd: folder.path })).toMatchObject({
    code: 2,
    err: '--watch writes to a file. Name it with --out, such as --out client.ts.\n',
  });
});

test('dev --types writes the client of what is served', async () => {
  const { folder, save, server } = await live(library, {}, ['--types', 'client.ts']);
  const client = (): string => readFileSync(folder.at('client.ts'), 'utf8');
  await until(() => existsSync(folder.at('client.ts')));
  expect(client()).toContain('export interface Book {');
  await save(withPages, reloaded);
  await until(() => client().includes('  pages: number | null;'));
  await save(library.replace('type: email', 'type: emial'), kept);
  expect(client()).toContain('  pages: number | null;');
  expect(await server.stop('SIGTERM')).toMatchObject({ code: 0 });
});
