import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { tokensOf, type Tokens } from './tokens.ts';

/** A file of records, by its name and ending. */
export interface DataFile {
  readonly path: string;
  /** As messages name it. */
  readonly name: string;
  readonly format: 'ndjson' | 'json' | 'csv';
  /** From the file's name; a `.json` file that holds an object names its resources itself. */
  readonly resource: string;
  /** bytes */
  readonly size: number;
}

/** A part of a file that holds records of one resource: all of it, or one list of a JSON file. */
export interface Section {
  readonly file: DataFile;
  readonly resource: string;
  /** Bytes; the end is not part of it. */
  readonly start: number;
  readonly end: number;
  /** The line of its first byte, from 1. */
  readonly line: number;
}

/** The text of one record, or why it has none. */
export interface SourceRecord {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly text: string;
  readonly tokens: Tokens;
  readonly problem: string | undefined;
  /** Of CSV: the names of its values; absent: the text is JSON. */
  readonly header?: readonly string[];
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

/** Cuts a section into records as its bytes arrive. Throws a `DataProblem` where it cannot go on. */
export interface Cutter {
  readonly feed: (bytes: Buffer) => readonly SourceRecord[];
  readonly end: () => readonly SourceRecord[];
}

/** What is read from disk at once. */
export const chunkSize = 1 << 18;
/** The most that one record may take, since it is held in memory whole. */
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

/** What is wrong with a record that is longer than any may be. */
export function tooLong(): string {
  return `the record is longer than ${maxRecordSize / 1024 / 1024} MiB`;
}

/** One record: its bytes as text, if they are some. */
export function recordOf(bytes: Buffer, line: number, isChecked: boolean): SourceRecord {
  const isText = isChecked || isUtf8(bytes);
  return {
    line,
    text: isText ? bytes.toString('utf8') : '',
    tokens: isText ? tokensOf(bytes) : 'plain',
    problem: isText ? undefined : 'the record is not valid UTF-8',
  };
}

/** Where the text begins: after a byte order mark, if it has one. */
export function afterMark(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
