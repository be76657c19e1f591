import { execFileSync } from 'node:child_process';

/** A process of this machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly args: string;
}

/** All processes that run, without those that have ended. */
export function processes(): readonly Process[] {
  const list = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return list.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', args = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/u.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), args }];
  });
}

/** The ids of the processes that one has started, the oldest first. */
export function childrenOf(pid: number | undefined): readonly number[] {
  return processes().flatMap((one) => (one.parent === pid ? [one.pid] : []));
}
