import { Client, isGood } from './edge-clients.ts';

/**
 * The requests that a server answers in a second. Each connection sends one after the other for `time` ms. Rejects if an
 * answer is not 2xx.
 */
export async function rate(
  url: string,
  requests: readonly string[],
  connections: number,
  time: number,
): Promise<number> {
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
  return (answered * 1_000) / took;
}
