import type { TestProject } from 'vitest/node';
import { bundle } from '../../scripts/bundle.ts';

/** Vitest calls this before the files of a run: processes run the program as users have it, which starts faster too. */
export async function setup(project: TestProject): Promise<void> {
  await bundle();
  project.onTestsRerun(() => bundle());
}
