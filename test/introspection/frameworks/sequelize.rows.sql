INSERT INTO "SequelizeMeta" VALUES ('20260301100000-create-user.js');
INSERT INTO "Users" ("username", "createdAt", "updatedAt") VALUES ('ada', '2026-03-01 10:00:00.000 +00:00', '2026-03-01 10:00:00.000 +00:00');
INSERT INTO "Projects" ("title", "createdAt", "updatedAt") VALUES ('p', '2026-03-01 10:00:00.000 +00:00', '2026-03-01 10:00:00.000 +00:00');
INSERT INTO "Tasks" ("title", "createdAt", "updatedAt", "UserId", "assigneeId", "ProjectId") VALUES ('t', '2026-03-01 10:00:00.000 +00:00', '2026-03-01 10:00:00.000 +00:00', 1, 1, 1);
INSERT INTO "UserProjects" ("role", "createdAt", "updatedAt", "UserId", "ProjectId") VALUES ('owner', '2026-03-01 10:00:00.000 +00:00', '2026-03-01 10:00:00.000 +00:00', 1, 1);
INSERT INTO "Invoices" ("amount", "createdAt", "updatedAt", "UserId") VALUES (9.5, '2026-03-01 10:00:00.000 +00:00', '2026-03-01 10:00:00.000 +00:00', 1);
