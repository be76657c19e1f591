import type { Database, Statement } from 'better-sqlite3';
import { tagOf } from '../answer.ts';
import { commentFields, noteFields, tagIds } from '../bodies.ts';
import { changed, mismatch, missing, refused } from '../outcomes.ts';
import { commentColumns, noteColumns, postColumns } from '../records.ts';
import type { Body, Store, Written } from '../store.ts';

/** Prepares the writes on a connection; each is one transaction. */
export function writes(
  database: Database,
): Pick<Store, 'createComment' | 'patchPost' | 'createNote' | 'createKeyed'> {
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

  const current = database.prepare<unknown[], { id: number }>(
    `select ${postColumns} from posts where id = ?`,
  );
  const insertNote = database.prepare<unknown[], { id: number }>(
    `insert into notes (${noteFields.join()}) values (?,?,?) returning ${noteColumns}`,
  );
  const linkNote = database.prepare(`insert into "note-tags" (noteId, tagId) values (?,?)`);
  const claimKey = database.prepare(
    `insert into _plinth_idempotency (scope, request, at) values (?,?,?) on conflict do nothing`,
  );
  const keptKey = database.prepare<unknown[], { request: string; ids: string }>(
    `select request, ids from _plinth_idempotency where scope = ?`,
  );
  const keepKey = database.prepare(
    `update _plinth_idempotency set status = '201', ids = ?, location = ? where scope = ?`,
  );
  const comment = database.prepare<unknown[], { id: number; approved: unknown }>(
    `select ${commentColumns} from comments where id = ?`,
  );
  const inOne = database.transaction((write: () => Written): Written => write());
  const together = (write: () => Written): Written => inOne.immediate(write);

  const shown = (row: { id: number; approved: unknown } | undefined): Written => {
    if (row === undefined) return missing;
    row.approved = row.approved === 1;
    return { id: row.id, body: JSON.stringify(row) };
  };
  const createComment = (body: Body): Written =>
    shown(insert.get(...commentFields.map((name) => toColumn(body[name]))));
  const patchPost = (id: number, body: Body): Written => {
    const fields = Object.keys(body);
    const row = updateFor(fields).get(...fields.map((name) => toColumn(body[name])), id);
    return row === undefined ? missing : { id, body: JSON.stringify(row) };
  };

  return {
    createComment: (body) => guarded(() => createComment(body)),
    patchPost: (id, body, ifMatch) => {
      if (ifMatch === undefined) return guarded(() => patchPost(id, body));
      return guarded(() =>
        together(() => {
          const row = current.get(id);
          if (row === undefined) return missing;
          return tagOf(JSON.stringify(row)) === ifMatch ? patchPost(id, body) : changed;
        }),
      );
    },
    createNote: (body) =>
      guarded(() =>
        together(() => {
          const row = insertNote.get(...noteFields.map((name) => toColumn(body[name])));
          if (row === undefined) return missing;
          for (const tag of tagIds(body)) linkNote.run(row.id, tag);
          return { id: row.id, body: JSON.stringify(row) };
        }),
      ),
    createKeyed: (body, { scope, request }) =>
      guarded(() =>
        together(() => {
          const at = new Date().toISOString();
          if (claimKey.run(scope, request, at).changes === 0) {
            const kept = keptKey.get(scope);
            if (kept?.request !== request) return mismatch;
            return shown(comment.get((JSON.parse(kept.ids) as readonly number[])[0]));
          }
          const created = createComment(body);
          if ('id' in created)
            keepKey.run(JSON.stringify([created.id]), `/v1/comments/${created.id}`, scope);
          return created;
        }),
      ),
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
