import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Askers } from '../../src/http/load/askers.ts';
import { Connections } from '../../src/http/server/connections.ts';
import { until } from '../support/command.ts';
import { getBytes, Wire } from '../support/wire.ts';

const made: Askers[] = [];
afterEach(() => {
  for (const askers of made.splice(0)) askers.close();
});
const make = (interval?: number): Askers => {
  const askers = new Askers(interval);
  made.push(askers);
  return askers;
};

describe('who may ask soon', () => {
  const [one, other] = [{}, {}];

  test('is counted once, until it ends', () => {
    const askers = make();
    for (const connection of [one, other, one]) askers.note(connection);
    expect(askers.count).toBe(2);
    askers.forget(one);
    expect(askers.count).toBe(1);
  });

  test('is expected for one time and the rest of another, then rests until it asks again', () => {
    const askers = make();
    for (const connection of [one, other]) askers.note(connection);
    askers.age();
    expect(askers.count).toBe(2);
    askers.note(one);
    expect(askers.count).toBe(2);
    askers.age();
    expect(askers.count).toBe(1);
    askers.note(other);
    expect(askers.count).toBe(2);
    askers.age();
    askers.forget(other);
    askers.age();
    expect(askers.count).toBe(0);
  });
});

test('a connection is counted when it is made and when it asks, and no more when it is closed', async () => {
  const askers = make();
  const connections = new Connections(16_384, askers, () => ({ vary: '', extra: [] }));
  const server = createServer((request, response) => {
    connections.begin(request, response);
    response.end();
  });
  server.on('connection', (socket) => connections.open(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wire = await Wire.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await until(() => askers.count === 1);
  askers.age();
  askers.age();
  expect(askers.count).toBe(0);
  await wire.send(getBytes('/v1/posts'));
  await wire.answer();
  expect(askers.count).toBe(1);
  wire.close();
  await until(() => askers.count === 0);
  server.close();
});

test('they rest by themselves', async () => {
  const askers = make(10);
  askers.note({});
  await until(() => askers.count === 0);
});
