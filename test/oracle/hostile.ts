import { expect } from 'vitest';
import type { Item, World } from '../support/oracle-model.ts';
import type { Draw } from './draw.ts';
import { randomQuery } from './requests.ts';
import { writeQuery } from './writing.ts';

/** Requests that no client means, and what their answers may say. */

const parameters = [
  ['page', 'limit', 'offset', 'cursor', 'sort', 'nulls', 'fields', 'exclude', 'expand'],
  ['maxDepth', '_or', '_debug', '_trace', '_verbose', '_inspect', '_inspectNetwork', 'id'],
].flat();
const parts = [
  ['pivot', 'pivot.position', 'id', '', '*', '**', '@brief', '-', '0', '-1', 'é', '😀', '\0'],
  ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '$', '[]'],
  ['[a]', 'subject:things', 'subject:nope', 'things:things', "' OR 1=1 --", '")', ';', 'a b'],
  ['data', '_pagination', 'limit', 'page', 'sort', 'offset', 'zz', 'x'.repeat(300)],
].flat();
const suffixes = [
  ['', '', '', '_eq', '_neq', '_gt', '_gte', '_lt', '_lte', '_like', '_ilike', '_in', '_nin'],
  ['_exists', '_null', '_contains', '_containsAll', '_containsAny', '_', '_zz', '_in_in', '_IN'],
].flat();
const values = [
  ['', '0', '1', '-1', '2', '1.5', '01', '+1', '1e3', '1e999', '0x10', 'NaN', 'Infinity', ' 1'],
  ['9007199254740993', '99999999999999999999', '9'.repeat(400), `0.${'0'.repeat(400)}1`, '-0'],
  ['true', 'false', 'TRUE', 'null', 'undefined', 'first', 'last', 'a', 'A', 'é', '😀', '\0'],
  ['\uFFFF', 'e\u0301', '%', '_', '*', '\\', '"', '""', '"a', 'a"', '"a","b"', 'a,,b', ',', ':'],
  ['a:b', 'name:a', 'name:"a:b",whole:1', 'owner.name:x', 'labels.pivot.position_gt:1', '::'],
  ["'", "' OR '1'='1", '$1', '?', ':x', '{}', '[]', '{"a":1}', '../../etc/passwd', '\r\n'],
  ['2024-02-29', '2023-02-29', '2024-02-29T00:00:00Z', '2024-02-29T24:00:00Z', '0000-00-00'],
  ['2024-02-29T00:00:00.0001Z', '99999-01-01', '09:30:00', '24:00:00', '14:05', 'draft', 'live'],
  ['0198c0de-0000-7000-8000-000000000001', '0198c0de', '-name', 'name,-name', 'owner.name'],
  ['labels.weight', '-reviews.rating', 'subject.text', 'spec.inner.depth', 'extra.a', '*,-*'],
  ['labels,owner.boss', 'parts.parts.parts', 'parent.parent.parent.parent.parent.parent'],
  ['eyJhIjoxfQ', 'eyJ', '!!!!', 'AAAA', 'W10', 'bnVsbA', 'x'.repeat(2000), '1,'.repeat(600)],
].flat();

/** Bytes that mean something to the parsers on the way. */
const bytes = [
  ['/', '?', '&', '=', '%', '%2', '%zz', '%00', '%C3%A9', '%ED%A0%80', '%FF', '%F0%9F%98', '+'],
  ['#', ' ', '//', '..', '%2e%2e', '%2F', ';', ',', '"', '\\', '[', ']', '__proto__', '\t'],
  ['\u0080', '\u00FF', '\u0001', '\u007F', '|', '^', '`', '{', '}', '<', '>'],
].flat();

