import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { watchFiles } from '../../src/cli/watch.ts';
import { makeFolder, until } from '../support/command.ts';

/** What is told of a file, and what hinders to watch it. */
async function watching(path: string) {
  let count = 0;
  const errors: unknown[] = [];
  const watch = await watchFiles(
    [path],
    () => (count += 1),
    (error) => errors.push(error),
  );
  return { watch, told: () => count, errors };
}

test('a file that goes just when it is to be watched is seen when it comes again', async () => {
  const folder = makeFolder({ 'a.yaml': 'a: 1\n' });
  const { watch, told, errors } = await watching(folder.at('a.yaml'));
  rmSync(folder.at('a.yaml'));
  await until(() => told() > 0);
  const before = told();
  folder.write('a.yaml', 'a: 2\n');
  await until(() => told() > before);
  // From then on as any other.
  const then = told();
  folder.write('a.yaml', 'a: 3\n');
  await until(() => told() > then);
  expect(errors).toEqual([]);
  await watch.close();
});

test('a file that is named before it is there is seen when it comes', async () => {
  const folder = makeFolder({ 'a.yaml': 'a: 1\n' });
  const { watch, told, errors } = await watching(folder.at('a.yaml'));
  await until(() => told() > 0);
  watch.set([folder.at('a.yaml'), folder.at('own.ts')]);
  const before = told();
  folder.write('own.ts', 'export const code = 1;\n');
  await until(() => told() > before);
  expect(errors).toEqual([]);
  await watch.close();
});
