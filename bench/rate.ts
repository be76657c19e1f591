import { Client } from './edge-clients.ts';

/** A GET as it is sent. */
export const getOf = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** Sends requests one after the other on each connection for so many ms; gives how many were answered a second. All have to be 2xx. */
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
            client.send(request, ({ status }) => {
              if (status < 200 || status > 299)
                return reject(new Error(`${status} for ${request.slice(0, 200)}`));
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
