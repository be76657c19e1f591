import type { RequestDetail, RequestRow } from '../../../../src/http/dashboard/wire.ts';
import { askDashboard } from '../../api.ts';
import { save } from '../../save.ts';
import { counted } from '../../words.ts';
import { harOf } from './har.ts';

/** How many are asked for at once; the server tells no more. */
const asked = 50;

/** Saves requests as a file; gives what was done, in words. */
export async function exportHar(rows: readonly RequestRow[], name: string): Promise<string> {
  const found: RequestDetail[] = [];
  for (let begin = 0; begin < rows.length; begin += asked) {
    const ids = rows.slice(begin, begin + asked).map(({ id }) => encodeURIComponent(id));
    // With a comma at its end, one id is a list too.
    const path = `requests/${ids.join(',')}${ids.length === 1 ? ',' : ''}`;
    const { requests } = await askDashboard<{ requests: readonly RequestDetail[] }>(path);
    found.push(...requests);
  }
  const inOrder = found.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const text = JSON.stringify(harOf(inOrder, name, location.origin), undefined, 2);
  save(`${name.replaceAll(/[^\p{L}\p{N}]+/gu, '-')}.har`, 'application/json', text);
  return `${counted(found.length, 'request')} exported.`;
}
