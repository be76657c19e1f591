/** What a database and its copies by streaming replication have in common, and no other database. */
export const identity =
  `(SELECT system_identifier::text FROM pg_control_system()) || ' ' ||` +
  ` (SELECT oid::text FROM pg_database WHERE datname = current_database())`;
