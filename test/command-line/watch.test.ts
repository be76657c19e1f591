import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { watchFiles, type FileWatch } from '../../src/server/dev/watch.ts';
import { endAfterFile } from '../support/leftovers.ts';
import { makeFolder, until } from '../support/command.ts';

/** What is told of a file. */
function watching(path: string): { readonly watch: FileWatch; readonly told: () => number } {
  let count = 0;
  const watch = watchFiles([path], () => (count += 1));
  endAfterFile(() => watch.close());
  return { watch, told: () => count };
}

test('a file that goes just when it is to be watched is seen when it comes again', async () => {
  const folder = makeFolder({ 'a.yaml': 'a: 1\n' });
  const { told } = watching(folder.at('a.yaml'));
  rmSync(folder.at('a.yaml'));
  await until(() => told() > 0);
  const before = told();
  folder.write('a.yaml', 'a: 2\n');
  await until(() => told() > before);
  // From then on as any other.
  const then = told();
  folder.write('a.yaml', 'a: 3\n');
  await until(() => told() > then);
});

test('a file that is named before it is there is seen when it comes', async () => {
  const folder = makeFolder({ 'a.yaml': 'a: 1\n' });
  const { watch, told } = watching(folder.at('a.yaml'));
  await until(() => told() > 0);
  watch.set([folder.at('a.yaml'), folder.at('own.ts')]);
  const before = told();
  folder.write('own.ts', 'export const code = 1;\n');
  await until(() => told() > before);
});

test('a link that leads to another file each time, as where Kubernetes mounts one, and a file in its place', async () => {
  const folder = makeFolder({ '1/a.yaml': 'a: 1\n', '2/a.yaml': 'a: 2\n', '3/a.yaml': 'a: 3\n' });
  const past = new Date('2026-01-01');
  for (const name of ['1', '2', '3']) utimesSync(folder.at(name, 'a.yaml'), past, past);
  const lead = (to: string): void => {
    symlinkSync(to, folder.at('next'));
    renameSync(folder.at('next'), folder.at('data'));
  };
  lead('1');
  symlinkSync('data/a.yaml', folder.at('a.yaml'));
  const { told } = watching(folder.at('a.yaml'));
  await until(() => told() === 1);
  const seen = async (change: () => void): Promise<void> => {
    const before = told();
    change();
    await until(() => told() > before);
  };
  await seen(() => lead('2'));
  await seen(() => lead('3'));
  await seen(() => rmSync(folder.at('3'), { recursive: true }));
  await seen(() => lead('1'));
  await seen(() => {
    folder.write('new.yaml', 'a: 4\n');
    renameSync(folder.at('new.yaml'), folder.at('a.yaml'));
  });
  await seen(() => {
    rmSync(folder.at('a.yaml'));
    mkdirSync(folder.at('a.yaml'));
  });
  await seen(() => {
    rmSync(folder.at('a.yaml'), { recursive: true });
    symlinkSync('a.yaml', folder.at('a.yaml'));
  });
  const then = told();
  await new Promise((done) => setTimeout(done, 400));
  expect(told()).toBe(then);
});

test('a link that leads elsewhere just when it is read, and then back', async () => {
  const folder = makeFolder({ '1/a.yaml': 'a: 1\n', '2/a.yaml': 'a: 2\n' });
  const lead = (to: string): void => {
    symlinkSync(to, folder.at('next'));
    renameSync(folder.at('next'), folder.at('data'));
  };
  lead('1');
  const read: string[] = [];
  const watch = watchFiles([folder.at('data/a.yaml')], () => {
    read.push(readFileSync(folder.at('data/a.yaml'), 'utf8'));
    lead('1');
  });
  endAfterFile(() => watch.close());
  lead('2');
  await until(() => read.length === 2);
  expect(read).toEqual(['a: 2\n', 'a: 1\n']);
});

describe('a file that is empty for a moment while it is saved', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is told once it is whole, also if another one is saved meanwhile', () => {
    const folder = makeFolder({ 'a.yaml': 'a: 1\n', 'own.ts': 'export {};\n' });
    const { watch, told } = watching(folder.at('a.yaml'));
    watch.set([folder.at('a.yaml'), folder.at('own.ts')]);
    vi.advanceTimersByTime(500);
    const before = told();
    folder.write('a.yaml', '');
    vi.advanceTimersByTime(300);
    folder.write('own.ts', 'export const code = 1;\n');
    vi.advanceTimersByTime(300);
    expect(told()).toBe(before);
    folder.write('a.yaml', 'a: 2\n');
    vi.advanceTimersByTime(300);
    expect(told()).toBe(before + 1);
  });

  test('is told if it stays empty', () => {
    const folder = makeFolder({ 'a.yaml': 'a: 1\n' });
    const { told } = watching(folder.at('a.yaml'));
    vi.advanceTimersByTime(500);
    const before = told();
    folder.write('a.yaml', '');
    vi.advanceTimersByTime(2_000);
    expect(told()).toBe(before + 1);
  });
});
