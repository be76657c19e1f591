import type { RecordValue } from '../../records/serialize/record.ts';

/** Records as one JSON list, a record a line. */
export async function* jsonList(
  portions: AsyncIterable<readonly RecordValue[]>,
): AsyncIterable<string> {
  let before = '[\n';
  for await (const records of portions) {
    if (records.length === 0) continue;
    yield `${before}${records.map((record) => JSON.stringify(record)).join(',\n')}`;
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
