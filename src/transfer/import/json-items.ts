import { DataProblem, maxRecordSize, recordOf, tooLong } from './source.ts';
import type { Cutter, DataFile, Section, SourceRecord } from './source.ts';

const quoteMark = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const newline = 0x0a;

/**
 * Cuts the inside of a JSON list, whose brackets are known to match, into the texts of its items, without parsing
 * them.
 */
export class ItemCutter implements Cutter {
  private readonly file: DataFile;
  private line: number;
  private depth = 0;
  private inString = false;
  private isEscaped = false;
  /** The start of an item whose end has not been read yet. */
  private rest: Buffer[] = [];
  private restSize = 0;
  private hasItem = false;
  private itemLine = 0;
  private items = 0;

  constructor({ file, line }: Section) {
    this.file = file;
    this.line = line;
  }

  feed(bytes: Buffer): readonly SourceRecord[] {
    const records: SourceRecord[] = [];
    let { depth, inString, isEscaped, line, hasItem } = this;
    let start = 0;
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (byte === newline) line += 1;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quoteMark) inString = false;
        continue;
      }
      if (byte === comma && depth === 0) {
        records.push(this.take(bytes.subarray(start, index), line, hasItem));
        hasItem = false;
        continue;
      }
      if (byte <= 0x20) continue;
      if (!hasItem) {
        hasItem = true;
        start = index;
        this.itemLine = line;
      }
      if (byte === quoteMark) inString = true;
      else if (byte === 0x7b || byte === 0x5b) depth += 1;
      else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    }
    this.depth = depth;
    this.inString = inString;
    this.isEscaped = isEscaped;
    this.line = line;
    this.hasItem = hasItem;
    if (hasItem) this.keep(bytes.subarray(start));
    return records;
  }

  end(): readonly SourceRecord[] {
    if (!this.hasItem && this.items === 0) return [];
    return [this.take(Buffer.alloc(0), this.line, this.hasItem)];
  }

  private keep(bytes: Buffer): void {
    this.rest.push(bytes);
    this.restSize += bytes.length;
    if (this.restSize > maxRecordSize)
      throw new DataProblem(this.file.name, this.itemLine, tooLong());
  }

  private take(last: Buffer, line: number, hasItem: boolean): SourceRecord {
    this.items += 1;
    if (!hasItem)
      return { line, text: '', tokens: 'plain', problem: 'a comma stands here without a record' };
    const bytes = this.rest.length === 0 ? last : Buffer.concat([...this.rest, last]);
    this.rest = [];
    this.restSize = 0;
    return recordOf(bytes, this.itemLine, false);
  }
}
