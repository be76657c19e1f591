interface Told {
  readonly message: string | undefined;
  readonly problems: readonly { readonly field: string; readonly text: string }[];
}

/** The message of an error body and what it says of each field; nothing of any other body. */
export function failureOf(text: string): Told {
  const { message, validationErrors, errors } = membersOf(text);
  const problems = [validationErrors, errors].flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    message: typeof message === 'string' ? message : undefined,
    problems: problems.map((problem: Readonly<Record<string, unknown>>) => ({
      field: String(problem['field'] ?? ''),
      text: String(problem['error'] ?? problem['message'] ?? ''),
    })),
  };
}

function membersOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? { ...body } : {};
  } catch {
    return {};
  }
}
