import type { Database, Statement } from 'better-sqlite3';
import { postColumns } from './post.ts';

/** A write's outcome: the record as text with its id, or a status with the reason. */
export type Written =
  | { readonly id: number; readonly body: string }
  | { readonly status: number; readonly code: string; readonly message: string };

/** The prepared writes. */
export type Writes = {
  readonly createComment: (body: Readonly<Record<string, unknown>>) => Written;
  readonly patchPost: (id: number, body: Readonly<Record<string, unknown>>) => Written;
};

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string' && value.isWellFormed();
const isWhole: Check = (value) => Number.isSafeInteger(value);
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const isInstant: Check = (value) =>
  typeof value === 'string' && instant.test(value) && !Number.isNaN(Date.parse(value));
const isWithin =
  (low: number, high: number): Check =>
  (value) =>
    typeof value === 'number' && value >= low && value <= high;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || value === undefined || check(value);

const commentChecks: Readonly<Record<string, Check>> = {
  postId: isWhole,
  authorId: isWhole,
  body: (value) => isText(value) && String(value).length <= 2_000,
  rating: orNull((value) => isWhole(value) && isWithin(1, 5)(value)),
  approved: (value) => typeof value === 'boolean',
  writtenAt: isInstant,
};
const postChecks: Readonly<Record<string, Check>> = {
  title: (value) => isText(value) && String(value).length <= 160,
  slug: (value) => isText(value) && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(String(value)),
  body: isText,
  status: (value) => value === 'draft' || value === 'published' || value === 'archived',
  views: (value) => isWhole(value) && Number(value) >= 0,
  rating: orNull(isWithin(0, 5)),
  publishedAt: orNull(isInstant),
  authorId: isWhole,
};

/** Prepares the writes on a connection; each is one statement and one transaction. */
export function writes(database: Database): Writes {
  const names = Object.keys(commentChecks);
  const insert = database.prepare<unknown[], { id: number; approved: unknown }>(
    `insert into comments (${names.join()}) values (${names.map(() => '?').join()})
     returning id,${names.join()}`,
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
    createComment: (body) => {
      for (const name in body) if (!(name in commentChecks)) return wrong(name);
      for (const name of names) if (!commentChecks[name]?.(body[name])) return wrong(name);
      return guarded(() => {
        const values = names.map((name) => toColumn(body[name]));
        const row = insert.get(...values);
        if (row === undefined) return missing;
        row.approved = row.approved === 1;
        return { id: row.id, body: JSON.stringify(row) };
      });
    },
    patchPost: (id, body) => {
      const fields = Object.keys(body);
      for (const name of fields) if (!postChecks[name]?.(body[name])) return wrong(name);
      if (fields.length === 0) return wrong('body');
      return guarded(() => {
        const row = updateFor(fields).get(...fields.map((name) => toColumn(body[name])), id);
        return row === undefined ? missing : { id, body: JSON.stringify(row) };
      });
    },
  };
}

const missing: Written = { status: 404, code: 'RESOURCE_NOT_FOUND', message: 'No such record' };

function wrong(name: string): Written {
  return { status: 400, code: 'VALIDATION_FAILED', message: `${name} is unknown or not valid` };
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
    return { status: 422, code: 'INVALID_VALUE', message: 'Not unique, or points nowhere' };
  }
}
