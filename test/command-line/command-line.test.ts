import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { library, makeFolder, type Folder } from '../support/command.ts';
import { runIn, type Told } from './commands.ts';

const run = (folder: Folder, ...args: readonly string[]): Promise<Told> =>
  runIn(folder, {}, ...args);
const empty = makeFolder();

describe('a command reads the specification that it is given', () => {
  const missing = {
    code: 1,
    out: '',
    err: 'other.yaml cannot be read: there is no such file or folder. Name another file.',
  };
  const taken = ['dev', 'start', 'check', 'migrate', 'generate', 'openapi', 'types'];

  test.each(taken)('plinth %s: as its argument, or as --spec', async (command) => {
    expect(await run(empty, command, 'other.yaml')).toEqual(missing);
    expect(await run(empty, command, '--spec', 'other.yaml')).toEqual(missing);
  });

  test.each([
    ['import', 'data'],
    ['export', 'backup'],
    ['promote', '--from', 'sqlite:a.db', '--to', 'postgres://a/b'],
    ['token', '--sub', '7'],
  ])('plinth %s: as --spec', async (...args) => {
    expect(await run(empty, ...args, '--spec', 'other.yaml')).toEqual(missing);
  });

  test.each([...taken, 'import data', 'export', 'token'])(
    'plinth %s: nothing else where there is none',
    async (call) => {
      const { code, out, err } = await run(empty, ...call.split(' '));
      expect({ code, out }).toEqual({ code: 1, out: '' });
      expect(err).toMatch(
        /^There is no plinth\.yaml, plinth\.yml or plinth\.json in this folder\./u,
      );
    },
  );

  const inJson = JSON.stringify({ resources: { notes: { fields: { text: { type: 'string' } } } } });
  const files = { 'plinth.yaml': library, 'plinth.yml': library, 'plinth.json': inJson };
  test.each<readonly [found: keyof typeof files, beside: readonly (keyof typeof files)[]]>([
    ['plinth.yaml', ['plinth.yml', 'plinth.json']],
    ['plinth.yml', ['plinth.json']],
    ['plinth.json', []],
  ])('without one it is %s, before %j', async (found, beside) => {
    const folder = makeFolder(
      Object.fromEntries([found, ...beside].map((name) => [name, files[name]])),
    );
    const count = found === 'plinth.json' ? '1 resource' : '2 resources';
    expect(await run(folder, 'check')).toEqual({
      code: 0,
      out: `${found} is valid: ${count}.`,
      err: '',
    });
  });
});

describe('what makes a document prints it, or writes it to --out', () => {
  test.each([
    ['openapi', 'plinth.yaml'],
    ['types', 'plinth.yaml'],
    ['introspect', 'db.json'],
  ])('plinth %s', async (command, source) => {
    const folder = makeFolder({ 'plinth.yaml': library, 'db.json': '{"notes":[{"id":1}]}' });
    const printed = await run(folder, command, source);
    expect({ code: printed.code, err: printed.err }).toEqual({ code: 0, err: '' });
    const written = await run(folder, command, source, '--out', 'made');
    expect({ code: written.code, out: written.out }).toEqual({ code: 0, out: '' });
    expect(written.err.split('\n')).toContain('Wrote made.');
    const text = readFileSync(folder.at('made'), 'utf8').trimEnd();
    // Beside a file there is a schema for editors.
    expect(text.replace(/^# yaml-language-server: .*\n/u, '')).toBe(printed.out);
  });
});
