import express from 'express';
import { describeClass, Entity, Fields } from 'remult';
import { createPostgresDataProvider } from 'remult/postgres';
import { remultApi } from 'remult/remult-express';

const { DATABASE_URL: connectionString, PORT: port } = process.env;

class Post {
  id;
}
describeClass(Post, Entity('posts', { allowApiCrud: true }), {
  id: Fields.autoIncrement(),
  title: Fields.string(),
  slug: Fields.string(),
  body: Fields.string(),
  status: Fields.string(),
  views: Fields.integer(),
  rating: Fields.number(),
  publishedAt: Fields.date(),
  authorId: Fields.integer(),
});

class Comment {
  id;
}
describeClass(Comment, Entity('comments', { allowApiCrud: true }), {
  id: Fields.autoIncrement(),
  postId: Fields.integer(),
  authorId: Fields.integer(),
  body: Fields.string(),
  rating: Fields.integer(),
  approved: Fields.boolean(),
  writtenAt: Fields.date(),
});

const app = express();
app.use(
  remultApi({
    entities: [Post, Comment],
    dataProvider: createPostgresDataProvider({ connectionString, configuration: { max: 10 } }),
    ensureSchema: false,
  }),
);
app.listen(Number(port), '127.0.0.1');
