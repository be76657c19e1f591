import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recording } from '../../scripts/recording.ts';
import { root } from '../support/command.ts';

test('the recording of the README shows what the program does', async () => {
  expect(readFileSync(join(root, 'docs/images/demo.svg'), 'utf8')).toBe(await recording());
});
