import type { Result } from '../../errors.ts';
import { answerMethod } from '../api/router.ts';
import type { Exchange } from '../api/exchange.ts';
import { servedVersions } from '../api/versions.ts';
import type { Response } from '../response/response.ts';
import { hasDashboard, referencePath } from './dashboard.ts';
import { pageFile } from './files.ts';

/** `/_docs`: the page that shows the OpenAPI document. See docs/contract/7-data-debug-dashboard.md#openapi. */
export async function answerReference(path: string, exchange: Exchange): Promise<Result<Response>> {
  exchange.trace.route = referencePath;
  const answered = answerMethod(exchange, 'GET, HEAD, OPTIONS');
  if (answered !== undefined) return answered;
  const { requestId, headers } = exchange;
  return pageFile(referencePath, path, requestId, headers['accept-encoding'], (html) =>
    written(html, exchange),
  );
}

/** The page with what it has to know before it asks for anything. */
function written(html: string, { servedApi, clockAndIds, mode, dashboard }: Exchange): string {
  const { api } = servedApi;
  const versions = servedVersions(api, clockAndIds.now)
    .map(({ number }) => number)
    // The default version comes first.
    .sort((a, b) => Number(b === api.defaultVersion) - Number(a === api.defaultVersion) || b - a)
    .map((number) => `v${number}`);
  const page = {
    versions,
    hasAuth: api.settings.auth !== undefined,
    hasDashboard: dashboard !== undefined && hasDashboard(api, mode),
  };
  return html
    .replace('content="{}"', () => `content="${escaped(JSON.stringify(page))}"`)
    .replace(/<title>.*?<\/title>/u, () => `<title>${escaped(api.name)}</title>`);
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
