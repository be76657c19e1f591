import { withoutPassword } from '../../src/server/database/target.ts';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { exampleNames } from '../../src/cli/files/examples.ts';
import {
  launch,
  library,
  makeFolder,
  plinth,
  root,
  servePlinth,
  type Ended,
} from '../support/command.ts';

const folder = makeFolder({
  'good.yaml': library,
  'empty.yaml': '',
  'comment.yaml': '# nothing\n',
  'broken.yaml': 'resources: [\n',
  'wrong.yaml': 'resources:\n  a:\n    fields:\n      n: { type: strng }\n',
  'latin.yaml': Buffer.from('name: caf\u00e9\n', 'latin1'),
  'utf16.yaml': Buffer.from(`\uFEFF${library}`, 'utf16le'),
  'binary.yaml': Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * 7919) % 256)),
  'marked.yaml': `\uFEFF${library.replaceAll('\n', '\r\n')}`,
  'large.yaml': Buffer.alloc(17 * 1024 * 1024, 'a'),
  'unset.yaml': `description: \${NO_SUCH_VARIABLE}\n${library}`,
});
mkdirSync(folder.at('a-folder'));
const here = { cwd: folder.path };

/** One sentence and the next step, and never a stack. */
function expectSentence({ err }: Ended): void {
  expect(err).not.toMatch(/^\s+at /mu);
  expect(err).not.toContain('Unexpected error');
  expect(err.trim().split('\n').at(-1)).toMatch(/^\S.*[.)"]$/u);
}

const commands = [
  'init',
  'dev',
  'start',
  'check',
  'migrate',
  'generate',
  'import',
  'export',
  'introspect',
  'promote',
  'openapi',
  'types',
  'key',
  'token',
];

describe.concurrent('help', () => {
  test.each(commands)('plinth %s --help has an example', async (command) => {
    const { code, out, err } = await plinth([command, '--help'], here);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      new RegExp(`Usage: plinth ${command}[\\s\\S]+Example:\\n  \\$ plinth ${command}`, 'u'),
    );
  });

  test('plinth --help names every command', async () => {
    const { code, out } = await plinth(['--help'], here);
    expect(code).toBe(0);
    for (const command of commands) expect(out).toContain(`  ${command} [options]`);
    expect(out).toContain('Example:');
  });

  test('plinth --version', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(await plinth(['--version'], here)).toMatchObject({ code: 0, out: `${version}\n` });
  });

  test('without a command the help comes on standard error', async () => {
    const { code, out, err } = await plinth([], here);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: plinth');
  });
});

/** A call that is wrong, and what is said of it. */
const wrongCalls: readonly (readonly [args: readonly string[], message: string])[] = [
  [['imprt'], `Unknown command 'imprt' (Did you mean import?). See "plinth --help".`],
  [['good.yaml'], 'good.yaml is a file. Write "plinth dev good.yaml".'],
  [['missing.yaml'], `Unknown command 'missing.yaml'. See "plinth --help".`],
  [['check', '--jsn'], `Unknown option '--jsn' (Did you mean --json?). See "plinth check --help".`],
  [['check', 'a', 'b'], 'Too many arguments'],
  [['import'], `Missing required argument 'data'. See "plinth import --help".`],
  [['dev', 'good.yaml', '--port'], `Option '--port <number>' argument missing`],
  [
    ['dev', 'good.yaml', '--port', 'http'],
    'The port must be a whole number from 0 to 65535, not "http". Change --port.',
  ],
  [['dev', 'good.yaml', '--port', '70000'], 'not "70000"'],
  [['dev', 'good.yaml', '--port', '-1'], 'not "-1"'],
  [['dev', 'good.yaml', '--port', '80.5'], 'not "80.5"'],
  [['dev', 'good.yaml', '--port', ''], 'not ""'],
  [
    ['start', 'good.yaml', '--database', 'shop.db'],
    'The database shop.db has an unknown kind of URL. Write sqlite:shop.db, sqlite::memory: or postgres://',
  ],
  [
    ['start', 'good.yaml', '--database', 'sqlite:'],
    'Write sqlite:PATH, sqlite::memory: or postgres://',
  ],
  [
    ['start', 'good.yaml', '--database', 'sqlite://shop.db'],
    'Write sqlite:PATH, sqlite::memory: or postgres://',
  ],
  [
    ['start', 'good.yaml', '--database', 'mysql://me:secret@host/x'],
    'The database mysql://me:…@host/x has an unknown kind of URL.',
  ],
  // Where a password is not percent-encoded, nobody can say what else is part of it.
  ...[
    'postgres://me:sec#ret@host/x',
    'postgres://me:1/secret@host/x',
    'postgres://me:%secret@host/x',
    'postgres://me:secret@host:port/x',
  ].map(
    (url) =>
      [
        ['start', 'good.yaml', '--database', url],
        'The URL of the PostgreSQL database cannot be read. Write postgres://user:password@host:port/name;',
      ] as const,
  ),
  [
    ['migrate', 'good.yaml'],
    'No database is named. Add "database: sqlite:PATH" or "database: postgres://…" to good.yaml, or give --database.',
  ],
  [['check', 'good.yaml', '--spec', 'good.yaml'], 'Two specifications are named.'],
  [['check', '--spec', ''], 'The name of the specification is empty.'],
  [['init', 'x', '--example', 'nope'], 'There is no example nope. Choose one of blog, chinook'],
  [['init', 'x', '--name', ' '], 'The name is empty.'],
];

