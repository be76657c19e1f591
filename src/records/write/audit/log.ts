import type { Audit } from '../../../model/api.ts';
import type { Database } from '../../../databases/database.ts';
import { deleteExpired } from '../../../sql/compile/expired.ts';
import { ExpiredRows } from '../expired-rows.ts';

/** The audit log in a database. */
export class AuditLog {
  readonly audit: Audit;
  private readonly expired: ExpiredRows;

  constructor(audit: Audit, database: Database) {
    this.audit = audit;
    const { table, id } = audit.resource;
    this.expired = new ExpiredRows(database, deleteExpired(database.dialect, table, id.column));
  }

  /** Deletes some changes that are older than `keep`, now and then. */
  async deleteOld(now: Date): Promise<void> {
    await this.expired.deleteBefore(new Date(now.getTime() - this.audit.keep).toISOString());
  }
}
