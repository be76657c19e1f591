import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatOf } from '../../transfer/import/files.ts';
import { importOrder } from '../../transfer/import/order.ts';
import type { DataFile } from '../../transfer/import/source.ts';
import { misencoded } from '../../transfer/stored-text.ts';
import { readStored } from '../../records/read/export.ts';
import type { Database } from '../../databases/database.ts';
import type { Api, Field, Resource } from '../../model/api.ts';
import { unknownName } from '../../model/build/names.ts';
import { csv, jsonList, ndjson } from '../../http/response/record-formats.ts';
import type { JsonValue } from '../../specification/specification.ts';
import type { RecordValue } from '../../records/serialize/record.ts';
import { fromFolder, type Context } from '../../server/context.ts';
import { withStoredForms, withDatabase } from '../../server/database/database.ts';
import { CommandFailure, fileReason } from '../../server/failure.ts';
import { countLines, inFileOrder, recordsWere } from '../../server/output.ts';
import { requireCurrent } from '../../server/database/schema.ts';
import { requireSpecification } from '../../server/files/specification.ts';
import { targetOrDevelopment, type OpenDatabase } from '../../server/database/target.ts';

type ExportFormat = DataFile['format'];

export interface ExportFlags {
  readonly spec?: string;
  readonly database?: string;
  readonly format: ExportFormat;
  readonly resource?: readonly string[];
  readonly force?: boolean;
  readonly json?: boolean;
}

/** `plinth export [FOLDER]`: writes every record of the database to files for `import`, one for each resource. */
export async function exportCommand(
  context: Context,
  path: string,
  flags: ExportFlags,
): Promise<void> {
  const stop = context.stop();
  const specification = requireSpecification(context, { spec: flags.spec });
  const target = targetOrDevelopment(context, specification, flags.database);
  const { api } = await withStoredForms(context, target, specification);
  const resources = wanted(api, flags.resource);
  await requireCurrent(context, target, api);
  const folder = fromFolder(context, path);
  const name = relative(context.folder, folder) || '.';
  if (flags.force !== true) refuseData(folder, name);
  await withDatabase(context, target, 'read', async (open) => {
    mkdirSync(folder, { recursive: true });
    const files = new ExportFiles(folder, flags.format);
    const counts = await context.output
      .progress('Exporting', (report) => writeAll(resources, files, open, stop, report))
      .catch((error: unknown) => {
        files.discard();
        if (stop.aborted) throw new CommandFailure('Stopped: nothing was exported.');
        const reason = fileReason(error);
        if (reason === undefined) throw error;
        throw new CommandFailure(
          `Nothing was exported to ${name}: ${reason}. Fix that, or name another folder.`,
          { cause: error },
        );
      });
    files.keep();
    const listed = inFileOrder(api, counts);
    const { output } = context;
    if (flags.json === true) {
      const data = { ok: true, folder: name, records: Object.fromEntries(listed) };
      output.print(JSON.stringify(data, undefined, 2));
      return;
    }
    for (const line of countLines(listed)) output.print(line);
    const total = listed.reduce((sum, [, count]) => sum + count, 0);
    output.print(`${recordsWere(total)} exported from ${open.name} to ${name}.`);
    if (resources.some(({ fields }) => [...fields.values()].some(({ writeOnly }) => writeOnly)))
      output.print('The files hold writeOnly fields too: keep them as safe as the database.');
  });
}

/** The named resources, or all that are written. References are exported before their targets, so that every target is in the files. */
function wanted(api: Api, names: readonly string[] | undefined): readonly Resource[] {
  const unknown = names?.filter((name) => !api.resources.has(name)) ?? [];
  if (unknown.length > 0)
    throw new CommandFailure('Nothing was exported. Name resources of the specification.', {
      exitCode: 2,
      details: unknown.map((name) => unknownName('resource', name, api.resources.keys())),
    });
  const [readOnly] = names?.filter((name) => api.resources.get(name)?.isReadOnly) ?? [];
  if (readOnly !== undefined)
    throw new CommandFailure(
      `Nothing was exported: ${readOnly} is read-only, so that no import would take its records.`,
      { exitCode: 2 },
    );
  return importOrder(api)
    .resources.filter(({ name }) => names?.includes(name) ?? true)
    .toReversed();
}

/** Fails if the folder has files that `import` would read as data. */
function refuseData(folder: string, name: string): void {
  if (!existsSync(folder)) return;
  const data = readdirSync(folder).filter((file) => formatOf(file) !== undefined);
  if (data.length === 0) return;
  const others = data.length === 1 ? '' : ` and ${data.length - 1} more`;
  throw new CommandFailure(
    `The folder ${name} has data already: ${data[0]}${others}. Name another one, or give --force to overwrite files of the same name.`,
  );
}

async function writeAll(
  resources: readonly Resource[],
  files: ExportFiles,
  { database }: OpenDatabase,
  stop: AbortSignal,
  report: (done: number, total: number) => void,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const [index, resource] of resources.entries()) {
    const { portions, count } = await readStored(resource, database, stop);
    let written = 0;
    const counted = async function* (): AsyncIterable<readonly RecordValue[]> {
      for await (const records of portions) {
        await expectText(resource, records, database);
        written += records.length;
        yield records;
        report(index + written / count, resources.length);
      }
    };
    await files.write(resource, counted(), stop);
    counts.set(resource.name, written);
  }
  return counts;
}

/** Fails at a text that is not UTF-8: the file would have other characters in its place. */
async function expectText(
  resource: Resource,
  records: readonly RecordValue[],
  database: Database,
): Promise<void> {
  const stored = records.map((record) => ({
    id: (record['id'] ?? null) as JsonValue,
    valueOf: ({ name }: Field) => record[name],
  }));
  const unfit = await misencoded(resource, stored, database);
  if (unfit !== undefined)
    throw new CommandFailure(
      `Nothing was exported: the record ${JSON.stringify(unfit.id)} of ${resource.name} has a value in ${unfit.field.name} that ${unfit.reason}.`,
    );
}

/** The files of one run. They are renamed when all are complete, so that half an export is never taken for a whole one. */
class ExportFiles {
  private readonly folder: string;
  private readonly format: ExportFormat;
  private readonly names: string[] = [];

  constructor(folder: string, format: ExportFormat) {
    this.folder = folder;
    this.format = format;
  }

  /** Writes the records of a resource. Only the owner may read the file, since it has writeOnly fields. */
  async write(
    resource: Resource,
    portions: AsyncIterable<readonly RecordValue[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const name = `${resource.name}.${this.format}`;
    this.names.push(name);
    const path = this.partOf(name);
    // An existing file keeps its mode, and a link leads to another file.
    rmSync(path, { force: true });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(this.textOf(resource, portions), file, { signal });
  }

  keep(): void {
    for (const name of this.names) renameSync(this.partOf(name), join(this.folder, name));
  }

  discard(): void {
    for (const name of this.names) rmSync(this.partOf(name), { force: true });
  }

  private partOf(name: string): string {
    return join(this.folder, `${name}.part`);
  }

  private textOf(
    { fields }: Resource,
    portions: AsyncIterable<readonly RecordValue[]>,
  ): AsyncIterable<string> {
    switch (this.format) {
      case 'ndjson':
        return ndjson(portions);
      case 'json':
        return jsonList(portions);
      case 'csv':
        return csv(
          portions,
          [...fields].map(([name, field]) => ({ name, field })),
        );
      default:
        return this.format satisfies never;
    }
  }
}
