import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadCode, type CodeResult } from '../../src/extensions/load.ts';
import { buildApi } from '../../src/model/build/api.ts';
import { loadSpecification } from '../../src/model/load-specification.ts';

const folder = mkdtempSync(join(tmpdir(), 'plinth-code-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const specification = (file: string, number = 'type: string'): string => `code: ./${file}
resources:
  orders:
    fields:
      number: { ${number} }
  tags:
    key: none
    managed: false
    fields: { name: { type: string } }
`;

let count = 0;

/** Loads a module of this text for a file that names it. */
async function load(text: string | undefined, number?: string): Promise<CodeResult> {
  const file = `module-${(count += 1)}.ts`;
  if (text !== undefined) writeFileSync(join(folder, file), text);
  const loaded = loadSpecification({
    file: 'plinth.yaml',
    text: specification(file, number),
    environment: {},
  });
  const problems: string[] = [];
  const api =
    loaded.specification &&
    buildApi(loaded.specification, (_path, message, severity) => {
      if (severity === 'error') problems.push(message);
    });
  expect([...loaded.problems, ...problems]).toEqual([]);
  if (api === undefined) throw new TypeError('There is no Api');
  return loadCode({ name: 'plinth.yaml', api, folder, positionOf: loaded.positionOf });
}

const problemsOf = async (text: string | undefined, number?: string): Promise<string[]> =>
  (await load(text, number)).problems.map(
    ({ file, line, column, severity, message, rule }) =>
      `${file.replace(/-\d+/u, '')}:${line}:${column} ${severity} ${rule} ${message.replaceAll(folder, '').replaceAll(/module-\d+/gu, 'module')}`,
  );

test('a module has what it says, with types stripped and plinth imported from wherever it lies', async () => {
  const { code, problems } = await load(`import { defineCode } from 'plinth';
const started: string[] = [];
export default defineCode({
  start() { started.push('started'); },
  resources: { orders: { beforeCreate(order) { order['number'] = 'O-1'; } } },
  endpoints: { 'GET /hello': () => started },
});
`);
  expect(problems).toEqual([]);
  expect([...(code?.resources.keys() ?? [])]).toEqual(['orders']);
  expect(code?.endpoints.map(({ name }) => name)).toEqual(['GET /hello']);
  expect(code?.hasHooks).toBe(true);
  await code?.start();
  // The same module is served again before the version before is released.
  await code?.start();
  await code?.stop();
  const hello = code?.endpoints[0]?.handler as (() => unknown) | undefined;
  expect(hello?.()).toEqual(['started']);
});

test.each<readonly [name: string, text: string | undefined, problems: readonly string[]]>([
  [
    'no file',
    undefined,
    ['plinth.yaml:1:7 error code ./module.ts cannot be used: there is no such file'],
  ],
  [
    'a syntax error',
    'const a = 1;\nexport default { resources: {{ } };\n',
    ['module.ts:2:30 error code cannot be loaded: '],
  ],
  [
    'an error while it runs',
    "export const a = 1;\nthrow new TypeError('no key');\n",
    ['module.ts:2:7 error code cannot be loaded: no key'],
  ],
  [
    'a package that is missing',
    "import nothing from 'there-is-no-such-package';\nexport default { nothing };\n",
    ["module.ts:1:1 error code cannot be loaded: Cannot find package 'there-is-no-such-package'"],
  ],
  [
    'no default export',
    'export const code = {};\n',
    [
      'module.ts:1:1 error code its default export must be what defineCode gives: export default defineCode({ … })',
    ],
  ],
  [
    'names that do not exist, and what is no function',
    `export default {
  resource: {},
  start: 1,
  resources: {
    order: {},
    orders: {
      beforeCreated() {},
      beforeUpdate: 'no',
      beforeDelete(record, context) {},
    },
    tags: 3,
  },
};
`,
    [
      'module.ts:2:3 error code there is no member resource; did you mean resources?',
      'module.ts:3:3 error code must be a function',
      'module.ts:5:5 error code there is no resource order; did you mean orders?',
      'module.ts:7:7 error code there is no hook beforeCreated; did you mean beforeCreate?',
      'module.ts:8:7 error code must be a function',
      'module.ts:9:7 error code takes (context), and no more',
      'module.ts:11:5 error code must be an object with hooks',
    ],
  ],
  [
    'hooks where nobody writes',
    'export default { resources: { tags: { beforeCreate() {} } } };\n',
    ['module.ts:1:39 warning code it never runs: tags takes no writes'],
  ],
])('problems of a module: %s', async (_name, text, expected) => {
  const found = await problemsOf(text);
  expect(found.map((problem, index) => problem.slice(0, expected[index]?.length))).toEqual(
    expected,
  );
});

test('a required field that is readOnly needs a hook that fills it', async () => {
  const number = 'type: string, required: true, readOnly: true';
  expect(await problemsOf('export default {};\n', number)).toEqual([
    'plinth.yaml:5:57 error code nobody could set it: a required readOnly field needs a default, or a beforeCreate of its resource in the module of code',
  ]);
  const filled = 'export default { resources: { orders: { beforeCreate() {} } } };\n';
  expect(await problemsOf(filled, number)).toEqual([]);
});
