import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const named = (names: readonly string[]): string[] => names.map((name) => `test/${name}.test.ts`);

const inFolders = (folders: readonly string[]): string[] =>
  folders.map((folder) => `test/${folder}/**/*.test.ts`);

/** Folders whose tests start processes, or look at the memory and files of their own process. */
const processFolders = ['command-line', 'documents', 'introspection', 'packages'];

/** Files of other folders that need a process of their own. */
const processFiles = named([
  'edge/overload',
  'server/content-streams',
  'server/faults',
  'server/statement-deadline',
  'postgres/faults',
  'postgres/pooler',
  'postgres/several-servers',
  'postgres/unsent',
]);

/**
 * The files of these folders that `npm test` runs: one or two of each kind, a minute in all. `npm run test:all` runs the
 * others too.
 */
const quickProcesses = named([
  'browser/unsaved',
  'command-line/command-line',
  'command-line/foreign-databases',
  'command-line/migrate',
  'command-line/node-version',
  'command-line/watch',
  'documents/agents',
  'documents/containers',
  'documents/documents',
  'documents/generated',
  'packages/conditions',
  'packages/links',
  'packages/ra-filters',
  'packages/records',
  'packages/refine-filters',
]);

/** Files of other folders that take 7 s and more, which only `npm run test:all` runs. */
const longTables = named([
  'postgres/replicas',
  'edge/long-work',
  'access/row-rules-reduced',
  'migrations/migrations',
  'stored-forms/found',
  'openapi/sent',
  'oracle/groups',
  'oracle/requests-against-oracle',
  'oracle/writes',
  'query/cursors',
  'openapi/document',
  'query/cursors-long',
  'server/content-many-streams',
  'oracle/cursor-walks',
  'openapi/examples',
  'oracle/garbage',
  'migrations/pairs',
  'postgres/failover',
  'query/shapes',
  'access/canaries',
  'access/write-secrecy',
  'generate/property',
  'simulation/network-measured',
  'generate/renewed',
  'postgres/encryption',
  'dashboard/kept',
  'openapi/client',
  'transfer/promote',
  'generate/constraints',
  'oracle/random-specifications',
  'write/large-deletes',
  'postgres/start',
  'write/write-queue',
  'sandboxes/sandboxes-readers',
  'access/row-rules-claims',
]);

/** The longest files of the processes, the longest first: begun late, one would run alone at the end. */
const longest = named([
  'command-line/renewed-since',
  'command-line/memory',
  'browser/forms',
  'command-line/workers-connections',
  'command-line/export',
  'command-line/promote',
  'browser/views',
  'browser/dashboard',
  'command-line/postgres',
  'command-line/reload',
  'command-line/generate-reset',
  'browser/data',
  'browser/grid',
  'introspection/introspect',
  'command-line/cli',
  'server/content-streams',
  'introspection/odd',
  'command-line/generate',
  'browser/dialogs',
  'browser/keyboard',
  'browser/walk',
  'server/statement-deadline',
  'command-line/serve',
  'command-line/workers',
  'introspection/postgres',
  'browser/live',
  'command-line/stop',
  'command-line/export-import',
  'command-line/hangup',
  'command-line/https',
]);

const order = [...longest, ...longTables];

/** Within a project the longest files first. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = order.findIndex((end) => moduleId.endsWith(`/${end}`));
      return rank === -1 ? order.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/postgres-server.ts', 'test/support/program.ts'],
    setupFiles: 'test/support/each-file.ts',
    // For tests that hang: a slow, busy machine takes many times longer than others.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    // Node loads the modules of users, in the tests as in a server.
    server: { deps: { external: [/\/plinth-code-\w+\//u] } },
    sequence: { sequencer: LongestFirst },
    // Each project for two workers: with three on two cores, clients and servers of one test time out.
    projects: [
      {
        extends: true,
        test: {
          name: 'campaigns',
          include: ['test/campaigns/**/*.test.ts', ...inFolders(processFolders), ...processFiles],
          exclude: ['**/node_modules/**', ...quickProcesses],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: inFolders(['browser']),
          exclude: ['**/node_modules/**', ...quickProcesses],
          maxWorkers: 2,
          // A browser on two busy cores now and then misses a moment. What fails twice is a failure, and the report names what
          // was repeated.
          retry: 1,
          sequence: { groupOrder: 4 },
        },
      },
      {
        extends: true,
        test: {
          name: 'processes',
          include: quickProcesses,
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
            ...inFolders(['browser', ...processFolders]),
            ...processFiles,
            ...longTables,
          ],
          // Files share a process: it loads and compiles the modules once, which saves a third of the time.
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long tables',
          include: longTables,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
