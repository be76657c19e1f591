import { describe, expect, test } from 'vitest';
import { databases, fileOf, tableOf, type Name } from './columns.ts';

const names: readonly Name[] = ['SQLite', 'PostgreSQL'];
const moment = (digits: string): string => `2026-03-01T10:00:00.${digits}Z`;

describe.each(names)('moments that are finer than the millisecond, on %s', (name) => {
  test('are shown, found and sorted with all their digits', async () => {
    const existing = await databases[name](
      fileOf('type: datetime, index: true'),
      tableOf(
        name,
        'VARCHAR(26)',
        ['123900', '123100', '124000'].map((end) => `('2026-03-01 10:00:00.${end}')`).join(', '),
      ),
    );
    const ids = async (query: string): Promise<readonly number[]> => {
      const { body } = await existing.api.get(`/v1/things?${query}`);
      return (body as readonly { id: number }[]).map(({ id }) => id);
    };
    const walked: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await existing.api.get(
        `/v1/things?sort=value&limit=1&cursor=${encodeURIComponent(cursor)}`,
      );
      const page = body as unknown as { data: { id: number }[]; next_cursor: string | null };
      walked.push(...page.data.map(({ id }) => id));
      cursor = page.next_cursor;
    }
    const answers = {
      up: await ids('sort=value'),
      down: await ids('sort=-value'),
      eq: await ids(`value=${moment('1231')}`),
      coarse: await ids(`value=${moment('123')}`),
      lte: await ids(`value_lte=${moment('1239')}`),
      gt: await ids(`value_gt=${moment('1231')}`),
      nin: await ids(`value_nin=${moment('123100')},${moment('124')}`),
    };
    const { body } = await existing.api.get('/v1/things');
    const shown = (body as readonly { value: string }[]).map(({ value }) => value);
    await existing.stop();
    expect(existing.forms.get('things')?.fields.get('value')?.storedAs).toBe('sqlMicroseconds');
    expect(walked).toEqual([2, 1, 3]);
    expect(shown).toEqual(['123900', '123100', '124000'].map(moment));
    expect(answers).toEqual({
      up: [2, 1, 3],
      down: [3, 1, 2],
      eq: [2],
      coarse: [],
      lte: [1, 2],
      gt: [1, 3],
      nin: [1],
    });
  });

  test('keep what is finer until they are written, and no index is advised that none serves', async () => {
    const existing = await databases[name](
      `resources: { things: { fields: { value: { type: datetime }, name: { type: string } } } }`,
      `${tableOf(name, 'VARCHAR(26)', `('2026-03-01 10:00:00.123456')`)} ALTER TABLE things ADD COLUMN name TEXT;`,
    );
    const { api, ask } = existing;
    const stored = async (): Promise<unknown> => (await ask('SELECT value FROM things'))[0]?.[0];
    // Others may write a whole second as they like.
    await ask(`INSERT INTO things (value) VALUES ('2026-03-01 10:00:01')`);
    expect(await existing.next()).toEqual([]);
    await ask('DELETE FROM things WHERE id = 2');
    await api.send('PATCH', '/v1/things/1', { name: 'a' });
    const kept = await stored();
    const { body } = await api.send('PATCH', '/v1/things/1', { value: moment('5') });
    const written = await stored();
    const plan = await api.get('/v1/things?sort=value&_debug=plan');
    await existing.stop();
    expect(kept).toBe('2026-03-01 10:00:00.123456');
    expect(body).toMatchObject({ value: moment('500000') });
    expect(written).toBe('2026-03-01 10:00:00.500000');
    expect(plan.text).not.toContain('index: true');
  });
});
