import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runIn } from '../command-line/commands.ts';
import { makeFolder } from '../support/command.ts';
import { createDatabase } from '../support/postgres.ts';

const specification = `
resources:
  things:
    fields:
      id: { type: id, format: bigint }
      count: { type: integer, format: bigint }
      data: { type: string, format: base64 }
      at: { type: datetime, precision: 6 }
      rate: { type: decimal, scale: any }
      payload: { type: json }
      upId: { type: integer, format: bigint, reference: things.id }
`;

/** A record a line, as an export writes it. */
const records = `{"id":"1","count":"-9223372036854775808","data":"AP8=","at":"2026-03-01T14:05:00.123456Z","rate":"-12345678901234567890.123456789","payload":{"id":1533947986218845197},"upId":"9007199254740993"}
{"id":"9007199254740992","count":null,"data":"","at":null,"rate":null,"payload":null,"upId":"1"}
{"id":"9007199254740993","count":"9007199254740993","data":null,"at":"0001-01-01T00:00:00.000001Z","rate":"0.1","payload":[0.12345678901234567890123,123456789012345678901234567890],"upId":"9007199254740992"}
`;

test.each(['ndjson', 'csv', 'json'])(
  'a %s export, an import of it and a promote carry exact values',
  async (format) => {
    const folder = makeFolder({ 'plinth.yaml': specification, 'data/things.ndjson': records });
    const run = async (...args: string[]): Promise<void> => {
      const told = await runIn(folder, {}, ...args);
      expect(told, args.join(' ')).toMatchObject({ code: 0, err: '' });
    };
    const target = await createDatabase();
    try {
      for (const database of ['sqlite:a.db', 'sqlite:b.db', target.url])
        await run('migrate', '--apply', '--database', database);
      await run('import', 'data', '--database', 'sqlite:a.db');
      await run('export', 'first', '--format', format, '--database', 'sqlite:a.db');
      await run('import', 'first', '--database', 'sqlite:b.db');
      await run('promote', '--from', 'sqlite:b.db', '--to', target.url);
      await run('export', 'second', '--database', target.url, '--format', 'ndjson');
      expect(readFileSync(folder.at('second/things.ndjson'), 'utf8')).toBe(records);
      // Again: all are there already, and equal.
      await run('import', 'data', '--database', 'sqlite:b.db');
      await run('promote', '--from', 'sqlite:b.db', '--to', target.url);
    } finally {
      await target.drop();
    }
  },
);
