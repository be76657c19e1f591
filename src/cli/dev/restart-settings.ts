import { isDeepStrictEqual } from 'node:util';
import type { Specification } from '../../specification/specification.ts';

/** What a server takes from its specification when it starts to listen. */
const takenAtStart: readonly (readonly [
  path: string,
  valueOf: (specification: Specification) => unknown,
])[] = [
  ['server.host', ({ server }) => server?.host],
  ['server.port', ({ server }) => server?.port],
  ['server.tls', ({ server }) => server?.tls],
  ['server.bodyLimit', ({ server }) => server?.bodyLimit],
  ['server.requestTimeout', ({ server }) => server?.requestTimeout],
  ['server.maxInFlight', ({ server }) => server?.maxInFlight],
  ['server.maxConnections', ({ server }) => server?.maxConnections],
  ['server.drainDelay', ({ server }) => server?.drainDelay],
  ['limits.urlLength', ({ limits }) => limits?.urlLength],
  ['logging', ({ logging }) => logging],
];

/** The settings in which two specifications differ and that only a restart brings into use. */
export function restartSettings(before: Specification, after: Specification): readonly string[] {
  return takenAtStart
    .filter(([, valueOf]) => !isDeepStrictEqual(valueOf(before), valueOf(after)))
    .map(([path]) => path);
}
