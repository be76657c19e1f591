import process from 'node:process';

/** How long a process that has served may last, in ms: its last lines go out. */
const lasting = 1_000;

/** Ends this process soon, whatever timers and connections own code has left. See docs/contract/10-own-code.md#module. */
export function endProcess(): void {
  setTimeout(() => process.exit(), lasting).unref();
}
