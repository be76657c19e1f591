import { createReadStream } from 'node:fs';
import { JsonSplitter, type Piece } from './json-splitter.ts';

/** Records of one resource in one file. */
export interface SourceRecord {
  readonly resource: string;
  /** JSON text of one record. */
  readonly text: string;
  /** Where it begins in the file, from 1. */
  readonly line: number;
}

export interface DataFile {
  readonly path: string;
  /** As messages name it. */
  readonly name: string;
  readonly format: 'ndjson' | 'json';
  /** From the file's name; a `.json` file that holds an object names its resources itself. */
  readonly resource: string;
  /** bytes */
  readonly size: number;
}

/** A place in a data file where something is wrong. */
export class DataProblem extends Error {
  readonly file: string;
  readonly line: number;
  constructor(file: string, line: number, message: string) {
    super(message);
    this.file = file;
    this.line = line;
  }
}

/**
 * Reads a file record by record, in groups as they are read from disk, in constant memory. Throws a `DataProblem`
 * where the file is no UTF-8 or no JSON.
 */
export async function* readRecords(
  file: DataFile,
  onBytes: (bytes: number) => void,
): AsyncGenerator<readonly SourceRecord[]> {
  const split = file.format === 'ndjson' ? splitLines(file) : splitJson(file);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const stream = createReadStream(file.path, { highWaterMark: 1 << 18 });
  for await (const chunk of stream) {
    onBytes((chunk as Buffer).length);
    yield split.feed(decode(decoder, file, chunk as Buffer, split));
  }
  yield split.end(decode(decoder, file, undefined, split));
}

interface Splitter {
  readonly line: () => number;
  readonly feed: (text: string) => readonly SourceRecord[];
  readonly end: (text: string) => readonly SourceRecord[];
}

function decode(
  decoder: TextDecoder,
  file: DataFile,
  chunk: Buffer | undefined,
  split: Splitter,
): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new DataProblem(file.name, split.line(), 'the file is not valid UTF-8 from here on');
  }
}

function splitLines({ resource }: DataFile): Splitter {
  let line = 0;
  let rest = '';
  const records = (lines: readonly string[]): readonly SourceRecord[] =>
    lines.flatMap((text) => {
      line += 1;
      return text.trim() === '' ? [] : [{ resource, text, line }];
    });
  return {
    line: () => line + 1,
    feed: (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      return records(lines);
    },
    end: (text) => records([rest + text]),
  };
}

function splitJson(file: DataFile): Splitter {
  const splitter = new JsonSplitter();
  const checked = (pieces: readonly Piece[]): readonly SourceRecord[] => {
    if (splitter.problem !== undefined)
      throw new DataProblem(file.name, splitter.line, splitter.problem);
    return pieces.map(({ name, text, line }) => ({ resource: name ?? file.resource, text, line }));
  };
  return {
    line: () => splitter.line,
    feed: (text) => checked(splitter.feed(text)),
    end: (text) => {
      const pieces = [...splitter.feed(text), ...splitter.end()];
      return checked(pieces);
    },
  };
}
