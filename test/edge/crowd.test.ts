import { describe, expect, test } from 'vitest';
import { timesRead } from '../../src/lib/event-loop.ts';
import { Departures } from '../../src/http/load/departures.ts';
import { Overload } from '../../src/http/load/overload.ts';

/**
 * An overload with a clock of its own, and so many connections. `arrive` brings requests to it, each of which takes so long,
 * and says which it takes on.
 */
function watched(maxDelay = 250, accepted = (): number => 0, connections = 10_000) {
  let now = 1;
  const clock = (): number => now;
  const overload = new Overload({
    maxInFlight: 10_000,
    maxDelay,
    accepted,
    askers: () => connections,
    clock,
    departures: new Departures(clock, timesRead),
  });
  const arrive = (count: number, each: number): readonly boolean[] =>
    Array.from({ length: count }, () => {
      const isTaken = overload.refusal() === undefined;
      now += isTaken ? each : 1 / 16;
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
      maxDelay: 250,
      accepted: () => 0,
      askers: () => connections,
      clock: () => 1,
      departures: new Departures(() => 1, timesRead),
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

  test('after that each turn serves for 16 ms, and refuses for as long as there is room', async () => {
    const { overload, arrive } = watched();
    // Refusing takes 1/16 ms, and has room for 100 ms at first: 1,600.
    expect(runs(arrive(1_910, 1))).toEqual([
      [true, 251],
      [false, 1_600],
      [true, 16],
      // A sixth of the 16 ms.
      [false, 43],
    ]);
    await turn();
    const next = runs(arrive(1_000, 1));
    expect(next.slice(0, 4)).toEqual([
      [true, 16],
      [false, 43],
      [true, 16],
      [false, 42],
    ]);
    const refused = next.reduce((sum, [isTaken, count]) => sum + (isTaken ? 0 : count), 0);
    // Of each request 1/16 ms beside 1 ms, so a sixth of the time that serving takes.
    expect(refused / 16).toBeCloseTo((1_000 - refused) / 6, -1);
    overload.close();
  });

  test('what a turn did not need of its room the next ones have', async () => {
    const { overload, arrive } = watched();
    arrive(700, 1);
    for (let count = 0; count < 30; count += 1) {
      await turn();
      expect(runs(arrive(30, 1))).toEqual([
        [true, 16],
        [false, 14],
      ]);
    }
    await turn();
    expect(runs(arrive(2_000, 1))[1]).toEqual([false, 1_600]);
    overload.close();
  });

  test('it is over when nobody was refused for half a second', async () => {
    const { overload, arrive, wait } = watched();
    arrive(300, 1);
    await turn();
    wait(400);
    expect(runs(arrive(60, 1))).toEqual([
      [true, 16],
      [false, 44],
    ]);
    await turn();
    wait(501);
    expect(runs(arrive(60, 1))).toEqual([[true, 60]]);
    overload.close();
  });

  test.each([
    [100, 1, true],
    [100, 2, false],
    [64, 100, true],
  ])(
    'and when %d connections, of %d ms each, do not have to wait for half of what is too long: %j',
    async (connections, each, isOver) => {
      const { overload, arrive } = watched(250, () => 0, connections);
      // Something held the machine up for a moment.
      arrive(100, 10);
      await turn();
      arrive(connections, each);
      await turn();
      expect(runs(arrive(connections, each)).length === 1).toBe(isOver);
      overload.close();
    },
  );

  test('a few are always taken on, however long they take', () => {
    const { overload, arrive } = watched(0);
    expect(runs(arrive(70, 1_000))).toEqual([
      [true, 64],
      [false, 6],
    ]);
    overload.close();
  });
});

describe('a turn that will be too long', () => {
  const growing = async (
    counts: readonly number[],
    connections: number,
    pause = 0,
  ): Promise<readonly (readonly [boolean, number])[]> => {
    const { overload, arrive, wait } = watched(250, () => 0, connections);
    let last: readonly (readonly [boolean, number])[] = [];
    for (const count of counts) {
      last = runs(arrive(count, 1));
      await turn();
      wait(pause);
    }
    overload.close();
    return last;
  };

  test.each([
    ['that grow', [4, 12, 36], 1_000, 31],
    ['that grow, the second one by enough', [40, 61, 200], 1_000, 92],
  ])('is cut short after turns %s', async (_, counts, connections, taken) => {
    expect(await growing(counts, connections)).toEqual([
      [true, taken],
      [false, (counts.at(-1) ?? 0) - taken],
    ]);
  });

  test.each([
    ['one of which was as long', [12, 12, 36], 1_000, 0],
    ['that were short', [1, 4, 100], 1_000, 0],
    ['with pauses between them', [4, 12, 36], 1_000, 10],
    ['where there are too few connections for more', [4, 12, 100], 250, 0],
  ])('is not foreseen after turns %s', async (_, counts, connections, pause) => {
    expect(await growing(counts, connections, pause)).toEqual([[true, counts.at(-1)]]);
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