/** JSON texts in the place of a value. */
const texts = [
  ['null', 'true', 'false', '0', '-0', '1', '-1', '0.1', '1e2', '1e400', '-1e400', '1e-400', '01'],
  [
    '9007199254740993',
    '-9007199254740993',
    '9'.repeat(400),
    `0.${'0'.repeat(400)}1`,
    '1.50',
    'NaN',
  ],
  [
    '""',
    '"a"',
    '"A"',
    '" "',
    '"0"',
    '"1"',
    '"null"',
    '"\\u0000"',
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"😀"',
  ],
  ['"e\u0301"', '"\\uffff"', String.raw`"\\"`, `"${'x'.repeat(5000)}"`, "'a'", '"a', '\u0000'],
  ['"2024-02-30"', '"2024-02-29T24:00:00Z"', '"0000-00-00"', '"24:00:00"', '"+010000-01-01"'],
  [
    '[]',
    '{}',
    '[[]]',
    '[null]',
    '[{}]',
    '[1,"a",null]',
    '{"a":{"b":[{"c":null}]}}',
    '[1,1]',
    '{"":1}',
  ],
  [
    '{"__proto__":{"a":1}}',
    '{"constructor":1}',
    '{"toString":1}',
    '{"a":1,"a":2}',
    '{"\\u0000":1}',
  ],
  [
    '{"increment":1}',
    '{"increment":"1"}',
    '{"append":[1]}',
    '{"add":[1]}',
    '{"remove":["a"]}',
    '{"id":1}',
  ],
  [
    '{"create":[{}]}',
    '{"create":{}}',
    '{"delete":[1]}',
    '{"update":[{"id":1}]}',
    '[{"id":1}]',
    '[{"id":null}]',
  ],
  [
    '{"add":[{"id":1,"pivot":{}}]}',
    '{"set":1}',
    '"{a0.id}"',
    '[1,2,3,4,5,6,7,8]',
    '9007199254740991',
  ],
  [
    `${'['.repeat(300)}${']'.repeat(300)}`,
    `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`,
    '{"a":}',
    '',
  ],
].flat();
const contentTypes = [
  ['application/json', 'application/json', 'application/json', 'application/json; charset=utf-8'],
  [
    'application/merge-patch+json',
    'application/json; charset=latin1',
    'text/plain',
    'text/csv',
    '',
  ],
  ['application/x-ndjson', 'application/x-www-form-urlencoded', 'APPLICATION/JSON', 'json', '*/*'],
].flat();

/** Hostile requests to the resources of one world. */
export class HostileRequests {
  private readonly world: World;
  private readonly base: string;
  private readonly resources: readonly string[];
  private readonly names: readonly string[];

  /** `base`: the path of the version. */
  constructor(world: World, base: string) {
    this.world = world;
    this.base = base;
    this.resources = [...world.resources.keys()];
    this.names = [...world.resources.values()].flatMap(({ fields, relations }) => [
      ...fields.keys(),
      ...relations.keys(),
    ]);
  }

  /** A path with a query string; some resource has to have records. */
  target(draw: Draw): string {
    if (draw.chance(50)) return this.mutated(draw);
    return this.strange(draw, `${this.base}/${draw.pick(this.resources)}`);
  }

  /** A path with an id and a query string that mean nothing; `start`: the path before them. */
  strange(draw: Draw, start: string): string {
    const ids = ['1', '0', '-1', '007', '1.0', 'x', '😀', 'a"b', '9'.repeat(30), '%00', '..', ''];
    const path = draw.chance(20) ? `${start}/${encoded(draw, draw.pick(ids))}` : start;
    const mark = draw.chance(5) ? draw.pick(bytes) : '';
    return `${path}${mark}?${this.queryString(draw)}`;
  }

  /** A write whose body was a good one; `id`: of a record that is there. */
  write(draw: Draw, resource: string, id: string, body: Item): HostileRequest {
    const one = `${this.base}/${encodeURIComponent(resource)}/${encodeURIComponent(id)}`;
    const [method, path] = draw.pick([
      ['POST', `${this.base}/${encodeURIComponent(resource)}`],
      ['POST', `${this.base}/${encodeURIComponent(resource)}`],
      ['PATCH', one],
      ['PATCH', one],
      ['PUT', one],
    ] as const);
    const query = draw.chance(10) ? `?${this.queryString(draw)}` : '';
    const type = draw.chance(15) ? draw.pick(contentTypes) : 'application/json';
    const text = spoilt(draw, this.replaced(draw, body, draw.pick(texts)));
    const isBatch = draw.chance(15);
    return isBatch
      ? {
          method: 'POST',
          path: `${this.base}/_batch`,
          body: `[{"method":"${method}","path":${JSON.stringify(`${path}${query}`)},"body":${text}}]`,
          headers: { 'content-type': 'application/json' },
        }
      : { method, path: `${path}${query}`, body: text, headers: { 'content-type': type } };
  }

  /** A body as JSON, another text in the place of a value, or under another name. */
  private replaced(draw: Draw, body: Item, text: string): string {
    const mark = '\uE000mark\uE000';
    const within = (value: unknown): unknown => {
      if (typeof value !== 'object' || value === null || draw.chance(40)) return mark;
      if (Array.isArray(value))
        return value.length === 0 ? [mark] : value.with(draw.below(value.length), mark);
      const names = Object.keys(value);
      if (names.length === 0) return { [draw.pick(this.names)]: mark };
      const name = draw.pick(names);
      return { ...value, [name]: within((value as Item)[name]) };
    };
    const names = Object.keys(body);
    const old = names.length > 0 && draw.chance(70) ? draw.pick(names) : draw.pick(this.names);
    const name = draw.chance(15) ? draw.pick([...parts, ...this.names]) : old;
    const others = Object.entries(body).filter(([one]) => one !== old);
    const changed = Object.fromEntries([...others, [name, within(body[old])]]);
    return JSON.stringify(changed).replace(JSON.stringify(mark), () => text);
  }

