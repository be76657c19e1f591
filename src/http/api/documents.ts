import { getOrInsert } from '../../lib/get-or-insert.ts';
import { BoundedCache } from '../../lib/bounded-cache.ts';
import { matchingRules, type Caller } from '../../model/access.ts';
import type { Version } from '../../model/api.ts';
import type { ExampleRows } from '../../openapi/document/example.ts';
import { knownTag, openApiInTurns } from '../../openapi/document/document.ts';
import { jsonResponse, unlessKnown, type Response } from '../response/response.ts';
import { entityTag } from '../../records/serialize/record.ts';
import { mayDebug } from '../debug/audience.ts';
import { generatorOf } from '../debug/inspect.ts';
import { linkRoot, type Exchange } from './exchange.ts';
import type { ServedApi } from '../server/served-api.ts';

/** A cached text with its entity tag. */
interface Document {
  readonly text: string;
  readonly etag: string;
}

/** How many documents of a served API are cached, and their total length: there may be one for each set of roles. */
const keptDocuments = 20;
const keptLength = 64 * 1024 * 1024;

/** The documents of a served API: cached, and being made. */
interface Documents {
  readonly kept: BoundedCache<Document>;
  readonly coming: Map<string, Promise<Document>>;
}

const documents = new WeakMap<ServedApi, Documents>();

function noDocuments(): Documents {
  const lengthOf = (_: string, { text }: Document): number => text.length;
  return { kept: new BoundedCache(keptDocuments, keptLength, lengthOf), coming: new Map() };
}

/**
 * Answers `/_openapi.json` and `/v<N>/_openapi.json`: the API as this caller sees it. See
 * docs/contract/7-data-debug-dashboard.md#openapi.
 */
export async function answerOpenApi(
  exchange: Exchange,
  version: Version,
  caller: Caller,
): Promise<Response> {
  const { servedApi } = exchange;
  const hasSandboxes = servedApi.sandboxes !== undefined;
  const view = servedApi.view(version, caller);
  const isDebugOn = mayDebug(exchange, caller);
  const { kept, coming } = getOrInsert(documents, servedApi, noDocuments);
  const server = linkRoot(exchange);
  const endpoints = (servedApi.code?.endpoints ?? []).filter(
    ({ rules }) => matchingRules(rules, caller).length > 0,
  );
  const named = endpoints.map(({ name }) => name).join();
  const tag = knownTag(view, new URLSearchParams(exchange.search).get('tag') ?? undefined);
  const key = `${String(isDebugOn)} ${server} ${view.key} ${named} ${JSON.stringify(tag)}`;
  const options = { isDebugOn, hasSandboxes, server, endpoints, tag };
  const make = async (): Promise<Document> => {
    const rows = await rowsOf(servedApi);
    const document = made(JSON.stringify(await openApiInTurns(view, { ...options, rows })));
    kept.set(key, document);
    return document;
  };
  const document =
    kept.get(key) ??
    (await getOrInsert(coming, key, () => make().finally(() => coming.delete(key))));
  return tagged(exchange, document);
}

/** Rows for examples; undefined if the data cannot be generated. */
async function rowsOf(servedApi: ServedApi): Promise<ExampleRows | undefined> {
  const [{ exampleRows }, generator] = await Promise.all([
    import('../../generate/examples.ts'),
    generatorOf(servedApi),
  ]);
  return generator && exampleRows(generator);
}

function made(text: string): Document {
  return { text, etag: entityTag(text) };
}

/** The text, or 304 if the client has it. */
function tagged({ headers, requestId }: Exchange, { text, etag }: Document): Response {
  return unlessKnown(jsonResponse(200, text, requestId, { etag }), etag, headers);
}
