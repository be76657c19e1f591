import { expect, test } from 'vitest';
import { requireSpecification } from '../../src/server/files/specification.ts';
import { makeFolder } from '../support/command.ts';
import { quietContext } from '../sandboxes/sandboxes.ts';

test('`until: now` is the present hour, which a server keeps for the day', () => {
  const folder = makeFolder({
    'plinth.yaml': 'generate: { until: now, seed: 3 }\nresources: { posts: { fields: {} } }\n',
  });
  let now = '2027-03-04T05:06:07.008Z';
  const context = quietContext(folder.path, () => new Date(now));
  const until = (): unknown => requireSpecification(context, {}).api.settings.generate;
  expect(until()).toEqual({ until: '2027-03-04T05:00:00.000Z', seed: 3 });
  now = '2027-03-04T23:59:59.000Z';
  expect(until()).toEqual({ until: '2027-03-04T05:00:00.000Z', seed: 3 });
  now = '2027-03-05T00:00:00.000Z';
  expect(until()).toEqual({ until: '2027-03-05T00:00:00.000Z', seed: 3 });
  // A document does not change with the clock.
  const { api } = requireSpecification(context, {}, { isOnlyRead: true });
  expect(api.settings.generate?.until).toBe('now');
  // Another command takes its own.
  const other = quietContext(folder.path, () => new Date('2027-03-05T07:30:00Z'));
  expect(requireSpecification(other, {}).api.settings.generate?.until).toBe(
    '2027-03-05T07:00:00.000Z',
  );
});
