import { expect, test } from 'vitest';
import { build } from '../support/api.ts';

const messagesIn = (database: string): readonly string[] =>
  build(`database: ${database}\naccess: public\nresources: { a: { fields: {} } }`).problems.map(
    ({ path, message }) => `${path}: ${message}`,
  );

test.each([
  [
    '{ url: "sqlite:a.db", replicas: ["postgres://a/b"] }',
    ['database.replicas: only PostgreSQL has replicas, and `url` names SQLite'],
  ],
  [
    '{ url: "postgres://a/b", replicas: ["postgres://c/b", "postgres://a/b"] }',
    ['database.replicas[1]: this is `url`, the primary'],
  ],
  [
    '{ url: "postgres://a/b", replicaLag: 5s }',
    ['database.replicaLag: there are no `replicas` that could be behind'],
  ],
  [
    '{ url: "postgres://a/b", replicas: ["postgres://c/b"], replicaLag: 2h }',
    ['database.replicaLag: it is an hour (`1h`) at most'],
  ],
  ['{ url: "postgres://a/b", replicas: ["postgres://c/b"], replicaLag: 1h }', []],
  ['{ replicas: ["postgres://c/b"] }', []],
])('%s', (database, messages) => {
  expect(messagesIn(database)).toEqual(messages);
});

test('a URL of another kind is refused without its password', () => {
  const [message = '', ...others] = messagesIn('{ replicas: ["mysql://a:hidden@b/c"] }');
  expect(others).toEqual([]);
  expect(message).toContain('postgres://host/name');
  expect(message).not.toContain('hidden');
});