describe.concurrent('a wrong call exits with 2', () => {
  test.each(wrongCalls.map(([args, message]) => ({ args, message })))(
    'plinth $args',
    async ({ args, message }) => {
      const ended = await plinth(args, here);
      expect(ended).toMatchObject({ code: 2, out: '' });
      expect(ended.err).toContain(message);
      expect(ended.err).not.toMatch(/secret|sec#ret/u);
      expectSentence(ended);
    },
  );

  test('a wrong PLINTH_PORT', async () => {
    const env = { PLINTH_PORT: 'x' };
    const ended = await plinth(['dev', 'good.yaml'], { ...here, env });
    expect(ended).toMatchObject({ code: 2 });
    expect(ended.err).toContain('Change PLINTH_PORT.');
  });
});

/** A specification that cannot be used, and what is said of it, problems included. */
const badFiles: readonly (readonly [file: string, message: string])[] = [
  ['missing.yaml', 'missing.yaml cannot be read: there is no such file or folder.'],
  ['a-folder', 'a-folder is a folder. Name the file in it'],
  ['good.yaml/x', 'good.yaml/x cannot be read: what should be a folder in its path is a file.'],
  ['empty.yaml', 'empty.yaml:1:1 error'],
  ['comment.yaml', 'comment.yaml:1:1 error'],
  ['broken.yaml', 'broken.yaml:1:12 error'],
  ['wrong.yaml', 'wrong.yaml:4:18 error resources.a.fields.n.type'],
  ['latin.yaml', 'latin.yaml is not valid UTF-8.'],
  ['utf16.yaml', 'utf16.yaml is not valid UTF-8.'],
  ['binary.yaml', 'binary.yaml is not valid UTF-8.'],
  ['large.yaml', 'large.yaml is larger than 16 MiB'],
  ['/dev/zero', 'is larger than 16 MiB'],
  ['unset.yaml', 'NO_SUCH_VARIABLE'],
];

describe.concurrent('a bad specification exits with 1', () => {
  const calls = badFiles.flatMap(([file, message]) =>
    (file === 'wrong.yaml' ? ['check', 'dev', 'start', 'migrate'] : ['check']).map((command) => ({
      command,
      file,
      message,
    })),
  );
  test.each(calls)('plinth $command $file', async ({ command, file, message }) => {
    const database = command === 'check' ? [] : ['--database', `sqlite:made-by-${command}.db`];
    const ended = await plinth([command, file, ...database], here);
    expect(ended.code).toBe(1);
    expect(ended.out + ended.err).toContain(message);
    expectSentence(ended);
    expect(existsSync(folder.at(`made-by-${command}.db`))).toBe(false);
  });

  test('no specification in the folder', async () => {
    const ended = await plinth(['check'], { cwd: folder.at('a-folder') });
    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toContain('Make one with "plinth init", or name a file.');
  });
});

describe.concurrent('check', () => {
  test('a good file', async () => {
    expect(await plinth(['check', 'good.yaml'], here)).toMatchObject({
      code: 0,
      out: 'good.yaml is valid: 2 resources.\n',
      err: '',
    });
  });

  test.each([
    ['nothing', 'nope', 'There is no file or folder data/nope.'],
    [
      'a folder without records',
      'empty',
      'The folder data/empty has no .ndjson, .json or .csv file.',
    ],
    [
      'another name',
      'bokks.csv',
      'data/bokks.csv does not have the name of a resource: there is no resource bokks; did you mean books?',
    ],
  ])('starting records that are %s are warned of', async (_case, data, message) => {
    folder.write('data/empty/readme.txt', '');
    folder.write('data/bokks.csv', 'id\n1\n');
    folder.write(`data/${data}.yaml`, `data: ${data}\n${library}`);
    const ended = await plinth(['check', `data/${data}.yaml`], here);
    expect(ended).toMatchObject({ code: 0 });
    expect(ended.out).toContain(`data/${data}.yaml:1:7 warning data: ${message}`);
  });

  test('a byte order mark and CRLF are no matter', async () => {
    expect(await plinth(['check', 'marked.yaml'], here)).toMatchObject({ code: 0 });
  });

  test('--json of good, wrong and missing files', async () => {
    const [good, wrong, missing] = await Promise.all(
      ['good.yaml', 'wrong.yaml', 'missing.yaml'].map((file) =>
        plinth(['check', file, '--json'], here),
      ),
    );
    expect(JSON.parse(good?.out ?? '')).toEqual({ ok: true, problems: [] });
    expect(JSON.parse(wrong?.out ?? '')).toMatchObject({
      ok: false,
      problems: [{ file: 'wrong.yaml', line: 4, column: 18, severity: 'error' }],
    });
    expect(wrong?.code).toBe(1);
    expect(JSON.parse(missing?.out ?? '')).toMatchObject({ ok: false, error: expect.any(String) });
  });

  test('--verbose shows the stack', async () => {
    const { err } = await plinth(['check', 'missing.yaml', '--verbose'], here);
    expect(err).toMatch(/^\s+at /mu);
    expect(err).toContain('ENOENT');
  });

  const examples = exampleNames();
  test.each(examples)('the example %s has no problem', async (example) => {
    const { out } = await plinth(
      ['check', join(root, 'examples', example, 'plinth.yaml'), '--json'],
      here,
    );
    expect(JSON.parse(out)).toEqual({ ok: true, problems: [] });
  });

  test.each(examples)('the example %s runs', async (example) => {
    const copy = makeCopy(example);
    const server = await servePlinth(['dev', join(copy, 'plinth.yaml')], here);
    const answer = await fetch(server.example);
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as object[]).length).toBeGreaterThan(0);
    expect(await server.stop('SIGTERM')).toMatchObject({ code: 0, err: '' });
  });
});

