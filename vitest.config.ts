import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const named = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`);

const inFolders = (folders: readonly string[]): string[] =>
  folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** Folders whose tests start processes or a browser, or look at the memory and files of their own process. */
const processFolders = ['browser', 'command-line', 'documents', 'introspection', 'packages'];

/** Files of other folders that need a process of their own. */
const processFiles = named([
  'edge/overload',
  'server/content-streams',
  'server/faults',
  'server/statement-deadline',
  'postgres/faults',
  'postgres/pooler',
  'postgres/unsent',
]);

/** The files that take longest, the longest first. With `test/campaigns`, only `npm run test:all` runs them. */
const campaigns = named([
  'browser/views',
  'server/content-streams',
  'command-line/promote',
  'command-line/reload',
  'command-line/serve',
  'command-line/workers',
  'server/statement-deadline',
  'command-line/postgres',
  'command-line/generate',
  'documents/package',
  'postgres/faults',
  'oracle/requests-against-oracle',
  'openapi/sent',
  'migrations/migrations',
  'access/row-rules-reduced',
  'oracle/garbage',
  'migrations/pairs',
  'oracle/cursor-walks',
  'access/write-secrecy',
]);

/** Within a project the longest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = campaigns.findIndex((end) => moduleId.endsWith(`/${end}`));
      return rank === -1 ? campaigns.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/postgres-server.ts',
    setupFiles: 'test/support/each-file.ts',
    // For tests that hang: a slow, busy machine takes many times longer than others.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    sequence: { sequencer: LongestFirst },
    // Each project for two workers: with three on two cores, clients and servers of one test time out.
    projects: [
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: ['test/campaigns/**/*.test.ts', ...campaigns],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: [...inFolders(processFolders), ...processFiles],
          exclude: ['**/node_modules/**', ...campaigns],
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'tables',
          include: ['test/**/*.test.ts'],
          exclude: [
            '**/node_modules/**',
            'test/campaigns/**',
            ...inFolders(processFolders),
            ...processFiles,
            ...campaigns,
          ],
          // Files share a process: it loads and compiles the modules once, which saves a third of the time.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
