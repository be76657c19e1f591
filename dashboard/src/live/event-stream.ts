/** One server-sent event. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
  /** The last id that the stream has named; empty before the first. */
  readonly id: string;
}

/**
 * Reads server-sent events (the HTML standard, 9.2.6) from text that comes in pieces of any size. `push` gives the
 * events that a piece completes; one that its stream does not complete is never given.
 */
export class EventStreamParser {
  /** A line that has not ended yet, in the pieces in which it came. */
  private pieces: string[] = [];
  private isFirst = true;
  /** The last piece ended with a carriage return, whose line feed may come with the next. */
  private isAfterReturn = false;
  private name = '';
  private data: string[] = [];
  private id = '';

  push(piece: string): readonly StreamEvent[] {
    const events: StreamEvent[] = [];
    let text = piece;
    if (this.isFirst && text !== '') {
      this.isFirst = false;
      text = text.replace(/^\uFEFF/u, '');
    }
    if (this.isAfterReturn && text !== '') {
      this.isAfterReturn = false;
      if (text.startsWith('\n')) text = text.slice(1);
    }
    const lines = text.split(/\r\n|\r|\n/u);
    const rest = lines.pop() ?? '';
    if (lines.length > 0) {
      lines[0] = this.pieces.join('') + (lines[0] ?? '');
      this.pieces = [];
    }
    if (rest !== '') this.pieces.push(rest);
    this.isAfterReturn = text.endsWith('\r') || (text === '' && this.isAfterReturn);
    for (const line of lines) {
      const event = this.line(line);
      if (event !== undefined) events.push(event);
    }
    return events;
  }

  private line(line: string): StreamEvent | undefined {
    if (line === '') return this.dispatch();
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.name = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private dispatch(): StreamEvent | undefined {
    const [name, data] = [this.name || 'message', this.data];
    this.name = '';
    this.data = [];
    return data.length === 0 ? undefined : { name, data: data.join('\n'), id: this.id };
  }
}
