import { describe, expect, test } from 'vitest';
import { Overload } from '../../src/http/overload.ts';

/** An overload with a clock of its own. `arrive` brings requests to it, each of which takes so long, and says which it takes on. */
function watched(maxDelay = 250, accepted = (): number => 0) {
  let now = 1;
  const clock = (): number => now;
  const overload = new Overload({
    maxInFlight: 10_000,
    maxBodyBytes: 1,
    maxDelay,
    accepted,
    open: () => 0,
    clock,
  });
  const arrive = (count: number, each: number): readonly boolean[] =>
    Array.from({ length: count }, () => {
      const isTaken = overload.refusal() === undefined;
      now += isTaken ? each : 0.05;
      return isTaken;
    });
  return { overload, arrive, wait: (ms: number): void => void (now += ms) };
}
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** How long each run of equal values is. */
const runs = (values: readonly boolean[]): readonly (readonly [boolean, number])[] => {
  const found: [boolean, number][] = [];
  for (const value of values) {
    const last = found.at(-1);
    if (last?.[0] === value) last[1] += 1;
    else found.push([value, 1]);
  }
  return found;
};

describe('requests of one turn that each had their answer before the next one', () => {
  test.each([
    ['as many connections as there may be requests: they came one after the other', 3, 9],
    ['more connections: they came at once', 4, 3],
  ])('on %s', async (_, connections, taken) => {
    const overload = new Overload({
      maxInFlight: 3,
      maxBodyBytes: 1,
      maxDelay: 250,
      accepted: () => 0,
      open: () => connections,
      clock: () => 1,
    });
    const answer = (): boolean => {
      if (overload.refusal() !== undefined) return false;
      void overload.enter();
      overload.leave();
      return true;
    };
    for (let count = 0; count < 2; count += 1) {
      expect(Array.from({ length: 9 }, answer).filter(Boolean)).toHaveLength(taken);
      await turn();
    }
    overload.close();
  });
});

describe('many at once', () => {
  test('all are taken on while a turn takes no longer than it may', async () => {
    const { overload, arrive } = watched();
    expect(runs(arrive(2_000, 0.125))).toEqual([[true, 2_000]]);
    await turn();
    expect(runs(arrive(2_000, 0.125))).toEqual([[true, 2_000]]);
    overload.close();
  });

  test('after that serving and refusing alternate, and each turn begins with serving', async () => {
    const { overload, arrive } = watched();
    expect(runs(arrive(451, 1))).toEqual([
      [true, 251],
      [false, 100],
      [true, 25],
      [false, 75],
    ]);
    await turn();
    expect(runs(arrive(200, 1))).toEqual([
      [true, 25],
      [false, 100],
      [true, 25],
      [false, 50],
    ]);
    overload.close();
  });

  test('it is over when nobody was refused for half a second', async () => {
    const { overload, arrive, wait } = watched();
    arrive(300, 1);
    await turn();
    wait(400);
    expect(runs(arrive(60, 1))).toEqual([
      [true, 25],
      [false, 35],
    ]);
    await turn();
    wait(501);
    expect(runs(arrive(60, 1))).toEqual([[true, 60]]);
    overload.close();
  });

  test('a few are always taken on, however long they take', () => {
    const { overload, arrive } = watched(0);
    expect(runs(arrive(70, 1_000))).toEqual([
      [true, 64],
      [false, 6],
    ]);
    overload.close();
  });
});

describe('a connection that was answered', () => {
  const connection = () => {
    let isPaused = false;
    return {
      pause: () => (isPaused = true),
      resume: () => (isPaused = false),
      isPaused: () => isPaused,
    };
  };

  test.each([
    [512, false],
    [513, true],
  ])('after %d that have come in a turn: is it held back? %j', async (count, isPaused) => {
    const { overload, arrive } = watched();
    arrive(count, 0.1);
    const one = connection();
    overload.rest(one as never);
    expect(one.isPaused()).toBe(isPaused);
    await turn();
    expect(one.isPaused()).toBe(false);
    overload.close();
  });

  test('connections are not waited for after a turn that was short or has met a few', async () => {
    for (const [count, each] of [
      [600, 0.005],
      [64, 10],
    ] as const) {
      const { overload, arrive } = watched(250, () => 7);
      arrive(count, each);
      await turn();
      expect(overload.enter()).toBeUndefined();
      overload.close();
    }
  });

  test('rests until the end of a long one, and of those that bring connections, which is not for ever', async () => {
    for (const coming of [0, 3, Infinity]) {
      let turns = 0;
      const { overload, arrive, wait } = watched(250, () => Math.min(turns, coming));
      arrive(600, 0.1);
      const one = connection();
      overload.rest(one as never);
      const restedFor = async (): Promise<number> => {
        for (;;) {
          turns += 1;
          await turn();
          if (!one.isPaused()) return turns;
          wait(1);
        }
      };
      const rested = await restedFor();
      if (coming === Infinity) expect(rested).toBeGreaterThan(40);
      else expect(rested).toBe(coming + 1);
      overload.close();
    }
  });

  test('others that ask meanwhile wait with it', async () => {
    let count = 1;
    const { overload, arrive } = watched(250, () => count);
    arrive(65, 1);
    await turn();
    expect(overload.refusal()).toBeUndefined();
    const begun: string[] = [];
    const one = overload.enter()?.then(() => begun.push('begun'));
    expect(one).toBeInstanceOf(Promise);
    count += 1;
    await turn();
    expect(begun).toEqual([]);
    await one;
    overload.close();
  });
});
