import { ItemCutter } from './json-items.ts';
import { LineCutter } from './lines.ts';
import { readBytes, type Cutter, type Section, type SourceRecord } from './source.ts';

/** Reads the records of a section in groups, as its bytes come from disk, in constant memory. */
export async function* readRecords(
  section: Section,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly SourceRecord[]> {
  const { file, start, end } = section;
  if (end <= start) return;
  const cutter: Cutter =
    file.format === 'ndjson' ? new LineCutter(section) : new ItemCutter(section);
  for await (const chunk of readBytes(file, start, end)) {
    onBytes(chunk.length);
    yield cutter.feed(chunk);
  }
  yield cutter.end();
}
