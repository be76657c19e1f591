import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const named = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`);

const ownProcess = [
  'browser',
  'campaigns',
  'command-line',
  'documents',
  'introspection',
  'packages',
].map((folder) => `test/${folder}/**/*.test.ts`);

/**
 * The files of the contract that want a process of their own: they look at its memory, its files or its children, put
 * something into Node itself, or wait for others most of the time.
 */
const alone = named([
  'server/content-streams',
  'edge/overload',
  'server/faults',
  'server/statement-deadline',
  'postgres/faults',
  'postgres/pooler',
  'postgres/unsent',
]);

/** The files that take longest, the longest first: begun late, one of them alone would keep a run from ending. */
const longest = named([
  'browser/views',
  'server/content-streams',
  'command-line/promote',
  'command-line/reload',
  'command-line/serve',
  'command-line/workers',
  'browser/walk',
  'server/statement-deadline',
  'campaigns/crash',
  'command-line/postgres',
  'command-line/generate',
  'documents/package',
  'postgres/faults',
  'oracle/requests-against-oracle',
  'openapi/sent',
  'migrations/migrations',
  'access/row-rules-reduced',
  'oracle/garbage',
  'openapi/document',
  'migrations/pairs',
  'oracle/cursor-walks',
  'access/write-secrecy',
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
          include: [...ownProcess, ...alone],
          // For two cores: with three, clients stood still for so long once that a server which stops hung up on one.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...ownProcess, ...alone],
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
