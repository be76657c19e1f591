import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findDataFiles } from '../../src/transfer/import/files.ts';
import { importData } from '../../src/transfer/import/import.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { writeStatements } from '../../src/sql/compile/write.ts';
import { buildValid } from '../support/api.ts';
import { badAndGoodFiles, badRecords, lines, thing } from './import-cases.ts';
import { company, moment, person, things, withLoader, type Files } from './import-loader.ts';

const one = (id: number, more: object = {}): Files => ({ 'things.ndjson': lines(thing(id, more)) });

test('ids, timestamps and read-only fields are kept; what is absent gets its default', () =>
  withLoader(things, async ({ load, rows }) => {
    const stamp = '2020-01-02T03:04:05.678Z';
    await load({
      'things.ndjson': lines(
        thing(40, {
          given: 'kept',
          createdAt: stamp,
          updatedAt: stamp,
          on: '2020-01-02',
          count: null,
          size: '1.5',
        }),
        { name: 'y', must: 'm', size: 2.25, tags: ['a'], more: { b: 1, a: [1e2] } },
      ),
    });
    const [first, second] = rows('SELECT * FROM things');
    expect(first).toMatchObject({
      id: 40,
      size: 150,
      count: null,
      given: 'kept',
      on: '2020-01-02',
    });
    expect(first).toMatchObject({ code: null, createdAt: stamp, updatedAt: stamp });
    expect(second).toMatchObject({ id: 41, name: 'y', size: 225, count: 3, on: '2026-03-01' });
    expect(second).toMatchObject({
      tags: '["a"]',
      more: '{"a":[100],"b":1}',
      given: null,
      must: 'm',
    });
    expect(second).toMatchObject({ createdAt: moment.toISOString() });
  }));

test('a record of nothing gets an id, also where there is no other field', () =>
  withLoader(
    buildValid('resources: { dots: { fields: { id: { type: id } } } }'),
    async ({ load, rows }) => {
      expect(await load({ 'dots.ndjson': '{}\n{"id":7}\n{}\n{}\n' })).toMatchObject({ dots: 4 });
      expect(rows('SELECT id FROM dots')).toEqual([{ id: 1 }, { id: 7 }, { id: 8 }, { id: 9 }]);
    },
  ));

describe('a bad record', () => {
  test.each(badRecords.map(([name, text, ...problems]) => ({ name, text, problems })))(
    '$name',
    ({ text, problems }) =>
      withLoader(things, async ({ load, rows }) => {
        const good = JSON.stringify(thing(100));
        const loaded = await load({ 'things.ndjson': `${good}\n\n${text}\n` });
        expect(loaded).toEqual(problems.map((problem) => `things.ndjson:3 ${problem}`));
        if (!problems.some((problem) => problem.includes('valid JSON')))
          expect(await load({ 'things.json': `[${good},\n\n${text}]` })).toEqual(
            problems.map((problem) => `things.json:3 ${problem}`),
          );
        expect(rows('SELECT id FROM things')).toEqual([]);
      }),
  );

  test('every one is listed, up to 100', () =>
    withLoader(things, async ({ load }) => {
      const many = await load({ 'things.ndjson': '{}\n'.repeat(80) });
      expect(many).toHaveLength(100);
      const few = await load({ 'things.ndjson': '{"must":null}\n'.repeat(99) });
      expect(few).toHaveLength(99);
      expect(few).toMatchObject({ 98: 'things.ndjson:99 name is required' });
    }));
});

test('problems are listed in the order of the file, each of them once', async () => {
  await withLoader(things, async ({ load }) => {
    const [taken, bad] = [thing(2, { code: 'q' }), thing(3, { name: 7 })];
    expect(await load({ 'things.ndjson': lines(thing(1, { code: 'q' }), taken, bad) })).toEqual([
      'things.ndjson:2 code is taken: it must be unique',
      'things.ndjson:3 name must be a string',
    ]);
  });
  // Also where a file would be read again for the keys that wait.
  await withLoader(company, async ({ load }) => {
    const long = `"${'x'.repeat(16 << 20)}"`;
    expect(await load({ 'people.ndjson': lines(person(1, 1, null), long) })).toEqual([
      'people.ndjson:2 the record is longer than 16 MiB',
    ]);
  });
});

