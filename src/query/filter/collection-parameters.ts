/** What can be said of one expanded collection, below its path: `comments.limit=5`. Contract 2, Pagination. */
export const collectionParameters = ['page', 'limit', 'offset', 'sort'] as const;
