import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { importOrder } from '../../src/transfer/import/order.ts';
import { makeGenerator } from '../../src/generate/generator.ts';
import { isGenerated } from '../../src/model/field-types/id.ts';
import { build, serveApi } from '../support/api.ts';
import { rowsOf } from './generate.ts';

/** Words that names are made of: some that data is inferred from, some that say nothing. */
const nouns = fc.constantFrom(
  'email',
  'firstName',
  'name',
  'title',
  'slug',
  'price',
  'createdAt',
  'updatedAt',
  'city',
  'phone',
  'zipCode',
  'url',
  'imageUrl',
  'status',
  'rating',
  'age',
  'isActive',
  'body',
  'description',
  'code',
  'sku',
  'birthDate',
  'quantity',
  'latitude',
  'color',
  'currency',
  'ip',
  'uuid',
  'version',
  'foo',
  'barBaz',
  'x1',
);

/** A few of the attributes of a definition, as YAML in one line. */
function definition(type: string, ...attributes: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...attributes.map((attribute) => fc.option(attribute, { nil: '' })))
    .map((chosen) => `{ ${[`type: ${type}`, ...chosen.filter((one) => one !== '')].join(', ')} }`);
}

const lengths = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 60 }))
  .map(([least, more]) => `minLength: ${least}, maxLength: ${Math.max(1, least + more)}`);
const bounds = fc
  .tuple(fc.integer({ min: -1_000, max: 1_000 }), fc.integer({ min: 40, max: 2_000 }))
  .map(([least, more]) => `minimum: ${least}, maximum: ${least + more}`);
const common = [
  fc.constantFrom('required: true', 'nullable: true', 'required: true, nullable: true'),
] as const;
const pattern = fc
  .constantFrom(
    String.raw`^[A-Z]{2}-\d{4}$`,
    '^[a-z]+( [a-z]+)*$',
    String.raw`^\w{6,9}$`,
    '^(?:x|yy)[0-9a-f]{8}',
    String.raw`\d{3}`,
  )
  .map((source) => `pattern: '${source}'`);
const unique = fc.constant('unique: true');

const scalars = fc.oneof(
  definition('string', lengths, ...common),
  definition('string', pattern, unique, ...common),
  definition('string', unique, ...common),
  definition(
    'string',
    fc
      .constantFrom('email', 'url', 'slug', 'hostname', 'ipv4', 'ipv6', 'uuid')
      .map((format) => `format: ${format}`),
    ...common,
  ),
  definition('text', lengths, ...common),
  definition('email', unique, ...common),
  definition('url', unique, ...common),
  definition('integer', bounds, fc.constantFrom('multipleOf: 5', 'multipleOf: 3'), ...common),
  definition('integer', unique, ...common),
  definition('number', bounds, ...common),
  definition(
    'decimal',
    fc.constantFrom('precision: 6, scale: 3', 'scale: 0', 'scale: 4'),
    ...common,
  ),
  definition('decimal', bounds, unique, ...common),
  definition('boolean', fc.constantFrom('default: true', 'default: false'), ...common),
  definition('date', unique, ...common),
  definition('time', ...common),
  definition('datetime', unique, fc.constant('default: now'), ...common),
  definition('uuid', unique, ...common),
  definition('enum, values: [new, old, "2"]', fc.constant('default: old'), ...common),
  definition('json', ...common),
);
const fields = fc.oneof(
  { weight: 5, arbitrary: scalars },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('string', 'email', 'integer', 'date', 'decimal'),
        fc.integer({ min: 0, max: 3 }),
        fc.boolean(),
      )
      .map(
        ([type, least, isDistinct]) =>
          `{ type: array, items: { type: ${type} }, minItems: ${least}, uniqueItems: ${isDistinct} }`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(nouns, definition('string', lengths), nouns, definition('decimal', bounds))
      .map(
        ([a, first, b, second]) =>
          `{ type: object, properties: { ${a}: ${first}, ${a === b ? `${b}2` : b}: ${second} } }`,
      ),
  },
);

const idTypes = fc.constantFrom('', 'uuid', 'string');
const keyType = (id: string): string => (id === '' ? 'integer' : id);

