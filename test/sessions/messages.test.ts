import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestTrace } from '../../src/observability/events.ts';
import { serveSecured, type SecuredApi } from '../support/row-security.ts';

/** Messages that the database raises on purpose. See docs/contract/8-existing-databases.md#messages. */
const specification = (messages: boolean): string => `
access: public
database: { messages: ${messages} }
resources:
  orders:
    managed: false
    fields:
      state: { type: string }
      amount: { type: integer, minimum: 0, unique: true }
`;

const raised: Readonly<Record<string, string>> = {
  plain: `RAISE EXCEPTION 'Stock is too low: %', NEW.amount USING DETAIL = 'hidden', HINT = 'hidden'`,
  pay: `RAISE EXCEPTION 'Pay first' USING ERRCODE = 'PT402'`,
  gone: `RAISE EXCEPTION 'Too late' USING ERRCODE = 'PT599'`,
  fine: `RAISE EXCEPTION 'All is well' USING ERRCODE = 'PT200'`,
  other: `RAISE EXCEPTION 'hidden' USING ERRCODE = 'check_violation'`,
  bug: `PERFORM 1 / 0`,
};

const sql = ({ login }: { login: string }): string => `
  CREATE TABLE orders (id serial PRIMARY KEY, state text, amount integer UNIQUE);
  CREATE FUNCTION judge() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    ${Object.entries(raised)
      .map(([state, statement]) => `IF NEW.state = '${state}' THEN ${statement}; END IF;`)
      .join('\n')}
    RETURN NEW; END $$;
  CREATE TRIGGER judge BEFORE INSERT OR UPDATE ON orders FOR EACH ROW EXECUTE FUNCTION judge();
  INSERT INTO orders (state, amount) VALUES ('new', 1);
  GRANT SELECT, INSERT, UPDATE, DELETE ON orders TO ${login};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${login};
`;

const traces: RequestTrace[] = [];
const reader = {
  wantsSteps: false,
  wantsBodies: false,
  ended: (trace: RequestTrace): void => void traces.push(trace),
};

/** The code of the error that the log has of the last request. */
function logged(): unknown {
  const { databaseError } = traces.at(-1) ?? {};
  return (databaseError as { code?: unknown } | undefined)?.code;
}

describe.each([true, false])('messages: %s', (messages) => {
  let secured: SecuredApi;
  beforeAll(async () => {
    secured = await serveSecured(specification(messages), sql, { readers: [reader] });
  });
  afterAll(() => secured?.stop());

  const shown: readonly (readonly [string, number, string, string])[] = [
    ['plain', 400, 'Stock is too low: 7', 'P0001'],
    ['pay', 402, 'Pay first', 'PT402'],
    ['gone', 599, 'Too late', 'PT599'],
    ['fine', 400, 'All is well', 'PT200'],
  ];

  test.each(shown)('%s', async (state, status, message, code) => {
    const { api, ask } = secured;
    for (const [method, path] of [
      ['POST', '/orders'],
      ['PATCH', '/orders/1'],
    ] as const) {
      const { body } = await api.send(method, path, { state, amount: 7 });
      const expected = messages
        ? { status, code: 'DATABASE_REFUSED', message }
        : { status: 422, code: 'INVALID_VALUE' };
      expect(body).toMatchObject(expected);
      expect(JSON.stringify(body)).not.toContain('hidden');
      expect(logged()).toBe(code);
    }
    const { body } = await api.send('POST', '/orders', [{ amount: 8 }, { state, amount: 7 }]);
    expect(body).toMatchObject({ status: messages ? status : 422 });
    expect(await ask('SELECT count(*)::int FROM orders')).toEqual([[1]]);
  });

  test('every other error stays hidden, and is in the log', async () => {
    const { api } = secured;
    const other = await api.send('POST', '/orders', { state: 'other', amount: 7 });
    expect([other.status, other.text.includes('hidden'), logged()]).toEqual([422, false, '23514']);
    const taken = await api.send('POST', '/orders', { state: 'x', amount: 1 });
    expect([taken.status, logged()]).toEqual([422, '23505']);
    const bug = await api.send('POST', '/orders', { state: 'bug', amount: 7 });
    expect([bug.status, bug.text.includes('zero'), logged()]).toEqual([422, false, '22012']);
    const good = await api.send('POST', '/orders', { state: 'good', amount: 7 });
    expect([good.status, logged()]).toEqual([201, undefined]);
    await secured.ask('DELETE FROM orders WHERE amount = 7');
    expect(api.failures).toEqual([]);
  });
});
