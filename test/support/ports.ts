import { createServer } from 'node:net';

/**
 * Below what systems give to whoever asks for any port, so that nobody is given one that was found here; and none that
 * browsers refuse to call (10080).
 */
const [lowest, count] = [11_000, 4_900];
/** Processes that run at once begin at other places, so that they do not find the same. */
const stride = 17;
let next = (process.pid * stride) % count;

/**
 * A port of 127.0.0.1 that nobody listens on and that nobody else is told of, for a program that has to be told its port
 * before it starts, or that takes the same one again. Whatever can say which port it was given asks for port 0 instead.
 */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < count; tried += 1) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
  throw new Error(`All ports from ${lowest} on are taken`);
}

/** Asks on all addresses: whoever listens on any of them has the port. */
function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => {
      server.close(() => done(true));
    });
  });
}
