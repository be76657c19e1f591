import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { specificationJsonSchema } from '../../src/model/load-specification.ts';
import {
  endedWell,
  launch,
  launchPlinth,
  makeFolder,
  root,
  servePlinth,
  type Serving,
} from '../support/command.ts';
import { examplesOf, parseCurl, patternOf } from '../support/examples.ts';

/** The pages that bring a file of their own, which begins with `# plinth.yaml`. */
const pages = globSync('docs/{how-to,deploy}/*.md', { cwd: root })
  .toSorted()
  .map((page) => ({ page, text: readFileSync(join(root, page), 'utf8') }))
  .flatMap(({ page, text }) => {
    const [, file] = /```yaml\n(# plinth\.yaml\n[\s\S]*?)```/u.exec(text) ?? [];
    const [, code] = /```ts\n(\/\/ api\.ts\n[\s\S]*?)```/u.exec(text) ?? [];
    if (file === undefined) return [];
    const files = { 'plinth.yaml': file, ...(code === undefined ? {} : { 'api.ts': code }) };
    return [{ page, files, examples: examplesOf(text, 'shellsession') }];
  });
/** The parts of files that the guides show: blocks of which every key is one of the file. */
const schema = specificationJsonSchema() as {
  properties: Record<string, unknown>;
  required?: unknown;
  $defs: Record<string, { required?: unknown }>;
};
const parts = globSync('{README.md,docs/*.md,docs/{how-to,deploy,migrate-in}/*.md}', { cwd: root })
  .toSorted()
  .flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/```yaml\n([\s\S]*?)```/gu)].map(
      ([, block = ''], index) => {
        // A hash is shown as `sha256:…`.
        const value: unknown = parse(block.replaceAll('sha256:…', `sha256:${'0'.repeat(64)}`));
        return { page, index, value };
      },
    ),
  )
  .filter(({ value }) =>
    Object.keys(value ?? {}).every((key) => Object.hasOwn(schema.properties, key)),
  );
const environment = { JWT_SECRET: 'a secret of tests with at least 32 bytes' };

test('pages have files and examples', () => {
  expect(pages.length).toBeGreaterThan(3);
  expect(pages.flatMap(({ examples }) => examples).length).toBeGreaterThan(10);
});

test.each(pages)('the file of $page is valid', async ({ files }) => {
  const folder = makeFolder(files);
  const { err } = await endedWell(launchPlinth(['check'], { cwd: folder.path, env: environment }));
  expect(err).toBe('');
});

describe.each(pages.filter(({ examples }) => examples.length > 0))(
  '$page',
  ({ files, examples }) => {
    const folder = makeFolder(files);
    const variables = new Map<string, string>();
    let server: Serving;

    beforeAll(async () => {
      server = await servePlinth(['dev', '--no-generate', '--database', 'sqlite::memory:'], {
        cwd: folder.path,
        env: environment,
      });
    });

    afterAll(() => server.stop('SIGTERM'));

    /** `NAME=$(command)` sets a variable, which later commands use as `$NAME`. */
    async function run(command: string): Promise<string> {
      const [, name = '', inner] = /^(\w+)=\$\((.*)\)$/u.exec(command) ?? [];
      if (inner === undefined) return curl(command);
      const line = `plinth() { "$NODE" "$MAIN" "$@"; }; ${inner}`;
      const { code, out } = await launch('sh', ['-c', line], {
        cwd: folder.path,
        env: {
          ...environment,
          NODE: join(root, 'node_modules/.bin/node'),
          MAIN: join(root, 'src/cli/main.ts'),
        },
      }).ended;
      expect(code).toBe(0);
      variables.set(name, out.trim());
      return '';
    }

    async function curl(command: string): Promise<string> {
      const filled = command.replaceAll(
        /\$([A-Z]+)/gu,
        (_, name: string) => variables.get(name) ?? '',
      );
      const { url, method, headers, body } = parseCurl(filled);
      const response = await fetch(url.replace('http://127.0.0.1:4000', server.url), {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return response.text();
    }

    test.each(examples)('$line $command', async ({ command, output }) => {
      expect((await run(command)).trim()).toMatch(patternOf(output));
    });
  },
);

test('the guides show parts of files', () => {
  expect(parts.length).toBeGreaterThan(20);
});

// A part may lack what a whole file needs.
const { required: _file, ...withoutRequired } = schema;
const { required: _resource, ...resource } = schema.$defs['resource'] ?? {};
const isPart = new Ajv2020({ strict: false, validateFormats: false }).compile({
  ...withoutRequired,
  $defs: { ...schema.$defs, resource },
});

test.each(parts)('part $index of $page has the keys and values of a file', ({ value }) => {
  expect(isPart(value) ? [] : isPart.errors).toEqual([]);
});
