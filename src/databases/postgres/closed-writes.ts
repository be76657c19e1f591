import { writeOperations, type WriteOperation } from '../../model/access.ts';
import type { Row } from '../database.ts';

const reasons = ['kind', 'rule', 'missingColumn'] as const;

/**
 * Why a table or view does not take an operation: `kind`, it is a view or foreign table that cannot be written; `rule`, a
 * rule of it writes the rows elsewhere and returns none, so that no statement with RETURNING works; `missingColumn`, it is a
 * view that lacks a column without which its table takes no row.
 */
export type ClosedBy = (typeof reasons)[number];

/** In `pg_relation_is_updatable`. */
const bits = { create: 8, update: 4, delete: 16 } as const satisfies Record<WriteOperation, number>;

const byKind =
  `SELECT label, operation, 'kind' FROM asked JOIN pg_class ON pg_class.oid = asked.oid,` +
  ` (VALUES ${writeOperations.map((one) => `('${one}', ${bits[one]})`).join(', ')}) AS written(operation, bit)` +
  ` WHERE relkind IN ('v', 'm', 'f') AND pg_relation_is_updatable(pg_class.oid, true) & bit = 0`;

/** 2 is an UPDATE, 3 an INSERT. */
const byRule =
  `SELECT label, CASE ev_type WHEN '2' THEN 'update' ELSE 'create' END, 'rule' FROM asked JOIN pg_rewrite ON ev_class = asked.oid` +
  ` WHERE ev_type IN ('2', '3') GROUP BY label, asked.oid, ev_type` +
  ` HAVING bool_or(is_instead) AND NOT bool_or(pg_get_ruledef(pg_rewrite.oid) ~ '\\mRETURNING\\M')`;

/** 64 is an INSTEAD OF trigger, 4 one of INSERT, and 7 a BEFORE INSERT trigger for each row, which may fill the column. */
const byMissingColumn =
  `SELECT label, 'create', 'missingColumn' FROM asked JOIN pg_class ON pg_class.oid = asked.oid` +
  ` JOIN pg_rewrite AS shown ON shown.ev_class = pg_class.oid AND shown.ev_type = '1'` +
  ` JOIN pg_depend AS used ON used.classid = 'pg_rewrite'::regclass AND used.objid = shown.oid` +
  ` AND used.refclassid = 'pg_class'::regclass AND used.refobjid <> pg_class.oid` +
  ` WHERE relkind = 'v' AND NOT EXISTS (SELECT 1 FROM pg_rewrite WHERE ev_class = pg_class.oid AND ev_type = '3')` +
  ` AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = pg_class.oid AND tgtype & 68 = 68)` +
  ` GROUP BY label, pg_class.oid HAVING count(DISTINCT used.refobjid) = 1 AND EXISTS (SELECT 1 FROM pg_attribute` +
  ` WHERE attrelid = min(used.refobjid::bigint)::oid AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef` +
  ` AND attidentity = '' AND attnum <> ALL (array_agg(used.refobjsubid)))` +
  ` AND NOT EXISTS (SELECT 1 FROM pg_trigger WHERE tgrelid = min(used.refobjid::bigint)::oid AND NOT tgisinternal AND tgtype & 7 = 7)`;

/** An operation that the table or view with this label does not take. */
export interface ClosedWrite {
  readonly label: string;
  readonly operation: WriteOperation;
  readonly by: ClosedBy;
}

/** Reads the rows of `closedWritesQuery`. */
export function closedIn(rows: readonly Row[]): readonly ClosedWrite[] {
  const known = <Text>(texts: readonly Text[], text: unknown): readonly Text[] =>
    texts.filter((one) => one === text);
  return rows.flatMap(([label, operation, by]) =>
    known(writeOperations, operation).flatMap((one) =>
      known(reasons, by).map((reason) => ({ label: String(label), operation: one, by: reason })),
    ),
  );
}

/**
 * Selects the operations that tables and views do not take, a row each: the label of the table, the operation (`WriteOperation`)
 * and why (`ClosedBy`). `asked`: a query for labels with the oid of their table.
 */
export function closedWritesQuery(asked: string): string {
  return `WITH asked(label, oid) AS (${asked}) ${[byKind, byRule, byMissingColumn].join(' UNION ALL ')}`;
}