function makeCopy(example: string): string {
  const copy = folder.at('copies', example);
  cpSync(join(root, 'examples', example), copy, {
    recursive: true,
    filter: (path) => !path.includes('.plinth'),
  });
  return copy;
}

describe('from a checkout', () => {
  const npm = (args: readonly string[], cwd: string): Promise<Ended> =>
    launch('npm', ['--prefix', root, 'run', '-s', 'plinth', '--', ...args], { cwd }).ended;

  test('paths start where the user stands, and hints can be typed there', async () => {
    expect(await npm(['check', 'good.yaml'], folder.path)).toMatchObject({
      code: 0,
      out: 'good.yaml is valid: 2 resources.\n',
    });
    const none = await npm(['check'], folder.at('a-folder'));
    expect(none.code).toBe(1);
    expect(none.err).toContain('Make one with "npm run -s plinth -- init"');
  });

  test.each([
    ['npx', { npm_config_user_agent: 'npm/11.19.1 node/v26.10.0' }, 'npx plinth init'],
    [
      'npm start',
      { npm_config_user_agent: 'npm/11.19.1 node/v26.10.0', npm_package_name: 'plinth' },
      'npm run -s plinth -- init',
    ],
    [
      "a project's own script",
      { npm_config_user_agent: 'npm/11.19.1 node/v26.10.0', npm_package_name: 'shop' },
      'npx plinth init',
    ],
    ['pnpm', { npm_config_user_agent: 'pnpm/12.21.0 npm/? node/?' }, 'pnpm exec plinth init'],
    [
      // Yarn 1 runs it as a script of this name.
      'yarn',
      {
        npm_config_user_agent: 'yarn/1.22.22 npm/? node/v26.10.0',
        npm_lifecycle_event: 'plinth',
        npm_package_name: 'shop',
      },
      'yarn plinth init',
    ],
    ['a shell', {}, 'plinth init'],
  ])('a command is named as %s would have it', async (_caller, env, command) => {
    const ended = await plinth(['check'], { cwd: folder.at('a-folder'), env });
    expect(ended.err).toContain(`Make one with "${command}"`);
  });

  test.each([
    [
      "our shop's #1.yaml",
      "our shop's #1.yaml",
      String.raw`plinth migrate 'our shop'\''s #1.yaml' --database 'sqlite:a b.db' --apply`,
    ],
    [
      '-shop.yaml',
      './-shop.yaml',
      "plinth migrate ./-shop.yaml --database 'sqlite:a b.db' --apply",
    ],
  ])('a command names the file %s so that a shell takes it', async (file, given, named) => {
    const cwd = makeFolder({ [file]: library }).path;
    const { out } = await plinth(['migrate', given, '--database', 'sqlite:a b.db'], { cwd });
    const [, command = ''] = /Run "(.+)" to do/u.exec(out) ?? [];
    expect(command).toBe(named);
    const called = `${root}/node_modules/.bin/node ${root}/dist/cli/main.js`;
    const script = `plinth() { ${called} "$@"; }; ${command}`;
    expect(await launch('sh', ['-c', script], { cwd }).ended).toMatchObject({ code: 0, err: '' });
    expect(readdirSync(cwd)).toContain('a b.db');
  });

  test('paths in the file start at the file', async () => {
    folder.write('deep/plinth.yaml', `database: sqlite:own.db\n${library}`);
    const ended = await plinth(['migrate', 'deep/plinth.yaml', '--apply'], here);
    expect(ended).toMatchObject({ code: 0 });
    expect(existsSync(folder.at('deep/own.db'))).toBe(true);
    await plinth(['migrate', 'deep/plinth.yaml', '--apply', '--database', 'sqlite:typed.db'], here);
    expect(existsSync(folder.at('typed.db'))).toBe(true);
  });

  test("another script's own paths start in its package", async () => {
    const env = { INIT_CWD: folder.at('a-folder'), npm_lifecycle_event: 'serve' };
    expect(await plinth(['check', 'good.yaml'], { ...here, env })).toMatchObject({ code: 0 });
  });

  test('a reader that has seen enough is no error', async () => {
    const script = `node_modules/.bin/node dist/cli/main.js check ${folder.at('wrong.yaml')} | true; echo "\${PIPESTATUS[0]}"`;
    const { out, err } = await launch('bash', ['-c', script], { cwd: root }).ended;
    expect(out).toBe('1\n');
    expect(err).not.toContain('EPIPE');
  });
});

