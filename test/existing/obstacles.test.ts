import { describe, expect, test } from 'vitest';
import { existingPostgres, existingSqlite } from '../support/existing.ts';

// What `migrate` says of tables that it does not manage, and that it changes nothing of them. See
// docs/contract/8-existing-databases.md#managed-and-not, rules 1 and 2.
const tables = `
CREATE TABLE notes (id integer PRIMARY KEY NOT NULL, title text, day date, place integer NOT NULL);
CREATE TABLE kinds (id integer PRIMARY KEY NOT NULL, name text NOT NULL DEFAULT 'x');`;

const id = 'id: { type: id, required: true }';
const place = 'place: { type: integer, required: true }';

/** Resources, and what each says in the way of being served; the latter may be of one database alone. */
const cases: Readonly<Record<string, readonly [resources: string, told: readonly string[]]>> = {
  'nothing of a table that fits': [
    `notes: { fields: { ${id}, title: { type: string }, ${place} } }`,
    [],
  ],
  'a table that is missing': [
    'labels: { fields: { name: { type: string } } }',
    ['serve labels: the database has no table or view labels'],
  ],
  'a column that is missing': [
    `kinds: { fields: { ${id}, size: { type: integer, column: width } } }`,
    ['serve kinds.size: kinds has no column width'],
  ],
  'a column that no request sets': [
    `notes: { fields: { ${id}, title: { type: string } } }`,
    [
      'create records of notes: column notes.place may not be null and no request sets it; name it as a field, give it a default in the database, or let no request create records: access: { create: none }',
    ],
  ],
  'no such column where records are not created': [
    `notes: { access: { create: none }, fields: { ${id}, title: { type: string } } }`,
    [],
  ],
};

describe.each([
  ['SQLite', existingSqlite],
  ['PostgreSQL', existingPostgres],
] as const)('%s', (name, open) => {
  test('migrate tells what is in the way, and has no steps for it', async () => {
    const { next, ask, stop } = await open(
      'database: { managed: false }\nresources: { kinds: { fields: { name: { type: string } } } }',
      tables,
    );
    try {
      for (const [resources, told] of Object.values(cases)) {
        const steps = await next(`database: { managed: false }\nresources: { ${resources} }`);
        const own = steps.filter(({ isExtra }) => isExtra !== true);
        expect(own.map(({ summary, obstacle }) => `${summary}: ${obstacle}`)).toEqual(told);
      }
      // Nothing was made, dropped or changed: a wanted table is not there, and a column has what it had.
      await expect(ask('SELECT * FROM labels')).rejects.toThrow(/labels/u);
      await expect(ask('SELECT width FROM kinds')).rejects.toThrow(/width/u);
    } finally {
      await stop();
    }
  });

  test('a resource says for itself whether its table is managed', async () => {
    const kinds = (managed: string): string =>
      `kinds: { ${managed}fields: { name: { type: string }, size: { type: integer } } }`;
    const labels = (managed: string): string =>
      `labels: { ${managed}fields: { name: { type: string } } }`;
    const { next, stop } = await open(
      `database: { managed: false }\nresources: { ${kinds('managed: false, ')} }`,
      tables.replaceAll(
        'integer PRIMARY KEY NOT NULL',
        name === 'SQLite' ? 'INTEGER PRIMARY KEY' : 'serial PRIMARY KEY',
      ),
    );
    const summaries = async (text: string): Promise<readonly string[]> => {
      const own = (await next(text)).filter(({ summary }) => !summary.includes('_plinth_'));
      return own.map(({ summary }) => summary).toSorted();
    };
    const made = 'create table labels (id, name)';
    const missing = 'serve kinds.size';
    try {
      expect(await summaries(`resources: { ${kinds('managed: false, ')} }`)).toEqual([missing]);
      for (const [file, steps] of [
        [
          `database: { managed: false }\nresources: { ${kinds('')}, ${labels('managed: true, ')} }`,
          [made, missing],
        ],
        [`resources: { ${kinds('managed: false, ')}, ${labels('')} }`, [made, missing]],
        [`resources: { ${kinds('')}, ${labels('')} }`, ['add column kinds.size', made]],
      ] as const)
        expect(await summaries(file)).toEqual(expect.arrayContaining([...steps]));
    } finally {
      await stop();
    }
  });
});

test('a type that a field cannot be served from is in the way', async () => {
  const { next, stop } = await existingPostgres(
    'database: { managed: false }\nresources: { notes: { access: { create: none }, fields: { title: { type: string } } } }',
    tables,
  );
  try {
    for (const [field, type, wanted] of [
      ['title: { type: integer }', 'text', 'integer'],
      ['day: { type: boolean }', 'date', 'boolean'],
      ['place: { type: array, items: { type: integer } }', 'integer', 'array'],
    ] as const) {
      const [column = ''] = field.split(':');
      const steps = await next(
        `database: { managed: false }\nresources: { notes: { access: { create: none }, fields: { ${field} } } }`,
      );
      const own = steps.filter(({ isExtra }) => isExtra !== true);
      expect(own.map(({ obstacle }) => obstacle)).toEqual([
        `its column ${column} is of type ${type}, from which no field of type ${wanted} is served`,
      ]);
    }
  } finally {
    await stop();
  }
});
