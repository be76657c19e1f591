/** Detects Citus, and databases that speak the protocol of PostgreSQL. */
export const kindOfServer =
  `CASE WHEN EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') THEN 'citus'` +
  ` WHEN version() NOT LIKE 'PostgreSQL %' OR version() LIKE '%-YB-%' THEN 'alike' END`;
