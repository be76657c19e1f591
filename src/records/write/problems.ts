import type { FieldProblem } from '../../errors.ts';
import type { ValueIssue } from '../../model/values.ts';
import { invalidValues, rejectLinks } from '../api-failure.ts';
import type { RowRights } from './checks/row-rights.ts';

/** The problems of one write, with all that is nested in it. They are collected, so that all are reported together. */
export class Problems {
  /** Missing or mistyped values (400), and wrong ones (422). */
  private readonly issues: ValueIssue[] = [];
  /** Rejected references and values (422). */
  private readonly refused: FieldProblem[] = [];
  private isFailed = false;
  private isForbidden = false;

  note(issues: readonly ValueIssue[]): void {
    for (const issue of issues) this.issues.push(issue);
  }

  /** A record cannot be written. There may be no problem to report, if the caller does not know the fields. */
  refuse(problems: readonly FieldProblem[]): void {
    this.isFailed = true;
    for (const problem of problems) this.refused.push(problem);
  }

  /** Access rules do not allow it. */
  forbid(): void {
    this.isForbidden = true;
  }

  /** Throws an ApiFailure if there are problems. */
  reject(rights: RowRights): void {
    rejectLinks(this.issues, this.refused);
    if (this.isFailed) throw invalidValues([]);
    if (this.isForbidden) rights.reject();
  }
}