  /** A good request with a few places in which it is no more what it was. */
  private mutated(draw: Draw): string {
    const { target } = writeQuery(draw, this.world, randomQuery(draw, this.world), this.base);
    const [path = '', text = ''] = target.split('?');
    const pieces = text.split('&');
    for (let more = draw.below(3); more >= 0; more -= 1) {
      const place = draw.below(pieces.length);
      const [name = '', value = ''] = (pieces[place] ?? '').split('=');
      const at = draw.below(name.length + 1);
      pieces[place] = draw.pick([
        `${name}=${encoded(draw, draw.pick(values))}`,
        `${name}=${encoded(draw, draw.pick(values))}`,
        `${name}=${value}${encoded(draw, draw.pick(values))}`,
        `${name}${draw.pick(suffixes)}=${value}`,
        `${name}.${encoded(draw, draw.pick(parts))}=${value}`,
        `${encoded(draw, draw.pick(parts))}.${name}=${value}`,
        `${name.slice(0, at)}${draw.pick(bytes)}${name.slice(at)}=${value}`,
        `${name}=${value}&${name}=${encoded(draw, draw.pick(values))}`,
        `${draw.pick(parameters)}=${value}`,
      ]);
    }
    return `${path}?${pieces.join('&')}`;
  }

  private path(draw: Draw): string {
    const length = draw.chance(5) ? 3 + draw.below(40) : 1 + draw.below(3);
    return Array.from({ length }, () =>
      draw.chance(80) ? draw.pick(this.names) : draw.pick(parts),
    ).join(draw.chance(97) ? '.' : draw.pick(['..', ':', '/', '[']));
  }

  private queryString(draw: Draw): string {
    const count = draw.chance(5) ? draw.below(80) : draw.below(6);
    const pieces = Array.from({ length: count }, () => {
      const isReserved = draw.chance(45);
      const name = isReserved ? draw.pick(parameters) : `${this.path(draw)}${draw.pick(suffixes)}`;
      const value = draw.chance(isReserved ? 35 : 10) ? this.path(draw) : draw.pick(values);
      return `${encoded(draw, name)}${draw.pick(['=', '=', '=', '=', '=', '=', '', '=='])}${encoded(draw, value)}`;
    });
    if (pieces.length > 0 && draw.chance(20)) pieces.push(draw.pick(pieces));
    return pieces.join(draw.chance(98) ? '&' : draw.pick(['&&', ';', '?', '#', ' ']));
  }
}

export interface HostileRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A text with something wrong in a place of it, or as it is. */
function spoilt(draw: Draw, text: string): string {
  const at = draw.below(text.length + 1);
  switch (draw.below(16)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return `${text.slice(0, at)}${draw.pick(bytes)}${text.slice(at)}`;
    case 2:
      return `[${text},${text}]`;
    case 3:
      return `\uFEFF${text}`;
    case 4:
      return `${text}${draw.pick([',', '}', '{}', '\0', ' ', '\n'])}`;
    default:
      return text;
  }
}

function encoded(draw: Draw, text: string): string {
  switch (draw.below(12)) {
    case 0:
      return [...Buffer.from(text)]
        .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
        .join('');
    case 1:
      return encodeURIComponent(encodeURIComponent(text));
    case 2:
      return Buffer.from(text)
        .toString('latin1')
        .replaceAll(/[\r\n]/gu, '');
    case 3:
      return encodeURIComponent(text).slice(0, -1) + draw.pick(bytes);
    default:
      return encodeURIComponent(text);
  }
}

const leaks =
  /SELECT |FROM "|node_modules|\w\.ts:\d|\bat [\w.]+ \(|SQLITE|PostgresError|sqlite3|\/tmp\//u;

/** Checks an answer that anyone may see; an error has the body that the contract promises. */
export function expectHarmless(status: number, body: string): void {
  expect(status).toBeGreaterThanOrEqual(200);
  expect(status).toBeLessThan(500);
  if (status < 400 || body === '') return;
  expect(body).not.toMatch(leaks);
  expect(JSON.parse(body)).toMatchObject({
    status,
    error: expect.any(String),
    message: expect.any(String),
    path: expect.any(String),
    code: expect.stringMatching(/^[A-Z_]+$/u),
    requestId: expect.any(String),
  });
}
