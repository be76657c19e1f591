import { expect, test } from 'vitest';
import { adviceOnOption, commandFor } from '../../src/cli/other-words.ts';
import { library, makeFolder, plinth } from '../support/command.ts';

test.each([
  ['serve', 'dev'],
  ['mock', 'dev'],
  ['seed', 'generate'],
  ['validate', 'check'],
  ['codegen', 'types'],
  ['new', 'init'],
  ['toString', undefined],
  ['nonsense', undefined],
])('the command %s of another tool is %s', (other, command) => {
  expect(commandFor(other)).toBe(command);
});

test.each([
  ['--watch', /^"dev" reads the file again/u],
  ['--delay', /network: \{ latency: 500 \}/u],
  ['--delay=300', /network: \{ latency: 300 \}.*X-Simulate: latency=300$/u],
  ['--delay=soon', /network: \{ latency: 500 \}/u],
  ['-p=3000', /^Write --port 3000$/u],
  ['--id=_id', /"id: \{ type: id, column: _id \}"/u],
  ['--routes', /api: \{ basePath: \/api \}/u],
  ['--middlewares', /"code: \.\/api\.ts"/u],
  ['--constructor', undefined],
])('the option %s points to what does it', (option, advice) => {
  if (advice === undefined) expect(adviceOnOption(option)).toBeUndefined();
  else expect(adviceOnOption(option)).toMatch(advice);
});

test('the command line says so, and exits with 2', async () => {
  const { path: cwd } = makeFolder({ 'plinth.yaml': library });
  expect(await plinth(['serve', 'plinth.yaml'], { cwd })).toMatchObject({
    code: 2,
    err: 'There is no command serve. Run "plinth dev".\n',
  });
  expect(await plinth(['dev', 'plinth.yaml', '--delay', '800'], { cwd })).toMatchObject({
    code: 2,
    err: 'There is no option --delay. Write "network: { latency: 800 }" in the file, or send X-Simulate: latency=800.\n',
  });
});
