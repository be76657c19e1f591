import { expect, test } from 'vitest';
import { readFile } from '../../dashboard/src/data/write/read-file.ts';
import type { Model } from '../../src/http/dashboard/wire-model.ts';
import { serveApi } from '../support/api.ts';
import { ask, open, stopAfterEach } from './dashboard.ts';

stopAfterEach();

const specification = `access: public
resources:
  things:
    fields:
      name: { type: string, required: true, minLength: 2, maxLength: 5 }
      size: { type: integer, minimum: 1, maximum: 9 }
      price: { type: decimal, scale: 2, minimum: 0 }
      kind: { type: enum, values: [old, new] }
      isDone: { type: boolean }
      day: { type: date }
`;

const files: readonly (readonly [name: string, text: string, problems: readonly object[]])[] = [
  [
    'a.csv',
    [
      'name,size,price,kind,isDone,day',
      'Lamp,3,1.50,old,true,2026-01-02',
      'x,0,-1.00,odd,maybe,2026-01-02',
      'Screen,10,,,,',
      ',1,1,new,false,',
    ].join('\r\n'),
    [
      {},
      {
        name: 'has fewer than 2 characters',
        size: 'is less than 1',
        price: 'is less than 0',
        kind: 'is none of old, new',
        isDone: 'is neither true nor false',
      },
      { name: 'has more than 5 characters', size: 'is more than 9' },
      { name: 'is missing' },
    ],
  ],
  [
    'a.ndjson',
    '{"name":"Lamp","price":"0.00"}\n{"name":7,"day":20260102,"size":"3"}\n{"name":null}\n',
    [
      {},
      { name: 'is not a text', day: 'is not a text', size: 'is not a number' },
      { name: 'must not be null' },
    ],
  ],
  ['a.json', '[{"name":"Lamp"},7]', [{}, { '': 'is not an object', name: 'is missing' }]],
];

test.each(files)(
  '%s is previewed with the problems that the server has with it',
  async (...file) => {
    const [name, text, problems] = file;
    const api = await serveApi(specification, {}, undefined, { mode: 'dev' });
    open.push(api);
    const { resources } = (await ask(api, 'model')).body as Model;
    const [resource] = resources;
    if (resource === undefined) throw new Error('There is a resource');
    const { records } = readFile(name, text, resource);
    expect(records.map((record) => Object.fromEntries(record.problems))).toEqual(problems);
    for (const { body, problems: found } of records) {
      const { status } = await api.send('POST', '/v1/things', body);
      expect(status >= 400, JSON.stringify(body)).toBe(found.size > 0);
    }
  },
);
