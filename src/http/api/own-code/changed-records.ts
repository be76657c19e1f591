import type { ApiError } from '../../../errors.ts';
import { breaks } from '../../../problem-rules.ts';
import { validationError } from '../../../query/write/write.ts';
import type { WrittenRecord } from '../../../query/write/written-records.ts';
import type { ServedApi } from '../../server/served-api.ts';
import { isGuarded } from './hooks.ts';

/** The records that a request changes, if hooks judge them as they are before it. */
export class ChangedRecords {
  private readonly servedApi: ServedApi;
  private readonly keys = new Set<string>();

  constructor(servedApi: ServedApi) {
    this.servedApi = servedApi;
  }

  /** Takes note of the records of a write; returns the first that is changed twice, and then takes note of none. */
  take(records: readonly WrittenRecord[]): WrittenRecord | undefined {
    const own = new Set<string>();
    for (const one of records) {
      if (!isGuarded(this.servedApi, one)) continue;
      const key = recordKey(one);
      if (this.keys.has(key) || own.has(key)) return one;
      own.add(key);
    }
    for (const key of own) this.keys.add(key);
    return undefined;
  }
}

/** A record that exists, among all. */
export function recordKey(one: WrittenRecord): string {
  return `${one.resource.name} ${JSON.stringify(one.kind === 'create' ? null : (one.id ?? null))}`;
}

export function twiceError(one: WrittenRecord): ApiError {
  const path = one.path === '' || one.path.endsWith('.') ? `${one.path}id` : one.path;
  return validationError([
    {
      kind: 'type',
      path,
      message: `this request changes the record twice; the server checks changes of ${one.resource.name} against the record before the request, so change it once`,
      ...breaks('conflict'),
    },
  ]);
}
