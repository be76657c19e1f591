const leftovers: (() => unknown)[] = [];

/**
 * Says what a file of tests leaves behind, and how it is ended: after the tests of that file, whoever has begun it. A hook
 * at the top of a module of support would run for the first file of a worker alone, since the next ones share the module.
 */
export function endAfterFile(end: () => unknown): void {
  leftovers.push(end);
}

/** Ends what a file has left behind, what came last first. */
export async function endLeftovers(): Promise<void> {
  for (const end of leftovers.splice(0).toReversed()) await end();
}
