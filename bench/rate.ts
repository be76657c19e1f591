import { Client, isGood } from './edge-clients.ts';

interface Load {
  readonly answered: number;
  /** In ms. */
  readonly took: number;
}

/** Sends requests for `time` ms, on each connection one after the other. Rejects if an answer is not 2xx. */
export async function load(
  url: string,
  requests: readonly string[],
  connections: number,
  time: number,
): Promise<Load> {
  const port = Number(new URL(url).port);
  const clients = await Promise.all(
    Array.from(
      { length: connections },
      () => new Promise<Client>((resolve) => void new Client(port, resolve, resolve)),
    ),
  );
  const begin = performance.now();
  let [sent, answered] = [0, 0];
  await Promise.all(
    clients.map(
      (client) =>
        new Promise<void>((resolve, reject) => {
          const next = (): void => {
            if (performance.now() - begin > time) return resolve();
            const request = requests[sent++ % requests.length] ?? '';
            client.send(request, (outcome) => {
              if (!isGood(outcome))
                return reject(new Error(`${outcome.status} for ${request.slice(0, 200)}`));
              answered += 1;
              next();
            });
          };
          next();
        }),
    ),
  );
  const took = performance.now() - begin;
  for (const { socket } of clients) socket.destroy();
  return { answered, took };
}

/** The requests that a server answers in a second. */
export async function rate(...sent: Parameters<typeof load>): Promise<number> {
  const { answered, took } = await load(...sent);
  return (answered * 1_000) / took;
}