test('a trigger that leaves out a record, or a change of one, is a problem', () =>
  withLoader(things, async ({ load, rows, run }) => {
    await load(one(1));
    const when = (change: string): string =>
      `CREATE TRIGGER quiet_${change} BEFORE ${change} ON things WHEN new.name = 'quiet' BEGIN SELECT RAISE(IGNORE); END`;
    run(when('INSERT'));
    run(when('UPDATE'));
    const file = 'things.ndjson';
    expect(await load(one(2, { name: 'quiet' }))).toEqual([
      `${file}:1 id cannot be stored: a trigger leaves it out`,
    ]);
    const several = lines(thing(2), thing(3, { name: 'quiet' }), thing(4));
    expect(await load({ [file]: several })).toEqual([
      `${file}:1 up to line 3: a trigger of the database leaves out 1 of these records`,
    ]);
    expect(await load(one(1, { name: 'quiet' }), 'replace')).toEqual([
      `${file}:1 id cannot be stored: a trigger leaves it out`,
    ]);
    expect(rows('SELECT id FROM things')).toEqual([{ id: 1 }]);
  }));

describe('files', () => {
  test.each(
    badAndGoodFiles.map(([name, file, content, result]) => ({ name, file, content, result })),
  )('$name ($file)', ({ file, content, result }) =>
    withLoader(things, async ({ load, rows }) => {
      const loaded = await load({ [file]: content });
      if (typeof result === 'string') expect(loaded).toEqual([`${file}${result}`]);
      else {
        expect(loaded).toMatchObject({ skipped: 0 });
        expect(rows('SELECT id FROM things')).toHaveLength(result);
      }
    }),
  );

  test('records on the edges of what is read at once', () =>
    withLoader(things, async ({ load, rows }) => {
      // Letters of several bytes all over, so that one stands on every edge.
      const records = Array.from({ length: 9_000 }, (_, index) =>
        thing(index + 1, { name: 'é漢😀', more: '漢'.repeat(index % 200) }),
      );
      await load({ 'things.ndjson': lines(...records) });
      expect(
        rows("SELECT count(*) AS n, sum(name = 'é漢😀') AS good, max(id) AS last FROM things"),
      ).toEqual([{ n: 9_000, good: 9_000, last: 9_000 }]);
      expect(await load({ 'things.json': JSON.stringify(records, undefined, 1) })).toEqual({
        things: 0,
        skipped: 9_000,
      });
    }));

  test('an escape on the edge of what is read at once', () =>
    withLoader(things, async ({ load, rows }) => {
      // The edge is behind a backslash in one of them; a brace that counted would join the two records.
      const ids = [1, 2, 3];
      for (const id of ids) {
        const more = `${'x'.repeat(id)}${'"}'.repeat(100_000)}`;
        const list = [thing(id, { more }), thing(id + 10)];
        expect(await load({ 'things.json': JSON.stringify(list) })).toMatchObject({ things: 2 });
      }
      expect(rows('SELECT length(more) - id AS length FROM things WHERE id < 10')).toEqual(
        ids.map(() => ({ length: 300_002 })),
      );
    }));

  test('several of one resource are counted together', () =>
    withLoader(things, async ({ load }) => {
      const files = { 'things.ndjson': lines(thing(1), thing(2)), 'things.json': '[]' };
      expect(await load({ ...files, 'all.json': JSON.stringify({ things: [thing(3)] }) })).toEqual({
        things: 3,
        skipped: 0,
      });
    }));

  test('the same file named twice is loaded once', () =>
    withLoader(things, async ({ folder, rows }) => {
      const path = folder.write('data/things.ndjson', lines(thing(1)));
      // As it is through a link; a folder is no file, whatever its name.
      symlinkSync(path, folder.at('data/things.jsonl'));
      folder.write('data/things.csv/note.txt', '');
      const { files: found, problems } = findDataFiles([path, folder.at('data'), path], things);
      expect([found.length, problems]).toEqual([1, []]);
      expect(rows('SELECT * FROM things')).toEqual([]);
    }));
});

