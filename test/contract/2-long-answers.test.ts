import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveBoth, type Both } from '../support/both.ts';
import { watchStatements, type Watched } from '../support/statements.ts';

const relations = Array.from({ length: 20 }, (_, index) => `children${index}`);
const specification = `
access: public
resources:
  nodes:
    fields:
      text: { type: text }
      parentId: { type: integer, reference: nodes.id }
${relations.map((name) => `      ${name}: { type: relation, relation: hasMany, resource: nodes, foreignKey: parentId }`).join('\n')}
`;

/** One parent of ten with texts of a million characters each. */
const child = { text: 'x'.repeat(1_000_000), parentId: 1 };
const nodes = [{}, ...Array.from({ length: 10 }, () => child)];

let api: Both;
let watched: Watched;
beforeAll(async () => {
  api = await serveBoth(specification, { nodes });
  watched = watchStatements(api);
});
afterAll(() => api.stop());

test('what is expanded side by side is bounded together: too much is refused, and no more asked for it', async () => {
  const path = `/v1/nodes/1?expand=${relations.join(',')}`;
  const texts = relations.map((name) => `${name}.text`);
  const little = await watched.during(async () => {
    expect((await api.get(`${path}&exclude=text,${texts.join(',')}`)).status).toBe(200);
  });
  const much = await watched.during(async () => {
    const answer = await api.get(path);
    expect([answer.status, answer.body]).toMatchObject([400, { code: 'LIMIT_EXCEEDED' }]);
  });
  expect(much.length).toBeLessThan(little.length);
});