test('a folder that is gone is told, without a stack', async () => {
  const gone = makeFolder({ 'gone/plinth.yaml': library });
  const script = `rm -r ../gone; exec ${root}/node_modules/.bin/node ${root}/dist/cli/main.js check`;
  expect(await launch('sh', ['-c', script], { cwd: gone.at('gone') }).ended).toMatchObject({
    code: 1,
    out: '',
    err: 'Your current folder no longer exists. Change to another one, and run it again.\n',
  });
});

test.each([
  ['postgres://shop@db.example.com/shop', 'postgres://shop@db.example.com/shop'],
  ['postgres://shop:secret@db.example.com/shop', 'postgres://shop:…@db.example.com/shop'],
  ['postgres://shop:s@cret@db.example.com/shop', 'postgres://shop:…@db.example.com/shop'],
  ['postgres://shop@s@cret@db.example.com/shop', 'postgres://shop:…@db.example.com/shop'],
  ['postgres://:secret@db.example.com/shop', 'postgres://…@db.example.com/shop'],
  ['postgres:///shop?host=/run&password=secret', 'postgres:///shop?host=/run&password=…'],
  ['postgres:secret', '…'],
  ['sqlite:shop.db', 'sqlite:shop.db'],
])('messages show the database %s as %s, so that only a password is missing', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
