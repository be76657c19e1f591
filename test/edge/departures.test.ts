import { describe, expect, test } from 'vitest';
import { timesRead } from '../../src/lib/event-loop.ts';
import { Departures } from '../../src/http/load/departures.ts';
import { Overload } from '../../src/http/load/overload.ts';

/** Departures with a clock of their own, and what has left. */
function watched() {
  let now = 0;
  const left: string[] = [];
  const departures = new Departures(() => now, timesRead);
  return {
    departures,
    left,
    join: (name: string): Promise<number> => departures.join(() => left.push(name)),
    wait: (ms: number): void => void (now += ms),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('answers of one turn', () => {
  test('leave together at its end, in their order, and each tells what it gave', async () => {
    const { join, left } = watched();
    const joined = [join('one'), join('two')];
    await Promise.resolve();
    expect(left).toEqual([]);
    await turn();
    expect(left).toEqual(['one', 'two']);
    expect(await Promise.all(joined)).toEqual([1, 2]);
  });

  test('wait for each other for 2 ms', () => {
    const { join, left, wait } = watched();
    void join('one');
    wait(2);
    void join('two');
    expect(left).toEqual([]);
    wait(0.1);
    void join('three');
    expect(left).toEqual(['one', 'two', 'three']);
    void join('four');
    expect(left).toHaveLength(3);
  });

  test('leave when it has ended, once; who comes behind its end does not wait for the next one', async () => {
    const { departures, join, left } = watched();
    await turn();
    void join('one');
    departures.endTurn();
    expect(left).toEqual(['one']);
    void join('two');
    void join('three');
    expect(left).toEqual(['one']);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(left).toEqual(['one', 'two', 'three']);
    await turn();
    expect(left).toHaveLength(3);
  });

  test('one that fails holds up no other', async () => {
    const { departures, join, left } = watched();
    const failed = departures.join(() => {
      throw new Error('gone');
    });
    void join('two');
    await expect(failed).rejects.toThrow('gone');
    expect(left).toEqual(['two']);
  });
});

test('answers count as part of the turn in which requests came', async () => {
  let now = 1;
  const clock = (): number => now;
  const departures = new Departures(clock, timesRead);
  const overload = new Overload({
    maxInFlight: 10_000,
    maxDelay: 250,
    accepted: () => 0,
    askers: () => 1_000,
    clock,
    departures,
  });
  const serve = (count: number, one: () => void): number => {
    let served = 0;
    for (let index = 0; index < count; index += 1) {
      if (overload.refusal() !== undefined) continue;
      served += 1;
      one();
    }
    return served;
  };
  // That the second turn has taken longer than the first one shows when it has ended, by what was sent in it.
  for (const count of [10, 30]) {
    serve(count, () => void departures.join(() => (now += 1)));
    await turn();
  }
  expect(serve(90, () => (now += 1))).toBe(46);
  overload.close();
});
