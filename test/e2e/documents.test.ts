import { readFileSync, readdirSync } from 'node:fs';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findDataFiles } from '../../src/execute/import/files.ts';
import { importData } from '../../src/execute/import/import.ts';
import { uuidv7 } from '../../src/http/uuid.ts';
import { serveApi, type TestApi } from '../support/api.ts';
import { examplesOf, parseCurl, patternOf } from '../support/examples.ts';

const root = resolve(import.meta.dirname, '../..');
const guides = readdirSync(resolve(root, 'docs')).filter((name) => name.endsWith('.md'));
const documents = ['README.md', ...guides.map((name) => `docs/${name}`)];
const examples = documents.flatMap((document) =>
  examplesOf(readFileSync(resolve(root, document), 'utf8')).map((example) => ({
    document,
    ...example,
  })),
);

let api: TestApi;

beforeAll(async () => {
  const chinook = resolve(root, 'examples/chinook');
  api = await serveApi(readFileSync(resolve(chinook, 'plinth.yaml'), 'utf8'));
  const { api: model, database, statements } = api.generation;
  const { files } = findDataFiles([resolve(chinook, 'data')], model);
  const draw = { now: () => new Date(), uuid: uuidv7 };
  await importData(files, model, database, statements, draw, () => undefined);
});

afterAll(() => api.stop());

test('the documents have examples', () => {
  expect(examples.length).toBeGreaterThan(10);
});

/** What curl would print: with `-i` the status line and the headers in the order in which they came. */
async function run(command: string): Promise<string> {
  const { url, method, headers, body, showHeaders } = parseCurl(command);
  const target = new URL(url.replace('http://127.0.0.1:4000', api.url));
  const asked = request(target, { method, headers }).end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  // Lines of CSV end with a carriage return too, which no document can show.
  const shown = (await text(response)).replaceAll('\r\n', '\n');
  if (!showHeaders) return shown;
  const pairs = response.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 ? [`${name}: ${all[index + 1]}\n`] : [],
  );
  return `HTTP/1.1 ${response.statusCode} ${response.statusMessage}\n${pairs.join('')}\n${shown}`;
}

test.each(examples)('$document:$line $command', async ({ command, output }) => {
  expect((await run(command)).trim()).toMatch(patternOf(output));
});
