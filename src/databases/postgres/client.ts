import driver from 'postgres';

const text = (stored: string): string => stored;

/** A bigint as a number where that is exact: other tables may hold more than 2⁵³. */
function readBigint(stored: string): number | string {
  const number = Number(stored);
  return Number.isSafeInteger(number) ? number : stored;
}

/** What is sent is text already, and what comes is read by the codecs: the driver's own conversions are off. */
const types = {
  text: { to: 25, from: [17, 114, 3802, 1082, 1114, 1184], serialize: text, parse: text },
  boolean: { to: 16, from: [16], serialize: text, parse: (stored: string) => stored === 't' },
  bigint: { to: 20, from: [20], serialize: text, parse: readBigint },
};

/**
 * A client of the driver that is as it is told, with what the driver would else read from the environment under names of its
 * own. Where it is told of no `target_session_attrs` it takes those of the environment, which a URL may overrule, and refuses
 * the `any` of libpq; so it is told some, and has them taken away again.
 */
export function clientOf(told: Readonly<Record<string, unknown>>): driver.Sql {
  const all = { max_pipeline: 100, keep_alive: 60, debug: false, types, ...told };
  // The types of the driver know no lists of hosts, which keep an IPv6 address from being cut at its first colon.
  const client = (options: object): driver.Sql => driver(options as driver.Options<typeof types>);
  const { options } = client({ ...all, target_session_attrs: 'primary' });
  return client({ ...options, target_session_attrs: told['target_session_attrs'] });
}
