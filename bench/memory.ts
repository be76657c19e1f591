import { readFile } from 'node:fs/promises';

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
