import { existsSync } from 'node:fs';
import { Command, Option } from 'commander';
import { shellArgument, fromFolder, typedCommand, type Context } from '../server/context.ts';
import { exampleNames } from './files/examples.ts';
import type { CheckFlags } from './commands/check.ts';
import type { DevFlags } from './commands/dev.ts';
import type { ExportFlags } from './commands/export.ts';
import type { DocumentFlags } from './files/document.ts';
import type { GenerateFlags } from './commands/generate.ts';
import type { IntrospectFlags } from './commands/introspect.ts';
import type { PromoteFlags } from './commands/promote.ts';
import { adviceOnOption, commandFor } from './other-words.ts';
import type { SpecificationFlags } from '../server/files/specification.ts';
import type { StartFlags } from './commands/start.ts';
import type { TypesFlags } from './commands/types.ts';

/**
 * Builds the command line: every command with its flags, its help and an example. A command is loaded when it is
 * called. See docs/contract/6-operation.md#command-line.
 */
export function buildProgram(context: Context, version: string): Command {
  const program = new Command('plinth')
    .description('One plinth.yaml becomes a complete REST API.')
    .version(version)
    .option('--verbose', 'show the stack of an error')
    .addHelpText('after', exampleText('dev plinth.yaml'))
    // A command may have a --version of its own.
    .enablePositionalOptions()
    .exitOverride();
  printThrough(program, context, '--help');

  const command = (name: string, description: string, example: string): Command => {
    const added = program.command(name).description(description);
    added.addHelpText('after', exampleText(example));
    added.option('--verbose', 'show the stack of an error');
    printThrough(added, context, `${added.name()} --help`);
    return added;
  };
  /** A command on a specification, which is its argument or `--spec`. */
  const onSpecification = (name: string, description: string, example: string): Command =>
    command(`${name} [file]`, description, example).option('--spec <file>', 'the specification');
  const serving = (added: Command, databases: string): Command =>
    added
      .option('--port <number>', 'the port to listen on, 0 for any that is free (default 4000)')
      .option('--host <address>', 'the address to listen on (default 127.0.0.1)')
      .option('--database <url>', databases)
      .option('--open', 'open it in a browser');

  command(
    'init [dir]',
    'write a plinth.yaml that runs',
    'init my-api --name "My API" --example blog',
  )
    .option('--name <name>', 'what the API is called')
    .option('--example <example>', 'which example to start from')
    .addHelpText('after', () => `\nExamples to start from: ${exampleNames().join(', ')}.`)
    .action(async (dir: string | undefined, flags) => {
      const { init } = await import('./commands/init.ts');
      await init(context, dir, flags);
    });

  serving(
    onSpecification(
      'dev',
      'serve a specification while you work on it',
      'dev plinth.yaml --port 4100',
    ),
    'sqlite:PATH, sqlite::memory: or postgres://user:password@host/name',
  )
    .option('--no-generate', 'do not generate records; only load the files of "data"')
    .option('--reset', 'first delete the database of dev, and start with a new one')
    .option('--types <file>', 'write the typed client to a file, and again after each change')
    .action(async (file: string | undefined, flags: DevFlags) => {
      const { dev } = await import('./commands/dev.ts');
      await dev(context, { ...flags, file });
    });

  serving(
    onSpecification(
      'start',
      'serve a specification over its database',
      'start plinth.yaml --database sqlite:shop.db',
    ),
    'sqlite:PATH or postgres://user:password@host/name',
  )
    .option('--workers <number>', 'the number of processes that serve (default 1)')
    .action(async (file: string | undefined, flags: StartFlags) => {
      const { start } = await import('./commands/start.ts');
      await start(context, { ...flags, file });
    });

  onSpecification('check', 'show every problem of a specification', 'check plinth.yaml')
    .option(
      '--against <file>',
      'an older specification: also show the changes, and fail on breaking ones',
    )
    .option(
      '--database <url>',
      'sqlite:PATH: also warn about its existing tables (default: as the specification says)',
    )
    .option('--json', 'print the problems and changes as JSON')
    .action(async (file: string | undefined, flags: CheckFlags) => {
      const { check } = await import('./commands/check.ts');
      await check(context, { ...flags, file });
    });

  const documenting = (added: Command): Command =>
    added
      .option('--out <file>', 'write it to a file')
      .option('--version <number>', 'the version of the API (default: the default version)');

  documenting(
    onSpecification('openapi', 'make the OpenAPI document', 'openapi --out openapi.json'),
  ).action(async (file: string | undefined, flags: DocumentFlags) => {
    const { openapi } = await import('./commands/openapi.ts');
    await openapi(context, { ...flags, file });
  });

  documenting(
    onSpecification('types', 'make a typed TypeScript client', 'types --out client.ts --watch'),
  )
    .option('--watch', 'write it again after each change of the specification')
    .action(async (file: string | undefined, flags: TypesFlags) => {
      const { types } = await import('./commands/types.ts');
      await types(context, { ...flags, file });
    });

  onSpecification(
    'migrate',
    'show or apply the steps that bring a database up to date',
    'migrate --database sqlite:shop.db --apply',
  )
    .option('--database <url>', 'sqlite:PATH or postgres://user:password@host/name')
    .option('--apply', 'apply the steps, in one transaction')
    .option('--allow-data-loss', 'also apply steps that lose values')
    .option('--allow-invalid', 'keep stored values that break new rules of the file')
    .option('--json', 'print the steps as JSON')
    .action(async (file: string | undefined, flags: SpecificationFlags) => {
      const { migrate } = await import('./commands/migrate.ts');
      await migrate(context, { ...flags, file });
    });

  command(
    'introspect <source>',
    'write a specification for an existing database, or a db.json of json-server',
    'introspect sqlite:shop.db --out plinth.yaml',
  )
    .addHelpText(
      'after',
      '\nThe source is sqlite:PATH, postgres://user:password@host/name or a .json file; it is not changed.',
    )
    .option('--out <file>', 'write it to a file, which must not exist yet')
    .option('--managed', 'write it for tables that "plinth migrate" may change')
    .option('--bookkeeping', 'serve tables in which migration tools keep their notes, too')
    .option('--schema <names>', 'schemas of PostgreSQL to read, such as sales,public')
    .option('--json', 'print the specification and what it leaves out as JSON')
    .action(async (source: string, flags: IntrospectFlags) => {
      const { introspect } = await import('./commands/introspect.ts');
      await introspect(context, source, flags);
    });

  command(
    'promote',
    'copy a SQLite database to PostgreSQL, and prove that both are equal',
    'promote --from sqlite:shop.db --to postgres://shop@db.example.com/shop',
  )
    .option('--spec <file>', 'the specification')
    .requiredOption('--from <url>', 'sqlite:PATH')
    .requiredOption(
      '--to <url>',
      'postgres://user:password@host/name; empty, or with an unfinished copy',
    )
    .option('--json', 'print rows and checksums as JSON')
    .action(async (flags: PromoteFlags) => {
      const { promote } = await import('./commands/promote.ts');
      await promote(context, flags);
    });

  onSpecification(
    'generate',
    'fill resources with generated records',
    'generate plinth.yaml --count 1000 --resource posts comments',
  )
    .option(
      '--database <url>',
      'sqlite:PATH or postgres://…; must be given for any other database than that of dev',
    )
    .option('--count <number>', 'the total number of records of each resource')
    .option('--resource <names...>', 'only these resources')
    .option('--seed <number>', 'another seed than that of the specification')
    .option('--reset', 'first delete the existing records, and load the files of "data" again')
    .option(
      '--delete-all',
      'agree that --reset deletes records of another database than that of dev',
    )
    .option('--json', 'print the numbers of records as JSON')
    .action(async (file: string | undefined, flags: GenerateFlags) => {
      const { generate } = await import('./commands/generate.ts');
      await generate(context, { ...flags, file });
    });

  command(
    'import <data...>',
    'load NDJSON, JSON or CSV files, or folders of them',
    'import data --database sqlite:shop.db',
  )
    .option('--spec <file>', 'the specification')
    .option(
      '--database <url>',
      'sqlite:PATH or postgres://…; must be given for any other database than that of dev',
    )
    .option('--replace', 'replace existing records that have the same ids and differ')
    .option('--json', 'print the numbers of records as JSON')
    .action(async (paths: string[], flags) => {
      const { importCommand } = await import('./commands/import.ts');
      await importCommand(context, paths, flags);
    });

  command(
    'export [folder]',
    'write all records to files for import, one for each resource, with writeOnly fields',
    'export backup --database sqlite:shop.db --format csv',
  )
    .addHelpText('after', '\nWithout a folder the files are written to one named "export".')
    .option('--spec <file>', 'the specification')
    .option(
      '--database <url>',
      'sqlite:PATH or postgres://… (default: as the specification says, or that of dev)',
    )
    .addOption(
      new Option('--format <format>', 'the format of the files')
        .choices(['ndjson', 'json', 'csv'])
        .default('ndjson'),
    )
    .option('--resource <names...>', 'only these resources')
    .option('--force', 'overwrite files of the same name')
    .option('--json', 'print the numbers of records as JSON')
    .action(async (folder: string | undefined, flags: ExportFlags) => {
      const { exportCommand } = await import('./commands/export.ts');
      await exportCommand(context, folder ?? 'export', flags);
    });

  command(
    'key',
    'make an API key and its entry for the specification',
    'key --name ci --role editor',
  )
    .option('--name <name>', 'what it is called in logs and quotas')
    .option('--role <roles...>', 'the roles of its callers')
    .option('--sub <subject>', 'the subject of its callers, {user.sub} in access rules')
    .option('--json', 'print key and entry as JSON')
    .action(async (flags) => {
      const { key } = await import('./commands/key.ts');
      key(context, flags);
    });

  command(
    'token',
    'sign a token that a specification accepts',
    'token --sub 7 --role editor --expires 1h',
  )
    .option('--spec <file>', 'the specification')
    .option('--sub <subject>', 'the subject, {user.sub} in access rules')
    .option('--role <roles...>', 'the roles, in the claim that the specification names')
    .option('--expires <time>', 'its lifetime, such as 30s, 15m, 1h or 7d', '1h')
    .option('--claim <claims...>', 'further claims as name=value; a value may be JSON')
    .option(
      '--private-key <file>',
      'the private key to sign with (PEM), if the specification has no secret',
    )
    .option('--alg <algorithm>', 'the algorithm, if the key allows several')
    .option('--kid <kid>', 'the id of the key, if there are several')
    .option('--json', 'print token, header and claims as JSON')
    .action(async (flags) => {
      const { token } = await import('./commands/token.ts');
      await token(context, flags);
    });

  return program;
}

