import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { counted } from '../../model/values.ts';
import { specificationText, specificationValue } from '../../introspection/document.ts';
import type { SpecificationDraft } from '../../introspection/draft.ts';
import type { FoundDatabase } from '../../introspection/table.ts';
import { readJsonServer, type JsonServerFile } from '../../introspection/json-server.ts';
import { draftOf } from '../../introspection/resources.ts';
import { measureJson, repeatedMember } from '../../query/request/json.ts';
import type { JsonValue } from '../../specification/specification.ts';
import {
  shellArgument,
  fromFolder,
  shownPath,
  typedCommand,
  type Context,
} from '../../server/context.ts';
import { introspectDatabase } from '../../server/database/database.ts';
import { refreshEditorSchema, schemaLine } from '../files/editor-schema.ts';
import { visible } from '../../lib/text/control-characters.ts';
import { CommandFailure, fileReason } from '../../server/failure.ts';
import { writeDocument } from '../files/document.ts';
import { readSpecification, formatProblem } from '../../server/files/specification.ts';
import { withoutPassword } from '../../server/database/target.ts';
import { wholeOrNothing } from '../../lib/whole-files.ts';

export interface IntrospectFlags {
  readonly out?: string;
  readonly json?: boolean;
  readonly managed?: boolean;
  /** Whether tables of migration tools are served too. */
  readonly bookkeeping?: boolean;
  /** Names of schemas, separated by commas. */
  readonly schema?: string;
}

/** `plinth introspect SOURCE`: writes a specification for an existing database, or for a db.json of json-server. */
export async function introspect(
  context: Context,
  source: string,
  flags: IntrospectFlags,
): Promise<void> {
  refuseExisting(context, flags.out);
  if (/\.json$/iu.test(source) && !/^[a-z]+:/iu.test(source)) {
    fromJsonServer(context, source, flags);
    return;
  }
  const url = /^[a-z]+:/iu.test(source) ? source : `sqlite:${source}`;
  refuseMissing(context, url);
  const schemas = schemasOf(url, flags);
  const again = `--database ${shellArgument(withoutPassword(url))}`;
  const { name, found } = await introspectDatabase(
    context,
    {
      url,
      folder: context.folder,
      again,
      flag: again,
      source: 'flag',
      isOwn: false,
      options: {},
    },
    flags.managed === true,
    schemas,
  );
  const draft = draftOf(found, { hasBookkeeping: flags.bookkeeping === true });
  if (draft.resources.length === 0)
    throw new CommandFailure(
      `${name} has no table that can be served. ${cureFor(found, draft)}, or begin with "${typedCommand(context, 'init')}".`,
      { details: draft.left, data: { left: draft.left } },
    );
  const head = [
    `Made by introspect from ${name}.`,
    ...(flags.managed === true
      ? [
          'See what "plinth migrate" would add there, then serve it with "plinth dev", both with --database.',
        ]
      : ['"plinth dev" serves the database as it is: nothing of it is changed.']),
    'Before "plinth start", say who may use it: access: public, or an auth block.',
  ];
  write(context, draft, head, undefined, flags);
  if (flags.out !== undefined)
    context.output.note(
      `Next: ${typedCommand(context, `${flags.managed === true ? 'migrate' : 'dev'} ${shellArgument(flags.out)} --database ${shellArgument(withoutPassword(url))}`)}`,
    );
}

/** What to do about a database of which nothing is served. */
function cureFor({ isManaged, otherSchemas }: FoundDatabase, { left }: SpecificationDraft): string {
  const names = otherSchemas.join(',');
  if (otherSchemas.length === 0)
    return left.length === 0 ? 'Name another database' : 'Fix one of them';
  return isManaged
    ? `Set the search_path of the role to a schema with tables (${names})`
    : `Read the schemas with tables by --schema ${shellArgument(names)}`;
}

/** The schemas that are named; undefined if none are. */
function schemasOf(
  url: string,
  { schema, managed }: IntrospectFlags,
): readonly string[] | undefined {
  if (schema === undefined) return undefined;
  const problem = url.startsWith('sqlite:')
    ? '--schema is for PostgreSQL: a SQLite file has one schema'
    : managed === true
      ? '--managed is for the schema in which the role makes tables. Leave out --schema'
      : undefined;
  const names = schema.split(',').map((name) => name.trim());
  if (problem !== undefined || names.includes(''))
    throw new CommandFailure(`${problem ?? '--schema names schemas, such as sales,public'}.`, {
      exitCode: 2,
    });
  return names;
}

/** Fails for a missing file, which SQLite would create, and for YAML. */
function refuseMissing(context: Context, url: string): void {
  const file = /^sqlite:(?!:)(.+)$/u.exec(url)?.[1];
  if (file === undefined) return;
  const isThere = existsSync(fromFolder(context, file));
  if (isThere && !/\.ya?ml$/iu.test(file)) return;
  throw new CommandFailure(
    `${isThere ? `${file} is YAML, which holds no records` : `There is no database ${file}`}. Name a SQLite file, the URL of a PostgreSQL database, or a db.json of json-server.`,
  );
}

