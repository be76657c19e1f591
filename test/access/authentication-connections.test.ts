import { expect, test } from 'vitest';
import { CallerCheck } from '../../src/http/callers/caller-check.ts';
import { buildValid } from '../support/api.ts';
import { hashOf, makeToken } from '../support/tokens.ts';

/** What was found out about a credential is kept for its connection. See docs/contract/5-access.md#credentials. */

const seconds = Date.parse('2026-03-01T12:00:00Z') / 1_000;
const secret = 'a secret of more than 32 bytes, told to nobody';

function settingsWith(auth: string): object {
  return {
    api: buildValid(`auth: { ${auth} }
access: public
rateLimit: false
resources: { notes: { fields: { title: { type: string } } } }
`),
  };
}

const before = settingsWith(
  `apiKeys: [{ name: ci, hash: "${hashOf('plinth_key')}" }], jwt: { secret: "${secret}" }`,
);
/** The same file after the key and the secret were replaced. */
const replaced = settingsWith(
  `apiKeys: [{ name: ci, hash: "${hashOf('plinth_new')}" }], jwt: { secret: "another ${secret}" }`,
);

type Header = readonly [name: string, value: string];

const token: Header = [
  'Authorization',
  `Bearer ${makeToken({ sub: '7', exp: seconds + 60 }, { key: secret })}`,
];
const credentials: readonly {
  readonly what: string;
  readonly header: Header;
  readonly name: string;
}[] = [
  { what: 'a key', header: ['X-API-Key', 'plinth_key'], name: 'ci' },
  { what: 'a key as a token', header: ['Authorization', 'Bearer plinth_key'], name: 'ci' },
  { what: 'a token', header: token, name: '7' },
];

interface Connection {
  /** Sends a credential once more; gives the code of the refusal, or `ok`. */
  readonly send: (servedApi: object, header: Header) => Promise<string>;
  /** Sets the clock, to s after its beginning. */
  readonly at: (second: number) => void;
}

function connect(): Connection {
  let now = seconds * 1_000;
  const callerCheck = new CallerCheck({
    mode: 'start',
    now: () => new Date(now),
    // Each comes later than the one before.
    timesRead: () => now,
    clock: () => 0,
    trace: () => undefined,
  });
  const client = { address: '192.0.2.1', memory: {} };
  return {
    send: async (servedApi, header) => {
      const arrival = { method: 'GET', rawHeaders: [...header], client, servedApi };
      const { caller } = await callerCheck.check(
        arrival as Parameters<CallerCheck['check']>[0],
        '/v1/notes',
      );
      return caller.ok ? (caller.value.name ?? 'nobody') : caller.error.code;
    },
    at: (second) => (now = (seconds + second) * 1_000),
  };
}

test.each(credentials)(
  '$what that comes again ends when the file that is read again has it no more',
  async ({ header, name }) => {
    const { send } = connect();
    for (const [servedApi, met] of [
      [before, name],
      [replaced, 'INVALID_CREDENTIALS'],
      [before, name],
    ] as const)
      for (let time = 0; time < 3; time += 1) expect(await send(servedApi, header)).toBe(met);
  },
);

test('a token ends with its time, and the clock may be set back', async () => {
  const { send, at } = connect();
  const met: string[] = [];
  for (const second of [0, 89, 90, 200, 89, 0]) {
    at(second);
    met.push(await send(before, token));
  }
  expect(met).toEqual(['7', '7', 'TOKEN_EXPIRED', 'TOKEN_EXPIRED', '7', '7']);
});

test('another credential on the same connection is looked at for itself', async () => {
  const { send } = connect();
  const met: string[] = [];
  for (const value of ['plinth_key', 'plinth_kez', 'plinth_key'])
    met.push(await send(before, ['X-API-Key', value]));
  expect(met).toEqual(['ci', 'INVALID_CREDENTIALS', 'ci']);
});
