/** The columns of a post, in the order of the answer. */
export const postColumns = 'id,title,slug,body,status,views,rating,"publishedAt","authorId"';
/** The columns of a comment, in the order of the answer. */
export const commentColumns = 'id,"postId","authorId",body,rating,approved,"writtenAt"';
/** The columns of a note, in the order of the answer. */
export const noteColumns = 'id,"authorId",body,"writtenAt"';
/** The columns of a user, in the order of the answer. */
export const userColumns = 'id,name,email,role,active,"joinedAt"';

/** A post as the database gives it and as the answer shows it; relations are added to it. */
export type Post = { id: number; views: number; authorId: number; [relation: string]: unknown };

/** A comment as the database gives it. SQLite has no booleans: `approved` is made one. */
export type Comment = {
  id: number;
  postId: number;
  rating: number | null;
  approved: unknown;
};
