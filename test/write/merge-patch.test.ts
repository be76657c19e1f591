import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { problemsOf } from '../server/exchanges.ts';

const specification = `
access: public
resources:
  things:
    fields:
      name: { type: string, nullable: true }
      size:
        type: object
        nullable: true
        properties:
          width: { type: integer, minimum: 0 }
          depth: { type: integer, nullable: true }
          label: { type: string, required: true, maxLength: 5 }
          inner: { type: object, nullable: true, properties: { a: { type: integer }, b: { type: integer } } }
      free: { type: json, nullable: true }
      list: { type: array, items: { type: integer }, nullable: true }
      fixed: { type: object, nullable: true, immutable: true }
      code: { type: string, immutable: true }
`;

const start = {
  name: 'n',
  size: { width: 1, depth: 2, label: 'l', inner: { a: 1, b: 2 } },
  free: { a: { b: 1, c: [1, 2] }, d: null },
  list: [1, 2],
  fixed: { x: 1 },
};

let both: Both;
beforeAll(async () => {
  both = await serveBoth(specification);
});
afterAll(async () => {
  await both?.stop();
});

const make = async (record: object = start): Promise<string> =>
  (await both.send('POST', '/v1/things', record)).headers.get('location') ?? '';

const merge = (path: string, body: unknown): ReturnType<Both['send']> =>
  both.send('PATCH', path, body, { 'content-type': 'application/merge-patch+json' });

const outdated = { 'content-type': 'application/merge-patch+json', 'if-match': '"of-last-week"' };

describe('a merge patch', () => {
  test.each<readonly [string, object, object]>([
    [
      'changes a member and leaves the others',
      { size: { width: 9 } },
      { size: { ...start.size, width: 9 } },
    ],
    [
      'goes on below',
      { size: { inner: { b: 7 } } },
      { size: { ...start.size, inner: { a: 1, b: 7 } } },
    ],
    ['takes a member of json away by null', { free: { d: null } }, { free: { a: start.free.a } }],
    [
      'goes into json',
      { free: { a: { b: null, e: 5 } } },
      { free: { a: { c: [1, 2], e: 5 }, d: null } },
    ],
    ['replaces what is no object', { free: { a: [3] } }, { free: { a: [3], d: null } }],
    [
      'makes an object of what was none',
      { free: { a: { b: { x: 1 } } } },
      { free: { a: { b: { x: 1 }, c: [1, 2] }, d: null } },
    ],
    ['replaces arrays', { list: [3] }, { list: [3] }],
    ['replaces json by what is no object', { free: 5 }, { free: 5 }],
    ['sets null', { size: null, name: null }, { size: null, name: null }],
    ['leaves an immutable object as it is', { fixed: { x: 1 }, name: 'm' }, { name: 'm' }],
    [
      'changes several',
      { size: { width: 0 }, free: { z: 1 }, name: 'q' },
      { size: { ...start.size, width: 0 }, free: { ...start.free, z: 1 }, name: 'q' },
    ],
    ['that is empty changes nothing', {}, {}],
  ])('%s', async (_, patch, changed) => {
    const path = await make();
    const { status, body, text } = await merge(path, patch);
    expect(status, text).toBe(200);
    expect(body).toMatchObject({ ...start, ...changed });
    expect((await both.get(path)).body).toEqual(body);
    if ('free' in changed) expect(body.free).toEqual(changed.free);
  });

  test('into null makes the object', async () => {
    const path = await make({ name: 'n' });
    const { body } = await merge(path, { size: { label: 'x' }, free: { a: { b: 1, c: null } } });
    expect(body).toMatchObject({ size: { label: 'x' }, free: { a: { b: 1 } } });
    expect(body.free).toEqual({ a: { b: 1 } });
  });

  test('under application/json an object is replaced', async () => {
    const path = await make();
    const { body } = await both.send('PATCH', path, { free: { z: 1 } });
    expect(body.free).toEqual({ z: 1 });
  });

  test.each<readonly [string, object, number, string, ...string[]]>([
    [
      'a member of the wrong type',
      { size: { width: 'x' } },
      400,
      'VALIDATION_FAILED',
      'size.width: must be a number',
    ],
    [
      'what is required taken away',
      { size: { label: null } },
      400,
      'VALIDATION_FAILED',
      'size.label: is required',
    ],
    [
      'an immutable object',
      { fixed: { x: 2 } },
      400,
      'VALIDATION_FAILED',
      'fixed: is immutable: it is set on create only',
    ],
    [
      'an unknown field',
      { siez: { width: 1 } },
      400,
      'VALIDATION_FAILED',
      'siez: there is no field siez; did you mean size?',
    ],
    [
      'all that is wrong at once',
      { name: 5, size: { width: 'x', label: null, inner: { a: 1.5 } }, free: { a: [{ b: '\0' }] } },
      400,
      'VALIDATION_FAILED',
      'name: must be a string',
      'size.width: must be a number',
      'size.label: is required',
      'size.inner.a: must be a whole number',
      'free.a[0].b: must not hold a NUL character',
    ],
  ])('is refused for %s, and changes nothing', async (_, patch, status, code, ...problems) => {
    const path = await make();
    const answer = await merge(path, patch);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(problemsOf(answer)).toEqual(problems);
    expect((await both.get(path)).body).toMatchObject(start);
  });

  test('a value that is out of range is 422', async () => {
    const answer = await merge(await make(), { size: { width: -1, label: 'too long' } });
    expect([answer.status, answer.body.code]).toEqual([422, 'INVALID_VALUE']);
    expect(problemsOf(answer).map((problem) => problem.split(':', 1)[0])).toEqual([
      'size.width',
      'size.label',
    ]);
  });

  test('of a record that is not there is 404', async () => {
    expect((await merge('/v1/things/9999', { size: { width: 1 } })).status).toBe(404);
  });

  test.each([
    ['{ "size": { "width": "x" } }', 400],
    ['{ "size": { "label": null } }', 400],
    ['{ "size": { "inner": { "a": 1.5 } } }', 422],
    ['{ "size": { "label": "too long" } }', 422],
    ['{ "free": { "a.b": { "c": 1e400 } } }', 422],
  ])('that no record could take is refused before 404 and 412: %s', async (patch, status) => {
    for (const path of ['/v1/things/9999', await make()])
      expect((await both.send('PATCH', path, patch, outdated)).status).toBe(status);
  });

  test('that needs what the record lacks is refused after 404 and 412', async () => {
    const [patch, path] = [{ size: { width: 1 } }, await make({ name: 'n' })];
    expect((await merge('/v1/things/9999', patch)).status).toBe(404);
    expect((await both.send('PATCH', path, patch, outdated)).status).toBe(412);
    expect(problemsOf(await merge(path, { ...patch, fixed: { x: 2 }, code: 'b' }))).toEqual([
      'code: is immutable: it is set on create only',
      'size.label: is required',
      'fixed: is immutable: it is set on create only',
    ]);
  });

  test.each(['POST', 'PUT'])('is 415 on %s', async (method) => {
    const target = method === 'POST' ? '/v1/things' : await make();
    const headers = { 'content-type': 'application/merge-patch+json' };
    expect((await both.send(method, target, { name: 'x' }, headers)).status).toBe(415);
  });

  test('of 20 members at once none is lost', async () => {
    const path = await make({ free: {} });
    for (const side of both.sides) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          side.send(
            'PATCH',
            path,
            { free: { [`k${index}`]: index } },
            { 'content-type': 'application/merge-patch+json; charset=utf-8' },
          ),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      expect(Object.keys((await side.get(path)).body.free)).toHaveLength(20);
    }
  });
});
