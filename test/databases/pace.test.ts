import { expect, test } from 'vitest';
import { Pace } from '../../src/databases/pace.ts';

test('a transaction of many steps ends at its deadline, and lets others run until then', async () => {
  const pace = new Pace(1_000);
  let others = 0;
  const timer = setInterval(() => (others += 1), 1);
  const steps = async (): Promise<void> => {
    for (;;) await pace.next();
  };
  await expect(steps()).rejects.toMatchObject({ kind: 'timeout' });
  clearInterval(timer);
  expect(others).toBeGreaterThan(0);
});