function exampleText(example: string): string {
  return `\nExample:\n  $ plinth ${example}`;
}

/** Prints the output of Commander through `Output`. An error is one sentence and the next step. */
function printThrough(command: Command, context: Context, help: string): void {
  const { output } = context;
  command.configureOutput({
    writeOut: (text) => output.print(text.trimEnd()),
    writeErr: (text) => output.note(text.trimEnd()),
    outputError: (text) => {
      const words = text
        .replace(/^error: /u, '')
        .trim()
        .replaceAll(/\s+/gu, ' ');
      const named = /^unknown command '([^']+\.[^']+)'/u.exec(words)?.[1];
      if (named !== undefined && existsSync(fromFolder(context, named))) {
        output.note(
          `${named} is a file. Write "${typedCommand(context, `dev ${shellArgument(named)}`)}".`,
        );
        return;
      }
      const other = /^unknown command '([^']+)'/u.exec(words)?.[1];
      const meant = other === undefined ? undefined : commandFor(other);
      if (meant !== undefined) {
        output.note(`There is no command ${other}. Run "${typedCommand(context, meant)}".`);
        return;
      }
      const option = /^unknown option '([^']+)'/u.exec(words)?.[1];
      const behind = command.args[command.args.findIndex((word) => word === option) + 1];
      const advice = option === undefined ? undefined : adviceOnOption(option, behind);
      if (advice !== undefined) {
        output.note(`There is no option ${option}. ${advice}.`);
        return;
      }
      const sentence = words.charAt(0).toUpperCase() + words.slice(1).replace(/\.$/u, '');
      output.note(`${sentence}. See "${typedCommand(context, help)}".`);
    },
  });
}
