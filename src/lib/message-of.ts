/** The message of anything that was thrown: modules of users may throw values that are no Error and have no text. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return 'it throws something that has no text';
  }
}
