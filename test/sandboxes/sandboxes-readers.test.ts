import { readdirSync, readlinkSync } from 'node:fs';
import Driver from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import {
  mostReaders,
  ReaderProcesses,
} from '../../src/databases/sqlite/slow-reads/reader-processes.ts';
import { makeFolder, until } from '../support/command.ts';
import { processes } from '../support/processes.ts';
import { serveSandboxes } from './sandboxes.ts';

describe('reads that may take long', () => {
  /** The processes that read for sandboxes of this one. */
  const readers = (): readonly number[] =>
    processes().flatMap(({ pid, parent, args }) =>
      parent === process.pid && args.endsWith(`sandboxes ${process.pid}`) ? [pid] : [],
    );

  test('run in four processes at most, which all sandboxes share', async () => {
    const api = await serveSandboxes(`
database: { url: 'sqlite:dev.db', statementTimeout: 30s }
generate: { count: 8000 }
resources:
  words:
    fields: { text: { type: string } }
`);
    const most = { processes: 0 };
    const watch = setInterval(() => {
      most.processes = Math.max(most.processes, readers().length);
    }, 20);
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        api.get('/v1/words?text_ilike=%C3%A9&sort=-text', { 'x-sandbox': `s${index % 8}` }),
      ),
    );
    clearInterval(watch);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(most.processes).toBeGreaterThan(0);
    expect(most.processes).toBeLessThanOrEqual(4);
    await api.stop();
    expect(readers()).toEqual([]);
  });

  test.each([
    [64, 1],
    [256, 1],
    [800, 2],
    [1440, 4],
    [Infinity, 4],
  ])('of %s MiB have room for %s processes', (memory, count) => {
    expect(mostReaders(memory * 1024 * 1024)).toBe(count);
  });

  test('take turns in one process where there is room for no more', async () => {
    const shared = new ReaderProcesses('sandboxes', 20_000, 256 * 1024 * 1024);
    const file = makeFolder({}).at('one.db');
    new Driver(file).exec('CREATE TABLE t (v)').close();
    const sql =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT max(i) FROM n';
    const read = (): Promise<number> => shared.read({ file, sql, parameters: [] }, () => true);
    await Promise.all(Array.from({ length: 4 }, read));
    expect(readers()).toHaveLength(1);
    await shared.close();
  });

  test('end with their sandbox, and leave its file', async () => {
    const folder = makeFolder({});
    const shared = new ReaderProcesses('sandboxes', 20_000);
    const files = [1, 2].map((number) => {
      const file = folder.at(`${number}.db`);
      const driver = new Driver(file);
      driver.exec(`CREATE TABLE t (v); INSERT INTO t VALUES (${number})`);
      driver.close();
      return file;
    });
    const read = async (file: string, sql: string): Promise<readonly unknown[]> => {
      const rows: unknown[] = [];
      await shared.read({ file, sql, parameters: [] }, (portion) => rows.push(...portion) > 0);
      return rows;
    };
    const [first = '', second = ''] = files;
    // One process reads one after the other.
    for (const [file, value] of [
      [first, 1],
      [second, 2],
      [first, 1],
    ] as const)
      expect(await read(file, 'SELECT v FROM t')).toEqual([[value]]);
    const endless =
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';
    const lost = Array.from({ length: 6 }, () => expect(read(first, endless)).rejects.toThrow());
    const waiting = read(second, 'SELECT v FROM t');
    await until(() => readers().length === 4);
    await shared.leave(first);
    await Promise.all(lost);
    expect(await waiting).toEqual([[2]]);
    const open = readers().flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
        } catch {
          return [];
        }
      }),
    );
    expect(open).not.toContain(first);
    await shared.close();
    expect(readers()).toEqual([]);
  });
});
