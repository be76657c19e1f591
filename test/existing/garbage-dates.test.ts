import { afterAll, beforeAll, expect, test } from 'vitest';
import { existingPostgres, existingSqlite, type Existing } from '../support/existing.ts';

/**
 * Other programs fill columns of texts and numbers with what is no date. It is in no group of the others, and ends no request.
 * See docs/contract/9-groups-and-computed-fields.md#keys-of-groups, rule 5.
 */
const specification = `
access: public
database: { managed: false }
resources:
  things:
    fields:
      day: { type: date }
      moment: { type: datetime, storedAs: sqlText }
      seconds: { type: datetime, storedAs: unixSeconds }
      milliseconds: { type: datetime, storedAs: unixMilliseconds }
`;
const texts = ['', 'garbage', '2026-13-01', '2026-00-10', '0000-01-01', '2026-03-00', '2026-3-1'];
const numbers = ['9223372036854775807', '-9223372036854775808', '99999999999999', '0', '1'];
const rows = Array.from({ length: 8 }, (_, index) => {
  const text = texts[index] ?? '2026-03-01';
  const moment = index === 7 ? '2026-03-01 14:05:00' : text;
  const number = numbers[index] ?? '1772373900';
  return `(${index + 1}, '${text}', '${moment}', ${number}, ${number})`;
});
const sql = `CREATE TABLE things (id INTEGER PRIMARY KEY, day TEXT, moment TEXT, seconds BIGINT, milliseconds BIGINT);
INSERT INTO things VALUES ${rows.join(', ')};`;

const parts = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'weekday'];
const groups = ['day', 'moment', 'seconds', 'milliseconds'].flatMap((field) =>
  parts.filter((part) => field !== 'day' || part !== 'hour').map((part) => `${field}:${part}`),
);

let servers: readonly Existing[];
beforeAll(async () => {
  servers = [await existingSqlite(specification, sql), await existingPostgres(specification, sql)];
});
afterAll(() => Promise.all((servers ?? []).map((server) => server.stop())));

test.each(groups)('group=%s', async (group) => {
  for (const { api } of servers) {
    const { status, body } = await api.get(`/things?group=${group}&limit=100`);
    expect([status, body]).toEqual([200, expect.anything()]);
    // The last row has a date: a Sunday in March.
    const good = {
      group: { [group]: group.endsWith('weekday') ? 7 : expect.stringMatching(/^2026/u) },
    };
    if (!group.startsWith('milliseconds'))
      expect(body).toContainEqual(expect.objectContaining(good));
  }
});
