import type { Records, TestApi } from '../support/api.ts';
import type { Both } from '../support/both.ts';

/** What asks for each kind of output by itself. */
export const debugParameters = [
  '_debug=true',
  '_debug=plan',
  '_trace=true',
  '_verbose=true',
  '_inspect=data',
  '_inspectNetwork=true',
] as const;

/** Posts with authors, tags and comments: every kind of step, filters with an index and without. */
export const blog = `
name: Blog
resources:
  users:
    fields:
      name: { type: string, required: true, minLength: 2 }
      password: { type: string, writeOnly: true }
      posts: { type: relation, relation: hasMany, resource: posts, foreignKey: authorId }
  posts:
    indexes: [[status, size]]
    fields:
      title: { type: string }
      status: { type: string }
      size: { type: integer, index: true }
      rank: { type: integer }
      author: { type: relation, relation: belongsTo, resource: users }
      comments: { type: relation, relation: hasMany, resource: comments }
      tags: { type: relation, relation: belongsToMany, resource: tags, through: post-tags }
  comments:
    fields:
      text: { type: string }
      postId: { type: integer, reference: posts.id }
  tags:
    fields:
      name: { type: string }
  post-tags:
    fields:
      postId: { type: integer, reference: posts.id, required: true }
      tagId: { type: integer, reference: tags.id, required: true }
  events:
    fields:
      at: { type: string }
  logs:
    pagination: cursor
    fields:
      at: { type: string }
`;

export const records: Records = {
  users: [{ name: 'Ann', password: 'hunter2' }, { name: 'Bob' }],
  tags: [{ name: 'red' }],
  posts: [
    { title: 'one', status: 'draft', size: 1, rank: 3, authorId: 1, tags: [1] },
    { title: 'two', status: 'done', size: 2, rank: 2, authorId: 2 },
    { title: 'three', status: 'done', size: 3, rank: 1, authorId: 1 },
  ],
  comments: [{ text: 'good', postId: 1 }],
};

interface Step {
  readonly stage: string;
  readonly time: string;
  readonly duration: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Query {
  readonly sql: string | null;
  readonly duration: string;
  readonly plan?: readonly string[] | null;
  readonly index?: string;
}

/** A body with debug members, as far as tests look at them. */
export interface DebugBody {
  readonly data: unknown;
  readonly next_cursor?: unknown;
  readonly _debug: {
    readonly query: Readonly<Record<'filters' | 'sort' | 'pagination', unknown>>;
    readonly timing: Readonly<Record<'total' | 'database' | 'processing', string>>;
    readonly database: { readonly queryCount: number; readonly queries: readonly Query[] };
  };
  readonly _trace: readonly Step[];
  readonly _verbose: {
    readonly request: object;
    readonly error: Readonly<Record<'code' | 'details' | 'stack', string>>;
  };
}

export const durationPattern = /^\d+\.\d\dms$/u;

/** A duration in hundredths of a ms. */
export function hundredths(duration: string): number {
  return Math.round(Number(duration.replace('ms', '')) * 100);
}

/** Looks at the answer that each database gives: times and SQL differ. */
export async function onEach(
  { sides }: Both,
  ask: (side: TestApi) => Promise<{ readonly body: DebugBody; readonly status: number }>,
  look: (body: DebugBody, status: number, side: TestApi) => void,
): Promise<void> {
  for (const side of sides) {
    const { body, status } = await ask(side);
    look(body, status, side);
  }
}
