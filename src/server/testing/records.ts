import {
  RefusedRecords,
  type SandboxCopy,
  type SandboxSource,
} from '../../http/sandboxes/sandboxes.ts';

/** Records by resource. */
export type SandboxRecords = Readonly<Record<string, readonly object[] | undefined>>;

/** Opens a copy of the generated records, or a database with these records alone. Fails with what is wrong with which. */
export async function openCopy(
  source: SandboxSource,
  records: SandboxRecords | undefined,
  now: () => Date,
): Promise<SandboxCopy> {
  if (records === undefined) return source.open();
  const { text, places } = written(records);
  try {
    return await source.openWith(Buffer.from(text), now);
  } catch (error) {
    if (!(error instanceof RefusedRecords)) throw error;
    const lines = error.problems.map(
      ({ line, message }) => `${places[line - 1] ?? 'records'}: ${message}`,
    );
    throw new Error(['The records of the sandbox have problems:', ...lines].join('\n'), {
      cause: error,
    });
  }
}

/** Records as JSON with one on each line, and what each line holds. */
function written(records: SandboxRecords): { text: string; places: readonly string[] } {
  const lines = ['{'];
  const places = ['records'];
  const lists = Object.entries(records).filter(([, list]) => list !== undefined);
  const [unlisted] = lists.find(([, list]) => !Array.isArray(list)) ?? [];
  if (unlisted !== undefined) throw new TypeError(`records.${unlisted} is not a list of records.`);
  for (const [at, [name, list = []]] of lists.entries()) {
    lines.push(`${JSON.stringify(name)}: [`);
    places.push(name);
    for (const [index, record] of list.entries()) {
      lines.push(`${JSON.stringify(record)}${index === list.length - 1 ? '' : ','}`);
      places.push(`${name}[${index}]`);
    }
    lines.push(at === lists.length - 1 ? ']' : '],');
    places.push(name);
  }
  lines.push('}');
  return { text: lines.join('\n'), places };
}
