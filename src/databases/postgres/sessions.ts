/** The values of `target_session_attrs`. A URL names one server, so `prefer-standby` accepts any. */
export const sessionKinds = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const;

/** The servers that a session may be with. */
export type SessionKind = (typeof sessionKinds)[number];

/** What a server reports at the start of a session: `on` or `off`. A pooler may report neither. */
export interface ToldSession {
  in_hot_standby?: string;
  default_transaction_read_only?: string;
}

/** Whether a server matches `target_session_attrs` by what it reported, as in libpq. */
const isOfKind: Readonly<Record<SessionKind, (standby?: string, readOnly?: string) => boolean>> = {
  any: () => true,
  'prefer-standby': () => true,
  primary: (standby) => standby !== 'on',
  standby: (standby) => standby !== 'off',
  'read-write': (standby, readOnly) => standby !== 'on' && readOnly !== 'on',
  'read-only': (standby, readOnly) => standby !== 'off' || readOnly !== 'off',
};

/** Why a server does not match `target_session_attrs`, by what it reported; undefined if it may match. */
export function whyUnfit(kind: SessionKind, told: ToldSession): string | undefined {
  if (isOfKind[kind](told.in_hot_standby, told.default_transaction_read_only)) return undefined;
  const writes = kind === 'standby' || kind === 'read-only' ? 'writes' : 'no writes';
  return `target_session_attrs is ${kind}, and it takes ${writes}`;
}

/**
 * The driver's own check, for poolers that report nothing. The driver accepts a standby for `read-write`, and rejects
 * a single primary for `prefer-standby`.
 */
export const askedByDriver: Readonly<Partial<Record<SessionKind, string>>> = {
  primary: 'primary',
  'read-write': 'primary',
  standby: 'standby',
};
