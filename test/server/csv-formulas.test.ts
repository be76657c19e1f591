import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveApi, type TestApi } from '../support/api.ts';

/** Texts that a spreadsheet would run. See docs/contract/2-reading.md#csv-and-ndjson, rule 8. */
const file = (api: string): string =>
  `${api}access: public\nresources: { notes: { fields: { text: { type: string }, sum: { type: decimal }, count: { type: integer }, more: { type: json } } } }\n`;

const texts = [
  '=1+1',
  '+1-1',
  '-cmd',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  '＝1',
  '-5',
  '+5.25',
  '-5-5',
  'a=1',
  "'=1",
  '',
];

const sides: TestApi[] = [];
beforeAll(async () => {
  for (const api of ['', 'api: { csvFormulas: keep }\n', 'api: { csvFormulas: escape }\n']) {
    const side = await serveApi(file(api));
    for (const text of texts)
      await side.send('POST', '/v1/notes', { text, sum: '-1.50', count: -7, more: '=2' });
    sides.push(side);
  }
});
afterAll(async () => {
  for (const side of sides) await side.stop();
});

const cellsOf = async (side: TestApi | undefined): Promise<readonly string[]> => {
  const answer = await side?.get('/v1/notes?limit=100', { accept: 'text/csv' });
  return String(answer?.text)
    .split(/\r\n(?=\d+,|$)/u)
    .slice(1, -1)
    .map((line) => line.replace(/^\d+,/u, ''));
};

const cell = (text: string): string => (text === '' || /[\r\n]/u.test(text) ? `"${text}"` : text);

test('are kept where the file says nothing', async () => {
  const [plain, kept] = [await cellsOf(sides[0]), await cellsOf(sides[1])];
  expect(plain).toEqual(texts.map((text) => `${cell(text)},-1.50,-7,"""=2"""`));
  expect(kept).toEqual(plain);
});

test('get a quote before them where it says so, and numbers stay', async () => {
  const escaped = texts.map((text) =>
    /^(?:[=@\t\r\n＝]|[+-](?!5(?:\.25)?$))/u.test(text) ? `'${text}` : text,
  );
  expect(escaped.filter((text, index) => text !== texts[index])).toHaveLength(9);
  expect(await cellsOf(sides[2])).toEqual(escaped.map((text) => `${cell(text)},-1.50,-7,"""=2"""`));
  // Nothing but CSV differs.
  const [json, other] = [await sides[2]?.get('/v1/notes'), await sides[0]?.get('/v1/notes')];
  expect(json?.body).toEqual(other?.body);
});
