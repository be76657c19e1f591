/** What an error says, be it no Error, as modules of a user may throw anything: some things have no text. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'it throws something that has no text';
  }
}
