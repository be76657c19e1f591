import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { library, makeFolder, plinth, root, servePlinth } from '../support/command.ts';

const versions = `debug: false
api: { versions: { 1: { resources: { books: { fields: { name: { from: title } } } } }, 2: {} } }\n${library}`;

/** Only `dev` on SQLite has sandboxes, which the document of a file says nothing of. */
function withoutSandboxes(document: unknown): unknown {
  const text = JSON.stringify(document);
  expect(text).toContain('"name":"X-Sandbox"');
  return JSON.parse(
    text
      .replaceAll(/,?\{"\$ref":"#\/components\/parameters\/Sandbox"\}/gu, '')
      .replace(
        /,"Sandbox":\{[^{}]*\{[^{}]*\{[^{}]*\}[^{}]*\}\}|,"Sandbox":\{(?:[^{}]|\{[^{}]*\})*\}/u,
        '',
      ),
  );
}

describe('openapi and types', () => {
  const folder = makeFolder({ 'plinth.yaml': versions, 'bad.yaml': 'resources: 5\n' });
  const run = (...args: string[]): ReturnType<typeof plinth> => plinth(args, { cwd: folder.path });

  test('openapi prints what the server serves to those who may not debug', async () => {
    const { code, out, err } = await run('openapi');
    expect([code, err]).toEqual([0, '']);
    const server = await servePlinth(['dev'], { cwd: folder.path });
    const served = await fetch(`${server.url}/_openapi.json`);
    expect(JSON.parse(out)).toEqual(withoutSandboxes(await served.json()));
    const page = await fetch(`${server.url}/_docs`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    await server.stop('SIGTERM');
  });

  test('what only a server needs may come from variables that are not set', async () => {
    const text = (database: string, secret: string): string =>
      `database: ${database}\nauth: { jwt: { secret: "${secret}" } }\n${library.replace('access: public', '')}`;
    const { path } = makeFolder({
      'plinth.yaml': text('${DATABASE}', '${SECRET}'),
      'written.yaml': text('sqlite:a.db', 'x'.repeat(32)),
    });
    const there = (...args: string[]): ReturnType<typeof plinth> => plinth(args, { cwd: path });
    for (const command of ['openapi', 'types']) {
      const { code, out, err } = await there(command);
      expect([code, err]).toEqual([0, '']);
      expect(out).toBe((await there(command, 'written.yaml')).out);
    }
    for (const command of ['check', 'start', 'dev', 'migrate']) {
      const { code, out, err } = await there(command);
      expect(code).toBe(1);
      expect(`${out}${err}`).toMatch(/^plinth\.yaml:1:11 error database: /u);
    }
  });

  test('they tell what own code adds, and do without it if it cannot be loaded', async () => {
    const own = makeFolder({
      'plinth.yaml': `code: ./api.ts\ndebug: false\n${library}`,
      'api.ts': `export default {
        resources: { books: { beforeCreate() {} } },
        endpoints: { 'GET /hello': () => 'hello' },
      };`,
    });
    const make = async (): Promise<readonly [string, string, string]> => {
      const [types, document] = await Promise.all(
        ['types', 'openapi'].map((command) => plinth([command], { cwd: own.path })),
      );
      expect([types?.code, document?.code]).toEqual([0, 0]);
      return [types?.out ?? '', document?.out ?? '', `${types?.err}${document?.err}`];
    };
    const server = await servePlinth(['dev'], { cwd: own.path });
    const served = await fetch(`${server.url}/_openapi.json`);
    const [types, document, said] = await make();
    expect(JSON.parse(document)).toEqual(withoutSandboxes(await served.json()));
    await server.stop('SIGTERM');
    expect(types).toContain('"GET /hello": {');
    expect(types).toMatch(/interface BookCreate \{\n {2}title\?: string/u);
    expect(said).toBe('');
    own.write('api.ts', 'export default {');
    const [without, shorter, problem] = await make();
    expect(without).toMatch(/interface BookCreateMembers \{\n {2}title: string/u);
    expect(without).not.toContain('/hello');
    expect(shorter).not.toContain('/hello');
    expect(problem).toMatch(/api\.ts:1:\d+ error .*cannot be loaded/u);
  });

  test('openapi of another version, to a file', async () => {
    const { code, out, err } = await run(
      'openapi',
      'plinth.yaml',
      '--version',
      '1',
      '--out',
      'api.json',
    );
    expect([code, out, err]).toEqual([0, '', 'Wrote api.json.\n']);
    const { paths, components } = JSON.parse(readFileSync(folder.at('api.json'), 'utf8')) as {
      paths: object;
      components: { schemas: { Book: { properties: object } } };
    };
    expect(Object.keys(paths)).toEqual([
      '/v1/authors',
      '/v1/authors/{id}',
      '/v1/books',
      '/v1/books/{id}',
      '/v1/_batch',
    ]);
    expect(Object.keys(components.schemas.Book.properties)).toContain('name');
  });

  test('types prints a client', async () => {
    const { code, out } = await run('types', '--spec', 'plinth.yaml', '--version', 'v2');
    expect(code).toBe(0);
    expect(out).toContain('export function createClient(');
    expect(out).toContain('const root = "/v2";');
  });

  test.each<[string, string[], number, RegExp]>([
    [
      'a version that is not there',
      ['openapi', '--version', '3'],
      2,
      /^There is no version 3\. Give --version one of 1, 2\.\n$/u,
    ],
    ['no version at all', ['types', '--version', 'x'], 2, /^There is no version x\./u],
    [
      'a folder that is a file',
      ['openapi', '--out', 'plinth.yaml/api.json'],
      1,
      /^plinth\.yaml\/api\.json cannot be written: what should be a folder in its path is a file\. /u,
    ],
    [
      'a folder below a file',
      ['types', '--out', 'plinth.yaml/none/api.ts'],
      1,
      /^plinth\.yaml\/none\/api\.ts cannot be written: what should be a folder in its path is a file\. /u,
    ],
    ['a file without a name', ['types', '--out', ''], 1, /cannot be written: the name is empty/u],
    ['a specification with errors', ['openapi', 'bad.yaml'], 1, /bad\.yaml has 1 error/u],
    ['help', ['types', '--help'], 0, /^$/u],
  ])('%s', async (_, args, code, message) => {
    const ended = await run(...args);
    expect(ended.code).toBe(code);
    expect(ended.err).toMatch(message);
  });

  test.each(['openapi', 'types'])(
    '%s makes the folder that its file is to be in',
    async (command) => {
      const { code, err } = await run(command, '--out', `made/by/${command}`);
      expect([code, err]).toEqual([0, `Wrote made/by/${command}.\n`]);
      expect(existsSync(folder.at(`made/by/${command}`))).toBe(true);
    },
  );

  test('--version before a command is that of Plinth', async () => {
    const { out } = await run('--version');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(out).toBe(`${version}\n`);
  });
});

describe('check --against', () => {
  const folder = makeFolder({
    'old.yaml': library,
    'plinth.yaml': library,
    'wider.yaml': library.replace(
      'name: { type: string, required: true }',
      'name: { type: string, required: true }\n      born: { type: date }',
    ),
    'breaking.yaml': library.replace('      email: { type: email, unique: true }\n', ''),
    'bad.yaml': 'resources: 5\n',
  });
  const run = (...args: string[]): ReturnType<typeof plinth> =>
    plinth(['check', ...args], { cwd: folder.path });

  test.each<[string, string[], number, RegExp, RegExp]>([
    ['the same', ['--against', 'old.yaml'], 0, /^plinth\.yaml is valid: 2 resources\.\n$/u, /^$/u],
    [
      'more',
      ['wider.yaml', '--against', 'old.yaml'],
      0,
      /^safe v1 authors\.born: is new\n/u,
      /^$/u,
    ],
    [
      'less',
      ['breaking.yaml', '--against', 'old.yaml'],
      1,
      /^breaking v1 authors\.email: can no longer be read\n/u,
      /^3 changes break clients of old\.yaml\. .+add a version/u,
    ],
    [
      'an old file that is not there',
      ['--against', 'none.yaml'],
      1,
      /^$/u,
      /none\.yaml cannot be read/u,
    ],
    ['an old file with errors', ['--against', 'bad.yaml'], 1, /^$/u, /bad\.yaml has 1 error/u],
  ])('%s', async (_, args, code, out, err) => {
    const ended = await run(...args);
    expect(ended.code).toBe(code);
    expect(ended.out).toMatch(out);
    expect(ended.err).toMatch(err);
  });

  test('as JSON', async () => {
    const safe = await run('wider.yaml', '--against', 'old.yaml', '--json');
    expect(JSON.parse(safe.out)).toEqual({
      ok: true,
      problems: [],
      changes: [{ breaking: false, path: 'v1 authors.born', message: 'is new' }],
    });
    const breaking = await run('breaking.yaml', '--against', 'old.yaml', '--json');
    expect(breaking.code).toBe(1);
    const told = JSON.parse(breaking.out) as {
      ok: boolean;
      changes: readonly { breaking: boolean }[];
    };
    expect([told.ok, told.changes.map((change) => change.breaking)]).toEqual([
      false,
      [true, true, true],
    ]);
  });
});
