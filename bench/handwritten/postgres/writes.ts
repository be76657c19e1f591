import { tagOf } from '../answer.ts';
import { commentFields, noteFields, tagIds } from '../bodies.ts';
import { changed, mismatch, missing, refused } from '../outcomes.ts';
import { commentColumns, noteColumns, postColumns } from '../records.ts';
import type { Body, Store, Written } from '../store.ts';
import type { Query, Transaction } from './connect.ts';

/** SQLSTATEs of class 23, integrity constraint violation. */
const constraint = /^23\d{3}$/;

const names = (fields: readonly string[]): string => fields.map(quote).join();
const places = (fields: readonly string[]): string =>
  fields.map((_, index) => `$${index + 1}`).join();
const insertComment = `insert into comments (${names(commentFields)}) values (${places(commentFields)}) returning ${commentColumns}`;
const insertNote = `insert into notes (${names(noteFields)}) values (${places(noteFields)}) returning ${noteColumns}`;
const linkNote = `insert into "note-tags" ("noteId","tagId") select $1::bigint, unnest($2::bigint[])`;
const claimKey = `insert into _plinth_idempotency (scope, request, at) values ($1, $2, $3) on conflict do nothing returning 1`;
const keptKey = `select request, ids from _plinth_idempotency where scope = $1`;
const keepKey = `update _plinth_idempotency set status = '201', ids = $1, location = $2 where scope = $3`;

function updatePost(fields: readonly string[]): string {
  const assignments = fields.map((name, index) => `${quote(name)} = $${index + 2}`).join();
  return `update posts set ${assignments} where id = $1 returning ${postColumns}`;
}

type Row = { id: number };

/** The creates that are one statement and one transaction. */
export function writes(query: Query): Pick<Store, 'createComment'> {
  return {
    createComment: (body) =>
      answered(async () => {
        const [row] = await query<Row>(insertComment, valuesOf(body, commentFields));
        return written(row);
      }),
  };
}

/** The writes of which some are several statements in a transaction. */
export function guarded(
  query: Query,
  transaction: Transaction,
): Pick<Store, 'patchPost' | 'createNote' | 'createKeyed'> {
  return {
    patchPost: (id, body, ifMatch) => {
      const fields = Object.keys(body);
      const update = async (on: Query): Promise<Written> => {
        const [row] = await on<Row>(updatePost(fields), [id, ...valuesOf(body, fields)]);
        return written(row);
      };
      if (ifMatch === undefined) return answered(() => update(query));
      return answered(() =>
        transaction(async (on) => {
          const current = `select ${postColumns} from posts where id = $1 for update`;
          const [row] = await on<Row>(current, [id]);
          if (row === undefined) return missing;
          return tagOf(JSON.stringify(row)) === ifMatch ? update(on) : changed;
        }),
      );
    },
    createNote: (body) =>
      answered(() =>
        transaction(async (on) => {
          const [row] = await on<Row>(insertNote, valuesOf(body, noteFields));
          if (row !== undefined) await on(linkNote, [row.id, [...tagIds(body)]]);
          return written(row);
        }),
      ),
    createKeyed: (body, { scope, request }) =>
      answered(() =>
        transaction(async (on) => {
          const at = new Date().toISOString();
          const [claimed] = await on<object>(claimKey, [scope, request, at]);
          if (claimed === undefined) return kept(on, scope, request);
          const [row] = await on<Row>(insertComment, valuesOf(body, commentFields));
          const location = `/v1/comments/${String(row?.id)}`;
          await on(keepKey, [JSON.stringify([row?.id]), location, scope]);
          return written(row);
        }),
      ),
  };
}

async function kept(on: Query, scope: string, request: string): Promise<Written> {
  const [row] = await on<{ request: string; ids: string }>(keptKey, [scope]);
  if (row?.request !== request) return mismatch;
  const [id] = JSON.parse(row.ids) as readonly number[];
  const [found] = await on<Row>(`select ${commentColumns} from comments where id = $1`, [id]);
  return written(found);
}

function written(row: Row | undefined): Written {
  return row === undefined ? missing : { id: row.id, body: JSON.stringify(row) };
}

function valuesOf(body: Body, fields: readonly string[]): unknown[] {
  return fields.map((name) => body[name] ?? null);
}

async function answered(write: () => Promise<Written>): Promise<Written> {
  try {
    return await write();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!constraint.test(code)) throw error;
    return refused;
  }
}

function quote(name: string): string {
  return `"${name}"`;
}
