import { findDataFiles } from '../../src/transfer/import/files.ts';
import { importData, type TakenIds } from '../../src/transfer/import/import.ts';
import { migrate } from '../../src/migrations/sqlite/schema.ts';
import { openSqlite } from '../../src/databases/sqlite/database.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import type { Api } from '../../src/model/api.ts';
import { writeStatements } from '../../src/sql/compile/write.ts';
import { buildValid } from '../support/api.ts';
import { makeFolder, type Folder } from '../support/command.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A database of its own into which files are loaded. */
export interface Loader {
  readonly folder: Folder;
  /** How many records of each resource were added, how many were there, or `file:line message` of every problem. */
  readonly load: (files: Files, takenIds?: TakenIds) => Promise<object | readonly string[]>;
  readonly rows: (sql: string) => readonly unknown[];
  /** Changes the database behind the loader's back. */
  readonly run: (sql: string) => void;
}

export const moment = new Date('2026-03-01T12:00:00.000Z');
let count = 0;

/** Works with a database of its own that has the tables of an Api. */
export async function withLoader<Value>(
  api: Api,
  work: (loader: Loader) => Promise<Value>,
): Promise<Value> {
  const folder = makeFolder();
  const database = openSqlite(folder.at('test.db'), 'temporary');
  await migrate(database.schemaConnection, api);
  const load: Loader['load'] = async (files, takenIds) => {
    count += 1;
    const paths = Object.entries(files).map(([name, content]) =>
      folder.write(`${count}/${name}`, content),
    );
    const { files: found, problems } = findDataFiles(
      paths,
      api,
      (path) => path.split('/').at(-1) ?? '',
    );
    if (problems.length > 0) return problems;
    const statements = writeStatements(database.dialect);
    const draw = { now: () => moment, uuid: uuidv7 };
    const progress = (): void => undefined;
    const result = await importData(found, api, database, statements, draw, progress, takenIds);
    if (result.ok) {
      const { byResource, skipped, replaced } = result;
      return { ...Object.fromEntries(byResource), skipped, ...(replaced > 0 && { replaced }) };
    }
    return result.problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
  };
  const rows: Loader['rows'] = (sql) => database.schemaConnection.prepare(sql).all();
  try {
    return await work({ folder, load, rows, run: (sql) => database.schemaConnection.exec(sql) });
  } finally {
    await database.close();
  }
}

export const things = buildValid(`resources:
  things:
    timestamps: true
    fields:
      name: { type: string, required: true, maxLength: 10 }
      size: { type: decimal, scale: 2 }
      count: { type: integer, default: 3 }
      code: { type: string, unique: true }
      given: { type: string, readOnly: true }
      on: { type: date, default: now }
      tags: { type: array, items: { type: string } }
      more: { type: json }
      kind: { type: enum, values: [a, b] }
      must: { type: string, nullable: true, required: true }
`);

/** Keys in a circle, to the own table, to a field that is no id, and a morph pair. */
export const company = buildValid(`resources:
  people:
    fields:
      name: { type: string, required: true }
      bossId: { type: integer, reference: people.id }
      teamId: { type: integer, reference: teams.id }
  teams:
    fields:
      leadId: { type: integer, reference: people.id }
      badge: { type: string, unique: true }
  desks:
    fields:
      personId: { type: integer, required: true, reference: people.id }
      teamBadge: { type: string, reference: teams.badge }
  notes:
    fields:
      subject: { type: relation, relation: morphTo, resources: [people, teams] }
`);
export const person = (id: number, bossId: number | null, teamId: number | null): object => ({
  id,
  name: 'P',
  bossId,
  teamId,
});
