import { describe, expect, test } from 'vitest';
import { generated, valuesOf } from './generate.ts';

type Type = 'date' | 'datetime';

/** Fields of which no later one comes before an earlier one. */
const chains: readonly (readonly string[])[] = [
  ['createdAt', 'updatedAt'],
  ['createdAt', 'orderedAt', 'paidAt', 'shippedAt', 'deliveredAt', 'returnedAt', 'updatedAt'],
  ['orderDate', 'approvalDate', 'shippingDate', 'deliveryDate', 'refundDate', 'updatedAt'],
  ['issueDate', 'paymentDate', 'shipDate', 'completionDate'],
  ['registeredOn', 'verifiedAt', 'publishedDate', 'closed', 'archivedAt', 'modifiedAt'],
  ['submittedAt', 'approvedAt', 'sentAt', 'completedAt'],
  ['sentAt', 'deliveredAt', 'readAt'],
  ['createdAt', 'startedAt', 'finishedAt'],
  ['createdAt', 'startedAt', 'endedAt', 'lastModified'],
  ['joinedAt', 'lastLoginAt'],
  ['startsAt', 'endsAt'],
  ['startDate', 'endDate'],
  ['validFrom', 'validUntil'],
  ['checkInDate', 'checkOut'],
  ['eventStartsAt', 'eventEndsAt'],
  ['subscriptionStart', 'subscriptionEnd'],
  ['birthDate', 'hiredAt', 'terminatedAt'],
  ['admittedAt', 'dischargedAt', 'updatedAt'],
  ['borrowedAt', 'returnedAt'],
  ['reportedAt', 'resolvedAt'],
  ['listedAt', 'soldAt'],
  ['enrolledAt', 'graduatedAt'],
  ['departureTime', 'arrivalTime'],
  ['bookedAt', 'checkedInAt', 'checkedOutAt'],
];

async function rowsOf(
  fields: readonly (readonly [name: string, definition: string])[],
): Promise<Record<string, unknown>[]> {
  const lines = fields.map(([name, definition]) => `      ${name}: ${definition}\n`);
  const text = `resources:\n  things:\n    fields:\n${lines.join('')}`;
  const { things = [] } = await generated(text, { count: 300 });
  return things;
}

const ofType = (type: Type, names: readonly string[]): (readonly [string, string])[] =>
  names.map((name) => [name, `{ type: ${type}, required: true }`]);

describe('later moments of a row come after earlier ones', () => {
  const cases = chains.flatMap((names) =>
    (['date', 'datetime'] as const).map((type) => [names.join(' ≤ '), type, names] as const),
  );
  test.each(cases)('%s as %s', async (_, type, names) => {
    for (const row of await rowsOf(ofType(type, [...names].reverse()))) {
      const times = names.map((name) => String(row[name]));
      expect(times).toEqual([...times].sort());
    }
  });

  test.each(cases)('%s as %s, each as it is without the others', async (_, type, names) => {
    const rows = await rowsOf(ofType(type, names));
    for (const name of names)
      expect((await rowsOf(ofType(type, [name]))).map((row) => row[name])).toEqual(
        rows.map((row) => row[name]),
      );
  });

  const given = [
    '{ type: datetime, values: ["2020-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"] }',
    '{ type: datetime, generator: date.future }',
    '{ type: datetime, unique: true }',
  ];
  test.each(given)('whatever the first one is: %s', async (definition) => {
    const names = ['updatedAt', 'publishedAt', 'deliveredAt', 'lastLoginAt'];
    const rows = await rowsOf([['createdAt', definition], ...ofType('datetime', names)]);
    for (const row of rows)
      for (const name of names) expect(String(row[name]) >= String(row['createdAt'])).toBe(true);
  });

  test('what has happened was before the reference date', async () => {
    const names = ['createdAt', 'updatedAt', 'returnedAt', 'lastLoginAt', 'hiredAt'];
    for (const row of await rowsOf(ofType('datetime', names)))
      for (const name of names) expect(String(row[name]) <= '2026-01-01T00:00:00.000Z').toBe(true);
  });

  test('nobody is hired as a child', async () => {
    for (const { birthDate, hiredOn } of await rowsOf(ofType('date', ['birthDate', 'hiredOn'])))
      expect(Date.parse(String(hiredOn)) - Date.parse(String(birthDate))).toBeGreaterThan(
        17 * 365 * 86_400_000,
      );
  });
});

test('a journey begins with a departure and takes hours, a stay with an arrival', async () => {
  const fields = (type: string): string =>
    `fields: { arrival: { type: ${type} }, departure: { type: ${type} } }`;
  const { trips = [], reservations = [] } = await generated(
    `resources:\n  trips: { ${fields('datetime')} }\n  reservations: { ${fields('date')} }`,
  );
  for (const { arrival, departure } of trips) {
    const hours = (Date.parse(String(arrival)) - Date.parse(String(departure))) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(1);
    expect(hours).toBeLessThan(12);
  }
  for (const { arrival, departure } of reservations)
    expect(String(arrival) < String(departure)).toBe(true);
});

test('what is planned is planned for the day, at a quarter of an hour', async () => {
  for (const name of ['startsAt', 'endsAt', 'dueAt', 'scheduledAt'])
    for (const value of await valuesOf(name, '{ type: datetime }'))
      expect(value).toMatch(/T(?:0[89]|1\d|2[0-3]):(?:00|15|30|45):00\.000Z$/u);
});

test.each([
  ['startTime', 'endTime'],
  ['lunchFrom', 'lunchUntil'],
  ['departureTime', 'arrivalTime'],
  ['opensAt', 'closesAt'],
])('a time of the day: %s before %s', async (from, to) => {
  for (const row of await rowsOf([from, to].map((name) => [name, '{ type: time }'] as const)))
    expect(String(row[from]) < String(row[to])).toBe(true);
});

test('an event is over within hours', async () => {
  const { events = [] } = await generated(`resources:
  events:
    fields:
      startsAt: { type: datetime }
      endsAt: { type: datetime }
`);
  for (const { startsAt, endsAt } of events) {
    const hours = (Date.parse(String(endsAt)) - Date.parse(String(startsAt))) / 3_600_000;
    expect(hours).toBeGreaterThanOrEqual(1);
    expect(hours).toBeLessThanOrEqual(8);
  }
});

test('the items of a list were not all made at once', async () => {
  const entry =
    '{ type: object, properties: { createdAt: { type: datetime }, updatedAt: { type: datetime } } }';
  const lists = await valuesOf('entries', `{ type: array, minItems: 3, items: ${entry} }`);
  for (const list of lists as unknown as readonly Record<string, string>[][]) {
    expect(new Set(list.map(({ createdAt }) => createdAt)).size).toBeGreaterThan(1);
    for (const { createdAt = '', updatedAt = '' } of list)
      expect(updatedAt >= createdAt).toBe(true);
  }
});
