import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { minuteTicks, roundTicks } from '../../dashboard/src/overview/axis.ts';
import { filling } from '../../dashboard/src/data/grid/columns.ts';
import { root } from '../support/command.ts';

/** Styles of every view are loaded together in the end, so a name that two of them use means something else then. */
test('no two views style the same class', () => {
  const source = join(root, 'dashboard/src');
  const viewsOf = new Map<string, Set<string>>();
  for (const file of globSync('*/**/*.css', { cwd: source })) {
    const [view = ''] = file.split('/');
    // The reference is a page of its own, and all views share `styles/`.
    if (view === 'reference' || view === 'styles') continue;
    const text = readFileSync(join(source, file), 'utf8').replaceAll(/\/\*[^]*?\*\//gu, '');
    for (const [, name = ''] of text.matchAll(/^\.([\w-]+)(?=\s*[,{])/gmu))
      viewsOf.set(name, (viewsOf.get(name) ?? new Set()).add(view));
  }
  expect(viewsOf.size).toBeGreaterThan(50);
  const shared = [...viewsOf].filter(([, views]) => views.size > 1);
  expect(shared.map(([name, views]) => `${name}: ${[...views].join()}`)).toEqual([]);
});

test.each([
  [0, [0, 0.25, 0.5, 0.75, 1]],
  [0.292, [0, 0.1, 0.2, 0.3]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [3.8, [0, 1, 2, 3, 4]],
  [11.4, [0, 5, 10, 15]],
  [860, [0, 250, 500, 750, 1000]],
])('the axis of a chart up to %d has round ticks', (largest, ticks) => {
  expect(roundTicks(largest)).toEqual(ticks);
});

test('the axis of time has a tick each minute', () => {
  const times = ['19:38:52', '19:38:57', '19:39:02', '19:39:07', '19:40:02'];
  expect(minuteTicks(times)).toEqual(['19:39:02', '19:40:02']);
});

test.each([
  // As wide as they are at least, where there is no room.
  [100, [84, 190, 190, 110]],
  [674, [84, 240, 240, 110]],
  // No wider than helps, and numbers not at all.
  [2000, [84, 480, 300, 110]],
])('columns share a room of %d px', (room, widths) => {
  const column = (width: number, mostWidth: number) => ({
    name: '',
    field: undefined,
    relation: undefined,
    isNumeric: false,
    isPinned: false,
    width,
    mostWidth,
  });
  const columns = [column(84, 84), column(190, 480), column(190, 300), column(110, 110)];
  expect(filling(columns, room).map(({ width }) => width)).toEqual(widths);
});
