import { commentFields, commentProblem, missing, postProblem, refused } from '../bodies.ts';
import { commentColumns, postColumns } from '../records.ts';
import type { Body, Store, Written } from '../store.ts';
import type { Query } from './connect.ts';

/** SQLSTATEs of class 23, integrity constraint violation. */
const constraint = /^23\d{3}$/;

/** The writes; each is one statement and one transaction. */
export function writes(query: Query): Pick<Store, 'createComment' | 'patchPost'> {
  const names = commentFields.map(quote).join();
  const values = commentFields.map((_, index) => `$${index + 1}`).join();
  const insert = `insert into comments (${names}) values (${values}) returning ${commentColumns}`;

  return {
    createComment: (body) =>
      commentProblem(body) ?? written(query, insert, valuesOf(body, commentFields)),
    patchPost: (id, body) => {
      const problem = postProblem(body);
      if (problem !== undefined) return problem;
      const fields = Object.keys(body);
      const assignments = fields.map((name, index) => `${quote(name)} = $${index + 2}`).join();
      const update = `update posts set ${assignments} where id = $1 returning ${postColumns}`;
      return written(query, update, [id, ...valuesOf(body, fields)]);
    },
  };
}

function valuesOf(body: Body, fields: readonly string[]): unknown[] {
  return fields.map((name) => body[name] ?? null);
}

async function written(query: Query, text: string, values: readonly unknown[]): Promise<Written> {
  try {
    const [row] = await query<{ id: number }>(text, values);
    return row === undefined ? missing : { id: row.id, body: JSON.stringify(row) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!constraint.test(code)) throw error;
    return refused;
  }
}

function quote(name: string): string {
  return `"${name}"`;
}