/** Never overwrites a file that the user may have edited. */
function refuseExisting(context: Context, out: string | undefined): void {
  if (out !== undefined && out !== '' && existsSync(fromFolder(context, out)))
    throw new CommandFailure(`${out} already exists. Name another file with --out.`);
}

function write(
  context: Context,
  draft: SpecificationDraft,
  head: readonly string[],
  data: string | undefined,
  { out, json }: IntrospectFlags,
): void {
  const { output } = context;
  // YAML allows no control character in a comment.
  const text = specificationText(draft, head, data).replaceAll(/^#.*$/gmu, visible);
  if (out !== undefined) {
    const written = `${schemaLine}\n${text}`;
    writeDocument(context, written, out);
    refreshEditorSchema({ text: written, folder: dirname(fromFolder(context, out)) });
    checkWritten(context, out);
  }
  if (json === true) {
    const specification = specificationValue(draft, data);
    output.print(JSON.stringify({ ok: true, specification, left: draft.left }, undefined, 2));
  } else if (out === undefined) output.document(text.trimEnd());
  for (const line of draft.left) output.note(line);
}

/** Fails if the database has something that a specification does not allow. */
function checkWritten(context: Context, file: string): void {
  const errors = readSpecification(context, { file }).problems.filter(
    ({ severity }) => severity === 'error',
  );
  if (errors.length > 0)
    throw new CommandFailure(
      `${file} is written, but has ${counted(errors.length, 'error')} that you have to fix.`,
      { details: errors.map(formatProblem), data: { problems: errors } },
    );
}

function fromJsonServer(context: Context, source: string, flags: IntrospectFlags): void {
  const path = fromFolder(context, source);
  const read = readJsonServer(parsed(path, source));
  if ('reason' in read) {
    const { reason, left } = read;
    throw new CommandFailure(
      `${source} cannot be used: ${reason}. Name a db.json of json-server.`,
      { details: left, data: { left } },
    );
  }
  const { draft, isAsWritten } = read;
  const base = flags.out === undefined ? context.folder : dirname(fromFolder(context, flags.out));
  const head = [
    `Made by introspect from ${source}.`,
    'Fields that every record has are required. Delete "required" if clients may leave a field out.',
  ];
  const folder = join(base, 'data');
  const isWritten = !isAsWritten && flags.out !== undefined;
  if (isWritten) writeRecords(context, folder, read);
  const data = isAsWritten ? relative(base, path) : 'data';
  write(context, draft, head, isAsWritten || isWritten ? data : undefined, flags);
  if (!isAsWritten && !isWritten)
    context.output.note(
      'Some records have to be converted: with --out FILE they are written to the folder data beside it.',
    );
  if (isWritten) context.output.note(`Wrote ${shownPath(context, folder)}.`);
  if (flags.out !== undefined)
    context.output.note(`Next: ${typedCommand(context, `dev ${shellArgument(flags.out)}`)}`);
}

/** Parses a file. A member that is there twice is an error, as it is for `dev` and `import`. */
function parsed(path: string, name: string): JsonValue {
  let text = '';
  let value: JsonValue = null;
  try {
    text = readFileSync(path, 'utf8').replace(/^\uFEFF/u, '');
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    const reason =
      fileReason(error) ??
      // The parser's message quotes the text, with line breaks.
      (error instanceof Error
        ? `it is not JSON (${error.message.replaceAll(/\s+/gu, ' ')})`
        : 'it is not JSON');
    throw new CommandFailure(`${name} cannot be used: ${reason}. Name a db.json of json-server.`, {
      cause: error,
    });
  }
  const repeated = repeatedMember(text, value, measureJson(text));
  if (repeated === undefined) return value;
  const line = text.slice(0, repeated.position).split('\n').length;
  throw new CommandFailure(
    `${name}:${line} has the member ${JSON.stringify(repeated.name)} twice in one object. Take one of them away.`,
  );
}

function writeRecords(context: Context, folder: string, { records }: JsonServerFile): void {
  const shown = shownPath(context, folder);
  if (existsSync(folder))
    throw new CommandFailure(`${shown} already exists. Name a file in another folder with --out.`);
  try {
    wholeOrNothing([folder], () => {
      mkdirSync(folder, { recursive: true });
      for (const [name, list] of records)
        writeFileSync(
          join(folder, `${name}.ndjson`),
          list.map((record) => `${JSON.stringify(record)}\n`).join(''),
        );
    });
  } catch (error) {
    throw new CommandFailure(
      `${shown} cannot be written: ${fileReason(error) ?? 'unknown'}. Name a file in another folder with --out.`,
      {
        cause: error,
      },
    );
  }
}
