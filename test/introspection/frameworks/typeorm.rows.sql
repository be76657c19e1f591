INSERT INTO "user" ("id", "firstName", "passwordHash") VALUES ('0191a2b3-0000-4000-8000-000000000001', 'Ada', 'x');
INSERT INTO "user" ("id", "firstName", "passwordHash", "managerId") VALUES ('0191a2b3-0000-4000-8000-000000000002', 'Bob', 'x', '0191a2b3-0000-4000-8000-000000000001');
INSERT INTO "photo" ("url", "userId") VALUES ('u', '0191a2b3-0000-4000-8000-000000000001');
INSERT INTO "category" ("name") VALUES ('c');
INSERT INTO "tag" ("name") VALUES ('new');
INSERT INTO "post" ("title", "createdById", "updatedById", "categoryId") VALUES ('t', '0191a2b3-0000-4000-8000-000000000001', '0191a2b3-0000-4000-8000-000000000002', 1);
INSERT INTO "post_tags_tag" VALUES (1, 1);
INSERT INTO "user_friends_user" VALUES ('0191a2b3-0000-4000-8000-000000000001', '0191a2b3-0000-4000-8000-000000000002');
