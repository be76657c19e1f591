import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EventStreamParser, type StreamEvent } from '../../dashboard/src/live/event-stream.ts';
import { seed } from '../support/seed.ts';

const read = (...pieces: readonly string[]): readonly StreamEvent[] => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

describe('server-sent events', () => {
  const cases: readonly [string, string, readonly Partial<StreamEvent>[]][] = [
    ['one event', 'event: a\ndata: 1\n\n', [{ name: 'a', data: '1', id: '' }]],
    ['no name', 'data: 1\n\n', [{ name: 'message', data: '1' }]],
    [
      'one space is left out, others are not',
      'data:1\n\ndata:  2\n\n',
      [{ data: '1' }, { data: ' 2' }],
    ],
    ['several lines of data', 'data: 1\ndata\ndata: 2\n\n', [{ data: '1\n\n2' }]],
    ['a comment and an unknown field', ': x\nretry: 5\nother: y\ndata: 1\n\n', [{ data: '1' }]],
    ['a colon in the data', 'data: {"a":"b: c"}\n\n', [{ data: '{"a":"b: c"}' }]],
    ['an event without data is none', 'event: a\n\ndata: 1\n\n', [{ name: 'message', data: '1' }]],
    ['an empty line of data is an event', 'data\n\n', [{ data: '' }]],
    [
      'the id stays until the next',
      'id: 7\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n',
      [{ id: '7' }, { id: '7' }, { id: '' }],
    ],
    ['an id with NUL is none', 'id: 7\0\ndata: 1\n\n', [{ id: '' }]],
    [
      'line ends of every kind',
      'data: 1\r\n\r\ndata: 2\r\rdata: 3\n\n',
      [{ data: '1' }, { data: '2' }, { data: '3' }],
    ],
    ['a byte order mark', '\uFEFFdata: 1\n\n', [{ data: '1' }]],
    ['what does not come to its end is none', 'data: 1\n\ndata: 2\n', [{ data: '1' }]],
    ['other line separators are text', 'data: a\u2028b\u0085c\n\n', [{ data: 'a\u2028b\u0085c' }]],
  ];
  test.each(cases)('%s', (_, text, expected) => {
    expect(read(text)).toMatchObject(expected);
    expect(read(text)).toHaveLength(expected.length);
    // A character at a time, and with nothing between, it is the same.
    expect(read(...text.split(''))).toEqual(read(text));
    expect(read(...text.split('').flatMap((character) => [character, '']))).toEqual(read(text));
  });

  test('it does not matter where the pieces are cut', () => {
    const line = fc.constantFrom('data: x', 'data', 'event: e', 'id: 1', ': c', '', '', 'da', ':');
    const end = fc.constantFrom('\n', '\r', '\r\n');
    const whole = fc
      .array(fc.tuple(line, end))
      .map((lines) => lines.map(([text, ending]) => text + ending).join(''));
    fc.assert(
      fc.property(whole, fc.array(fc.nat(60)), (text, places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), text.length];
        const pieces = cuts
          .slice(1)
          .map((to, index) => text.slice(cuts[index], Math.max(to, cuts[index] ?? 0)));
        expect(read(...pieces)).toEqual(read(text));
      }),
      { seed },
    );
  });
});