/** Resources with a key to an earlier one, a tree, a junction, a pair and one-to-one, of random fields. */
const specification = fc
  .tuple(
    fc.array(
      fc.uniqueArray(fc.tuple(nouns, fields), {
        selector: ([name]) => name.toLowerCase(),
        minLength: 1,
        maxLength: 8,
      }),
      { minLength: 2, maxLength: 4 },
    ),
    fc.array(idTypes, { minLength: 4, maxLength: 4 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 1_000 }),
    fc.constantFrom('en', 'de', 'fr', 'ja'),
    fc.boolean(),
  )
  .map(([resources, ids, count, seed, locale, areCounted]) => {
    const lines = [
      `generate: { seed: ${seed}, locale: ${locale}, count: ${count} }`,
      'limits: { batchItems: 1000 }',
      'server: { bodyLimit: 8MiB }',
      'resources:',
    ];
    for (const [index, own] of resources.entries()) {
      const id = ids[index] ?? '';
      lines.push(`  r${index}:`, `    timestamps: ${index % 2 === 1}`);
      if (index > 0 && areCounted) lines.push('    generate: { per: before, min: 0, max: 3 }');
      lines.push('    fields:', `      id: { type: id${id === '' ? '' : `, format: ${id}`} }`);
      for (const [name, text] of own)
        if (index % 2 === 0 || !/^(?:created|updated)At$/u.test(name))
          lines.push(`      ${name}: ${text}`);
      lines.push(`      treeId: { type: ${keyType(id)}, nullable: true, reference: r${index}.id }`);
      if (index > 0)
        lines.push(
          `      beforeId: { type: ${keyType(ids[index - 1] ?? '')}, required: true, reference: r${index - 1}.id }`,
          `      before: { type: relation, relation: belongsTo, resource: r${index - 1} }`,
        );
      if (index === 0)
        lines.push(
          '      links: { type: relation, relation: belongsToMany, resource: r1, through: links }',
          '      one: { type: relation, relation: hasOne, resource: ones, foreignKey: ownerId }',
        );
      lines.push('      notes: { type: relation, relation: morphMany, resource: notes }');
    }
    lines.push(
      '  links:\n    fields:',
      `      aId: { type: ${keyType(ids[0] ?? '')}, required: true, reference: r0.id }`,
      `      bId: { type: ${keyType(ids[1] ?? '')}, required: true, reference: r1.id }`,
      '  ones:\n    fields:',
      `      ownerId: { type: ${keyType(ids[0] ?? '')}, required: true, reference: r0.id }`,
      '  notes:\n    fields:\n      body: { type: text }',
      '      about: { type: relation, relation: morphTo }',
      '      aboutId: { type: string }'.replace(
        'string',
        new Set(resources.map((_, index) => keyType(ids[index] ?? ''))).size > 1
          ? 'string'
          : keyType(ids[0] ?? ''),
      ),
    );
    return `${lines.join('\n')}\n`;
  });

test('every generated row is taken by the API when it is posted', async () => {
  let posted = 0;
  await fc.assert(
    fc.asyncProperty(specification, async (text) => {
      const { api, problems } = build(text);
      fc.pre(api !== undefined);
      if (api === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
      const made = await makeGenerator(api, undefined);
      if (!made.ok)
        throw new Error(
          made.problems.map(({ path, message }) => `${path.join('.')} ${message}`).join('\n'),
        );
      const rows = rowsOf(api, made.generator);
      const server = await serveApi(text);
      try {
        for (const resource of importOrder(api, (one) =>
          [...one.relations.values()].flatMap((relation) =>
            relation.kind === 'morphTo' ? [...relation.targets.values()] : [],
          ),
        ).resources) {
          for (const row of rows[resource.name] ?? []) {
            const body = Object.fromEntries(
              Object.entries(row).filter(([name]) => {
                const field = resource.fields.get(name);
                return field !== undefined && !field.readOnly && !isGenerated(field);
              }),
            );
            const { status, body: answer } = await server.send(
              'POST',
              `/v1/${resource.name}`,
              body,
            );
            expect([status, answer]).toEqual([201, expect.anything()]);
            // What came back is what was generated.
            const { createdAt: _c, updatedAt: _u, ...shown } = answer as Record<string, unknown>;
            expect(row).toMatchObject(resource.timestamps ? shown : answer);
            posted += 1;
          }
        }
      } finally {
        await server.stop();
      }
    }),
    { numRuns: Number(process.env['PLINTH_TEST_RUNS'] ?? 25), seed: 20_260_101 },
  );
  expect(posted).toBeGreaterThan(300);
});
