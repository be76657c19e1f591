import { describe, expect, test } from 'vitest';
import { timesRead } from '../../src/lib/event-loop.ts';
import { ResponseBatch } from '../../src/http/load/response-batch.ts';

/** A batch with a clock of its own, and what was sent. */
function watched() {
  let now = 0;
  const sent: string[] = [];
  const batch = new ResponseBatch(() => now, timesRead);
  return {
    batch,
    sent,
    join: (name: string): Promise<number> => batch.join(() => sent.push(name)),
    wait: (ms: number): void => void (now += ms),
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('responses of one turn', () => {
  test('are sent together at its end, in their order, and each gives its result', async () => {
    const { join, sent } = watched();
    const joined = [join('one'), join('two')];
    await Promise.resolve();
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual(['one', 'two']);
    expect(await Promise.all(joined)).toEqual([1, 2]);
  });

  test('wait for each other for 2 ms', () => {
    const { join, sent, wait } = watched();
    void join('one');
    wait(2);
    void join('two');
    expect(sent).toEqual([]);
    wait(0.1);
    void join('three');
    expect(sent).toEqual(['one', 'two', 'three']);
    void join('four');
    expect(sent).toHaveLength(3);
  });

  test('are sent once when it has ended; one behind its end does not wait for the next turn', async () => {
    const { batch, join, sent } = watched();
    await turn();
    void join('one');
    batch.endTurn();
    expect(sent).toEqual(['one']);
    void join('two');
    void join('three');
    expect(sent).toEqual(['one']);
    await new Promise<void>((resolve) => process.nextTick(resolve));
    expect(sent).toEqual(['one', 'two', 'three']);
    await turn();
    expect(sent).toHaveLength(3);
  });

  test('do not depend on one that fails', async () => {
    const { batch, join, sent } = watched();
    const failed = batch.join(() => {
      throw new Error('gone');
    });
    void join('two');
    await expect(failed).rejects.toThrow('gone');
    expect(sent).toEqual(['two']);
  });

  test('wait for its end when they are very many', async () => {
    const { batch, join, sent, wait } = watched();
    for (let count = 0; count < 600; count += 1) void join('one');
    wait(10);
    void join('two');
    batch.sendEarly();
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toHaveLength(601);
    void join('three');
    batch.sendEarly();
    expect(sent).toHaveLength(602);
  });
});
