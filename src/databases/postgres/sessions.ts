/** What `target_session_attrs` may say. A URL names one server, so who prefers a standby takes whatever it is. */
export const sessionKinds = [
  'any',
  'read-write',
  'read-only',
  'primary',
  'standby',
  'prefer-standby',
] as const;

/** Which servers a session may be with. */
export type SessionKind = (typeof sessionKinds)[number];

/** What a server tells of itself as a session begins: `on` or `off`. A pooler may tell neither. */
export interface ToldSession {
  in_hot_standby?: string;
  default_transaction_read_only?: string;
}

/** Whether a server, as far as it has told, is of a kind, as libpq has it. */
const isOfKind: Readonly<Record<SessionKind, (standby?: string, readOnly?: string) => boolean>> = {
  any: () => true,
  'prefer-standby': () => true,
  primary: (standby) => standby !== 'on',
  standby: (standby) => standby !== 'off',
  'read-write': (standby, readOnly) => standby !== 'on' && readOnly !== 'on',
  'read-only': (standby, readOnly) => standby !== 'off' || readOnly !== 'off',
};

/** Why a server is not of the kind that was asked for, as far as it has told; undefined where it may be. */
export function whyUnfit(kind: SessionKind, told: ToldSession): string | undefined {
  if (isOfKind[kind](told.in_hot_standby, told.default_transaction_read_only)) return undefined;
  const writes = kind === 'standby' || kind === 'read-only' ? 'writes' : 'no writes';
  return `target_session_attrs is ${kind}, and it takes ${writes}`;
}

/**
 * What the driver is told to ask where a pooler tells nothing. It takes a standby for `read-write`, and a server that there
 * is no other beside for none that `prefer-standby` would take.
 */
export const askedByDriver: Readonly<Partial<Record<SessionKind, string>>> = {
  primary: 'primary',
  'read-write': 'primary',
  standby: 'standby',
};
