INSERT INTO django_migrations (app, name, applied) VALUES ('auth', '0001_initial', '2026-03-01 10:00:00.123456');
INSERT INTO django_content_type (app_label, model) VALUES ('blog', 'post');
INSERT INTO auth_permission (name, content_type_id, codename) VALUES ('Can add post', 1, 'add_post');
INSERT INTO auth_group (name) VALUES ('editors');
INSERT INTO auth_group_permissions (group_id, permission_id) VALUES (1, 1);
INSERT INTO auth_user (password, is_superuser, username, first_name, last_name, email, is_staff, is_active, date_joined)
  VALUES ('x', true, 'ada', 'A', 'L', 'a@example.com', true, true, '2026-03-01 10:00:00.123456');
INSERT INTO auth_user_groups (user_id, group_id) VALUES (1, 1);
INSERT INTO auth_user_user_permissions (user_id, permission_id) VALUES (1, 1);
INSERT INTO django_admin_log (action_time, object_id, object_repr, action_flag, change_message, content_type_id, user_id) VALUES ('2026-03-01 10:00:00.123456', '1', 'p', 1, '', 1, 1);
INSERT INTO blog_category (name) VALUES ('c');
INSERT INTO blog_category (name, parent_id) VALUES ('d', 1);
INSERT INTO blog_tag (slug) VALUES ('new');
INSERT INTO blog_post (title, body, pub_date, author_id, reviewer_id, category_id) VALUES ('t', 'b', '2026-03-01 10:00:00.123456', 1, 1, 1);
INSERT INTO blog_post_tags (post_id, tag_id) VALUES (1, 1);
INSERT INTO blog_comment (text, created_at, updated_at, post_id, user_id) VALUES ('x', '2026-03-01 10:00:00.123456', '2026-03-01 10:00:00.123456', 1, 1);
INSERT INTO accounts_profile (user_id, bio) VALUES (1, 'b');
INSERT INTO accounts_setting (theme, user_id) VALUES ('dark', 1);
