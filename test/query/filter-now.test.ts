import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { expectRefusals, expectRows, type RefusalCase } from '../support/tables.ts';

const specification = `
resources:
  events:
    fields:
      at: { type: datetime }
      exact: { type: datetime, precision: 6 }
      whole: { type: datetime, precision: 0 }
      on: { type: date }
      days: { type: array, items: { type: date } }
      text: { type: string }
      clock: { type: time }
      isPast: { type: boolean, computed: { where: "at_lt=now" } }
      isRecent: { type: boolean, computed: { where: "at_lt=now&on_gte=now-7d" } }
  past:
    table: events_2
    access: { read: { role: public, where: "at_lt=now-7d" }, create: public }
    fields:
      at: { type: datetime }
`;

/** Half an hour before a day ends in UTC. */
const now = new Date('2026-03-01T23:30:00.500Z');
const day = 86_400_000;
const moment = (days: number): string => new Date(now.getTime() + days * day).toISOString();
/** Records so many days from now. */
const events = [-3650, -10, -3, 3, 10].map((days) => {
  const at = moment(days);
  const on = at.slice(0, 10);
  return { at, exact: at, whole: `${at.slice(0, 19)}Z`, on, days: [on], text: 'now' };
});

let api: Both;
beforeAll(async () => {
  const records = { events: [...events, {}], past: events.map(({ at }) => ({ at })) };
  api = await serveBoth(specification, records, () => now);
});
afterAll(() => api.stop());

const path = '/v1/events';

describe('now', () => {
  expectRows(() => api, path, [
    ['a datetime', 'at_lt=now', [1, 2, 3]],
    ['from now on', 'at_gte=now', [4, 5]],
    ['minus days', 'at_lt=now-7d', [1, 2]],
    ['plus days', 'at_gt=now%2B7d', [5]],
    ['a plus sign that is a blank', 'at_gt=now+7d', [5]],
    ['weeks', 'at_gt=now-1w', [3, 4, 5]],
    ['hours', 'at_gt=now-100h', [3, 4, 5]],
    ['minutes', 'at_lt=now-7200m', [1, 2]],
    ['seconds', 'at_lt=now-432000s', [1, 2]],
    ['no distance', 'at_lt=now-0d', [1, 2, 3]],
    ['a range', 'at_gte=now-5d&at_lte=now+5d', [3, 4]],
    ['microseconds', 'exact_lt=now', [1, 2, 3]],
    ['whole seconds', 'whole_lt=now', [1, 2, 3]],
    ['a date', 'on_lt=now', [1, 2, 3]],
    ['a date, minus days', 'on=now-3d', [3]],
    ['a date, the next day in UTC', 'on=now+49h', [4]],
    ['a date, still the day before', 'on=now+48h', []],
    ['a list', 'on_in=now-3d,now+3d', [3, 4]],
    ['in an array', 'days_contains=now+10d', [5]],
    ['in a group', '_or=at_gt:now+7d,on_lt:now-7d', [1, 2, 5]],
    ['of a computed field', 'isPast=true', [1, 2, 3]],
    ['of a computed field, a date too', 'isRecent=true&sort=-isPast', [3]],
    ['a text', 'text=now', [1, 2, 3, 4, 5]],
  ]);

  const fits = (query: string, problem: string): RefusalCase => [
    'does not fit',
    query,
    'INVALID_FILTER',
    problem,
  ];
  const ofDate = 'does not fit: it takes a date such as 2026-03-01';
  expectRefusals(() => api, path, [
    fits('on=now-3', `on: "now-3" ${ofDate}`),
    fits('on=now-3y', `on: "now-3y" ${ofDate}`),
    fits('on=now-3d-1h', `on: "now-3d-1h" ${ofDate}`),
    fits('on=NOW', `on: "NOW" ${ofDate}`),
    fits('on=tomorrow', `on: "tomorrow" ${ofDate}`),
    fits('on=now-999999999w', `on: "now-999999999w" ${ofDate}`),
    fits('on=now%2B999999999w', `on: "now+999999999w" ${ofDate}`),
    fits('clock=now', 'clock: "now" does not fit: it takes a time such as 14:05:00'),
  ]);

  test('is the time of each request in a row rule', async () => {
    const { body } = await api.get('/v1/past');
    expect((body as { id: number }[]).map(({ id }) => id)).toEqual([1, 2]);
  });
});
