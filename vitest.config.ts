import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, the longest first: begun late, one of them alone would keep a run from ending. */
const longest = [
  'contract/3-migrations',
  'contract/2-oracle',
  'contract/2-garbage',
  'contract/2-content-streams',
  'contract/3-migration-pairs',
  'e2e/crash',
  'e2e/cli-workers',
  'contract/2-cursor-walks',
  'contract/3-row-rules-reduced',
  'contract/3-write-secrecy',
  'contract/3-statement-deadline',
].map((name) => `/test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.findIndex((end) => moduleId.endsWith(end));
      return rank === -1 ? longest.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'src/**/*.test.ts'],
    globalSetup: 'test/support/postgres-server.ts',
    // For what hangs: a machine that is slow and busy needs many times what others do.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Two cores: more workers only wait for each other.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
  },
});
