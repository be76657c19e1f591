import type { Command } from 'commander';
import type { Context } from '../../src/server/context.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { code, table } from './markdown.ts';

/** Describing commands prints nothing and reads nothing. */
const context: Context = {
  folder: '.',
  environment: {},
  output: undefined as never,
  clockAndIds: undefined as never,
  memory: 0,
  heapLimit: 0,
  stop: () => new AbortController().signal,
  onHangup: () => undefined,
  onLeak: () => undefined,
};

/** Every command with its options as Markdown, made from the definitions that parse the command line. */
export function commandLineReference(): string {
  const { commands } = buildProgram(context, '');
  return [
    '# Command line',
    '',
    '<!-- Made from src/cli/program.ts by `npm run documents`. -->',
    '',
    'In your project run `npx plinth <command>`, in a checkout of Plinth `npm run -s plinth -- <command>`. Every command has',
    '`--help`.',
    '',
    ...table(
      ['command', 'what it does'],
      commands.map((command) => [
        `[\`${command.name()}\`](#${command.name()})`,
        sentence(command.description()),
      ]),
    ),
    '## The file and the database',
    '',
    ...table(
      ['what', 'where it comes from, the first that is given'],
      [
        [
          'the file',
          '`[file]` or `--spec`, else `plinth.yaml`, `plinth.yml` or `plinth.json` in the current folder',
        ],
        [
          'the database',
          '`--database`, `PLINTH_DATABASE_URL`, `database:` in the file; for `dev`, `generate`, `import` and `export` then `.plinth/dev.db` beside the file',
        ],
        [
          'port and host',
          '`--port` and `--host`, `PLINTH_PORT` and `PLINTH_HOST`, `server:` in the file',
        ],
      ],
    ),
    '`generate` and `import` change a database other than `.plinth/dev.db` only if `--database` names it',
    '([databases that commands change](../contract/6-operation.md#databases-that-commands-change)).',
    '',
    '## Exit codes',
    '',
    ...table(
      ['code', 'meaning'],
      [
        ['0', 'done'],
        ['1', 'failed; standard error says why and what to do'],
        ['2', 'called in the wrong way'],
      ],
    ),
    '## Environment variables',
    '',
    ...table(
      ['variable', 'what it sets'],
      [
        ['`PLINTH_DATABASE_URL`', 'the database'],
        ['`PLINTH_PORT`, `PLINTH_HOST`', 'where the server listens'],
        [
          '`PGHOST`, `PGPORT`, `PGUSER`, `PGPASSWORD`, `PGDATABASE`, `PGSSLMODE`, …',
          'what a PostgreSQL URL leaves out ([connection](../databases.md#connect-to-postgresql))',
        ],
        [
          '`OTEL_EXPORTER_OTLP_ENDPOINT`, `OTEL_SERVICE_NAME`, …',
          'where traces go ([traces](../debug.md#traces))',
        ],
        [
          '`NODE_EXTRA_CA_CERTS`',
          'further certificates to trust, for PostgreSQL, Redis and signing keys',
        ],
        ['`NODE_COMPILE_CACHE`', 'where compiled modules are kept'],
      ],
    ),
    'Any other variable reaches the file as `${NAME}`.',
    '',
    ...commands.flatMap(sectionOf),
  ].join('\n');
}

function sectionOf(command: Command): readonly string[] {
  const args = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  const options = command.options.filter(({ long }) => long !== '--verbose');
  return [
    `## ${command.name()}`,
    '',
    `${sentence(command.description())}.`,
    '',
    '```text',
    ['plinth', command.name(), ...args, '[options]'].join(' '),
    '```',
    '',
    ...table(
      ['option', 'what it does'],
      options.map(({ flags, description, argChoices }) => [
        code(flags),
        argChoices === undefined ? description : `${description}: ${argChoices.join(', ')}`,
      ]),
    ),
    `Example: \`${exampleOf(command)}\``,
    '',
  ];
}

/** The example at the end of the help of a command. */
function exampleOf(command: Command): string {
  let help = '';
  command.configureOutput({
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  return /\$ (plinth .*)/u.exec(help)?.[1] ?? '';
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
