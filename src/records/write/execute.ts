import { fail, ok, type Result } from '../../errors.ts';
import type { WritePlan } from '../../query/plan.ts';
import type { WriteStatements } from '../../sql/compile/write.ts';
import { ConstraintError, type Database } from '../../databases/database.ts';
import { isRecorded } from './audit/trail.ts';
import { writeDirectly } from './direct/write.ts';
import { ApiFailure } from '../api-failure.ts';
import { isUnrestricted } from './checks/access.ts';
import { formerRowsOf } from './checks/former-rows.ts';
import { createWithLinks } from './direct/create-with-links.ts';
import { readWritten } from './read-back.ts';
import type { WriteContext, Written } from './result.ts';
import { Writer } from './writer.ts';

/** Runs a write in one transaction; returns every failure that the request is to blame for as an ApiError. */
export async function executeWrite(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  context: WriteContext,
): Promise<Result<Written>> {
  const { audited } = context;
  // A write of its own would wait for the transaction that is open.
  if (audited !== undefined && database.isInTransaction !== true)
    await audited.log.deleteOld(audited.at);
  try {
    // In an open transaction nothing may be rejected outside of a savepoint.
    const isAlone = database.isInTransaction !== true && context.around === undefined;
    const atOnce = isAlone && (await writeAtOnce(plan, database, statements, context));
    if (atOnce) return atOnce;
  } catch (error) {
    // Run it again below, in a transaction that can look up the fields to blame.
    if (!(error instanceof ConstraintError)) throw error;
  }
  try {
    const written = await database.write(
      (transaction) =>
        new Writer(
          transaction,
          database.dialect,
          statements,
          context,
          formerRowsOf(plan, context.former),
        ).run(plan),
      context.requester,
    );
    const isNew = !written.some(({ isOld }) => isOld === true);
    return ok({ ...(await readWritten(written, context, database)), isNew });
  } catch (error) {
    if (error instanceof ApiFailure) return fail(error.error);
    throw error;
  }
}

/** Runs a write that needs no look-ups and no open transaction; undefined for others. */
async function writeAtOnce(
  plan: WritePlan,
  database: Database,
  statements: WriteStatements,
  context: WriteContext,
): Promise<Result<Written> | undefined> {
  const { compiled, plain, rights, audited } = context;
  if (isRecorded(plan, audited)) return undefined;
  // If the response selects other fields, the entity tag needs a read of its own.
  if (plain !== undefined || !isUnrestricted(plan, compiled, rights)) return undefined;
  const plainly = writeDirectly(plan, compiled, database, statements);
  if (plainly !== undefined) {
    const written = await plainly;
    return written && ok({ records: written, isUnread: false });
  }
  const whole = await createWithLinks(plan, context, database, statements);
  return whole && ok({ records: [whole], isUnread: false });
}
