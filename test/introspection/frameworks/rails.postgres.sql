-- As `rails db:schema:load` leaves it: keys by add_foreign_key where somebody has written them, which is not everywhere.
CREATE TABLE schema_migrations (version character varying NOT NULL PRIMARY KEY);
CREATE TABLE ar_internal_metadata (key character varying NOT NULL PRIMARY KEY, value character varying,
  created_at timestamp(6) without time zone NOT NULL, updated_at timestamp(6) without time zone NOT NULL);
CREATE TABLE users (id bigserial PRIMARY KEY, email character varying DEFAULT '' NOT NULL,
  encrypted_password character varying DEFAULT '' NOT NULL, reset_password_token character varying, admin boolean DEFAULT false NOT NULL,
  created_at timestamp(6) without time zone NOT NULL, updated_at timestamp(6) without time zone NOT NULL);
CREATE UNIQUE INDEX index_users_on_email ON users (email);
CREATE TABLE profiles (id bigserial PRIMARY KEY, user_id bigint NOT NULL, bio text);
CREATE UNIQUE INDEX index_profiles_on_user_id ON profiles (user_id);
CREATE TABLE posts (id bigserial PRIMARY KEY, author_id bigint NOT NULL REFERENCES users (id), editor_id bigint REFERENCES users (id),
  title character varying NOT NULL, body text, published_at timestamp(6) without time zone, comments_count integer DEFAULT 0 NOT NULL,
  created_at timestamp(6) without time zone NOT NULL, updated_at timestamp(6) without time zone NOT NULL);
CREATE INDEX index_posts_on_author_id ON posts (author_id);
CREATE INDEX index_posts_on_editor_id ON posts (editor_id);
CREATE TABLE comments (id bigserial PRIMARY KEY, user_id bigint NOT NULL, parent_id bigint, commentable_type character varying NOT NULL,
  commentable_id bigint NOT NULL, body text NOT NULL,
  created_at timestamp(6) without time zone NOT NULL, updated_at timestamp(6) without time zone NOT NULL);
CREATE INDEX index_comments_on_commentable ON comments (commentable_type, commentable_id);
CREATE INDEX index_comments_on_user_id ON comments (user_id);
CREATE TABLE authors (id bigserial PRIMARY KEY, name character varying);
CREATE TABLE books (id bigserial PRIMARY KEY, title character varying, isbn character varying);
CREATE TABLE authors_books (author_id bigint NOT NULL, book_id bigint NOT NULL);
CREATE INDEX index_authors_books_on_author_id_and_book_id ON authors_books (author_id, book_id);
CREATE TABLE likes (id bigserial PRIMARY KEY, user_id bigint NOT NULL REFERENCES users (id), post_id bigint NOT NULL REFERENCES posts (id));
CREATE UNIQUE INDEX index_likes_on_user_id_and_post_id ON likes (user_id, post_id);
CREATE TABLE tags (id bigserial PRIMARY KEY, name character varying NOT NULL);
CREATE UNIQUE INDEX index_tags_on_name ON tags (name);
CREATE TABLE taggings (id bigserial PRIMARY KEY, tag_id bigint REFERENCES tags (id), taggable_type character varying, taggable_id bigint);
CREATE TABLE active_storage_blobs (id bigserial PRIMARY KEY, key character varying NOT NULL, filename character varying NOT NULL,
  content_type character varying, metadata text, service_name character varying NOT NULL, byte_size bigint NOT NULL,
  checksum character varying, created_at timestamp(6) without time zone NOT NULL);
CREATE UNIQUE INDEX index_active_storage_blobs_on_key ON active_storage_blobs (key);
CREATE TABLE active_storage_attachments (id bigserial PRIMARY KEY, name character varying NOT NULL, record_type character varying NOT NULL,
  record_id bigint NOT NULL, blob_id bigint NOT NULL REFERENCES active_storage_blobs (id),
  created_at timestamp(6) without time zone NOT NULL);
CREATE UNIQUE INDEX index_active_storage_attachments_uniqueness ON active_storage_attachments (record_type, record_id, name, blob_id);
CREATE TABLE active_storage_variant_records (id bigserial PRIMARY KEY, blob_id bigint NOT NULL REFERENCES active_storage_blobs (id),
  variation_digest character varying NOT NULL);
CREATE UNIQUE INDEX index_active_storage_variant_records_uniqueness ON active_storage_variant_records (blob_id, variation_digest);