describe('what is there already', () => {
  test('equal records are skipped, so that a run can be repeated', () =>
    withLoader(things, async ({ load }) => {
      const all = lines(
        thing(1, { size: '2', more: { b: 1, a: 2 }, count: 5, on: '2020-01-01', tags: [] }),
        thing(2, { code: 'q' }),
      );
      expect(await load({ 'things.ndjson': all })).toEqual({ things: 2, skipped: 0 });
      expect(await load({ 'things.ndjson': all })).toEqual({ things: 0, skipped: 2 });
      expect(await load({ 'things.ndjson': all + lines(thing(3)) })).toEqual({
        things: 1,
        skipped: 2,
      });
    }));

  test('others under a taken id or unique value are refused', () =>
    withLoader(things, async ({ load, rows }) => {
      await load(one(1, { code: 'q' }));
      expect(await load(one(1, { code: 'r', size: 2, must: null }))).toEqual([
        'things.ndjson:1 id is taken: the record that has it differs in size, code',
      ]);
      expect(await load(one(2, { code: 'q' }))).toEqual([
        'things.ndjson:1 code is taken: it must be unique',
      ]);
      expect(rows('SELECT id, code FROM things')).toEqual([{ id: 1, code: 'q' }]);
    }));

  test('others under a taken id are written over where that is asked for', () =>
    withLoader(things, async ({ load, rows }) => {
      await load({
        'things.ndjson': lines(thing(1, { code: 'q', given: 'kept' }), thing(2), thing(3)),
      });
      const changed = lines(thing(1, { code: 'r', size: 2 }), thing(2), thing(4));
      expect(await load({ 'things.ndjson': changed }, 'replace')).toEqual({
        things: 1,
        skipped: 1,
        replaced: 1,
      });
      expect(rows('SELECT id, code, size, given FROM things LIMIT 1')).toEqual([
        { id: 1, code: 'r', size: 200, given: 'kept' },
      ]);
      expect(await load({ 'things.ndjson': changed })).toEqual({ things: 0, skipped: 3 });
      expect(await load({ 'things.ndjson': lines(thing(3, { code: 'r' })) }, 'replace')).toEqual([
        'things.ndjson:1 code is taken: it must be unique',
      ]);
    }));

  test('an id twice in one run is refused, even with equal records', () =>
    withLoader(things, async ({ load, rows }) => {
      expect(await load({ 'things.ndjson': lines(thing(1), thing(2), thing(1)) })).toEqual([
        'things.ndjson:3 id is taken: it must be unique',
      ]);
      expect(rows('SELECT id FROM things')).toEqual([]);
    }));
});

test('ids that the service draws', () => {
  const api = buildValid(`resources:
  nodes:
    fields:
      id: { type: id, format: uuid }
      parentId: { type: uuid, reference: nodes.id }
`);
  const id = '018f0000-0000-7000-8000-000000000001';
  return withLoader(api, async ({ load, rows }) => {
    expect(
      await load({
        'nodes.ndjson': lines({ id: id.replace('f', 'F') }, { parentId: id }, { parentId: null }),
      }),
    ).toEqual({ nodes: 3, skipped: 0 });
    expect(
      rows(
        `SELECT count(*) AS n, count(DISTINCT id) AS ids, sum(parentId = '${id}') AS children FROM nodes`,
      ),
    ).toEqual([{ n: 3, ids: 3, children: 1 }]);
  });
});

test('what ends the progress ends the run, and nothing is kept', () =>
  withLoader(things, async ({ folder, rows }) => {
    const path = folder.write('things.ndjson', lines(thing(1)));
    const database = openSqlite(folder.at('test.db'), 'temporary');
    const { files: found } = findDataFiles([path], things);
    const draw = { now: () => moment, uuid: uuidv7 };
    await expect(
      importData(found, things, database, writeStatements(database.dialect), draw, () => {
        throw new Error('enough');
      }),
    ).rejects.toThrow('enough');
    await database.close();
    expect(rows('SELECT id FROM things')).toEqual([]);
  }));

test('progress ends at the whole', () =>
  withLoader(company, async ({ folder }) => {
    const paths = [
      folder.write('people.ndjson', lines(person(1, null, null), person(2, 1, null))),
      folder.write('all.json', JSON.stringify({ teams: [{ id: 1 }], notes: [{ id: 1 }] })),
    ];
    const database = openSqlite(folder.at('test.db'), 'temporary');
    const { files: found } = findDataFiles(paths, company);
    const draw = { now: () => moment, uuid: uuidv7 };
    const seen: { bytes: number; totalBytes: number }[] = [];
    const statements = writeStatements(database.dialect);
    await importData(found, company, database, statements, draw, (progress) => seen.push(progress));
    await database.close();
    for (const { bytes, totalBytes } of seen) expect(bytes).toBeLessThanOrEqual(totalBytes);
    const last = seen.at(-1);
    expect((last?.bytes ?? 0) / (last?.totalBytes ?? 1)).toBeGreaterThan(0.8);
  }));
