import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { tokensOf, type Tokens } from './tokens.ts';

/** A file of records, by its name and ending. */
export interface DataFile {
  readonly path: string;
  /** The name in messages. */
  readonly name: string;
  readonly format: 'ndjson' | 'json' | 'csv';
  /** From the file's name; undefined for a `.json` file with an object of lists. */
  readonly resource: string;
  /** bytes */
  readonly size: number;
}

/** The part of a file with the records of one resource: the whole file, or one list of a JSON file. */
export interface Section {
  readonly file: DataFile;
  readonly resource: string;
  /** Byte offsets, without the end. */
  readonly start: number;
  readonly end: number;
  /** The line of its first byte, from 1. */
  readonly line: number;
}

/** The text of one record, or its problem. */
export interface SourceRecord {
  /** The line where it begins, from 1. */
  readonly line: number;
  readonly text: string;
  readonly tokens: Tokens;
  readonly problem: string | undefined;
  /** For CSV: the names of its values. Undefined for JSON. */
  readonly header?: readonly string[];
}

/** A problem at a line of a data file. */
export class DataProblem extends Error {
  readonly file: string;
  readonly line: number;
  constructor(file: string, line: number, message: string) {
    super(message);
    this.file = file;
    this.line = line;
  }
}

/** Cuts a section into records as its bytes arrive. Throws a `DataProblem` if it cannot continue. */
export interface Cutter {
  readonly feed: (bytes: Buffer) => readonly SourceRecord[];
  readonly end: () => readonly SourceRecord[];
}

/** The bytes of one read from disk. */
export const chunkSize = 1 << 18;
/** The most bytes of a record, since it is held in memory as a whole. */
export const maxRecordSize = 16 * 1024 * 1024;

/** The bytes of a file from `start` to before `end`. */
export async function* readBytes(
  { path }: DataFile,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  if (end <= start) return;
  const stream = createReadStream(path, { start, end: end - 1, highWaterMark: chunkSize });
  for await (const chunk of stream) yield chunk as Buffer;
}

/** The message for a record that is too long. */
export function tooLong(): string {
  return `the record is longer than ${maxRecordSize / 1024 / 1024} MiB`;
}

/** One record from its bytes, which may be invalid UTF-8. */
export function recordOf(bytes: Buffer, line: number, isChecked: boolean): SourceRecord {
  const isText = isChecked || isUtf8(bytes);
  return {
    line,
    text: isText ? bytes.toString('utf8') : '',
    tokens: isText ? tokensOf(bytes) : 'plain',
    problem: isText ? undefined : 'the record is not valid UTF-8',
  };
}

/** The start of the text, after a byte order mark. */
export function afterMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
