import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Provenance } from '../../src/generate/fill/provenance.ts';
import { LiveReload } from '../../src/server/dev/reload.ts';
import { requireSpecification } from '../../src/server/files/specification.ts';
import { openTemporary } from '../../src/server/database/sqlite.ts';
import { developmentTarget } from '../../src/server/database/target.ts';
import type { ReloadEvent, TraceReader } from '../../src/observability/events.ts';
import { library, makeFolder, until } from '../support/command.ts';
import { quietContext } from '../sandboxes/sandboxes.ts';

test('readers are told of each edit, with the places of what is wrong', async () => {
  const folder = makeFolder({ 'plinth.yaml': library });
  const context = quietContext(folder.path);
  const specification = requireSpecification(context, {});
  const open = openTemporary(folder.at('dev.db'));
  await open.migrate(specification.api);
  const target = developmentTarget(context, specification);
  const provenance = await Provenance.of(open.database, specification.folder, target.isOwn);
  const live = new LiveReload(
    context,
    { generate: true, watch: true },
    { specification, target, open, provenance },
  );
  const events: ReloadEvent[] = [];
  const reader: TraceReader = {
    wantsSteps: false,
    wantsBodies: false,
    ended: () => undefined,
    reloaded: (event) => void events.push(event),
  };
  const plain: TraceReader = { wantsSteps: false, wantsBodies: false, ended: () => undefined };
  live.begin([plain, reader]);
  const first = live.current;
  const after = async (change: () => void): Promise<ReloadEvent | undefined> => {
    const before = events.length;
    change();
    await until(() => events.length > before);
    return events.at(-1);
  };
  const save = (text: string) => (): void => void folder.write('plinth.yaml', text);

  expect(await after(save(library.replace('type: email', 'type: emial')))).toMatchObject({
    file: 'plinth.yaml',
    problems: [
      {
        path: 'resources.authors.fields.email.type',
        line: 7,
        column: 22,
        message: expect.any(String) as string,
      },
    ],
  });
  expect(await after(() => rmSync(folder.at('plinth.yaml')))).toMatchObject({
    problems: [{ message: expect.stringContaining('no such file') as string }],
  });
  expect(live.current).toBe(first);
  expect(await after(save(library))).toEqual({ file: 'plinth.yaml', problems: [] });
  expect(live.current).toBe(first);

  const wider = library.replace('title: {', 'pages: { type: integer }\n      title: {');
  expect(await after(save(wider))).toEqual({ file: 'plinth.yaml', problems: [] });
  const second = live.current;
  expect(second).not.toBe(first);
  expect(second.database).toBe(first.database);
  expect(second.api.resources.get('books')?.fields.has('pages')).toBe(true);
  // What would lose values is told as a problem, too.
  const other = wider.replace('title: {', 'year: { type: integer }\n      title: {');
  await after(save(other));
  await second.database.write(({ run }) =>
    run({ sql: `INSERT INTO authors (name) VALUES ('7')`, parameters: [] }, { bound: [] }),
  );
  expect(
    await after(
      save(other.replace('name: { type: string, required: true }', 'name: { type: date }')),
    ),
  ).toMatchObject({
    problems: [
      { message: 'change authors.name from string to date (loses 1 value)' },
      { message: 'change authors.name to allow null' },
      { message: expect.stringContaining('no longer fits plinth.yaml') as string },
    ],
  });
  await live.end();
  await live.close();
});
