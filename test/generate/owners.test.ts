import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/specification/specification.ts';
import { generated, type Row } from './generate.ts';

const time = (value: JsonValue | undefined): number => Date.parse(String(value));
const byId = (rows: readonly Row[] = []): ReadonlyMap<JsonValue | undefined, Row> =>
  new Map(rows.map((row) => [row['id'], row]));

/** Resources in which `children` belong to `parents` by a key or pair of each kind. */
const cases: readonly (readonly [name: string, text: string])[] = [
  [
    'a required key',
    `  parents: { fields: { createdAt: { type: datetime } } }
  children: { fields: { parentId: { type: integer, required: true, reference: parents.id }, createdAt: { type: datetime } } }`,
  ],
  [
    'timestamps, and ids that are no numbers',
    `  parents: { timestamps: true, fields: { id: { type: id, format: uuid } } }
  children: { timestamps: true, fields: { parentId: { type: uuid, required: true, reference: parents.id } } }`,
  ],
  [
    'a key by which the records are counted',
    `  parents: { fields: { createdAt: { type: datetime } } }
  children:
    generate: { per: parent, min: 1, max: 3 }
    fields: { parent: { type: relation, relation: belongsTo, resource: parents }, createdAt: { type: datetime } }`,
  ],
  [
    'a key that is unique together with another',
    `  parents: { fields: { createdAt: { type: datetime } } }
  tags: { fields: { name: { type: string } } }
  children:
    unique: [[parentId, tagId]]
    fields:
      parentId: { type: integer, required: true, reference: parents.id }
      tagId: { type: integer, required: true, reference: tags.id }
      createdAt: { type: datetime }`,
  ],
  [
    'a key in a circle of resources',
    `  parents: { fields: { createdAt: { type: datetime }, bestId: { type: integer, reference: children.id } } }
  children: { fields: { parentId: { type: integer, required: true, reference: parents.id }, createdAt: { type: datetime } } }`,
  ],
  [
    'a pair',
    `  parents:
    fields:
      createdAt: { type: datetime }
      children: { type: relation, relation: morphMany, resource: children, typeField: ownerType, idField: parentId }
  children: { fields: { owner: { type: relation, relation: morphTo, typeField: ownerType, idField: parentId }, createdAt: { type: datetime } } }`,
  ],
  [
    'names of a trade',
    `  parents: { fields: { registeredAt: { type: datetime } } }
  children: { fields: { parentId: { type: integer, required: true, reference: parents.id }, orderedAt: { type: datetime } } }`,
  ],
];

describe('records are not older than those that they belong to', () => {
  test.each(cases)('%s', async (_, resources) => {
    const head = 'generate: { count: 60 }\nresources:\n';
    const { parents, children = [] } = await generated(`${head}${resources}\n`);
    const owners = byId(parents);
    expect(children.length).toBeGreaterThan(50);
    for (const child of children) {
      const parent = owners.get(child['parentId']);
      const [born = child['createdAt'], made = parent?.['createdAt']] = [
        child['orderedAt'],
        parent?.['registeredAt'],
      ];
      expect(time(born)).toBeGreaterThanOrEqual(time(made));
      expect(time(born)).toBeLessThan(Date.parse('2026-01-01'));
    }
  });

  test('replies in a tree, over several levels', async () => {
    const { notes = [] } = await generated(
      'resources: { notes: { generate: { count: 200 }, fields: { createdAt: { type: datetime }, parentId: { type: integer, reference: notes.id } } } }',
    );
    const all = byId(notes);
    for (const note of notes)
      if (note['parentId'] !== null)
        expect(time(note['createdAt'])).toBeGreaterThanOrEqual(
          time(all.get(note['parentId'])?.['createdAt']),
        );
  });

  test.each([
    ['a chain', 'previousId: { type: integer, unique: true, reference: notes.id }'],
    [
      'a moment that is unique together with the key',
      'ownerId: { type: integer, required: true, reference: owners.id }',
    ],
  ])('what would take long or wait for itself is left out: %s', async (name, field) => {
    const unique = name === 'a chain' ? '' : 'unique: [[ownerId, createdAt]], ';
    const { notes = [] } = await generated(
      `resources:\n  owners: { fields: { createdAt: { type: datetime } } }\n  notes: { ${unique}generate: { count: 5000 }, fields: { createdAt: { type: datetime }, ${field} } }\n`,
    );
    expect(notes).toHaveLength(5000);
  });

  test('a record that was late enough keeps its moment', async () => {
    const child = (key: string): string =>
      `generate: { count: 60 }\nresources:\n  parents: { fields: { createdAt: { type: datetime } } }\n  children: { fields: { ${key}createdAt: { type: datetime } } }\n`;
    const { children: free = [] } = await generated(child(''));
    const { children: owned = [], parents } = await generated(
      child('parentId: { type: integer, required: true, reference: parents.id }, '),
    );
    const owners = byId(parents);
    const kept = owned.filter(
      ({ parentId }, index) =>
        time(free[index]?.['createdAt']) >= time(owners.get(parentId)?.['createdAt']),
    );
    expect(kept.length).toBeGreaterThan(10);
    for (const row of kept) expect(row['createdAt']).toBe(byId(free).get(row['id'])?.['createdAt']);
  });
});

describe('`generate: { until }`', () => {
  const text = (until: string): string =>
    `generate: { count: 200${until} }\nresources: { posts: { fields: { createdAt: { type: datetime }, dueDate: { type: date }, age: { type: integer } } } }\n`;
  test('moves what happened up to a moment, most of it shortly before', async () => {
    const { posts = [] } = await generated(text(', until: 2027-03-04'));
    const times = posts.map(({ createdAt }) => time(createdAt));
    const end = Date.parse('2027-03-04');
    expect(Math.max(...times)).toBeLessThanOrEqual(end);
    const ofWeek = times.filter((one) => one > end - 7 * 86_400_000);
    expect(ofWeek.length).toBeGreaterThan(20);
    for (const { dueDate } of posts) expect(time(dueDate)).toBeGreaterThan(end);
  });

  test('a moment with a time', async () => {
    const { posts = [] } = await generated(text(', until: "2027-03-04T05:06:07Z"'));
    const last = Math.max(...posts.map(({ createdAt }) => time(createdAt)));
    expect(last).toBeGreaterThan(Date.parse('2027-03-03'));
    expect(last).toBeLessThanOrEqual(Date.parse('2027-03-04T05:06:07Z'));
  });

  test('without it, dates end at the beginning of 2026', async () => {
    const { posts = [] } = await generated(text(''));
    for (const { createdAt } of posts)
      expect(time(createdAt)).toBeLessThan(Date.parse('2026-01-01'));
  });
});

test('each record asks once for those that it belongs to, however many resources refer to each other', async () => {
  const next = (index: number): string => `r${index % 100}s`;
  const resources = Array.from(
    { length: 100 },
    (_, index) => `  r${index}s:
    timestamps: true
    fields:
      firstId: { type: integer, reference: ${next(index + 1)}.id }
      secondId: { type: integer, reference: ${next(index + 7)}.id }`,
  );
  const made = await generated(`resources:\n${resources.join('\n')}`);
  expect(made['r0s']?.length).toBeGreaterThan(0);
});
