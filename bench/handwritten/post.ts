/** The columns of a post, in the order of the answer. */
export const postColumns = 'id,title,slug,body,status,views,rating,publishedAt,authorId';

/** A post as the database gives it and as the answer shows it; relations are added to it. */
export type Post = { id: number; views: number; authorId: number; [relation: string]: unknown };

/**
 * A placeholder for LIMIT and OFFSET. SQLite looks at a bare `?` there while planning, and so
 * prepares the statement again after each binding, which costs as much as the read; not at a sum.
 */
export const steady = '(? + 0)';
