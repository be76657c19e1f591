/**
 * The parameters of one expanded collection, behind its path: `comments.limit=5`. See
 * docs/contract/2-reading.md#expanded-collections, rule 1.
 */
export const collectionParameters = ['page', 'limit', 'offset', 'sort'] as const;
