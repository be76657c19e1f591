import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { documents } from '../../scripts/documents.ts';

test.each(Object.entries(documents))('%s is what the source says', (path, make) => {
  expect(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).toBe(make());
});
