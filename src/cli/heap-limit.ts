/** Below so many bytes of memory V8 would not know how little there is. */
const enough = 512 * 1024 * 1024;
/** The share of the memory that long-lived objects may take. The rest is for short-lived ones, for code, databases and sockets. */
const heapShare = 3 / 8;

const chosenByUser = /--max[-_](?:old[-_]space|heap)[-_]size/u;

/**
 * The flag of Node without which V8 lets the heap of a small container grow beyond the container, which ends the process:
 * in 256 MiB by 262 MB. Undefined where there is memory enough, or where the user has chosen a limit. `given`: the flags of
 * Node, and `NODE_OPTIONS`. See docs/contract/6-operation.md#memory.
 */
export function heapFlag(memory: number, given: readonly string[]): string | undefined {
  if (memory >= enough || given.some((flag) => chosenByUser.test(flag))) return undefined;
  return `--max-old-space-size=${Math.floor((memory * heapShare) / (1024 * 1024))}`;
}

/** Starts this program again, in the same process, if it needs such a flag. Windows has no such call. */
export function limitHeap(memory: number): void {
  const { execPath, execArgv, argv, env, platform, channel } = process;
  const flag = heapFlag(memory, [...execArgv, env['NODE_OPTIONS'] ?? '']);
  // Who has forked this process talks to it over a channel that would be lost.
  if (flag === undefined || channel !== undefined || platform === 'win32') return;
  process.execve?.(execPath, [execPath, flag, ...execArgv, ...argv.slice(1)], env);
}
