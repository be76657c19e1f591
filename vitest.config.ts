import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const named = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`);

/**
 * The files of the contract that want a process of their own: they look at its memory, its files or its children, put
 * something into Node itself, or wait for others most of the time.
 */
const alone = named([
  'contract/2-content-streams',
  'contract/3-edge-overload',
  'contract/3-faults',
  'contract/3-statement-deadline',
  'contract/postgres-faults',
  'contract/postgres-pooler',
  'contract/postgres-unsent',
]);

/** The files that take longest, the longest first: begun late, one of them alone would keep a run from ending. */
const longest = named([
  'e2e/dashboard-views',
  'contract/2-content-streams',
  'e2e/cli-promote',
  'e2e/cli-reload',
  'e2e/cli-serve',
  'e2e/cli-workers',
  'e2e/dashboard-walk',
  'contract/3-statement-deadline',
  'e2e/crash',
  'e2e/cli-postgres',
  'e2e/cli-generate',
  'e2e/package',
  'contract/postgres-faults',
  'contract/2-oracle',
  'contract/4-openapi-sent',
  'contract/3-migrations',
  'contract/3-row-rules-reduced',
  'contract/2-garbage',
  'contract/4-openapi',
  'contract/3-migration-pairs',
  'contract/2-cursor-walks',
  'contract/3-write-secrecy',
]);

/** Within a project the longest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = longest.findIndex((end) => moduleId.endsWith(`/${end}`));
      return rank === -1 ? longest.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres-server.ts',
    setupFiles: 'test/support/each-file.ts',
    // For what hangs: a machine that is slow and busy needs many times what others do.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['test/e2e/**/*.test.ts', 'test/packages/**/*.test.ts', ...alone],
          // For two cores: with three, clients stood still for so long once that a server which stops hung up on one.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/contract/**/*.test.ts', 'src/**/*.test.ts'],
          exclude: alone,
          // A process reads the modules once, and compiles once what is called often: that is a third of the time saved.
          isolate: false,
          // For two cores: these hardly wait, and more of them would only wait for each other.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
