import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import { good, makeFolder, plinth, servePlinth } from '../support/command.ts';

const file = '.plinth/schema.json';
const line = `# yaml-language-server: $schema=${file}`;
const notes = 'resources: { notes: { fields: { title: { type: string } } } }\n';

const schemaIn = (folder: ReturnType<typeof makeFolder>): unknown =>
  JSON.parse(readFileSync(folder.at(file), 'utf8'));

test.each([
  ['init', ['init', '.', '--example', 'blog']],
  ['introspect', ['introspect', 'db.json', '--out', 'plinth.yaml']],
])('an editor checks what %s has written', async (_command, args) => {
  const folder = makeFolder({ 'db.json': '{"notes": [{"id": 1, "title": "a"}]}' });
  expect(await plinth(args, { cwd: folder.path })).toMatchObject({ code: 0 });
  expect(readFileSync(folder.at('plinth.yaml'), 'utf8').split('\n')[0]).toBe(line);
  expect(schemaIn(folder)).toEqual(specificationJsonSchema());
});

test('dev brings the schema that a file names: a copy of a project has none, or an older one', async () => {
  const folder = makeFolder({ 'plinth.yaml': `${line}\n${notes}` });
  const once = async (): Promise<void> => {
    const { stop } = await servePlinth(['dev'], { cwd: folder.path });
    await stop('SIGTERM');
  };
  await once();
  expect(schemaIn(folder)).toEqual(specificationJsonSchema());
  writeFileSync(folder.at(file), '{}');
  await once();
  expect(schemaIn(folder)).toEqual(specificationJsonSchema());
});

test('git leaves out what is kept beside a file, once; what is made of other folders is no matter of ours', async () => {
  const folder = makeFolder({ 'plinth.yaml': notes });
  const once = async (...args: readonly string[]): Promise<void> => {
    const { stop } = await servePlinth(['dev', ...args], { cwd: folder.path });
    await stop('SIGTERM');
  };
  await once();
  expect(readFileSync(folder.at('.plinth/.gitignore'), 'utf8')).toBe('*\n');
  // Who commits it for all that takes the file away.
  rmSync(folder.at('.plinth/.gitignore'));
  await good(['migrate', '--apply', '--database', 'sqlite:other/own.db'], folder.path);
  await once();
  expect(existsSync(folder.at('.plinth/.gitignore'))).toBe(false);
  expect(readdirSync(folder.at('other'))).not.toContain('.gitignore');
});

test('a file that names none gets none, and one that cannot be written stops nobody', async () => {
  const folder = makeFolder({ 'plinth.yaml': notes });
  const { stop } = await servePlinth(['dev'], { cwd: folder.path });
  await stop('SIGTERM');
  expect(existsSync(folder.at(file))).toBe(false);
  rmSync(folder.at('.plinth'), { recursive: true });
  folder.write('.plinth', 'a file');
  folder.write('plinth.yaml', `${line}\n${notes}`);
  const served = await servePlinth(['dev', '--database', 'sqlite::memory:'], { cwd: folder.path });
  expect((await fetch(`${served.url}/v1/notes`)).status).toBe(200);
  await served.stop('SIGTERM');
});
