import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDataFiles } from '../../src/transfer/import/files.ts';
import { importData } from '../../src/transfer/import/import.ts';
import { uuidv7 } from '../../src/lib/uuid.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { launch, makeFolder, type Running } from '../support/command.ts';
import { examplesOf, parseCurl, patternOf } from '../support/examples.ts';

const root = resolve(import.meta.dirname, '../..');
/** The tutorial runs on a file of its own: test/documents/start.test.ts. */
const guides = readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md') && name !== 'start.md')
  .toSorted();
const documents = ['README.md', ...guides.map((name) => `docs/${name}`)];
const examples = documents.flatMap((document) =>
  examplesOf(readFileSync(resolve(root, document), 'utf8')).map((example) => ({
    document,
    ...example,
  })),
);

const chinook = resolve(root, 'examples/chinook');
let api: TestApi;

/** A shell in a folder with the example and a database of its records, where `plinth` is a command. */
const folder = makeFolder();
const shell = (command: string): Running =>
  launch('sh', ['-c', `plinth() { "$NODE" "$MAIN" "$@"; }; ${command}`], {
    cwd: folder.path,
    env: {
      NODE: resolve(root, 'node_modules/.bin/node'),
      MAIN: resolve(root, 'src/cli/main.ts'),
      PLINTH_DATABASE_URL: 'sqlite:chinook.db',
    },
  });

beforeAll(async () => {
  const specification = readFileSync(resolve(chinook, 'plinth.yaml'), 'utf8');
  api = await serveApi(specification, {}, undefined, { mode: 'dev' });
  const { api: model, database, statements } = api.servedApi;
  const { files } = findDataFiles([resolve(chinook, 'data')], model);
  const draw = { now: () => new Date(), uuid: uuidv7 };
  await importData(files, model, database, statements, draw, () => undefined);
  cpSync(chinook, folder.path, { recursive: true });
  await shell('plinth migrate --apply && plinth import data --database sqlite:chinook.db').ended;
});

afterAll(() => api.stop());

test('the documents have examples', () => {
  expect(examples.length).toBeGreaterThan(10);
});

/** What a command shows on a terminal, messages and errors included. */
async function run(command: string): Promise<string> {
  if (command.startsWith('curl ')) return curl(command);
  const { out } = await shell(`{ ${command}\n} 2>&1`).ended;
  return asShown(out);
}

/** Lines of CSV end with a carriage return too, which no document can show. */
function asShown(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** What curl would print: with `-i` the status line and the headers in the order in which they came. */
async function curl(command: string): Promise<string> {
  const { url, method, headers, body, showHeaders } = parseCurl(command);
  const target = new URL(url.replace('http://127.0.0.1:4000', api.url));
  const asked = request(target, { method, headers }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const shown = asShown(await text(response));
  if (!showHeaders) return shown;
  const pairs = response.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 ? [`${name}: ${all[index + 1]}\n`] : [],
  );
  return `HTTP/1.1 ${response.statusCode} ${response.statusMessage}\n${pairs.join('')}\n${shown}`;
}

test('the first file of the README serves what the README says of it', async () => {
  const readme = readFileSync(resolve(root, 'README.md'), 'utf8');
  const [, specification = ''] = /```yaml\n([\s\S]*?)```/u.exec(readme) ?? [];
  const [, path = ''] = /`GET (\S+)`/u.exec(readme) ?? [];
  const served = await serveApi(specification);
  const headers = { 'content-type': 'application/json' };
  const send = async (resource: string, body: object): Promise<number> =>
    (
      await fetch(`${served.url}/v1/${resource}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
    ).status;
  expect(await send('artists', { name: 'AC/DC' })).toBe(201);
  for (const [title, price] of [
    ['A', '9.99'],
    ['B', '9.98'],
    ['C', '10.00'],
  ])
    expect(await send('albums', { title, price, artistId: 1 })).toBe(201);
  expect(await send('albums', { title: 'D', price: -1, artistId: 1 })).toBe(422);
  expect(await (await fetch(`${served.url}${path}`)).json()).toEqual([
    { id: 2, title: 'B', price: '9.98', artistId: 1, artist: { id: 1, name: 'AC/DC' } },
    { id: 1, title: 'A', price: '9.99', artistId: 1, artist: { id: 1, name: 'AC/DC' } },
  ]);
  expect((await fetch(`${served.url}/v1/artists/1`, { method: 'DELETE' })).status).toBe(409);
  await served.stop();
});

test.each(examples)('$document:$line $command', async ({ command, output }) => {
  expect((await run(command)).trim()).toMatch(patternOf(output));
});
