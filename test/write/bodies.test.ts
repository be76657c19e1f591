import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestApi } from '../support/api.ts';
import { serveBoth } from '../support/both.ts';
import { ask, expectError, problemsOf, testExchanges } from '../server/exchanges.ts';

const specification = `
resources:
  things:
    fields:
      integer: { type: integer }
      number: { type: number }
      decimal: { type: decimal, precision: 6, scale: 2 }
      exact: { type: decimal, precision: 18, scale: 9 }
      boolean: { type: boolean }
      string: { type: string, maxLength: 5 }
      text: { type: text }
      date: { type: date }
      time: { type: time }
      datetime: { type: datetime }
      uuid: { type: uuid }
      email: { type: email }
      url: { type: url }
      enum: { type: enum, values: [a, b] }
      level: { type: integer, enum: [1, 2] }
      step: { type: decimal, multipleOf: 0.05 }
      object: { type: object }
      shape: { type: object, properties: { a: { type: integer, required: true }, b: { type: date } } }
      array: { type: array, items: { type: integer }, minItems: 1, uniqueItems: true }
      json: { type: json }
`;

let api: TestApi;
beforeAll(async () => {
  api = await serveBoth(specification);
});
afterAll(() => api.stop());

const nested = (depth: number, inside = '1'): string =>
  `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`;

describe('a value that is taken', () => {
  /** The JSON text sent, and the JSON text that comes back where it is another. */
  const rows: readonly (readonly [field: string, sent: string, back?: string])[] = [
    ['integer', '9007199254740991'],
    ['integer', '-9007199254740991'],
    ['integer', '-0', '0'],
    ['integer', '1.0', '1'],
    ['integer', '1e2', '100'],
    ['integer', '100e-2', '1'],
    ['number', '0.1'],
    ['number', '-0', '0'],
    ['number', '5e-324'],
    ['number', '1.7976931348623157e308', '1.7976931348623157e+308'],
    ['number', '9007199254740993', '9007199254740992'],
    ['number', '0.1000000000000000055511151231257827', '0.1'],
    ['decimal', '"19.90"'],
    ['decimal', '"19.9"', '"19.90"'],
    ['decimal', '"-0.00"', '"0.00"'],
    ['decimal', '"007"', '"7.00"'],
    ['decimal', '19.9', '"19.90"'],
    ['decimal', '1.1e2', '"110.00"'],
    ['decimal', '0.10', '"0.10"'],
    ['decimal', '9999.99', '"9999.99"'],
    ['exact', '123456789.123456789', '"123456789.123456789"'],
    ['exact', '"-999999999.999999999"'],
    ['boolean', 'false'],
    ['string', '""'],
    ['string', '"😀😀😀😀😀"'],
    ['string', '"\\ud83d\\ude00"', '"😀"'],
    ['text', '"a\\u0001\\n\\"\\\\\\u2028"', '"a\\u0001\\n\\"\\\\\u2028"'],
    ['text', '"\u{10ffff}\ufeff\ufffe"'],
    ['date', '"2024-02-29"'],
    ['time', '"23:59:59"'],
    ['datetime', '"2026-03-01T14:05:00.000Z"'],
    ['datetime', '"2026-03-01T14:05:00+02:00"', '"2026-03-01T12:05:00.000Z"'],
    ['datetime', '"2026-03-01t14:05:00.1000z"', '"2026-03-01T14:05:00.100Z"'],
    ['datetime', '"0001-01-01T00:00:00Z"', '"0001-01-01T00:00:00.000Z"'],
    ['uuid', '"0B5E7C2A-0000-4000-8000-00000000000A"', '"0b5e7c2a-0000-4000-8000-00000000000a"'],
    ['email', '"a@example.org"'],
    ['url', '"https://example.org/a?b#c"'],
    ['enum', '"a"'],
    ['level', '2'],
    ['step', '"0.15"'],
    ['object', '{}'],
    ['object', '{"__proto__":{"a":1},"constructor":2}', '{"__proto__":{"a":1},"constructor":2}'],
    ['object', '{"bb":1,"a":2,"10":3,"9":4}', '{"9":4,"10":3,"a":2,"bb":1}'],
    ['shape', '{"b":"2026-03-01","a":1}', '{"a":1,"b":"2026-03-01"}'],
    ['array', '[3,1,2]'],
    ['json', 'false'],
    ['json', '""'],
    ['json', '[null,{"a":[]}]'],
    ['json', '9007199254740991'],
    ['json', '1e2', '100'],
    ['json', nested(31)],
  ];
  test.each(rows)('%s: %s', async (field, sent, back = sent) => {
    const answer = await ask(api, 'POST /v1/things', `{"${field}":${sent}}`);
    expect(answer.text).toContain(`"${field}":${back}`);
    expect(answer.status).toBe(201);
    const path = answer.headers.get('location') ?? '';
    expect((await api.get(path)).text).toBe(answer.text);
    // What came back can be sent back, and changes nothing.
    const again = await ask(api, `PUT ${path}`, answer.text);
    expect(again.text).toBe(answer.text);
  });
});

