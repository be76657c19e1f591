INSERT INTO schema_migrations VALUES ('20260301100000');
INSERT INTO users (email, created_at, updated_at) VALUES ('a@example.com', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456');
INSERT INTO profiles (user_id, bio) VALUES (1, 'b');
INSERT INTO posts (author_id, editor_id, title, created_at, updated_at) VALUES (1, 1, 't', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456');
INSERT INTO comments (user_id, commentable_type, commentable_id, body, created_at, updated_at) VALUES (1, 'Post', 1, 'c', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456');
INSERT INTO comments (user_id, parent_id, commentable_type, commentable_id, body, created_at, updated_at) VALUES (1, 1, 'Post', 1, 'd', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456');
INSERT INTO authors (name) VALUES ('Ada'), ('Bob');
INSERT INTO books (title) VALUES ('x'), ('y');
INSERT INTO authors_books VALUES (1, 1), (1, 2), (2, 2);
INSERT INTO likes (user_id, post_id) VALUES (1, 1);
INSERT INTO tags (name) VALUES ('new');
INSERT INTO taggings (tag_id, taggable_type, taggable_id) VALUES (1, 'Post', 1), (1, 'Book', 1);
INSERT INTO active_storage_blobs ("key", filename, service_name, byte_size, created_at) VALUES ('k', 'f.png', 'local', 3, '2026-03-01 10:00:00.123456');
INSERT INTO active_storage_attachments (name, record_type, record_id, blob_id, created_at) VALUES
  ('avatar', 'User', 1, 1, '2026-03-01 10:00:00.123456'), ('image', 'ActiveStorage::VariantRecord', 1, 1, '2026-03-01 10:00:00.123456');
INSERT INTO active_storage_variant_records (blob_id, variation_digest) VALUES (1, 'd');
