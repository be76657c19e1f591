import { Command } from 'commander';
import type { Context } from './context.ts';
import { check } from './commands/check.ts';
import { dev, type DevFlags } from './commands/dev.ts';
import { importCommand } from './commands/import.ts';
import { init } from './commands/init.ts';
import { migrate, type MigrateFlags } from './commands/migrate.ts';
import { start } from './commands/start.ts';

interface Named {
  readonly spec?: string;
}

/** The command line: every command with its flags, its help and an example. Contract 3, Command line. */
export function buildProgram(context: Context, version: string): Command {
  const program = new Command('plinth')
    .description('One plinth.yaml becomes a complete REST API.')
    .version(version)
    .option('--verbose', 'show the stack of an error')
    .showHelpAfterError('(see --help)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.output.print(text.trimEnd()),
      writeErr: (text) => context.output.note(text.trimEnd()),
    });

  const command = (name: string, description: string, example: string): Command => {
    const added = program.command(name).description(description);
    added.addHelpText('after', `\nExample:\n  $ plinth ${example}`);
    added.option('--verbose', 'show the stack of an error');
    return added;
  };
  /** A command on a specification, which is its argument or `--spec`. */
  const onSpecification = (name: string, description: string, example: string): Command =>
    command(`${name} [file]`, description, example).option('--spec <file>', 'the specification');
  const serving = (added: Command): Command =>
    added
      .option('--port <number>', 'the port to listen on (default 4000)')
      .option('--host <address>', 'the address to listen on (default 127.0.0.1)')
      .option('--database <url>', 'sqlite:PATH or sqlite::memory:');

  command(
    'init [dir]',
    'write a plinth.yaml that runs',
    'init my-api --name "My API" --example blog',
  )
    .option('--name <name>', 'what the API is called')
    .option('--example <example>', 'which example to start from')
    .action((dir: string | undefined, flags) => init(context, dir, flags));

  serving(
    onSpecification(
      'dev',
      'serve a specification while you work on it',
      'dev plinth.yaml --port 4100',
    ),
  ).action((file: string | undefined, flags: DevFlags & Named) =>
    dev(context, file ?? flags.spec, flags),
  );

  serving(
    onSpecification(
      'start',
      'serve a specification over its database',
      'start plinth.yaml --database sqlite:shop.db',
    ),
  ).action((file: string | undefined, flags: DevFlags & Named) =>
    start(context, file ?? flags.spec, flags),
  );

  onSpecification('check', 'show every problem of a specification', 'check plinth.yaml')
    .option('--json', 'print the problems as JSON')
    .action((file: string | undefined, flags: { json?: boolean } & Named) =>
      check(context, file ?? flags.spec, flags),
    );

  onSpecification(
    'migrate',
    'show, or make, what brings a database up to date',
    'migrate --database sqlite:shop.db --apply',
  )
    .option('--database <url>', 'sqlite:PATH')
    .option('--apply', 'do the steps, in one transaction')
    .option('--json', 'print the steps as JSON')
    .action((file: string | undefined, flags: MigrateFlags & Named) =>
      migrate(context, file ?? flags.spec, flags),
    );

  command(
    'import <data...>',
    'load NDJSON or JSON files, or folders of them',
    'import data --database sqlite:shop.db',
  )
    .option('--spec <file>', 'the specification')
    .option('--database <url>', 'sqlite:PATH')
    .option('--json', 'print the numbers of records as JSON')
    .action((paths: string[], flags) => importCommand(context, paths, flags));

  return program;
}