describe('a value that is refused', () => {
  const number = 'must be a number';
  const whole = 'must be a whole number';
  const range = 'must be between -9007199254740991 and 9007199254740991';
  const rows: readonly (readonly [field: string, sent: string, status: number, problem: string])[] =
    [
      ['integer', '"1"', 400, number],
      ['integer', 'true', 400, number],
      ['integer', '[]', 400, number],
      ['integer', '{}', 400, number],
      ['integer', '1.5', 422, whole],
      ['integer', '1e-1', 422, whole],
      ['integer', '1.00000000000000000000001', 422, whole],
      ['integer', '0.99999999999999999999999', 422, whole],
      ['integer', '1e-9999', 422, whole],
      ['integer', '9007199254740992', 422, range],
      ['integer', '9007199254740993', 422, range],
      ['integer', '-9007199254740993', 422, range],
      ['integer', '1e999', 422, range],
      ['integer', '-1e999', 422, range],
      ['integer', `1${'0'.repeat(5000)}`, 422, range],
      ['number', '"0.1"', 400, number],
      ['number', '1e999', 422, 'is too large for a number'],
      ['number', '-1e309', 422, 'is too large for a number'],
      ['decimal', 'true', 400, 'must be a decimal in a string, such as "19.90", or a number'],
      ['decimal', '"abc"', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '""', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '"1e2"', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '"+1"', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '" 1"', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '"1."', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '"0x1"', 422, 'must be a plain decimal number such as "19.90"'],
      ['decimal', '19.999', 422, 'must have at most 2 decimal places'],
      ['decimal', '0.010000000000000000001', 422, 'must have at most 2 decimal places'],
      ['decimal', '10000', 422, 'must be between -9999.99 and 9999.99'],
      ['decimal', '"-12345.00"', 422, 'must be between -9999.99 and 9999.99'],
      ['boolean', '1', 400, 'must be true or false'],
      ['boolean', '"true"', 400, 'must be true or false'],
      ['string', '5', 400, 'must be a string'],
      ['string', '"123456"', 422, 'must have at most 5 characters'],
      ['string', '"😀😀😀😀😀😀"', 422, 'must have at most 5 characters'],
      ['text', '"a\\u0000"', 422, 'must not hold a NUL character'],
      ['text', '"\\ud800"', 422, 'must not hold half of a surrogate pair'],
      ['text', '"\\ude00\\ud83d"', 422, 'must not hold half of a surrogate pair'],
      ['date', '20260301', 400, 'must be a date in a string'],
      ['date', '"2026-02-29"', 422, 'must be a date such as 2026-03-01'],
      ['date', '"2026-3-1"', 422, 'must be a date such as 2026-03-01'],
      ['date', '"0000-01-01"', 422, 'must be a date such as 2026-03-01'],
      ['time', '"24:00:00"', 422, 'must be a time such as 14:05:00'],
      ['time', '"14:05"', 422, 'must be a time such as 14:05:00'],
      ['datetime', '1', 400, 'must be a date and time in a string'],
      ...[
        '2026-03-01T14:05:00',
        '2026-03-01',
        '2026-03-01T14:05:00.0001Z',
        '2026-13-01T00:00:00Z',
        '2026-03-01T23:59:60Z',
        '2026-03-01T00:00:00+24:00',
        '0001-01-01T00:00:00+01:00',
        '9999-12-31T23:59:59-01:00',
      ].map(
        (text) =>
          [
            'datetime',
            JSON.stringify(text),
            422,
            'must be an RFC 3339 date and time with an offset, no finer than ms, such as 2026-03-01T14:05:00.000Z',
          ] as const,
      ),
      ['uuid', '"0b5e7c2a"', 422, 'must be a UUID'],
      ['email', '"a@"', 422, 'must be an e-mail address'],
      [
        'url',
        '"javascript:alert(1)"',
        422,
        'must be an absolute URL such as https://example.com/a',
      ],
      ['enum', '"c"', 422, 'must be one of a, b'],
      ['enum', '1', 400, 'must be a string'],
      ['level', '3', 422, 'must be one of 1, 2'],
      ['step', '0.07', 422, 'must be a multiple of 0.05'],
      ['object', '[]', 400, 'must be an object'],
      ['object', '"{}"', 400, 'must be an object'],
      ['object', '1e999', 400, 'must be an object'],
      ['object', '123456789012345678e-3', 400, 'must be an object'],
      ['object', '{"a":1e400}', 422, '.a is too large for a number'],
      ['object', '{"a":{"b":["\\u0000"]}}', 422, '.a.b[0] must not hold a NUL character'],
      ['object', '{"\\ud800":1}', 422, '.\ud800 must not hold half of a surrogate pair'],
      ['shape', '{}', 400, '.a is required'],
      ['shape', '{"a":null}', 400, '.a must not be null'],
      ['shape', '{"a":1.5,"b":"x"}', 422, '.a must be a whole number'],
      ['array', '{}', 400, 'must be an array'],
      ['array', '[]', 422, 'must have at least 1 item'],
      ['array', '[1,1]', 422, 'must not have the same item twice'],
      ['array', '[1,"a"]', 400, '[1] must be a number'],
      ['json', '1e999', 422, 'is too large for a number'],
      ['json', '1e-400', 422, 'must have at most 400 digits'],
      ['json', '"\\u0000"', 422, 'must not hold a NUL character'],
    ];
  test.each(rows)('%s: %s', async (field, sent, status, problem) => {
    const answer = await ask(api, 'POST /v1/things', `{"${field}":${sent}}`);
    const path = /^([.[]\S*) (.*)$/u.exec(problem);
    const expected = path === null ? `${field}: ${problem}` : `${field}${path[1]}: ${path[2]}`;
    expectError(answer, status === 400 ? 'VALIDATION_FAILED' : 'INVALID_VALUE', '/v1/things');
    expect(problemsOf(answer).map((text) => text.toWellFormed())).toContain(
      expected.toWellFormed(),
    );
  });
});

describe('a body that is none', () => {
  const texts: readonly (readonly [string, string | Uint8Array])[] = [
    ['a blank', ' '],
    ['half an object', '{"integer":1'],
    ['a trailing comma', '{"integer":1,}'],
    ['a comment', '{} // x'],
    ['two values', '{}{}'],
    ['single quotes', "{'integer':1}"],
    ['no quotes', '{integer:1}'],
    ['NaN', '{"number":NaN}'],
    ['Infinity', '{"number":-Infinity}'],
    ['a leading zero', '{"integer":01}'],
    ['a plus sign', '{"integer":+1}'],
    ['hexadecimal', '{"integer":0x1}'],
    ['a bare point', '{"number":.5}'],
    ['a raw line break in a string', '{"text":"a\nb"}'],
    ['a bad escape', '{"text":"\\x"}'],
    ['a form', 'integer=1'],
    ['XML', '<a/>'],
    ['Latin-1', Buffer.from('{"text":"ä"}', 'latin1')],
    ['an overlong encoding', Buffer.from([0x22, 0xc0, 0x80, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['a cut character', Buffer.from([0x22, 0xe2, 0x82])],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
    ['only closing brackets', ']'.repeat(100)],
    ['only opening brackets', '['.repeat(32)],
  ];
  test.each(texts)('%s', async (_, body) => {
    expectError(await ask(api, 'POST /v1/things', body), 'INVALID_JSON', '/v1/things');
    expectError(await ask(api, 'PATCH /v1/things/1', body), 'INVALID_JSON', '/v1/things/1');
  });

  test.each(['', 'null', 'true', '5', '1e999', '9007199254740993', '"{}"'])(
    'no object: %s',
    async (body) => {
      const headers = { 'content-type': 'application/json' };
      expectError(await ask(api, 'POST /v1/things', body, headers), 'INVALID_BODY', '/v1/things');
      expectError(
        await ask(api, 'PUT /v1/things/1', body, headers),
        'INVALID_BODY',
        '/v1/things/1',
      );
      if (body !== '')
        expectError(await ask(api, 'POST /v1/things', `[${body}]`), 'INVALID_BODY', '/v1/things');
    },
  );

  test('an array is no object for PUT and PATCH', async () => {
    for (const method of ['PUT', 'PATCH'])
      expectError(await ask(api, `${method} /v1/things/1`, '[{}]'), 'INVALID_BODY', '/v1/things/1');
  });

  test('none and no type of it either', async () => {
    expectError(await ask(api, 'POST /v1/things'), 'INVALID_BODY', '/v1/things');
  });

  test('the place of a mistake is told', async () => {
    const answer = await ask(api, 'POST /v1/things', '{\n  "integer": 1,\n}');
    expect(answer.body.message).toBe('The body is not valid JSON at line 3, column 1');
  });

  testExchanges(
    () => api,
    [
      {
        name: 'a byte order mark is passed over',
        request: 'POST /v1/things',
        body: '\ufeff{"integer":1}',
        status: 201,
      },
      {
        name: 'blanks are passed over',
        request: 'POST /v1/things',
        body: '\n\t {"integer" : 1}\r\n ',
        status: 201,
      },
      {
        name: 'colons and quotes in strings are no members',
        request: 'POST /v1/things',
        body: '{"text":"{\\"a\\":1,\\"a\\":2}","json":[{"a":1},{"a":":"},{"a\\\\":1,"a":"\\\\"}]}',
        status: 201,
        shows: { json: [{ a: 1 }, { a: ':' }, { a: '\\', 'a\\': 1 }] },
      },
      {
        name: '32 levels',
        request: 'POST /v1/things',
        body: `{"json":${nested(31)}}`,
        status: 201,
      },
      {
        name: '33 levels',
        request: 'POST /v1/things',
        body: `{"json":${nested(32)}}`,
        status: 400,
        code: 'INVALID_BODY',
      },
      {
        name: '100,000 levels',
        request: 'POST /v1/things',
        body: nested(100_000),
        status: 400,
        code: 'INVALID_BODY',
      },
      {
        name: '100,000 levels of objects',
        request: 'POST /v1/things',
        body: '{"a":'.repeat(100_000),
        status: 400,
        code: 'INVALID_BODY',
      },
      {
        name: 'brackets in strings are no levels',
        request: 'POST /v1/things',
        body: { text: '[{"\\'.repeat(100) },
        status: 201,
      },
    ],
  );
});

describe('names that objects inherit', () => {
  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'])(
    '%s',
    async (name) => {
      for (const value of ['{"integer":1}', '1', 'null']) {
        const answer = await ask(api, 'POST /v1/things', `{"${name}":${value}}`);
        expectError(answer, 'VALIDATION_FAILED', '/v1/things');
        expect(problemsOf(answer)).toEqual([
          expect.stringContaining(`${name}: there is no field ${name}`),
        ]);
      }
      expect(({} as Record<string, unknown>)['integer']).toBeUndefined();
    },
  );
});
