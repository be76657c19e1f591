import type { RecordValue } from '../../records/serialize/record.ts';

/** Records as lines of JSON, each as a list shows it. */
export async function* ndjson(
  portions: AsyncIterable<readonly RecordValue[]>,
): AsyncIterable<string> {
  for await (const records of portions)
    yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
}
