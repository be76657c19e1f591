/** Orders with values that sums and averages find hard, and dates around the ends of years and weeks. */
export const shop = `
resources:
  customers:
    fields:
      name: { type: string, required: true }
      country: { type: string }
  orders:
    fields:
      status: { type: enum, values: [open, paid, late] }
      note: { type: string }
      total: { type: decimal, precision: 18, scale: 2 }
      items: { type: integer }
      views: { type: integer, format: bigint }
      weight: { type: number }
      isGift: { type: boolean }
      placedAt: { type: datetime }
      dueOn: { type: date }
      at: { type: time }
      specs: { type: object, properties: { size: { type: string }, parts: { type: integer }, price: { type: decimal, scale: 2 }, cost: { type: number } } }
      tags: { type: array, items: { type: string } }
      extra: { type: json }
      secret: { type: string, writeOnly: true }
      customer: { type: relation, relation: belongsTo, resource: customers }
      lines: { type: relation, relation: hasMany, resource: lines }
  lines:
    fields:
      quantity: { type: integer }
      order: { type: relation, relation: belongsTo, resource: orders }
      customers: { type: relation, relation: belongsToMany, resource: customers, through: visits }
  visits:
    fields:
      line: { type: relation, relation: belongsTo, resource: lines }
      customer: { type: relation, relation: belongsTo, resource: customers }
`;

export const records = {
  customers: [{ name: 'Ann', country: 'DE' }, { name: 'Bob', country: 'FR' }, { name: 'Cid' }],
  orders: [
    {
      status: 'open',
      note: 'a',
      total: '19.90',
      items: 1,
      views: '9223372036854775807',
      weight: 0.5,
      isGift: true,
      placedAt: '2026-03-01T14:05:00Z',
      dueOn: '2026-03-01',
      at: '14:05:00',
      customerId: 1,
      specs: { size: 'big', parts: 2, price: '1.50', cost: 0.25 },
    },
    {
      status: 'open',
      note: 'B',
      total: '0.01',
      items: 2,
      views: '9223372036854775807',
      weight: 0.25,
      isGift: false,
      placedAt: '2026-03-31T23:59:59.999Z',
      dueOn: '2026-12-31',
      at: '08:00:00',
      customerId: 1,
      specs: { size: 'big', parts: 3, price: '-2.25', cost: 0.5 },
    },
    {
      status: 'paid',
      note: 'a',
      total: '-41.50',
      items: 9007199254740991,
      views: '-9223372036854775808',
      weight: -1.5,
      isGift: true,
      placedAt: '2025-12-29T00:00:00+02:00',
      dueOn: '2027-01-03',
      customerId: 2,
      specs: { size: 'small' },
    },
    { status: 'paid', items: 9007199254740991, total: '9999999999999999.99', customerId: 3 },
    { status: 'paid', total: '9999999999999999.99', items: 1, placedAt: '0099-07-01T00:00:00Z' },
    { note: 'ä' },
  ],
  lines: [{ quantity: 1, orderId: 1 }],
};
