import { readFile, readdir } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const sampleEvery = 50;

/** The resident memory of a process and its descendants, in bytes; undefined where `/proc` is not. */
export async function residentMemory(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
    let sum = kilobytes * 1_024;
    for (const child of children.split(' ')) {
      if (child !== '') sum += (await residentMemory(Number(child))) ?? 0;
    }
    return sum;
  } catch {
    return undefined;
  }
}

/** The processor time that all threads of a process have taken so far, in µs; not a number where `/proc` is not. */
export async function processorTime(pid: number): Promise<number> {
  const folder = `/proc/${pid}/task`;
  let sum = 0;
  for (const thread of await readdir(folder).catch(() => [])) {
    const [spent] = (await readFile(`${folder}/${thread}/schedstat`, 'utf8')).split(' ');
    sum += Number(spent) / 1_000;
  }
  return sum === 0 ? Number.NaN : sum;
}

/** The most resident memory that a process has while something goes on, in bytes; how that ends is not looked at. */
export async function mostMemory(pid: number, work: Promise<unknown>): Promise<number> {
  const ended = new AbortController();
  const over = work.then(
    () => ended.abort(),
    () => ended.abort(),
  );
  let most = 0;
  while (!ended.signal.aborted) {
    most = Math.max(most, (await residentMemory(pid)) ?? 0);
    await Promise.race([over, wait(sampleEvery)]);
  }
  return most;
}
