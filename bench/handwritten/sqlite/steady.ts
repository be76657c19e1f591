/**
 * A placeholder for LIMIT and OFFSET. SQLite looks at a bare `?` there while planning, and so
 * prepares the statement again after each binding, which costs as much as the read; not at a sum.
 */
export const steady = '(? + 0)';
