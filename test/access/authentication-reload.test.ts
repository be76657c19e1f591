import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { CallerCheck } from '../../src/http/callers/caller-check.ts';
import { buildValid } from '../support/api.ts';
import { rsaKeys } from '../support/keys.ts';
import { bearer, makeToken } from '../support/tokens.ts';

const start = Date.parse('2026-03-01T12:00:00Z');

test('the keys of an issuer stay known where the file is read again, though the issuer is away by then', async () => {
  let [asked, status] = [0, 200];
  const jwk = { ...rsaKeys.publicKey.export({ format: 'jwk' }), kid: 'rsa' };
  const issuer = createServer((_request, response) => {
    asked += 1;
    response.writeHead(status).end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((done) => issuer.listen(0, '127.0.0.1', done));
  const address = issuer.address();
  const uri = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/keys`;
  const callerCheck = new CallerCheck({
    mode: 'dev',
    now: () => new Date(start),
    timesRead: () => 0,
    clock: () => 0,
    trace: () => undefined,
  });
  const by = { alg: 'RS256', key: rsaKeys.privateKey, header: { kid: 'rsa' } };
  const token = makeToken({ sub: '7', exp: start / 1_000 + 60 }, by);
  const rawHeaders = Object.entries(bearer(token)).flat();
  const met = async (resource: string): Promise<string | undefined> => {
    const api = buildValid(`auth: { jwt: { jwksUri: "${uri}" } }
resources: { ${resource}: { fields: { title: { type: string } } } }
`);
    const client = { address: '192.0.2.1', memory: {} };
    const { caller } = await callerCheck.check(
      { method: 'GET', rawHeaders, client, servedApi: { api } },
      '/v1/notes',
    );
    return caller.ok ? caller.value.name : caller.error.code;
  };
  try {
    expect(await met('notes')).toBe('7');
    status = 500;
    expect(await met('letters')).toBe('7');
    expect(asked).toBe(1);
  } finally {
    await callerCheck.close();
    issuer.close();
  }
});
