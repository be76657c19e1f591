import { CsvCutter, type HeaderProblems } from './csv-records.ts';
import { ItemCutter } from './json-items.ts';
import { LineCutter } from './lines.ts';
import { readBytes, type Cutter, type Section, type SourceRecord } from './source.ts';

/**
 * Reads the records of a section in groups, as its bytes come from disk, in constant memory. Throws a `DataProblem` if if
 * it cannot continue, for example at a CSV header with `headerProblems`.
 */
export async function* readRecords(
  section: Section,
  headerProblems: HeaderProblems,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly SourceRecord[]> {
  const { file, start, end } = section;
  if (end <= start) return;
  const cutter = cutterOf(section, headerProblems);
  for await (const chunk of readBytes(file, start, end)) {
    onBytes(chunk.length);
    yield cutter.feed(chunk);
  }
  yield cutter.end();
}

function cutterOf(section: Section, headerProblems: HeaderProblems): Cutter {
  switch (section.file.format) {
    case 'ndjson':
      return new LineCutter(section);
    case 'json':
      return new ItemCutter(section);
    case 'csv':
      return new CsvCutter(section, headerProblems);
    default:
      return section.file.format satisfies never;
  }
}
