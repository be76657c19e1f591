import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { counts, recordsOf, type BlogResource } from './records.ts';

/** Raise it whenever `records.ts` changes, so that no old files are used again. */
const generatorVersion = 1;
const recordsFolder = 'records';
const marker = 'complete.json';
const chunkLength = 64 * 1024;

/** The data set on disk: one NDJSON file a resource, and the number of records in all. */
export type DataSet = { readonly folder: string; readonly rows: number };

/** Gives the folder of the data set under the temporary folder, and writes it when it is not there. */
export async function ensureData(): Promise<DataSet> {
  const folder = join(tmpdir(), `plinth-bench-data-${generatorVersion}`);
  const rows = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (!(await isComplete(folder))) {
    const draft = await mkdtemp(`${folder}-`);
    const sizes = await writeData(join(draft, recordsFolder));
    await writeFile(join(draft, marker), JSON.stringify(sizes));
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  }
  return { folder: join(folder, recordsFolder), rows };
}

/** Writes all resources as NDJSON files into a folder, which it makes; gives the size of each file. */
export async function writeData(folder: string): Promise<Record<string, number>> {
  await mkdir(folder, { recursive: true });
  const sizes: Record<string, number> = {};
  for (const resource of Object.keys(counts) as BlogResource[]) {
    const file = join(folder, `${resource}.ndjson`);
    await pipeline(Readable.from(lines(resource)), createWriteStream(file));
    sizes[`${resource}.ndjson`] = (await stat(file)).size;
  }
  return sizes;
}

function* lines(resource: BlogResource): Generator<string> {
  let chunk = '';
  for (const record of recordsOf(resource)) {
    chunk += `${JSON.stringify(record)}\n`;
    if (chunk.length < chunkLength) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

async function isComplete(folder: string): Promise<boolean> {
  try {
    const sizes = JSON.parse(await readFile(join(folder, marker), 'utf8')) as Record<
      string,
      number
    >;
    const entries = Object.entries(sizes);
    const found = await Promise.all(
      entries.map(([file]) => stat(join(folder, recordsFolder, file))),
    );
    return entries.length > 0 && entries.every(([, size], index) => found[index]?.size === size);
  } catch {
    return false;
  }
}
