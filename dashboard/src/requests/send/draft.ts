import type { RequestDetail } from '../../../../src/http/dashboard/wire.ts';
import { formatted } from '../../code/format.ts';
import { bodyText, sendableHeaders } from '../copy/commands.ts';
import { urlOf } from '../list/rows.ts';

/** A request as it is being changed. */
export interface Draft {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

export interface HeaderLine {
  readonly name: string;
  readonly value: string;
}

/** What was changed and not discarded, by the id of its request: closing a panel loses nothing. */
const drafts = new Map<string, Draft>();

export function draftOf(request: RequestDetail): Draft {
  return drafts.get(request.id) ?? originalOf(request);
}

export function hasDraft({ id }: Pick<RequestDetail, 'id'>): boolean {
  return drafts.has(id);
}

export function keepDraft({ id }: Pick<RequestDetail, 'id'>, draft: Draft): void {
  drafts.set(id, draft);
}

export function discardDraft({ id }: Pick<RequestDetail, 'id'>): void {
  drafts.delete(id);
}

/** The request as it was sent. */
export function originalOf(request: RequestDetail): Draft {
  return {
    method: request.method,
    url: urlOf(request),
    headers: Object.entries(sendableHeaders(request)).map(([name, value]) => ({ name, value })),
    body: formatted(bodyText(request) ?? ''),
  };
}
