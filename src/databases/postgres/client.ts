import driver from 'postgres';

const text = (stored: string): string => stored;

/** A bigint as a number if that is exact; existing tables may hold more than 2⁵³. */
function readBigint(stored: string): number | string {
  const number = Number(stored);
  return Number.isSafeInteger(number) ? number : stored;
}

/** Turns off the driver's conversions: values are sent as text, and the codecs read results. */
const types = {
  text: { to: 25, from: [17, 114, 3802, 1082, 1114, 1184], serialize: text, parse: text },
  boolean: { to: 16, from: [16], serialize: text, parse: (stored: string) => stored === 't' },
  bigint: { to: 20, from: [20], serialize: text, parse: readBigint },
};

/**
 * Creates a client that ignores the driver's own environment variables. Without `target_session_attrs` the driver
 * reads PGTARGETSESSIONATTRS and rejects libpq's `any`, so the option is set and then removed again.
 */
export function clientOf(told: Readonly<Record<string, unknown>>): driver.Sql {
  const all = { max_pipeline: 100, keep_alive: 60, debug: false, types, ...told };
  // The driver's types lack a list of hosts, which keeps an IPv6 address from being split at its first colon.
  const client = (options: object): driver.Sql => driver(options as driver.Options<typeof types>);
  const { options } = client({ ...all, target_session_attrs: 'primary' });
  return client({ ...options, target_session_attrs: told['target_session_attrs'] });
}
