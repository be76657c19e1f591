import type { Database, Statement } from 'better-sqlite3';
import { commentFields, commentProblem, missing, postProblem, refused } from '../bodies.ts';
import { commentColumns, postColumns } from '../records.ts';
import type { Store, Written } from '../store.ts';

/** Prepares the writes on a connection; each is one statement and one transaction. */
export function writes(database: Database): Pick<Store, 'createComment' | 'patchPost'> {
  const insert = database.prepare<unknown[], { id: number; approved: unknown }>(
    `insert into comments (${commentFields.join()}) values (${commentFields.map(() => '?').join()})
     returning ${commentColumns}`,
  );
  const updates = new Map<string, Statement<unknown[], { id: number }>>();
  const updateFor = (fields: readonly string[]): Statement<unknown[], { id: number }> => {
    const assignments = fields.map((name) => `${name} = ?`).join();
    let update = updates.get(assignments);
    if (update === undefined) {
      update = database.prepare(
        `update posts set ${assignments} where id = ? returning ${postColumns}`,
      );
      updates.set(assignments, update);
    }
    return update;
  };

  return {
    createComment: (body) =>
      commentProblem(body) ??
      guarded(() => {
        const row = insert.get(...commentFields.map((name) => toColumn(body[name])));
        if (row === undefined) return missing;
        row.approved = row.approved === 1;
        return { id: row.id, body: JSON.stringify(row) };
      }),
    patchPost: (id, body) =>
      postProblem(body) ??
      guarded(() => {
        const fields = Object.keys(body);
        const row = updateFor(fields).get(...fields.map((name) => toColumn(body[name])), id);
        return row === undefined ? missing : { id, body: JSON.stringify(row) };
      }),
  };
}

function toColumn(value: unknown): unknown {
  return typeof value === 'boolean' ? Number(value) : (value ?? null);
}

function guarded(write: () => Written): Written {
  try {
    return write();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!code.startsWith('SQLITE_CONSTRAINT')) throw error;
    return refused;
  }
}
