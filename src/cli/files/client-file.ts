import { clientSource } from '../../openapi/client/client.ts';
import type { Context } from '../../server/context.ts';
import { documentedWith } from '../../server/files/code.ts';
import { CommandFailure } from '../../server/failure.ts';
import { wholeView, writeDocument } from './document.ts';
import type { SpecificationFile } from '../../server/files/specification.ts';

/** A file with the client of an API, which is written when the client differs. */
export class ClientFile {
  private readonly context: Context;
  private readonly out: string;
  private written: string | undefined;

  constructor(context: Context, out: string) {
    this.context = context;
    this.out = out;
  }

  /** Writes the client of an Api, for `dev --types`. */
  writeFor({ api, code }: Pick<SpecificationFile, 'api' | 'code'>): void {
    const { api: whole, endpoints } = documentedWith(api, code);
    void this.write(() => clientSource(wholeView(whole, {}), endpoints));
  }

  /** Writes what `make` gives. Prints why it cannot, and leaves the file as it is. */
  async write(make: () => string | Promise<string>): Promise<void> {
    const { context, out } = this;
    try {
      const source = await make();
      if (source === this.written) return;
      writeDocument(context, source, out);
      this.written = source;
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      for (const line of error.details) context.output.note(line);
      context.output.note(error.message);
    }
  }
}
